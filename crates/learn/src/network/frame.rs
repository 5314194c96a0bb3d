//! What is trained, and what is clipped together.

use throng_numeric::Rational;

use super::clip::Group;
use super::grid::BOUND;
use super::layer::{Layer, Shape, Stage, stages};
use super::options::{Clipping, NetworkOptions};
use crate::data::check_columns;
use crate::math::count;
use crate::{Bounds, LearnError};

/// What a network is made of, the last layer included.
pub(super) struct Frame {
    pub(super) shape: Shape,
    pub(super) layers: Vec<Layer>,
    pub(super) stages: Vec<Stage>,
}

impl Frame {
    pub(super) fn new(
        bounds: &Bounds,
        outputs: usize,
        options: &NetworkOptions,
    ) -> Result<Self, LearnError> {
        let shape = options.image.unwrap_or(Shape::flat(bounds.columns()));
        check_columns(shape.len(), bounds.columns())?;
        let mut layers = options.layers.clone();
        layers.push(Layer::Dense { units: outputs });
        let stages = stages(shape, &layers)?;
        Ok(Self { shape, layers, stages })
    }

    pub(super) fn parameters(&self) -> usize {
        self.stages.iter().map(Stage::parameters).sum()
    }
}

/// What a record adds to the count, so that noise moves the estimated share by about 1/20: Andrew et al.
/// find that enough.
pub(super) fn count_weight(options: &NetworkOptions, sigma: &Rational) -> u64 {
    match options.clipping {
        Clipping::Flat | Clipping::PerLayer => 0,
        Clipping::Adaptive { .. } => {
            let wanted = sigma.to_f64_nearest() * count_of(BOUND) * 10.0;
            let weight = crate::math::nearest(wanted / count_of(options.expected()));
            u64::try_from(weight).unwrap_or(1).clamp(1, BOUND / 4)
        }
    }
}

/// What is clipped together, and to what norm: the squares, with that of the count, sum to at most B².
pub(super) fn groups(stages: &[Stage], options: &NetworkOptions, count_weight: u64) -> Vec<Group> {
    let all = stages.iter().enumerate().filter(|(_, stage)| stage.parameters() > 0);
    let all: Vec<usize> = all.map(|(at, _)| at).collect();
    let square = BOUND * BOUND - count_weight * count_weight;
    match options.clipping {
        Clipping::Flat | Clipping::Adaptive { .. } => vec![Group { stages: all, square }],
        Clipping::PerLayer => {
            let share = square / u64::try_from(all.len().max(1)).unwrap_or(u64::MAX);
            all.into_iter().map(|at| Group { stages: vec![at], square: share }).collect()
        }
    }
}

pub(super) fn count_of(n: u64) -> f64 {
    count(usize::try_from(n).unwrap_or(usize::MAX))
}
