//! What mechanisms report to an auditor who replays them: their primitives, what goes into them, and
//! what one unit was said to change of that.
//!
//! All of it is private. The reports are compiled under the feature `replay` only, and reach
//! nobody but the source of randomness that whoever runs the mechanism handed over.

use throng_numeric::{Enclosure, Rational};

use crate::{NoiseLaw, PerCell};

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed {
    /// A primitive is about to draw.
    Primitive(Primitive),
    /// The inputs of the next primitive belong to these keys (fingerprints of them); a key that is
    /// not there counts as 0.
    Keys(Vec<u64>),
    /// This has been released, or follows from what has: what happens after may depend on it.
    Released(String),
}

/// What draws, from what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Primitive {
    /// What it is for.
    pub what: &'static str,
    /// How it draws.
    pub law: Drawn,
    /// How far its inputs are apart on neighbours, at most, as it was made for; `None` if that is
    /// not a distance of these inputs.
    pub declared: Option<Distance>,
    /// The inputs, in steps of its grid.
    pub inputs: Vec<i128>,
}

/// How a primitive draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawn {
    /// Adds noise to each input.
    Noise(NoiseLaw),
    /// Compares the input, with noise, with something; the answer is reported as released.
    Comparison(NoiseLaw),
    /// Chooses one of the inputs, which are scores, at this rate.
    Choice(Rational),
    /// Some other way.
    Other,
}

/// How far inputs are apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distance {
    /// The sum of the distances of all.
    L1(Rational),
    /// The root of the sum of their squares.
    L2(Rational),
    /// At most so many differ, each by at most this.
    PerCell {
        /// How many differ.
        cells: u64,
        /// By how much.
        each: Rational,
    },
    /// All changes lie in one interval of this length.
    Span(Rational),
}

impl Observed {
    /// A primitive whose inputs are not a vector of numbers with a distance.
    pub(crate) const fn drawn(what: &'static str) -> Self {
        Self::Primitive(Primitive { what, law: Drawn::Other, declared: None, inputs: Vec::new() })
    }
}

impl Distance {
    /// That of cells, in steps.
    pub(crate) fn per_cell(sensitivity: &PerCell, steps: i64) -> Self {
        Self::PerCell { cells: sensitivity.cells(), each: Rational::from(steps) }
    }
}

impl Distance {
    /// That of several runs together; in L2 rounded up.
    pub(crate) fn repeated(&self, runs: u32) -> Self {
        let times = Rational::from(runs);
        match self {
            Self::L1(x) => Self::L1(x * &times),
            Self::L2(x) if runs == 1 => Self::L2(x.clone()),
            Self::L2(x) => {
                let root = Enclosure::of_rational(&times).sqrt().map_or(f64::MAX, Enclosure::upper);
                Self::L2(Rational::from_f64(root).map_or(x * &times, |root| x * &root))
            }
            Self::PerCell { cells, each } => {
                Self::PerCell { cells: cells.saturating_mul(u64::from(runs)), each: each.clone() }
            }
            Self::Span(x) => Self::Span(x * &times),
        }
    }
}

/// A fingerprint of a key, the same in every run.
#[cfg(feature = "replay")]
pub(crate) fn fingerprint<K: std::hash::Hash>(key: &K) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
