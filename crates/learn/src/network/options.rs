//! How a network is trained.

use serde::{Deserialize, Serialize};

use super::layer::{Layer, Shape};
use crate::LearnError;
use crate::error::positive;

/// What is trained and how; all of it is public.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkOptions {
    /// The layers before the last, which is dense with one output for each class, or one for a number.
    pub layers: Vec<Layer>,
    /// Height, width and channels if a row is an image: row by row, pixel by pixel, with the channels
    /// of a pixel side by side.
    pub image: Option<Shape>,
    /// About how many records there are, as declared: sums are divided by it, and batches counted. The
    /// true number is private and is not used. Adam with a fixed clip norm and without batches does not
    /// need it: what its gradients are divided by makes no difference to its steps.
    pub records: Option<u64>,
    /// How many records a step takes on average: each record is taken with chance batch/records. All of
    /// them in each step if there is none.
    pub batch: Option<u64>,
    /// How many steps.
    pub steps: u64,
    /// The largest norm of a record's gradient, or where that starts if it adapts.
    pub clip: f64,
    /// How gradients are clipped to it.
    pub clipping: Clipping,
    /// How records come into batches, and how noise is drawn.
    pub noise: StepNoise,
    /// How weights follow gradients.
    pub optimiser: Optimiser,
    /// How far a step goes: with SGD, times the clip norm at most (and more with momentum); with Adam, in each
    /// weight, whatever the clip norm.
    pub learning_rate: f64,
    /// How that changes from step to step.
    pub schedule: Schedule,
    /// The learning rate grows to its value in so many steps.
    pub warm_up: u64,
    /// The model is an average of the weights along the way, in which each step weighs this many times
    /// as much as the next; 0 for the last weights alone.
    pub averaging: f64,
}

/// What does well from a thousand records, all in each step, to tens of thousands in batches: gradients that
/// are mostly clipped, activations that are bounded (so that gradients stay small, too), and steps that are
/// long at first and short in the end, when noise is more than what is left to learn.
///
/// # Reference
/// Papernot, Thakurta, Song, Chien, Erlingsson, *Tempered Sigmoid Activations for Deep Learning with
/// Differential Privacy* (2021).
impl Default for NetworkOptions {
    fn default() -> Self {
        Self {
            layers: vec![Layer::Dense { units: 128 }, Layer::Tanh],
            image: None,
            records: None,
            batch: None,
            steps: 60,
            clip: 0.4,
            clipping: Clipping::Flat,
            noise: StepNoise::Independent,
            optimiser: Optimiser::default(),
            learning_rate: 3.0,
            schedule: Schedule::Linear,
            warm_up: 0,
            averaging: 0.0,
        }
    }
}

impl NetworkOptions {
    /// What does well for a number, if the network learns one ([`Goal`](super::Goal)): from some hundreds of records
    /// to tens of thousands, all in each step. A small layer, as each weight has noise of its own; and steps that
    /// add up to less than those for classes, as errors are to become small, and not only to change sign.
    #[must_use]
    pub fn regression() -> Self {
        Self {
            layers: vec![Layer::Dense { units: 16 }, Layer::Relu],
            steps: 100,
            clip: 0.5,
            learning_rate: 0.8,
            ..Self::default()
        }
    }
}

/// How a record's gradient is clipped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Clipping {
    /// As one vector.
    Flat,
    /// Layer by layer; each has the same share of the square of the norm.
    PerLayer,
    /// As one vector, to a norm that follows a quantile of the norms. For that each step also tells, with
    /// noise, how many records were within the norm; gradients are clipped a little closer to make room
    /// for it.
    ///
    /// # Reference
    /// Andrew, Thakkar, McMahan, Ramaswamy, *Differentially Private Learning with Adaptive
    /// Clipping* (2021).
    Adaptive {
        /// The share of records that are to be within the norm.
        quantile: f64,
    },
}

/// How records come into batches, and how noise is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum StepNoise {
    /// Each step takes each record by its own coin, which nobody sees, and draws its own noise (DP-SGD).
    Independent,
    /// Each record is in one of records/batch batches, which come round in the same order, and noise largely
    /// cancels from step to step (DP-FTRL): no secret sampling is assumed.
    ///
    /// # Reference
    /// Kairouz et al., *Practical and Private (Deep) Learning without Sampling or Shuffling* (2021).
    Correlated {
        /// Over how many steps noise is correlated, at most.
        band: u32,
    },
}

/// How weights follow noisy gradients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Optimiser {
    /// Down the gradient, and on in the direction of earlier steps.
    Sgd {
        /// How much of the last step is repeated.
        momentum: f64,
    },
    /// Down a mean of gradients, over the root of a mean of their squares, entry by entry.
    Adam {
        /// How slowly the mean forgets.
        beta1: f64,
        /// How slowly the mean of squares forgets.
        beta2: f64,
    },
}

