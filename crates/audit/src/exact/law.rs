//! Outcomes with certified chances.

use std::collections::BTreeMap;

use throng_numeric::{Enclosure, NumericError};

use crate::AuditError;

/// No law lists more outcomes.
const MOST_OUTCOMES: usize = 1 << 21;

/// Outcomes with enclosures of their chances, and an enclosure of the chance that is left out.
///
/// What is left out may belong to outcomes that are not listed, or be missing from those that are:
/// the law is what is listed plus a measure of that mass, about which nothing is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Law<T> {
    chances: BTreeMap<T, Enclosure>,
    left_out: Enclosure,
}

impl<T: Ord> Law<T> {
    /// A law that lists all its outcomes.
    pub fn of(chances: impl IntoIterator<Item = (T, Enclosure)>) -> Self {
        Self::cut(chances, Enclosure::ZERO)
    }

    /// A law that leaves out this much. An outcome that is listed twice
    /// has the sum of both chances.
    pub fn cut(chances: impl IntoIterator<Item = (T, Enclosure)>, left_out: Enclosure) -> Self {
        let mut all: BTreeMap<T, Enclosure> = BTreeMap::new();
        for (outcome, chance) in chances {
            let sum = all.entry(outcome).or_insert(Enclosure::ZERO);
            *sum = *sum + chance;
        }
        Self { chances: all, left_out }
    }

    /// An outcome for sure.
    pub fn certain(outcome: T) -> Self {
        Self::of([(outcome, Enclosure::ONE)])
    }

    /// The listed outcomes.
    pub fn iter(&self) -> impl Iterator<Item = (&T, Enclosure)> {
        self.chances.iter().map(|(outcome, chance)| (outcome, *chance))
    }

    /// The listed chance of an outcome.
    #[must_use]
    pub fn chance(&self, outcome: &T) -> Option<Enclosure> {
        self.chances.get(outcome).copied()
    }

    /// The chance that is left out.
    #[must_use]
    pub const fn left_out(&self) -> Enclosure {
        self.left_out
    }

    /// How many outcomes are listed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chances.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chances.is_empty()
    }

    /// An enclosure of the sum of all chances, which is 1 unless the law was stated wrongly.
    #[must_use]
    pub fn total(&self) -> Enclosure {
        self.chances.values().fold(self.left_out, |sum, chance| sum + *chance)
    }

    /// The law of a function of the outcome.
    #[must_use]
    pub fn mapped<S: Ord>(self, function: impl Fn(T) -> S) -> Law<S> {
        Law::cut(self.chances.into_iter().map(|(t, p)| (function(t), p)), self.left_out)
    }

    /// The law of two stages: an outcome, and then one of a law that depends on it.
    ///
    /// # Errors
    /// If there are too many outcomes, or a law cannot be made.
    pub fn then<S: Ord>(
        &self,
        mut next: impl FnMut(&T) -> Result<Law<S>, AuditError>,
    ) -> Result<Law<S>, AuditError> {
        let mut all = Law { chances: BTreeMap::new(), left_out: self.left_out };
        for (outcome, chance) in self.iter() {
            let law = next(outcome)?;
            all.left_out = all.left_out + chance * law.left_out;
            for (outcome, q) in law.chances {
                let sum = all.chances.entry(outcome).or_insert(Enclosure::ZERO);
                *sum = *sum + chance * q;
            }
            few(all.len())?;
        }
        Ok(all)
    }
}

impl<T: Ord + Clone> Law<Vec<T>> {
    /// The law of independent coordinates.
    ///
    /// # Errors
    /// If there are too many outcomes.
    pub fn product(laws: impl IntoIterator<Item = Law<T>>) -> Result<Self, AuditError> {
        let mut all = Self::certain(Vec::new());
        for law in laws {
            few(all.len().saturating_mul(law.len()))?;
            all = all.then(|start| {
                let longer = |(t, p): (&T, Enclosure)| {
                    let mut whole = start.clone();
                    whole.push(t.clone());
                    (whole, p)
                };
                Ok(Law::cut(law.iter().map(longer), law.left_out))
            })?;
        }
        Ok(all)
    }
}

fn few(outcomes: usize) -> Result<(), AuditError> {
    if outcomes <= MOST_OUTCOMES {
        return Ok(());
    }
    let allowed = format!("at most {MOST_OUTCOMES}: smaller noise, or fewer coordinates");
    Err(AuditError::invalid("the number of outcomes", outcomes, allowed))
}

/// [0, x].
pub(super) fn up_to(x: f64) -> Result<Enclosure, NumericError> {
    Enclosure::new(0.0, x)
}
