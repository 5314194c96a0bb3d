//! Neural networks, trained privately.
//!
//! [`Training`] is the learner, [`Network`] the model: of classes, or of a number ([`Goal`]). Training may be
//! cut into [`Segment`]s, each paid for by itself, with a [`Checkpoint`] between them.
//!
//! # What is proved, and where
//! | what | where |
//! |---|---|
//! | a step's sums of neighbours are at most B apart | [`Training`] |
//! | a record's contribution has norm at most B, in integers | `clip` |
//! | sums are exact, whatever the order | `grid`, `total` |
//! | a record's contribution does not depend on other records | `chunk`, `alike` |
//! | batches are Poisson samples, exactly | `coins` |
//! | noise that is correlated over the steps | [`crate::correlated`] |
//! | threads do not show | `team` |
//! | all that follows a noisy sum is post-processing | `state` |

mod alike;
mod batch;
mod checkpoint;
mod chunk;
mod clip;
mod coins;
mod float;
mod frame;
mod goal;
mod grid;
mod layer;
mod options;
mod plan;
mod progress;
mod records;
mod regression;
mod segment;
mod state;
mod team;
#[cfg(test)]
mod tests;
mod total;
mod training;
#[cfg(test)]
mod vectors;
mod walk;
mod window;

use serde::{Deserialize, Serialize};
use throng_mechanism::MechanismError;

use crate::data::check_columns;
use crate::math::argmax;
use crate::{Bounds, Classes, Interval, LearnError, Matrix, Model, Predict, Predictions};
pub use checkpoint::Checkpoint;
use chunk::{Chunk, softmax};
pub use goal::Goal;
pub use layer::{Layer, Shape};
use layer::{Stage, stages};
pub use options::{Clipping, NetworkOptions, Optimiser, Schedule, StepNoise};
pub use progress::Progress;
use records::Records;
pub use regression::{RegressionNetwork, RegressionOptions, RegressionTraining};
pub use segment::Segment;
pub use training::Training;

/// A network that tells classes apart, or says a number within an interval.
///
/// What is released are its weights, which are made of the noisy sums of a private training (see
/// [`Training`]), and what was declared: bounds, labels and layers. Numbers of new rows are clamped to
/// their bounds and put on the same 64 steps between them as in training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored", bound = "")]
pub struct Network<G: Goal = Classes> {
    bounds: Bounds,
    goal: G,
    shape: Shape,
    layers: Vec<Layer>,
    weights: Vec<Matrix<f32>>,
    biases: Vec<Matrix<f32>>,
}

/// How a network looks in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    bounds: Bounds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    classes: Option<Classes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<Interval>,
    input: Shape,
    layers: Vec<Layer>,
    weights: Vec<Matrix<f32>>,
    biases: Vec<Matrix<f32>>,
}

impl<G: Goal> From<Network<G>> for Stored {
    fn from(network: Network<G>) -> Self {
        let Network { bounds, goal, shape, layers, weights, biases } = network;
        let (classes, range) = goal.declared();
        Self { bounds, classes, range, input: shape, layers, weights, biases }
    }
}

impl<G: Goal> TryFrom<Stored> for Network<G> {
    type Error = LearnError;

    fn try_from(stored: Stored) -> Result<Self, LearnError> {
        let Stored { bounds, classes, range, input: shape, layers, weights, biases } = stored;
        let Some(goal) = G::of_declared((classes, range)) else {
            return Err(LearnError::malformed("its labels are of another kind of network"));
        };
        check_columns(shape.len(), bounds.columns())?;
        let stages = stages(shape, &layers)?;
        let last = stages.last().map_or(0, |stage| stage.onto.len());
        let shapes = |tables: &[Matrix<f32>]| -> Vec<_> {
            tables.iter().map(|table| (table.rows(), table.columns())).collect()
        };
        let weighted =
            || stages.iter().filter_map(|stage| Some((stage.fan_in()?, stage.onto.channels)));
        let fits = shapes(&weights) == weighted().collect::<Vec<_>>()
            && shapes(&biases) == weighted().map(|(_, outputs)| (1, outputs)).collect::<Vec<_>>();
        let finite = |table: &Matrix<f32>| table.values().iter().all(|x| x.is_finite());
        if last == goal.outputs() && fits && weights.iter().chain(&biases).all(finite) {
            return Ok(Self { bounds, goal, shape, layers, weights, biases });
        }
        Err(LearnError::malformed("its weights are not those of its layers"))
    }
}

impl<G: Goal> Model for Network<G> {
    const KIND: &'static str = G::NETWORK;
}

impl Network {
    /// The classes.
    #[must_use]
    pub const fn classes(&self) -> Classes {
        self.goal
    }
}

