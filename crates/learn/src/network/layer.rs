//! What a network is made of.

use serde::{Deserialize, Serialize};

use crate::LearnError;

/// Networks have at most so many parameters.
const MOST_PARAMETERS: usize = 1 << 26;

/// Numbers of one record on its way through all layers: some gigabytes for a chunk of them.
const MOST_VALUES: usize = 1 << 21;

/// Parameters of convolutions: their gradients are kept for each record of a chunk.
const MOST_FILTERS: usize = 1 << 19;

/// What all squares of one layer cover.
const MOST_COVERED: usize = 1 << 24;

/// One layer of a network.
///
/// Images are read and passed on row by row, pixel by pixel, with the channels of a pixel side by
/// side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "layer", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layer {
    /// Every output is a weighted sum of all inputs, and a bias.
    Dense {
        /// How many outputs.
        units: usize,
    },
    /// Every output is a weighted sum of a square of pixels, and a bias; the weights are the same
    /// wherever the square is.
    Convolution {
        /// How many outputs for each place of the square.
        filters: usize,
        /// The side of the square.
        size: usize,
        /// How far apart the squares are.
        #[serde(default = "one")]
        stride: usize,
        /// How many pixels of 0 are put around the image.
        #[serde(default)]
        padding: usize,
    },
    /// The largest number of a square of pixels, channel by channel.
    MaxPool {
        /// The side of the square.
        size: usize,
        /// How far apart the squares are.
        #[serde(default = "one")]
        stride: usize,
    },
    /// The mean of a square of pixels, channel by channel.
    AveragePool {
        /// The side of the square.
        size: usize,
        /// How far apart the squares are.
        #[serde(default = "one")]
        stride: usize,
    },
    /// max(x, 0).
    Relu,
    /// The hyperbolic tangent.
    Tanh,
}

const fn one() -> usize {
    1
}

/// Height, width and channels of what a layer is given; numbers without a place are channels of one
/// pixel. Numbers are kept row by row, pixel by pixel, with the channels of a pixel side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// Numbers in a pixel.
    pub channels: usize,
}

impl Shape {
    /// So many numbers without a place.
    #[must_use]
    pub const fn flat(numbers: usize) -> Self {
        Self { height: 1, width: 1, channels: numbers }
    }

    /// How many pixels.
    #[must_use]
    pub const fn pixels(self) -> usize {
        self.height.saturating_mul(self.width)
    }

    /// How many numbers.
    #[must_use]
    pub const fn len(self) -> usize {
        self.pixels().saturating_mul(self.channels)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A square that moves over an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) from: Shape,
    /// Height and width of the places of the square.
    pub(super) places: [usize; 2],
    pub(super) size: usize,
    pub(super) stride: usize,
    pub(super) padding: usize,
}

impl Window {
    fn new(from: Shape, size: usize, stride: usize, padding: usize) -> Result<Self, LearnError> {
        let fits = |side: usize| {
            let room = side.checked_add(padding.checked_mul(2)?)?.checked_sub(size)?;
            room.checked_div(stride)?.checked_add(1)
        };
        let covered = |places: [usize; 2]| {
            let square = size.checked_mul(size)?.checked_mul(from.channels)?;
            square.checked_mul(places[0])?.checked_mul(places[1])
        };
        match (fits(from.height), fits(from.width)) {
            (Some(height), Some(width)) if size > 0 && padding < size => {
                let places = [height, width];
                match covered(places) {
                    Some(1..=MOST_COVERED) => Ok(Self { from, places, size, stride, padding }),
                    _ => Err(LearnError::invalid(
                        "the squares of a layer",
                        format!("{height} x {width} of {size} x {size} x {}", from.channels),
                        "at most 2^24 numbers together",
                    )),
                }
            }
            _ => Err(LearnError::invalid(
                "the square of a layer",
                format!("{size} with stride {stride} and padding {padding}"),
                format!(
                    "at least 1, within {} x {} pixels, with a smaller padding",
                    from.height, from.width
                ),
            )),
        }
    }

    /// How many places.
    pub(super) const fn count(&self) -> usize {
        self.places[0] * self.places[1]
    }

    /// How many numbers the square covers.
    pub(super) const fn covered(&self) -> usize {
        self.size * self.size * self.from.channels
    }

    const fn onto(&self, channels: usize) -> Shape {
        Shape { height: self.places[0], width: self.places[1], channels }
    }
}

