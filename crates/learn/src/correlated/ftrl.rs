use throng_mechanism::{MechanismError, Run};
use throng_sample::{Entropy, Uniform};

use super::CorrelatedNoise;
use crate::LearnError;
use crate::error::unless_given_up;
use crate::math::count;

/// A loss over records, seen through its clipped gradients.
///
/// # Contract
/// Each record contributes a vector of integers of norm at most what the noise was made for, whatever
/// the weights; the contributions of different records do not depend on each other. Records are
/// numbered from 0.
pub trait Gradients {
    /// How many weights there are.
    fn weights(&self) -> usize;

    /// How many records there are.
    fn records(&self) -> usize;

    /// The sum of the contributions of these records.
    fn clipped_sum(&self, weights: &[f64], records: &[usize]) -> Vec<i64>;
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The step for a sum (not a mean) of contributions of 1.
    pub rate: f64,
    /// How much of a step is repeated in the next, in [0, 1).
    pub momentum: f64,
    /// Which part of the rate the last step lacks, in [0, 1]: rates fall along a line.
    pub decay: f64,
}

/// Gradient descent with correlated noise: each epoch goes through the same batches in the same order.
///
/// # Guarantee
/// That of [`CorrelatedNoise::spec`], under each relation, if a record takes part in as many steps as there are
/// epochs, as far apart as there are batches in one. The batch of each record is drawn
/// independently of all others, once. Couple two neighbours so that the records they share are in the same
/// batches, and fix all batches: sums then differ by the contributions of one record, in steps one
/// epoch apart. What holds for every way to fix them holds for the mixture, as the ways are as
/// likely on both sides. No secrecy of the batches is used.
///
/// # Reference
/// Kairouz et al., *Practical and Private (Deep) Learning without Sampling or Shuffling* (2021).
#[derive(Debug, Clone, PartialEq)]
pub struct Ftrl {
    noise: CorrelatedNoise,
}

impl Ftrl {
    /// Epochs of as many batches as the separation of the participation says.
    ///
    /// # Errors
    /// If the noise was made for records that take part less often than their batch comes round.
    pub fn new(noise: CorrelatedNoise) -> Result<Self, LearnError> {
        let of = noise.participation();
        let rounds = of.steps().div_ceil(of.separation());
        if of.times() < rounds {
            let allowed = format!("{rounds}, as often as its batch comes round");
            return Err(LearnError::invalid("the times of a record", of.times(), allowed));
        }
        Ok(Self { noise })
    }

    /// The noise.
    #[must_use]
    pub const fn noise(&self) -> &CorrelatedNoise {
        &self.noise
    }

    /// The weights after all steps, from 0, by Nesterov's rule.
    ///
    /// # Errors
    /// If no noise can be drawn.
    pub fn train(
        &self,
        of: &dyn Gradients,
        pace: Pace,
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>, MechanismError> {
        let batches = self.assigned(of.records(), run.entropy())?;
        let mut weights = vec![0.0; of.weights()];
        let mut speeds = weights.clone();
        let mut steps = self.noise.start(weights.len());
        let all = self.noise.participation().steps();
        for (step, batch) in batches.iter().cycle().take(all).enumerate() {
            unless_given_up()?;
            let gradient = steps.step(of.clipped_sum(&weights, batch), run)?;
            let rate = pace.rate * (1.0 - pace.decay * count(step) / count(all));
            for ((weight, speed), gradient) in weights.iter_mut().zip(&mut speeds).zip(&gradient) {
                *speed = pace.momentum * *speed + gradient;
                *weight -= rate * (gradient + pace.momentum * *speed);
            }
        }
        Ok(weights)
    }

    /// The records of each batch: a place for each record, drawn for itself.
    pub(crate) fn assigned(
        &self,
        records: usize,
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Vec<usize>>, MechanismError> {
        let separation = self.noise.participation().separation();
        let mut batches = vec![Vec::new(); separation];
        let any = Uniform::below(u64::try_from(separation).unwrap_or(u64::MAX))?;
        for record in 0..records {
            let place = usize::try_from(&any.draw(entropy)?).ok();
            if let Some(batch) = place.and_then(|place| batches.get_mut(place)) {
                batch.push(record);
            }
        }
        Ok(batches)
    }
}
