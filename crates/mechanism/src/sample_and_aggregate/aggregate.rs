//! From the answers of blocks to one answer.

use throng_account::{Leaf, MechanismSpec};
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::{Uniform, WeightedChoice};

use crate::estimate::miss;
use crate::replay::Observed;
use crate::smooth::{Median, SmoothBound, SmoothNoise, Smoothed};
use crate::{Clamp, Grid, MechanismError, Noise, Noisy, Run, Uncovered};

/// What the error bars of every aggregate leave out: what the function says on a block is not what
/// it says on all the data.
pub(super) fn uncovered() -> Vec<Uncovered> {
    vec![Uncovered::Clamping, Uncovered::Rounding, Uncovered::Bias, Uncovered::Sampling]
}

/// A randomised function of the answers of the blocks, in steps.
///
/// # Contract
/// As private as [`Aggregate::spec`] says for answers of which neighbours change as many as it was
/// made for, each to anything within the interval.
pub trait Aggregate {
    /// What is released.
    type Output;

    /// What it costs.
    fn spec(&self) -> &MechanismSpec;

    /// One answer.
    ///
    /// # Errors
    /// Never for a reason that lies in the data.
    fn combine(&self, answers: Vec<i64>, run: &mut Run<'_>)
    -> Result<Self::Output, MechanismError>;
}

/// The mean of the answers, with noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mean {
    pub(super) noise: Noise,
    pub(super) blocks: u32,
}

impl Aggregate for Mean {
    type Output = BlockMean;

    fn spec(&self) -> &MechanismSpec {
        self.noise.spec()
    }

    fn combine(&self, answers: Vec<i64>, run: &mut Run<'_>) -> Result<BlockMean, MechanismError> {
        let sum = answers.into_iter().map(i128::from).sum();
        let steps = self.noise.added_to(sum, run)?;
        let sum = Noisy::new(vec![steps], &self.noise, uncovered());
        Ok(BlockMean { sum, blocks: self.blocks })
    }
}

/// A noisy mean of the answers of blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockMean {
    sum: Noisy,
    blocks: u32,
}

impl BlockMean {
    /// The noisy sum, which the noise was added to.
    #[must_use]
    pub const fn sum(&self) -> &Noisy {
        &self.sum
    }

    /// The mean.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.sum.value(0) / f64::from(self.blocks)
    }

    /// The half width of an interval that covers the mean of the answers of the blocks, rounded up.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn half_width(&self, confidence: f64) -> Result<f64, MechanismError> {
        let sum = Rational::from_f64(self.sum.half_width(confidence)?)?;
        Ok(sum.checked_div(&Rational::from(self.blocks))?.to_f64_up())
    }

    /// What the half width leaves out.
    #[must_use]
    pub fn uncovered(&self) -> &[Uncovered] {
        self.sum.uncovered()
    }
}

/// A median of the answers, by the exponential mechanism on all points of the interval.
///
/// # Guarantee
/// Bounded range ε. The score of y is -max(0, max(L, G) - m/2), where L of the m answers are below y
/// and G above: 0 iff y is a median. Each answer that changes moves L and G, hence the score, by at
/// most 1; so c of them by at most c, and y is drawn with weight e^(ε score/(2c)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyMedian {
    clamp: Clamp,
    epsilon: Rational,
    touched: u32,
    spec: MechanismSpec,
}

impl NoisyMedian {
    pub(super) fn new(
        epsilon: &Rational,
        touched: u32,
        clamp: Clamp,
    ) -> Result<Self, MechanismError> {
        if !epsilon.is_positive() {
            return Err(MechanismError::invalid("epsilon", epsilon, "above 0"));
        }
        let spec = MechanismSpec::leaf(Leaf::Exponential { epsilon: epsilon.clone() })?;
        Ok(Self { clamp, epsilon: epsilon.clone(), touched, spec })
    }

    /// ε/(4c) max(0, 2 max(L, G) - m).
    fn energy(&self, below: i64, above: i64, answers: i64) -> Result<Rational, MechanismError> {
        let halves = (2 * below.max(above) - answers).max(0);
        let share = Rational::new(halves, 4 * u64::from(self.touched))?;
        Ok(share * self.epsilon.clone())
    }