impl Default for Optimiser {
    fn default() -> Self {
        Self::Sgd { momentum: 0.9 }
    }
}

/// How the learning rate changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// It does not.
    Constant,
    /// It falls to 0 along a straight line.
    Linear,
    /// It falls to 0 along half a cosine.
    Cosine,
}

/// A spec repeats nothing more often.
const MOST_STEPS: u64 = 1_000_000_000;

impl NetworkOptions {
    /// # Errors
    /// If a parameter is out of range.
    pub(super) fn check(&self) -> Result<(), LearnError> {
        positive("clip", self.clip)?;
        positive("learning_rate", self.learning_rate)?;
        if !(1e-6..=1e6).contains(&self.clip) {
            return Err(LearnError::invalid("clip", self.clip, "from 1e-6 to 1e6"));
        }
        if self.learning_rate > 1e6 {
            return Err(LearnError::invalid("learning_rate", self.learning_rate, "at most 1e6"));
        }
        share("averaging", self.averaging)?;
        match self.clipping {
            Clipping::Flat | Clipping::PerLayer => {}
            Clipping::Adaptive { quantile } => {
                positive("quantile", quantile)?;
                share("quantile", quantile)?;
            }
        }
        match self.optimiser {
            Optimiser::Sgd { momentum } => share("momentum", momentum)?,
            Optimiser::Adam { beta1, beta2 } => {
                share("beta1", beta1)?;
                share("beta2", beta2)?;
            }
        }
        if self.steps == 0 || self.steps > MOST_STEPS {
            return Err(LearnError::invalid("steps", self.steps, "from 1 to 10^9"));
        }
        if self.warm_up > self.steps {
            let allowed = format!("at most {}, the steps", self.steps);
            return Err(LearnError::invalid("warm_up", self.warm_up, allowed));
        }
        self.check_noise()?;
        self.check_records()
    }

    fn check_noise(&self) -> Result<(), LearnError> {
        match (self.noise, self.clipping) {
            (StepNoise::Correlated { .. }, Clipping::Adaptive { .. }) => Err(LearnError::invalid(
                "clipping",
                "adaptive, with correlated noise",
                "fixed: noise cancels only if all steps have the same clip norm",
            )),
            (StepNoise::Correlated { band: 0 }, _) => {
                Err(LearnError::invalid("band", 0, "at least 1"))
            }
            (StepNoise::Independent | StepNoise::Correlated { .. }, _) => Ok(()),
        }
    }

    fn check_records(&self) -> Result<(), LearnError> {
        if self.records == Some(0) {
            return Err(LearnError::invalid("records", 0, "at least 1"));
        }
        let needed = match (self.clipping, self.optimiser) {
            (Clipping::Adaptive { .. }, _) => Some("an adaptive clip norm"),
            (_, Optimiser::Sgd { .. }) => Some("SGD"),
            (Clipping::Flat | Clipping::PerLayer, Optimiser::Adam { .. }) => None,
        };
        if let (Some(what), None) = (needed, self.records) {
            return Err(LearnError::invalid(
                "records",
                format!("missing with {what}"),
                "declared: sums are divided by it",
            ));
        }
        match (self.batch, self.records) {
            (None, _) => Ok(()),
            (Some(batch), Some(records)) if (1..=records).contains(&batch) => Ok(()),
            (Some(batch), Some(records)) => Err(LearnError::invalid(
                "batch",
                batch,
                format!("from 1 to {records}, the records"),
            )),
            (Some(batch), None) => Err(LearnError::invalid(
                "records",
                format!("missing with a batch of {batch}"),
                "declared: each record is taken with chance batch/records",
            )),
        }
    }

    /// How many records a step is taken to have; where that is not declared it does not matter
    /// ([`NetworkOptions::records`]).
    pub(super) fn expected(&self) -> u64 {
        self.batch.or(self.records).unwrap_or(1024)
    }

    /// The learning rate of a step, from 0.
    pub(super) fn rate_at(&self, step: u64) -> f64 {
        let fraction = |part: u64, whole: u64| {
            crate::math::number(signed(part)) / crate::math::number(signed(whole.max(1)))
        };
        let warm = fraction(step + 1, self.warm_up + 1).min(1.0);
        let rest = 1.0 - fraction(step, self.steps).min(1.0);
        let shape = match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Linear => rest,
            Schedule::Cosine => 0.5 - 0.5 * crate::math::cos(std::f64::consts::PI * rest),
        };
        self.learning_rate * warm * shape
    }
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A number in [0, 1).
fn share(name: &str, value: f64) -> Result<(), LearnError> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    Err(LearnError::invalid(name, value, "at least 0 and below 1"))
}
