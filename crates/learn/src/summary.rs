//! What a model tells about the world, number by number, to be read by people.

use serde::{Deserialize, Serialize};

use crate::LearnError;

/// One number that a model tells, and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// What it is a number of.
    pub of: String,
    /// The number.
    pub value: f64,
    /// Its standard error, or the standard deviation of its posterior; none if nothing can be said.
    pub error: Option<f64>,
    /// Where it lies with the chance that was asked for; none if nothing can be said.
    pub interval: Option<[f64; 2]>,
}

/// A model whose parameters mean something by themselves.
pub trait Summary {
    /// Its numbers, with intervals of a chance such as 0.95.
    ///
    /// # Errors
    /// If the chance is not above 0 and below 1.
    fn summary(&self, confidence: f64) -> Result<Vec<Estimate>, LearnError>;
}
