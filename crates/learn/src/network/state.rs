//! Weights on their way, and how they follow noisy gradients.
//!
//! All of this is post-processing: it is made of the noisy sums of earlier steps, and nothing else.

use serde::{Deserialize, Serialize};
use throng_mechanism::MechanismError;
use throng_sample::Entropy;

use super::layer::Stage;
use super::options::{NetworkOptions, Optimiser};
use crate::math::{count, powf, single, wide};
use crate::{LearnError, Matrix};

/// Weights are kept within this.
const MOST_WEIGHT: f32 = 1e6;

/// Keeps Adam from dividing by 0.
const TINY: f32 = 1e-8;

/// Where a training stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    /// Steps taken.
    pub(super) step: u64,
    /// The clip norm of the next step.
    pub(super) clip: f64,
    /// Weights and biases of all stages.
    pub(super) parameters: Matrix<f32>,
    /// The mean of gradients (Adam), or the last step (SGD).
    first: Matrix<f32>,
    /// The mean of their squares (Adam).
    second: Matrix<f32>,
    /// The mean of weights; without columns if none is kept.
    average: Matrix<f32>,
}

/// One step down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    optimiser: Optimiser,
    rate: f32,
    /// What the mean of squares is multiplied by.
    unbias: f32,
    /// What the weights count for in their mean.
    share: f32,
}

impl State {
    /// Random weights, uniform so that signals keep their size (He), and 0 in the last stage; no data is
    /// used.
    pub(super) fn random(
        stages: &[Stage],
        options: &NetworkOptions,
        entropy: &mut dyn Entropy,
    ) -> Result<Self, MechanismError> {
        let mut parameters = vec![0.0; stages.iter().map(Stage::parameters).sum()];
        let all_but_last = stages.len().saturating_sub(1);
        for stage in stages.iter().take(all_but_last) {
            let reach = (6.0 / count(stage.fan_in().unwrap_or(1).max(1))).sqrt();
            let (weights, _) = stage.of_mut(&mut parameters);
            uniform(weights, single(reach), entropy)?;
        }
        Ok(Self::from(&parameters, options))
    }

    /// Given weights.
    pub(super) fn from(parameters: &[f32], options: &NetworkOptions) -> Self {
        let length = parameters.len();
        let kept = |needed: bool| match needed {
            true => Matrix::filled(1, length, 0.0),
            false => Matrix::filled(0, 0, 0.0),
        };
        let (first, second) = match options.optimiser {
            Optimiser::Sgd { momentum } => (momentum > 0.0, false),
            Optimiser::Adam { .. } => (true, true),
        };
        let mut state = Self {
            step: 0,
            clip: options.clip,
            parameters: Matrix::filled(1, length, 0.0),
            first: kept(first),
            second: kept(second),
            average: kept(options.averaging > 0.0),
        };
        state.parameters.values_mut().copy_from_slice(parameters);
        state
    }

    /// Whether it is one of a training with these options and so many parameters.
    pub(super) fn check(
        &self,
        options: &NetworkOptions,
        stages: &[Stage],
    ) -> Result<(), LearnError> {
        let fresh = Self::from(&vec![0.0; stages.iter().map(Stage::parameters).sum()], options);
        let tables = |state: &Self| {
            let all = [&state.parameters, &state.first, &state.second, &state.average];
            all.map(|table| (table.rows(), table.columns()))
        };
        let all = [&self.parameters, &self.first, &self.second, &self.average];
        let finite = all.iter().all(|table| table.values().iter().all(|x| x.is_finite()));
        let squares = self.second.values().iter().all(|x| *x >= 0.0);
        let clip = (1e-6..=1e6).contains(&self.clip);
        if tables(self) == tables(&fresh) && finite && squares && clip {
            return Ok(());
        }
        Err(LearnError::malformed("the checkpoint is of another network or optimiser"))
    }

    /// One step down a noisy gradient; `gradient` is used up.
    pub(super) fn follow(&mut self, gradient: &mut [f32], options: &NetworkOptions) {
        let step = self.begin(options);
        self.follow_part(&step, 0, gradient);
    }

    /// Begins a step down: all parts of the gradient follow.
    pub(super) fn begin(&mut self, options: &NetworkOptions) -> Step {
        let rate = options.rate_at(self.step);
        self.step += 1;
        let steps = count(usize::try_from(self.step).unwrap_or(usize::MAX));
        let (rate, unbias) = match options.optimiser {
            Optimiser::Sgd { .. } => (rate, 1.0),
            Optimiser::Adam { beta1, beta2 } => {
                (rate / (1.0 - powf(beta1, steps)), 1.0 / (1.0 - powf(beta2, steps)))
            }
        };
        Step {
            optimiser: options.optimiser,
            rate: single(rate),
            unbias: single(unbias),
            share: single(1.0 - options.averaging),
        }
    }

    /// The weights from `start` on follow their part of the gradient, which is used up.
    pub(super) fn follow_part(&mut self, step: &Step, start: usize, gradient: &mut [f32]) {
        let range = start..start + gradient.len();
        let weights = &mut self.parameters.values_mut()[range.clone()];
        // What is not kept has no part.
        let part = |table| Matrix::values_mut(table).get_mut(range.clone()).unwrap_or_default();
        let [first, second, average] =
            [&mut self.first, &mut self.second, &mut self.average].map(part);
        let Step { optimiser, rate, unbias, share } = *step;
        wide!({
            match optimiser {
                Optimiser::Sgd { momentum } => {
                    let momentum = single(momentum);
                    for (first, gradient) in first.iter_mut().zip(&mut *gradient) {
                        *first = momentum * *first + *gradient;
                        *gradient = *first;
                    }
                    for (x, gradient) in weights.iter_mut().zip(&*gradient) {
                        *x = (*x - rate * *gradient).clamp(-MOST_WEIGHT, MOST_WEIGHT);
                    }
                }
                Optimiser::Adam { beta1, beta2 } => {
                    let (beta1, beta2) = (single(beta1), single(beta2));
                    let all = weights.iter_mut().zip(first.iter_mut().zip(second)).zip(&*gradient);
                    for ((x, (first, second)), gradient) in all {
                        *first += (1.0 - beta1) * (*gradient - *first);
                        *second += (1.0 - beta2) * (*gradient * *gradient - *second);
                        let step = rate * *first / ((*second * unbias).sqrt() + TINY);
                        *x = (*x - step).clamp(-MOST_WEIGHT, MOST_WEIGHT);
                    }
                }
            }
            for (average, x) in average.iter_mut().zip(&*weights) {
                *average += share * (x - *average);
            }
        });
    }

    /// The weights that the model has.
    pub(super) fn outcome(&self, options: &NetworkOptions) -> Vec<f32> {
        if self.average.columns() == 0 || self.step == 0 {
            return self.parameters.values().to_vec();
        }
        let steps = count(usize::try_from(self.step).unwrap_or(usize::MAX));
        let unbias = single(1.0 / (1.0 - powf(options.averaging, steps)));
        self.average.values().iter().map(|x| x * unbias).collect()
    }
}

/// Uniform in [-reach, reach).
fn uniform(
    values: &mut [f32],
    reach: f32,
    entropy: &mut dyn Entropy,
) -> Result<(), MechanismError> {
    let mut bytes = vec![0; 4 * values.len()];
    entropy.fill(&mut bytes)?;
    for (x, word) in values.iter_mut().zip(bytes.as_chunks::<4>().0) {
        let word = f64::from(i32::from_le_bytes(*word));
        *x = reach * single(word / 2_147_483_648.0);
    }
    Ok(())
}
