//! The mechanism behind an answer: from exact totals to noisy cells with error bars.
//!
//! A [`Design`] is made for a whole batch before any row is read: what is released for each question
//! (`plan`), how the cost is divided (`shares`), how much noise it buys (`price`), from which
//! score on private keys are shown (`threshold`). It then runs once on a [`Source`] of exact totals:
//! ranges of columns are found if they must be (`ranges`), units are counted by what they contribute
//! (`contribution`), totals are bounded, get their noise (`family`, `reach`), and become aggregates with
//! intervals (`estimate`).
//!
//! # Guarantee
//! The release is at least as private as [`Design::described`] says: the composition of
//!
//! * noise on a histogram of one place per unit, for each column whose range is found and each question whose
//!   contributions are estimated;
//! * noise on scores, and a leak, for each question with private keys;
//! * noise on each base measure, or a selection in each cell;
//!
//! each with the same description on every data set, though later ones depend on what earlier ones
//! released. Everything else is computed from what was released. Proofs are in the modules named
//! above. Which rows of a unit survive its bounds depends on a fresh random key and on the unit's rows
//! alone, so two neighbours under the same key differ in the contribution of one unit.

mod contribution;
mod design;
mod estimate;
#[cfg(any(test, feature = "test-util"))]
pub mod exact;
mod explain;
mod family;
mod measure;
mod plan;
mod price;
mod ranges;
mod reach;
mod run;
mod shares;
mod source;
#[cfg(test)]
mod tests;
mod threshold;

use datafusion::arrow::record_batch::RecordBatch;
use serde::Serialize;
use throng_numeric::Rational;

pub use design::Design;
pub use explain::{Explained, ExplainedAggregate, ExplainedPart, Explanation, KeyRule, RowRule};
pub use family::Family;
pub(crate) use plan::{is_meant, is_named, name_of as aggregate_name, reference, unqualified};
pub use source::{Asked, Source};

/// What an analyst is willing to pay, or wants to know precisely, and how to spend it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The price, or what determines it.
    pub cost: Cost,
    /// The confidence of the error bars, in (0, 1).
    pub confidence: f64,
    /// Which noise.
    pub noise: NoiseChoice,
    /// Relative weights of aggregates, by name; 1 where not named.
    pub weights: Vec<(String, f64)>,
    /// The share of the cost for bounds chosen privately and for the estimate of what clipping
    /// takes away, in (0, 1).
    pub bounds_share: Rational,
}

/// What a batch may cost.
#[derive(Debug, Clone, PartialEq)]
pub enum Cost {
    /// The whole batch is (epsilon, delta)-private; delta may be 0.
    Epsilon {
        /// The loss.
        epsilon: Rational,
        /// The chance of anything worse.
        delta: Rational,
    },
    /// The whole batch is rho-zCDP; `delta` is for private keys.
    Zcdp {
        /// The divergence per order.
        rho: Rational,
        /// The chance that a key of one unit alone is shown; may be 0 without private keys.
        delta: Rational,
    },
    /// The whole batch is mu-Gaussian private, up to `delta` for private keys.
    Gdp {
        /// The distance of the normals.
        mu: Rational,
        /// As for zCDP.
        delta: Rational,
    },
    /// As little as gives these error bars.
    Error {
        /// (name, half width, confidence).
        targets: Vec<(String, f64, f64)>,
        /// The delta to price it at.
        delta: Rational,
    },
}

/// Which noise hides the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoiseChoice {
    /// Whichever has the smaller expected error at this price.
    Auto,
    /// Discrete Laplace.
    Laplace,
    /// Discrete Gaussian.
    Gaussian,
}

/// The released answer to one question: noisy cells, sorted by key.
#[derive(Debug, Clone)]
pub struct Answered {
    /// One row per released group, one column per key, sorted.
    pub keys: RecordBatch,
    /// One per aggregate of the question.
    pub columns: Vec<NoisyColumn>,
    /// For private keys: a key appears if about this many units have it.
    pub threshold: Option<f64>,
    /// What the bounds on contributions seem to take away.
    pub clipping: Option<Clipping>,
    /// Bounds that were chosen privately for this answer, as text for people, e.g.
    /// `rows per unit (L2 norm)` and `96`.
    pub chosen: Vec<(String, String)>,
    /// Facts worth keeping for later questions: name and value.
    pub facts: Vec<(String, String)>,
}

/// The noisy values of one aggregate.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyColumn {
    /// One per group; `None` where there is nothing to say (the mean of no rows).
    pub values: Vec<Option<f64>>,
    /// Lower ends of the intervals.
    pub low: Vec<Option<f64>>,
    /// Upper ends of the intervals.
    pub high: Vec<Option<f64>>,
    /// Whether the truth is a whole number.
    pub whole: bool,
}

/// A private estimate of the share of rows that the bounds on contributions leave out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Clipping {
    /// The estimated share of rows lost, in [0, 1].
    pub lost: f64,
    /// Its lower end, at the confidence of the request.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}
