//! The randomised answers of all units.

use super::chance::Split;
use super::{ReportedCount, whole};
use crate::estimate::miss;
use crate::{Interval, MechanismError};

/// Randomised bits, unit by unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Reports {
    bits: Vec<bool>,
    width: usize,
    hit: Split,
    stray: Split,
}

impl Reports {
    pub(super) const fn new(bits: Vec<bool>, width: usize, hit: Split, stray: Split) -> Self {
        Self { bits, width, hit, stray }
    }

    /// The reported bits: `width` per unit, unit by unit.
    #[must_use]
    pub fn bits(&self) -> &[bool] {
        &self.bits
    }

    /// How many units reported.
    #[must_use]
    pub fn units(&self) -> usize {
        self.bits.len() / self.width.max(1)
    }

    /// How many units reported a 1 at a place of their vectors; beyond the last place, nobody.
    #[must_use]
    pub fn count(&self, place: usize) -> ReportedCount {
        let ones = at(&self.bits, self.width, place).filter(|bit| **bit).count();
        ReportedCount::new(whole(ones), whole(self.units()), self.hit, self.stray)
    }

    /// Intervals for the number of ones at every place that hold all at once.
    ///
    /// # Guarantee
    /// All of them cover with at least the confidence: each may miss with an equal share of the
    /// chance that one does.
    ///
    /// # Errors
    /// As for [`ReportedCount::interval`].
    pub fn intervals(&self, confidence: f64) -> Result<Vec<Interval>, MechanismError> {
        let share = share(confidence, self.width)?;
        (0..self.width).map(|place| self.count(place).interval_at(share, confidence)).collect()
    }
}

/// Randomised answers of k kinds, unit by unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    answers: Vec<u32>,
    kinds: u32,
    width: usize,
    hit: Split,
    stray: Split,
}

impl Answers {
    pub(super) const fn new(
        answers: Vec<u32>,
        kinds: u32,
        width: usize,
        [hit, stray]: [Split; 2],
    ) -> Self {
        Self { answers, kinds, width, hit, stray }
    }

    /// The reported answers: `width` per unit, unit by unit.
    #[must_use]
    pub fn answers(&self) -> &[u32] {
        &self.answers
    }

    /// How many units reported.
    #[must_use]
    pub fn units(&self) -> usize {
        self.answers.len() / self.width.max(1)
    }

    /// How many units reported an answer at a place of their vectors.
    #[must_use]
    pub fn count(&self, place: usize, answer: u32) -> ReportedCount {
        let given = at(&self.answers, self.width, place).filter(|x| **x == answer).count();
        ReportedCount::new(whole(given), whole(self.units()), self.hit, self.stray)
    }

    /// Intervals for the counts of all k answers at one place that hold all at once.
    ///
    /// # Guarantee
    /// As for [`Reports::intervals`].
    ///
    /// # Errors
    /// As for [`ReportedCount::interval`].
    pub fn intervals(
        &self,
        place: usize,
        confidence: f64,
    ) -> Result<Vec<Interval>, MechanismError> {
        let share = share(confidence, usize::try_from(self.kinds).unwrap_or(usize::MAX))?;
        let count = |answer| self.count(place, answer).interval_at(share, confidence);
        (0..self.kinds).map(count).collect()
    }
}

/// What all units said at one place.
fn at<T>(all: &[T], width: usize, place: usize) -> impl Iterator<Item = &T> {
    let all = if place < width { all } else { &[] };
    all.iter().skip(place).step_by(width.max(1))
}

/// An equal share of the chance to miss, rounded down.
fn share(confidence: f64, parts: usize) -> Result<f64, MechanismError> {
    let parts = u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
    Ok(throng_numeric::rounding::div_down(miss(confidence)?, f64::from(parts)))
}
