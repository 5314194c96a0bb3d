//! Released quantiles and how far off their ranks may be.

use throng_numeric::{Enclosure, Rational};

use crate::estimate::miss;
use crate::selection::gap_of_odds;
use crate::{Clamp, Grid, MechanismError, Uncovered};

/// Points of a grid whose ranks are about right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    steps: Vec<i64>,
    bound: RankBound,
}

impl Ranked {
    pub(super) const fn new(steps: Vec<i64>, bound: RankBound) -> Self {
        Self { steps, bound }
    }

    /// The points in steps, exactly; from low to high.
    #[must_use]
    pub fn steps(&self) -> &[i64] {
        &self.steps
    }

    /// The grid.
    #[must_use]
    pub const fn grid(&self) -> Grid {
        self.bound.clamp.grid()
    }

    /// The point at a place, or 0 beyond the end.
    #[must_use]
    pub fn value(&self, index: usize) -> f64 {
        self.grid().to_f64(self.steps.get(index).copied().unwrap_or(0))
    }

    /// All points.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.steps.iter().map(|k| self.grid().to_f64(*k)).collect()
    }

    /// How many ranks each of them is off, at most, for all at once with this confidence.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn rank_error(&self, confidence: f64) -> Result<f64, MechanismError> {
        self.bound.rank_error(confidence)
    }

    /// What the bound leaves out: ranks are those of the data after clamping and rounding; and for
    /// many quantiles at once, that of equal data points cut apart.
    #[must_use]
    pub fn uncovered(&self) -> &'static [Uncovered] {
        if self.bound.levels == 1 {
            &[Uncovered::Clamping, Uncovered::Rounding]
        } else {
            &[Uncovered::Clamping, Uncovered::Rounding, Uncovered::Bias]
        }
    }
}

/// What the error of ranks is computed from; none of it private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RankBound {
    pub(super) clamp: Clamp,
    /// ε/R, the smallest of all draws.
    pub(super) rate: Rational,
    pub(super) draws: u64,
    pub(super) levels: u64,
}

impl RankBound {
    /// Some grid point has rank exactly t, so a draw is off by more than the gap with a chance of at
    /// most β/draws. Each level adds at most the gap, and each but the last one rank more
    /// ([`super::Quantiles`] has the proof).
    pub(super) fn rank_error(&self, confidence: f64) -> Result<f64, MechanismError> {
        let number = |n: u64| Enclosure::of_rational(&Rational::from(n));
        let beta = Enclosure::point(miss(confidence)?)? / number(self.draws);
        let others = Enclosure::of_rational(&Rational::from(self.clamp.width()));
        let gap = Enclosure::point(gap_of_odds(others, beta.lower(), &self.rate)?)?;
        let cuts = self.levels.saturating_sub(1);
        Ok((gap * number(self.levels) + number(cuts)).upper())
    }
}
