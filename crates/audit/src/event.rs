//! Events: sets of outcomes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// A set of outcomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The listed outcomes.
    OneOf(Vec<Outcome>),
}

impl Event {
    /// Whether an outcome is in the set.
    #[must_use]
    pub fn holds(&self, outcome: &Outcome) -> bool {
        match self {
            Self::OneOf(listed) => listed.contains(outcome),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(listed) => write!(f, "one of {listed:?}"),
        }
    }
}