/// What is applied to each output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Relu,
    Tanh,
}

/// How outputs come from inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Dense,
    Convolution(Window),
    MaxPool(Window),
    AveragePool(Window),
}

/// A layer with what follows element by element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) kind: Kind,
    pub(super) activation: Option<Activation>,
    pub(super) from: Shape,
    pub(super) onto: Shape,
    /// Where its weights start among those of all stages; its biases follow them.
    pub(super) start: usize,
}

impl Stage {
    /// How many inputs are weighted at a time, or none.
    pub(super) fn fan_in(&self) -> Option<usize> {
        match self.kind {
            Kind::Dense => Some(self.from.len()),
            Kind::Convolution(window) => Some(window.covered()),
            Kind::MaxPool(_) | Kind::AveragePool(_) => None,
        }
    }

    /// How many weights.
    pub(super) fn weights(&self) -> usize {
        self.fan_in().map_or(0, |inputs| inputs.saturating_mul(self.onto.channels))
    }

    /// How many weights and biases.
    pub(super) fn parameters(&self) -> usize {
        let biases = if self.fan_in().is_some() { self.onto.channels } else { 0 };
        self.weights().saturating_add(biases)
    }

    /// Its weights and its biases.
    pub(super) fn of<'a, T>(&self, all: &'a [T]) -> (&'a [T], &'a [T]) {
        let own = all.get(self.start..self.start + self.parameters()).unwrap_or(&[]);
        own.split_at(self.weights().min(own.len()))
    }

    /// The same, to change.
    pub(super) fn of_mut<'a, T>(&self, all: &'a mut [T]) -> (&'a mut [T], &'a mut [T]) {
        let own = all.get_mut(self.start..self.start + self.parameters()).unwrap_or(&mut []);
        let middle = self.weights().min(own.len());
        own.split_at_mut(middle)
    }
}

/// The stages of the layers, from numbers of this shape.
pub(super) fn stages(shape: Shape, layers: &[Layer]) -> Result<Vec<Stage>, LearnError> {
    let mut stages: Vec<Stage> = Vec::new();
    let (mut from, mut start) = (shape, 0_usize);
    let (mut values, mut filters) = (shape.len(), 0_usize);
    for layer in layers {
        let (kind, onto) = match *layer {
            Layer::Relu | Layer::Tanh => {
                activate(stages.last_mut(), *layer)?;
                continue;
            }
            Layer::Dense { units } => (Kind::Dense, Shape::flat(units)),
            Layer::Convolution { filters, size, stride, padding } => {
                let window = Window::new(from, size, stride, padding)?;
                (Kind::Convolution(window), window.onto(filters))
            }
            Layer::MaxPool { size, stride } => {
                let window = Window::new(from, size, stride, 0)?;
                (Kind::MaxPool(window), window.onto(from.channels))
            }
            Layer::AveragePool { size, stride } => {
                let window = Window::new(from, size, stride, 0)?;
                (Kind::AveragePool(window), window.onto(from.channels))
            }
        };
        let stage = Stage { kind, activation: None, from, onto, start };
        start = start.saturating_add(stage.parameters());
        values = values.saturating_add(onto.len());
        if let Kind::Convolution(_) = kind {
            filters = filters.saturating_add(stage.parameters());
        }
        for (what, found, most) in [
            ("the numbers of a record in all layers", values, MOST_VALUES),
            ("the parameters of all layers", start, MOST_PARAMETERS),
            ("the parameters of convolutions", filters, MOST_FILTERS),
        ] {
            if found > most {
                return Err(LearnError::invalid(what, found, format!("at most {most}")));
            }
        }
        if onto.is_empty() {
            return Err(LearnError::invalid("the outputs of a layer", 0, "at least 1"));
        }
        stages.push(stage);
        from = onto;
    }
    Ok(stages)
}

fn activate(last: Option<&mut Stage>, layer: Layer) -> Result<(), LearnError> {
    match last {
        Some(stage) if stage.activation.is_none() && stage.fan_in().is_some() => {
            stage.activation =
                Some(if layer == Layer::Relu { Activation::Relu } else { Activation::Tanh });
            Ok(())
        }
        _ => Err(LearnError::invalid(
            "the layer before relu or tanh",
            "another",
            "dense or a convolution",
        )),
    }
}