    /// Runs of points of one score: the first point, how many there are, their energy.
    fn runs(&self, mut answers: Vec<i64>) -> Result<Vec<(i64, u64, Rational)>, MechanismError> {
        answers.sort_unstable();
        let all = i64::try_from(answers.len()).unwrap_or(i64::MAX);
        let (mut runs, mut from, mut below) = (Vec::new(), self.clamp.lower(), 0);
        for same in answers.chunk_by(|a, b| a == b) {
            let (Some(&at), Ok(count)) = (same.first(), i64::try_from(same.len())) else {
                continue;
            };
            let above = all - below - count;
            runs.push((from, at.abs_diff(from), self.energy(below, all - below, all)?));
            runs.push((at, 1, self.energy(below, above, all)?));
            (from, below) = (at + 1, below + count);
        }
        // From one beyond the last answer to the upper end: none if that is the last answer.
        let rest = (self.clamp.upper() - from + 1).max(0).unsigned_abs();
        runs.push((from, rest, self.energy(below, 0, all)?));
        Ok(runs)
    }
}

impl Aggregate for NoisyMedian {
    type Output = BlockMedian;

    fn spec(&self) -> &MechanismSpec {
        &self.spec
    }

    fn combine(&self, answers: Vec<i64>, run: &mut Run<'_>) -> Result<BlockMedian, MechanismError> {
        run.observe(|| Observed::drawn("a median of blocks"));
        let runs = self.runs(answers)?;
        let entries = runs.iter().map(|(_, count, energy)| (*count, energy.clone()));
        let chosen = WeightedChoice::new(entries)?.draw(run.entropy())?;
        let (from, count) = runs.get(chosen).map_or((self.clamp.lower(), 1), |r| (r.0, r.1));
        let within = Uniform::below(Natural::from(count.max(1)))?.draw(run.entropy())?;
        let steps = from + i64::try_from(within).unwrap_or(0);
        let scale = Rational::from(2 * u64::from(self.touched)).checked_div(&self.epsilon)?;
        let points = Rational::from(self.clamp.width()) + Rational::ONE;
        Ok(BlockMedian { steps, grid: self.clamp.grid(), scale, points, uncovered: uncovered() })
    }
}

/// A point near the median of the answers of blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockMedian {
    steps: i64,
    grid: Grid,
    /// 2c/ε.
    scale: Rational,
    /// How many points there were to choose from.
    points: Rational,
    uncovered: Vec<Uncovered>,
}

impl BlockMedian {
    /// The point in steps, exactly.
    #[must_use]
    pub const fn steps(&self) -> i64 {
        self.steps
    }

    /// The point.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.grid.to_f64(self.steps)
    }

    /// By how many blocks more than half of them lie on one side of the point, at most, with this
    /// confidence; rounded up.
    ///
    /// # Guarantee
    /// There is a point of score 0, so a score below -t has a chance of at most points e^(-εt/(2c)).
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn rank_error(&self, confidence: f64) -> Result<f64, MechanismError> {
        let odds = Enclosure::of_rational(&self.points) / Enclosure::point(miss(confidence)?)?;
        Ok((Enclosure::of_rational(&self.scale) * odds.ln()?).upper())
    }

    /// What the rank error leaves out.
    #[must_use]
    pub fn uncovered(&self) -> &[Uncovered] {
        &self.uncovered
    }
}

/// The median of the answers, with noise scaled to its smooth sensitivity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmoothMedian {
    pub(super) median: Median,
    pub(super) noise: SmoothNoise,
}

impl Aggregate for SmoothMedian {
    type Output = Smoothed;

    fn spec(&self) -> &MechanismSpec {
        self.noise.spec()
    }

    fn combine(&self, answers: Vec<i64>, run: &mut Run<'_>) -> Result<Smoothed, MechanismError> {
        let local = self.median.of_steps(answers, self.noise.decay())?;
        let steps = self.noise.added_to(&local, run)?;
        let (grid, widest) = (self.median.grid(), self.median.widest());
        Ok(Smoothed::new(steps, grid, &self.noise, widest, uncovered()))
    }
}
