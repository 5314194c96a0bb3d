//! Variances of clamped numbers.

mod ranges;

use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::estimate::{Interval, Noisy, Uncovered};
use crate::noise::Protection;
use crate::number::Number;
use crate::parts::InParts;
use crate::{Clamp, Grid, L1, L2, Mechanism, MechanismError, Noise, Run, Sensitivity};
use ranges::{Range, of_moments, of_shares};

/// What a record is worth in all, in steps of the grid of the released numbers.
const WHOLE: i64 = 1 << 20;

/// The widest interval, in steps: squares times WHOLE fit into 128 bits.
const WIDEST: i64 = 1 << 40;

/// The variance (over n, not n - 1) of the records of a column, each clamped to public bounds; a
/// record is a unit.
///
/// # What is released
/// *The number of records is private* (add/remove): with u = (x - lower)/W in [0, 1], the sums of
/// (1-u)², 2u(1-u) and u², as a, b, c. They add to 1 for each record, so n = a + b + c; and the
/// variance is W² (4ac - b²)/(4n²).
///
/// *It is public* (replace, zero out): with v = 2u - 1 in [-1, 1], the sums of v and v².
///
/// # Guarantee
/// That of the noise. Shares are rounded to 2^-20 so that each record's three add to 1 exactly and
/// none is negative: adding or removing it moves them by 1 in L1 and at most 1 in L2. Replacing v
/// by v' moves the two sums by |d| and |d s| with d = v - v', s = v + v', |d| + |s| <= 2: in L1 by
/// at most |d| (3 - |d|) <= 9/4, in L2 by at most the root of d² (1 + (2-|d|)²), which rises in
/// |d| (its derivative is 2|d| (2d² - 6|d| + 5) > 0), so by at most 2. Rounding adds one step each. Zeroing out a record
/// makes it NaN, which [`Clamp`] reads as a point of the interval: a replacement.
///
/// # Error bars
/// [`VarianceEstimate::interval`] covers the variance of the clamped records with at least the
/// stated confidence. Not covered: clamping and rounding.
///
/// ```
/// use throng_mechanism::{Budget, Clamp, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{noise::Protection, variance::Variance};
/// # use throng_sample::OsEntropy;
/// let bounds = Clamp::between(&0.into(), &100.into())?;
/// let variance = Variance::new(bounds, &Protection::Pure { epsilon: 1.into() })?;
/// let permit = Budget::pure(1.into(), Neighbours::AddRemove)?.permit(&variance)?;
/// let ages = Sensitive::new([31.5, 47.0, 12.0, 25.0]);
/// let release = variance.run(ages.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} {}", release.value().value(), release.value().interval(0.9)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Variance<T = f64> {
    clamp: Clamp,
    noise: Noise,
    records: Option<u64>,
    data: PhantomData<fn(T)>,
}

impl<T: Number> Variance<T> {
    /// The variance of a private number of records, under add/remove.
    ///
    /// # Errors
    /// If the bounds are equal or more than 2^40 steps apart, or the noise cannot be made.
    pub fn new(clamp: Clamp, protection: &Protection) -> Result<Self, MechanismError> {
        let steps = (Rational::from(WHOLE), Rational::from(WHOLE));
        Self::build(clamp, protection, steps, None, Neighbours::AddRemove)
    }

    /// The variance of a public number of records, under replace or zero-out.
    ///
    /// # Errors
    /// If the relation is add/remove, and as for [`Variance::new`].
    pub fn of_public_count(
        clamp: Clamp,
        protection: &Protection,
        records: u64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        match under {
            Neighbours::AddRemove => Err(MechanismError::refused(
                "under add/remove the number of records is private",
                "use Variance::new, which releases it too",
            )),
            Neighbours::Replace | Neighbours::ZeroOut => {
                let whole = Rational::from(WHOLE);
                let two = Rational::from(2);
                let l1 = &whole * &Rational::new(9, 4_u32)? + two.clone();
                let l2 = &whole * &two + two;
                Self::build(clamp, protection, (l1, l2), Some(records), under)
            }
        }
    }

    fn build(
        clamp: Clamp,
        protection: &Protection,
        (l1, l2): (Rational, Rational),
        records: Option<u64>,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        if !(1..=WIDEST).contains(&clamp.width()) {
            let allowed = "in 1..=2^40 grid steps";
            return Err(MechanismError::invalid("upper - lower", clamp.width(), allowed));
        }
        let grid = Grid::new(-20)?;
        let l1 = Sensitivity::<L1>::of(l1 * grid.step(), under)?;
        let l2 = Sensitivity::<L2>::of(l2 * grid.step(), under)?;
        let noise = protection.noise(&l1, &l2, grid)?;
        Ok(Self { clamp, noise, records, data: PhantomData })
    }

    /// The noise on each released number.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }

    /// What a record adds to the released numbers, in steps.
    fn statistics(&self, x: T) -> [i64; 3] {
        let width = i128::from(self.clamp.width());
        let above = i128::from(x.in_steps(self.clamp)) - i128::from(self.clamp.lower());
        if self.records.is_some() {
            let centred = 2 * above - width;
            let square = nearest(centred * centred * i128::from(WHOLE), width * width);
            return [nearest(centred * i128::from(WHOLE), width), square, 0];
        }
        let share = |part: i128| nearest(part * part * i128::from(WHOLE), width * width);
        let low = share(width - above);
        let high = share(above).min(WHOLE - low);
        [low, WHOLE - low - high, high]
    }
}

/// x/y rounded to the nearest, halves up, for y > 0 and results of at most ±WHOLE.
fn nearest(x: i128, y: i128) -> i64 {
    i64::try_from((2 * x + y).div_euclid(2 * y)).unwrap_or(0).clamp(-WHOLE, WHOLE)
}

impl<T: Number> Mechanism for Variance<T> {
    type Input = [T];
    type Output = VarianceEstimate;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<VarianceEstimate, MechanismError> {
        self.answer_in_parts(&[input], run)
    }
}

impl<T: Number> InParts for Variance<T> {
    type Record = T;

    fn answer_in_parts(
        &self,
        parts: &[&[T]],
        run: &mut Run<'_>,
    ) -> Result<VarianceEstimate, MechanismError> {
        // At most 2^63 records of at most 2^20 steps.
        let mut sums = [0_i128; 3];
        for x in parts.iter().copied().flatten() {
            for (sum, part) in sums.iter_mut().zip(self.statistics(*x)) {
                *sum += i128::from(part);
            }
        }
        let count = if self.records.is_some() { 2 } else { 3 };
        let noisy = sums.into_iter().take(count).map(|sum| self.noise.added_to(sum, run));
        let parts = noisy.collect::<Result<Vec<_>, _>>()?;
        let uncovered = vec![Uncovered::Clamping, Uncovered::Rounding, Uncovered::Ratio];
        let parts = Noisy::new(parts, &self.noise, uncovered);
        let width = self.clamp.grid().to_f64(self.clamp.width());
        Ok(VarianceEstimate { parts, width, records: self.records })
    }
}

/// A released variance.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceEstimate {
    parts: Noisy,
    width: f64,
    records: Option<u64>,
}

impl VarianceEstimate {
    /// What was released: the sums of the shares, or of v and v².
    #[must_use]
    pub const fn parts(&self) -> &Noisy {
        &self.parts
    }

    /// The variance, in [0, W²/4]; the middle of that if the number of records is not (or does not
    /// seem) above 0.
    #[must_use]
    pub fn value(&self) -> f64 {
        let range = self.range(0.0);
        self.width * self.width * f64::midpoint(range.low, range.high)
    }

    /// The root of [`VarianceEstimate::value`].
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.value().sqrt()
    }

    /// An interval for the variance of the clamped records, within [0, W²/4].
    ///
    /// # Guarantee
    /// All released numbers are within reach of the truth at once with at least the confidence,
    /// and the interval holds the variance of everything in that box. If there are no records,
    /// there is no variance to cover.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval(&self, confidence: f64) -> Result<Interval, MechanismError> {
        let range = self.range(self.parts.half_width_of_all(confidence)?);
        let scale = self.width * self.width;
        let (lower, upper) = (scale * range.low, scale * range.high);
        let slack = scale * SLACK;
        // W² may have been rounded down, and W²/4 is a variance there is.
        let upper = (upper + slack).min((scale / 4.0).next_up());
        Ok(Interval { lower: (lower - slack).max(0.0), upper, confidence })
    }

    /// An interval for the standard deviation: the roots of the ends.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval_of_deviation(&self, confidence: f64) -> Result<Interval, MechanismError> {
        let square = self.interval(confidence)?;
        let (lower, upper) = (square.lower.sqrt().next_down().max(0.0), square.upper.sqrt());
        Ok(Interval { lower, upper: upper.next_up(), confidence: square.confidence })
    }

    /// What the interval leaves out.
    #[must_use]
    pub fn uncovered(&self) -> &[Uncovered] {
        self.parts.uncovered()
    }

    /// The variances, over W², of all that is within `half` of what was released.
    fn range(&self, half: f64) -> Range {
        let around = |i: usize| Range::around(self.parts.value(i), half);
        match self.records {
            None => of_shares(around(0), around(1), around(2)),
            Some(count) => {
                #[expect(clippy::cast_precision_loss, reason = "within the slack")]
                let count = count as f64;
                of_moments(around(0), around(1), count)
            }
        }
    }
}

/// Far above the rounding errors of a few operations on numbers of at most 1.
const SLACK: f64 = 1e-12;
