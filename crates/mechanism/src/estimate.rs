//! Released numbers and how far off they may be.

use std::fmt;

use throng_numeric::{Enclosure, Natural, Rational};

use crate::grid::MOST_STEPS;
use crate::{Grid, MechanismError, Noise, NoiseLaw};

/// An interval that holds what it is about with at least the stated confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// The chance, over the noise, that the interval covers; at least.
    pub confidence: f64,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}] ({} %)", self.lower, self.upper, 100.0 * self.confidence)
    }
}

/// A source of error that error bars do not cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Uncovered {
    /// Data beyond the bounds was moved to them.
    Clamping,
    /// What a unit contributes beyond its bound was left out.
    ContributionBounding,
    /// Small cells are not shown, and those shown are large by selection.
    Thresholding,
    /// Each data point was moved to the grid, by at most half a step.
    Rounding,
    /// The data is a sample of what the question is about.
    Sampling,
    /// The estimate is a function of noisy numbers that is not linear, such as a ratio.
    Ratio,
    /// The estimator is biased by design.
    Bias,
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clamping => "data beyond the bounds was clamped",
            Self::ContributionBounding => "contributions beyond the bound were left out",
            Self::Thresholding => "small cells are not shown",
            Self::Rounding => "data was rounded to the grid",
            Self::Sampling => "the data is a sample",
            Self::Ratio => "a ratio of noisy numbers is biased",
            Self::Bias => "the estimator is biased",
        })
    }
}

/// Numbers on a grid, each with independent noise of a known law.
#[derive(Debug, Clone, PartialEq)]
pub struct Noisy {
    steps: Vec<i64>,
    grid: Grid,
    law: NoiseLaw,
    uncovered: Vec<Uncovered>,
}

impl Noisy {
    /// Values that `noise` was added to, in steps.
    #[must_use]
    pub fn new(steps: Vec<i64>, noise: &Noise, uncovered: Vec<Uncovered>) -> Self {
        Self { steps, grid: noise.grid(), law: noise.law().clone(), uncovered }
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The numbers in steps, exactly.
    #[must_use]
    pub fn steps(&self) -> &[i64] {
        &self.steps
    }

    /// The grid.
    #[must_use]
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// The law of the noise on each, in steps.
    #[must_use]
    pub const fn law(&self) -> &NoiseLaw {
        &self.law
    }

    /// What the error bars leave out.
    #[must_use]
    pub fn uncovered(&self) -> &[Uncovered] {
        &self.uncovered
    }

    /// The number at a place, or 0 beyond the end.
    #[must_use]
    pub fn value(&self, index: usize) -> f64 {
        self.grid.to_f64(self.steps.get(index).copied().unwrap_or(0))
    }

    /// All numbers.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.steps.iter().map(|k| self.grid.to_f64(*k)).collect()
    }

    /// The standard deviation of the noise on each number, rounded up.
    ///
    /// # Errors
    /// If it is beyond all numbers.
    pub fn standard_deviation(&self) -> Result<f64, MechanismError> {
        let step = Enclosure::of_rational(&self.grid.step());
        Ok((self.law.variance()?.sqrt()? * step).upper())
    }

    /// The half width of an interval that covers one number, rounded up.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn half_width(&self, confidence: f64) -> Result<f64, MechanismError> {
        Ok(self.in_units(self.law.half_width(miss(confidence)?)?))
    }

    /// The half width of intervals that cover all numbers at once, rounded up.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn half_width_of_all(&self, confidence: f64) -> Result<f64, MechanismError> {
        let count = u64::try_from(self.len().max(1)).unwrap_or(u64::MAX);
        Ok(self.in_units(self.law.half_width_of_all(count, miss(confidence)?)?))
    }

    /// A bound on the Euclidean distance of all numbers from the truth, rounded up.
    ///
    /// # Guarantee
    /// Holds with at least the confidence, over the noise; see [`NoiseLaw::norm_of_all`].
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn norm_of_all(&self, confidence: f64) -> Result<f64, MechanismError> {
        let count = u64::try_from(self.len().max(1)).unwrap_or(u64::MAX);
        let steps = Enclosure::point(self.law.norm_of_all(count, miss(confidence)?)?)?;
        Ok((steps * Enclosure::of_rational(&self.grid.step())).upper())
    }

    /// An interval for the number at a place.
    ///
    /// # Guarantee
    /// Covers the value before noise with at least the confidence, over the noise. An end that
    /// reaches the place where values saturate is infinite: what was beyond is unknown.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval(&self, index: usize, confidence: f64) -> Result<Interval, MechanismError> {
        let half = Rational::from(self.law.half_width(miss(confidence)?)?);
        let (lower, upper) = self.reach(index, &half);
        let step = self.grid.step();
        Ok(Interval {
            lower: lower.map_or(f64::NEG_INFINITY, |x| (x * step.clone()).to_f64_down()),
            upper: upper.map_or(f64::INFINITY, |x| (x * step).to_f64_up()),
            confidence,
        })
    }

    /// The ends of the number at a place ± half, in steps; none where values saturate.
    pub(crate) fn reach(
        &self,
        index: usize,
        half: &Rational,
    ) -> (Option<Rational>, Option<Rational>) {
        let centre = Rational::from(self.steps.get(index).copied().unwrap_or(0));
        let most = Rational::from(MOST_STEPS);
        let (lower, upper) = (&centre - half, &centre + half);
        ((lower > -most.clone()).then_some(lower), (upper < most).then_some(upper))
    }

    fn in_units(&self, steps: Natural) -> f64 {
        (Rational::from(steps) * self.grid.step()).to_f64_up()
    }
}

/// 1 - confidence, rounded down.
///
/// # Errors
/// If the confidence is not above 0 and below 1.
pub(crate) fn miss(confidence: f64) -> Result<f64, MechanismError> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok((1.0 - confidence).next_down());
    }
    Err(MechanismError::invalid("the confidence", confidence, "above 0 and below 1"))
}
