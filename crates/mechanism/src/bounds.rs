//! Bounds of a column, found privately.

use std::marker::PhantomData;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::estimate::{Noisy, Uncovered};
use crate::noise::Protection;
use crate::number::Number;
use crate::parts::InParts;
use crate::{Clamp, Grid, Mechanism, MechanismError, Noise, PerCell, Run};

/// Magnitudes are 0 and [1, 2), [2, 4), ..., up to 2^61 steps.
const MAGNITUDES: i64 = 61;

/// Bins: each magnitude but 0 has two signs.
const BINS: usize = 123;

/// The outermost powers of two, times the step of a grid, between which the records of a column seem
/// to lie; a record is a unit.
///
/// # What is released
/// The histogram of the records over 123 public bins: 0, and for each sign [1, 2), [2, 4), ...,
/// [2^60, 2^61) steps of a grid, with noise on each. A record is rounded to the grid first; what is
/// beyond (infinities included) is in the outermost bins, NaN in none. The bounds are the outer
/// ends of the outermost bins whose noisy count is above a threshold, at which an empty bin passes
/// with a chance of at most beta/123: post-processing.
///
/// # Guarantee
/// That of the noise. A record is in at most one bin: adding or removing it changes one cell by 1,
/// replacing it two. Zeroing it out makes it NaN and changes one; but an integer becomes 0, which
/// has a bin too, and changes two. With a chance of at least 1 - beta no empty bin passes, so that
/// the bounds are ends of bins that hold records.
///
/// # Reference
/// The automatic bounds of R. Wilson et al., *Differentially private SQL with bounded user
/// contribution* (2020), here with exact noise and a certified threshold.
///
/// ```
/// use throng_mechanism::{Budget, Grid, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{bounds::Bounds, noise::Protection};
/// # use throng_sample::OsEntropy;
/// let pure = Protection::Pure { epsilon: "1/10".parse()? };
/// let bounds = Bounds::new(Grid::new(-4)?, &pure, 1e-6, Neighbours::AddRemove)?;
/// let permit = Budget::pure(1.into(), Neighbours::AddRemove)?.permit(&bounds)?;
/// let incomes = Sensitive::new([1.0, 2.5, 3.0]);
/// let found = bounds.run(incomes.as_slice(), permit, &mut OsEntropy)?;
/// assert_eq!(found.value().clamp(), None); // three records are not enough to say
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds<T = f64> {
    all: Clamp,
    noise: Noise,
    threshold: i64,
    data: PhantomData<fn(T)>,
}

impl<T: Number> Bounds<T> {
    /// Bounds on a grid, with a chance of at most beta that a bound is the end of an empty bin.
    ///
    /// # Errors
    /// If beta is not above 0 and below 1, or the noise cannot be made.
    pub fn new(
        grid: Grid,
        protection: &Protection,
        beta: f64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        if !(beta > 0.0 && beta < 1.0) {
            return Err(MechanismError::invalid("beta", beta, "above 0 and below 1"));
        }
        let cells = match under {
            Neighbours::AddRemove => 1,
            Neighbours::ZeroOut if T::HAS_NOTHING => 1,
            Neighbours::ZeroOut | Neighbours::Replace => 2,
        };
        let cells = PerCell::of(cells, Rational::ONE, under)?;
        // Counts are whole numbers; only their bins know the grid of the data.
        let noise = protection.noise_per_cell(&cells, Grid::WHOLE)?;
        // The law is symmetric: P(Z > w) = P(|Z| > w)/2 <= beta/128.
        let most = noise.law().half_width(beta / 64.0)?;
        let threshold = i64::try_from(most).map_err(|_| {
            MechanismError::invalid("the noise", noise.spec(), "smaller, for any bin to show")
        })?;
        // The ends of the outermost bins, on this grid.
        let most = (1 << MAGNITUDES) - 1;
        let all = Clamp::new(&grid.at(-most), &grid.at(most), grid)?;
        Ok(Self { all, noise, threshold, data: PhantomData })
    }

    /// The noise on each bin.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }

    /// A bin is shown if its noisy count is above this.
    #[must_use]
    pub const fn threshold(&self) -> i64 {
        self.threshold
    }
}

impl<T: Number> Mechanism for Bounds<T> {
    type Input = [T];
    type Output = BoundsEstimate;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[T], run: &mut Run<'_>) -> Result<BoundsEstimate, MechanismError> {
        self.answer_in_parts(&[input], run)
    }
}

impl<T: Number> InParts for Bounds<T> {
    type Record = T;

    fn answer_in_parts(
        &self,
        parts: &[&[T]],
        run: &mut Run<'_>,
    ) -> Result<BoundsEstimate, MechanismError> {
        let mut counts = vec![0_i64; BINS];
        for x in parts.iter().copied().flatten().filter(|x| x.is_number()) {
            if let Some(count) = counts.get_mut(bin(x.in_steps(self.all))) {
                // There are fewer than 2^63 records.
                *count += 1;
            }
        }
        self.noise.add(&mut counts, run)?;
        let counts = Noisy::new(counts, &self.noise, vec![Uncovered::Thresholding]);
        Ok(BoundsEstimate { counts, all: self.all, threshold: self.threshold })
    }
}

/// 61 for 0, and further out by one for each doubling of |k|; |k| < 2^61.
fn bin(k: i64) -> usize {
    let size = i64::from(u64::BITS - k.unsigned_abs().leading_zeros());
    usize::try_from(MAGNITUDES + size * k.signum()).unwrap_or(0)
}

/// The steps in a bin.
fn members(bin: usize) -> (i64, i64) {
    let size = i64::try_from(bin).unwrap_or(0) - MAGNITUDES;
    let power = |e: i64| 1_i64 << e.clamp(0, MAGNITUDES);
    let near = if size == 0 { 0 } else { power(size.abs() - 1) };
    let far = power(size.abs()) - 1;
    if size < 0 { (-far, -near) } else { (near, far) }
}

/// A released histogram of magnitudes, and the bounds it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundsEstimate {
    counts: Noisy,
    all: Clamp,
    threshold: i64,
}

impl BoundsEstimate {
    /// The noisy counts of the bins, from the most negative to the most positive; 0 is in the
    /// middle.
    #[must_use]
    pub const fn counts(&self) -> &Noisy {
        &self.counts
    }

    /// Between the outermost bins that show, as bounds for sums and means; none if no bin shows, which is
    /// a noisy outcome like any other.
    #[must_use]
    pub fn clamp(&self) -> Option<Clamp> {
        let shown = |count: &i64| *count > self.threshold;
        let steps = self.counts.steps();
        let (first, last) = (steps.iter().position(shown)?, steps.iter().rposition(shown)?);
        let grid = self.all.grid();
        Clamp::new(&grid.at(members(first).0), &grid.at(members(last).1), grid).ok()
    }
}
