//! Scores: how much an outcome speaks for world 1.
//!
//! The best score is the logarithm of the likelihood ratio; a learned one stands in for it. A score
//! is fitted to one part of the outcomes and only *used* on another, so nothing that is certified
//! rests on how good it is: a bad score loses power, never validity.

mod forest;
mod histogram;
mod linear;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

pub use forest::Tree;
pub(crate) use forest::fit as fit_forest;
pub(crate) use histogram::{fit_integers, fit_steps, fit_table};
pub(crate) use linear::fit as fit_linear;

use crate::probe::{Probe, key};
use crate::{Outcome, Outcomes};

/// A function of an outcome that is larger where world 1 is likelier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Listed outcomes, each with its score.
    Table {
        /// Outcomes and their scores.
        entries: Vec<(Outcome, f64)>,
        /// The score of all others.
        other: f64,
    },
    /// Whole numbers from `first` on, each with its score.
    Integers {
        /// The first number that is listed.
        first: i64,
        /// The scores of this and the following numbers.
        heights: Vec<f64>,
        /// The scores of smaller and of larger numbers.
        outside: (f64, f64),
    },
    /// A probe, or its negative.
    Monotone {
        /// What is read.
        probe: Probe,
        /// Whether smaller values speak for world 1.
        falling: bool,
    },
    /// A probe, read as the height of the step it falls on.
    Steps {
        /// What is read.
        probe: Probe,
        /// Where steps begin; the first begins at minus infinity.
        cuts: Vec<f64>,
        /// One height more than cuts.
        heights: Vec<f64>,
        /// The score of NaN.
        missing: f64,
    },
    /// A weighted sum of probes.
    Linear {
        /// Probes and their weights; NaN is read as `centre`.
        terms: Vec<Term>,
    },
    /// A sum of decision trees over probes.
    Forest {
        /// What is read.
        probes: Vec<Probe>,
        /// The trees.
        trees: Vec<Tree>,
    },
}

/// One term of a weighted sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// What is read.
    pub probe: Probe,
    /// What is subtracted.
    pub centre: f64,
    /// What the difference is multiplied with.
    pub weight: f64,
}

impl Score {
    /// The score of one outcome.
    #[must_use]
    pub fn read(&self, outcome: &Outcome) -> f64 {
        let mut one = Outcomes::new();
        one.push(outcome.clone());
        self.read_all(&one).first().copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// The scores of many; never NaN.
    #[must_use]
    pub fn read_all(&self, outcomes: &Outcomes) -> Vec<f64> {
        match self {
            Self::Table { entries, other } => read_table(entries, *other, outcomes),
            Self::Integers { first, heights, outside } => {
                read_integers(*first, heights, *outside, outcomes)
            }
            Self::Monotone { probe, falling } => {
                let sign = if *falling { -1.0 } else { 1.0 };
                let mut values = probe.read_all(outcomes);
                values.iter_mut().for_each(|x| *x = settled(sign * *x));
                values
            }
            Self::Steps { probe, cuts, heights, missing } => {
                let mut values = probe.read_all(outcomes);
                values.iter_mut().for_each(|x| *x = step(cuts, heights, *missing, *x));
                values
            }
            Self::Linear { terms } => linear::read(terms, outcomes),
            Self::Forest { probes, trees } => forest::read(probes, trees, outcomes),
        }
    }
}

impl Score {
    /// Whether it reads how a float is represented.
    pub(crate) fn looks_at_bits(&self) -> bool {
        match self {
            Self::Table { .. } | Self::Integers { .. } => false,
            Self::Monotone { probe, .. } | Self::Steps { probe, .. } => probe.looks_at_bits(),
            Self::Linear { terms } => terms.iter().any(|term| term.probe.looks_at_bits()),
            Self::Forest { probes, .. } => probes.iter().any(Probe::looks_at_bits),
        }
    }
}

/// NaN speaks for nothing: it goes to the bottom.
fn settled(x: f64) -> f64 {
    if x.is_nan() { f64::NEG_INFINITY } else { x }
}

fn step(cuts: &[f64], heights: &[f64], missing: f64, x: f64) -> f64 {
    if x.is_nan() {
        return missing;
    }
    heights.get(cuts.partition_point(|cut| *cut <= x)).copied().unwrap_or(missing)
}

fn read_table(entries: &[(Outcome, f64)], other: f64, outcomes: &Outcomes) -> Vec<f64> {
    let index: HashMap<String, f64> = entries.iter().map(|(one, s)| (key(one), *s)).collect();
    let mut known: BTreeMap<u64, f64> = BTreeMap::new();
    let find = |one: &Outcome| index.get(&key(one)).copied().unwrap_or(other);
    match outcomes {
        Outcomes::Mixed(column) => column.iter().map(find).collect(),
        Outcomes::Numbers(column) => column
            .iter()
            .map(|x| *known.entry(x.to_bits()).or_insert_with(|| find(&Outcome::Number(*x))))
            .collect(),
        Outcomes::Integers(column) => column.iter().map(|i| find(&Outcome::Integer(*i))).collect(),
    }
}

fn read_integers(
    first: i64,
    heights: &[f64],
    outside: (f64, f64),
    outcomes: &Outcomes,
) -> Vec<f64> {
    let height = |i: i64| {
        if i < first {
            return outside.0;
        }
        let place = usize::try_from(i.saturating_sub(first)).ok();
        place.and_then(|place| heights.get(place)).copied().unwrap_or(outside.1)
    };
    match outcomes {
        Outcomes::Integers(column) => column.iter().map(|i| height(*i)).collect(),
        Outcomes::Numbers(_) | Outcomes::Mixed(_) => (0..outcomes.len())
            .map(|i| match outcomes.get(i) {
                Some(Outcome::Integer(i)) => height(i),
                _ => outside.0.min(outside.1),
            })
            .collect(),
    }
}