impl Network<Interval> {
    /// Where its numbers lie.
    #[must_use]
    pub const fn range(&self) -> Interval {
        self.goal
    }
}

impl<G: Goal> Network<G> {
    fn of(
        bounds: &Bounds,
        goal: G,
        shape: Shape,
        layers: &[Layer],
        stages: &[Stage],
        parameters: &[f32],
    ) -> Self {
        let weighted = || stages.iter().filter(|stage| stage.fan_in().is_some());
        let weights = |stage: &Stage| {
            filled(stage.fan_in().unwrap_or(0), stage.onto.channels, stage.of(parameters).0)
        };
        let biases = |stage: &Stage| filled(1, stage.onto.channels, stage.of(parameters).1);
        Self {
            bounds: bounds.clone(),
            goal,
            shape,
            layers: layers.to_vec(),
            weights: weighted().map(weights).collect(),
            biases: weighted().map(biases).collect(),
        }
    }

    /// Weights and biases, stage by stage.
    fn parameters(&self, stages: &[Stage]) -> Vec<f32> {
        let mut all = vec![0.0; stages.iter().map(Stage::parameters).sum()];
        let weighted = stages.iter().filter(|stage| stage.fan_in().is_some());
        for ((stage, weights), biases) in weighted.zip(&self.weights).zip(&self.biases) {
            let own = stage.of_mut(&mut all);
            own.0.copy_from_slice(weights.values());
            own.1.copy_from_slice(biases.values());
        }
        all
    }

    /// The bounds that inputs are clamped to.
    #[must_use]
    pub const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Its layers, the last included.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The weights of each dense layer and convolution: one row for each input, one column for each
    /// output. Inputs of a convolution are those of its square, row by row.
    #[must_use]
    pub fn weights(&self) -> &[Matrix<f32>] {
        &self.weights
    }

    /// The biases of each dense layer and convolution, as one row.
    #[must_use]
    pub fn biases(&self) -> &[Matrix<f32>] {
        &self.biases
    }

    /// Whether this machine treats rows alike, wherever they are.
    fn check_forward(&self) -> Result<(), MechanismError> {
        let stages = stages(self.shape, &self.layers)?;
        alike::check_forward(&stages, &self.parameters(&stages))
    }

    /// Hands over the outputs of each row.
    fn outputs(
        &self,
        features: &Matrix<f64>,
        mut take: impl FnMut(&[f32]),
    ) -> Result<(), LearnError> {
        check_columns(features.columns(), self.bounds.columns())?;
        let stages = stages(self.shape, &self.layers)?;
        let parameters = self.parameters(&stages);
        let mut chunk = Chunk::forward_only(&stages);
        let all: Vec<usize> = (0..features.rows()).collect();
        let records = Records::unlabelled(features, &self.bounds);
        for places in all.chunks(grid::ROWS) {
            records.load(places, &mut chunk);
            chunk.forward(&stages, &parameters);
            let rows = chunk.scores().chunks_exact(self.goal.outputs());
            rows.take(places.len()).for_each(&mut take);
        }
        Ok(())
    }
}

fn filled(rows: usize, columns: usize, values: &[f32]) -> Matrix<f32> {
    let mut table = Matrix::filled(rows, columns, 0.0);
    if table.values().len() == values.len() {
        table.values_mut().copy_from_slice(values);
    }
    table
}

impl Predict for Network {
    fn columns(&self) -> usize {
        self.bounds.columns()
    }

    fn check_machine(&self) -> Result<(), MechanismError> {
        self.check_forward()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        let classes = self.goal.count();
        let (mut chosen, mut probabilities) = (Vec::new(), Vec::new());
        let mut chances = vec![0.0; classes];
        self.outputs(features, |scores| {
            softmax(scores, classes, &mut chances);
            let start = probabilities.len();
            probabilities.extend(chances.iter().map(|chance| f64::from(*chance)));
            chosen.push(argmax(&probabilities[start..]));
        })?;
        let probabilities = Matrix::new(features.rows(), classes, probabilities)?;
        Ok(Predictions::Classes { chosen, probabilities: Some(probabilities) })
    }
}

/// Numbers are within the interval: others are clamped to it, and what is none counts as its middle.
impl Predict for Network<Interval> {
    fn columns(&self) -> usize {
        self.bounds.columns()
    }

    fn check_machine(&self) -> Result<(), MechanismError> {
        self.check_forward()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        let mut numbers = Vec::with_capacity(features.rows());
        self.outputs(features, |scores| {
            let found = scores.first().copied().map_or(0.0, f64::from);
            let half = self.goal.width() / 2.0;
            numbers.push(self.goal.clamp(self.goal.lower() + (found + 1.0) * half));
        })?;
        Ok(Predictions::Numbers(numbers))
    }
}
