//! Events: sets of outcomes, as data that can be stored and run again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::probe::{same, shown};
use crate::score::Score;
use crate::{Outcome, Outcomes};

/// A set of outcomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The listed outcomes.
    OneOf(Vec<Outcome>),
    /// Those with at least a certain score.
    AtLeast {
        /// What is read.
        score: Score,
        /// From which score on.
        threshold: f64,
    },
    /// All others.
    Not(Box<Event>),
}

/// Up to how many outcomes a list may have to be written as one.
const LISTED: usize = 64;

impl Event {
    /// That an outcome has at least a score, in the simplest form.
    #[must_use]
    pub fn score_at_least(score: &Score, threshold: f64) -> Self {
        if let Score::Table { entries, other } = score {
            let chosen = |wanted: bool| -> Vec<Outcome> {
                let in_set = |s: f64| (s >= threshold) == wanted;
                entries.iter().filter(|(_, s)| in_set(*s)).map(|(one, _)| one.clone()).collect()
            };
            // What is not listed has the score of the others: list the side they are not on.
            let list = chosen(*other < threshold);
            if list.len() <= LISTED {
                let listed = Self::OneOf(list);
                return if *other < threshold { listed } else { Self::other_than(listed) };
            }
        }
        Self::AtLeast { score: score.clone(), threshold }
    }

    /// All other outcomes.
    #[must_use]
    pub fn other_than(event: Self) -> Self {
        match event {
            Self::Not(inner) => *inner,
            Self::OneOf(_) | Self::AtLeast { .. } => Self::Not(Box::new(event)),
        }
    }

    /// Whether an outcome is in the set.
    #[must_use]
    pub fn holds(&self, outcome: &Outcome) -> bool {
        match self {
            Self::OneOf(listed) => listed.iter().any(|one| same(one, outcome)),
            Self::AtLeast { score, threshold } => score.read(outcome) >= *threshold,
            Self::Not(inner) => !inner.holds(outcome),
        }
    }

    /// Whether it may look at how a float is represented rather than at how large it is.
    #[must_use]
    pub fn looks_at_bits(&self) -> bool {
        match self {
            Self::OneOf(_) => false,
            Self::AtLeast { score, .. } => score.looks_at_bits(),
            Self::Not(inner) => inner.looks_at_bits(),
        }
    }

    /// Whether each of many outcomes is in the set: 1 or 0.
    #[must_use]
    pub fn read_all(&self, outcomes: &Outcomes) -> Vec<u8> {
        match self {
            Self::OneOf(listed) => {
                let entries = listed.iter().map(|one| (one.clone(), 1.0)).collect();
                let score = Score::Table { entries, other: 0.0 };
                score.read_all(outcomes).into_iter().map(|s| u8::from(s > 0.5)).collect()
            }
            Self::AtLeast { score, threshold } => {
                score.read_all(outcomes).into_iter().map(|s| u8::from(s >= *threshold)).collect()
            }
            Self::Not(inner) => inner.read_all(outcomes).into_iter().map(|x| 1 - x).collect(),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(listed) => match listed.as_slice() {
                [one] => write!(f, "the outcome is {}", shown(one)),
                _ => {
                    let all: Vec<String> = listed.iter().map(shown).collect();
                    write!(f, "the outcome is one of {}", all.join(", "))
                }
            },
            Self::AtLeast { score, threshold } => write_score(f, score, *threshold),
            Self::Not(inner) => match inner.as_ref() {
                Self::AtLeast { score: Score::Monotone { probe, falling: false }, threshold } => {
                    write!(f, "{probe} is below {threshold:?}")
                }
                Self::AtLeast { score: Score::Monotone { probe, falling: true }, threshold } => {
                    write!(f, "{probe} is above {:?}", -threshold)
                }
                Self::AtLeast { .. } | Self::OneOf(_) | Self::Not(_) => write!(f, "not: {inner}"),
            },
        }
    }
}

fn write_score(f: &mut fmt::Formatter<'_>, score: &Score, threshold: f64) -> fmt::Result {
    match score {
        Score::Monotone { probe, falling: false } => write!(f, "{probe} is at least {threshold:?}"),
        Score::Monotone { probe, falling: true } => {
            write!(f, "{probe} is at most {:?}", -threshold)
        }
        Score::Steps { probe, cuts, heights, missing } => {
            write!(f, "{probe} is in {}", ranges(cuts, heights, *missing, threshold))
        }
        Score::Integers { first, heights, outside } => {
            write!(f, "the value is in {}", integer_ranges(*first, heights, *outside, threshold))
        }
        Score::Table { entries, .. } => write!(
            f,
            "the outcome is one of those with a score of at least {threshold:.4} in a table of {}",
            entries.len()
        ),
        Score::Linear { terms } => {
            let count = terms.len();
            write!(f, "a weighted sum of {count} probes is at least {threshold:.6}")
        }
        Score::Forest { trees, probes } => write!(
            f,
            "a score of {} decision trees over {} probes is at least {threshold:.6}",
            trees.len(),
            probes.len()
        ),
    }
}

/// The union of the steps that are high enough.
fn ranges(cuts: &[f64], heights: &[f64], missing: f64, threshold: f64) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut open: Option<f64> = None;
    for (i, height) in heights.iter().enumerate() {
        let from = i.checked_sub(1).and_then(|i| cuts.get(i)).copied().unwrap_or(f64::NEG_INFINITY);
        match (open, *height >= threshold) {
            (None, true) => open = Some(from),
            (Some(start), false) => {
                texts.push(format!("[{start:?}, {from:?})"));
                open = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    if let Some(start) = open {
        texts.push(format!("[{start:?}, inf)"));
    }
    if missing >= threshold {
        texts.push("{NaN}".to_owned());
    }
    texts.join(" or ")
}

fn integer_ranges(first: i64, heights: &[f64], outside: (f64, f64), threshold: f64) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut open: Option<String> = (outside.0 >= threshold).then(|| "-inf".to_owned());
    let mut i = first;
    for height in heights {
        match (&open, *height >= threshold) {
            (None, true) => open = Some(i.to_string()),
            (Some(start), false) => {
                texts.push(format!("[{start}, {}]", i.saturating_sub(1)));
                open = None;
            }
            (None, false) | (Some(_), true) => {}
        }
        i = i.saturating_add(1);
    }
    match (open, outside.1 >= threshold) {
        (Some(start), true) => texts.push(format!("[{start}, inf)")),
        (Some(start), false) => texts.push(format!("[{start}, {}]", i.saturating_sub(1))),
        (None, true) => texts.push(format!("[{i}, inf)")),
        (None, false) => {}
    }
    texts.join(" or ")
}
