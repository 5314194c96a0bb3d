//! The mechanism behind an answer: from exact totals to noisy cells with error bars.

use datafusion::arrow::record_batch::RecordBatch;
use throng_numeric::Rational;

/// What an analyst is willing to pay, or wants to know precisely, and how to spend it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The price, or what determines it.
    pub cost: Cost,
    /// The confidence of the error bars, in (0, 1).
    pub confidence: f64,
    /// Which noise.
    pub noise: NoiseChoice,
    /// Relative weights of aggregates, by the name of the output column; 1 where not named.
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
        /// (column, half width, confidence).
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clipping {
    /// The estimated share of rows lost, in [0, 1].
    pub lost: f64,
    /// Its lower end, at the confidence of the request.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}
