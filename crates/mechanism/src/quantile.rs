//! Quantiles: the median, the extremes, any fraction, many at once.
//!
//! A quantile is a point of a grid whose rank is about right. Its score is the distance of its rank
//! from the wanted one, which one unit moves by little, however far apart the data is; so the
//! exponential mechanism finds a quantile with an error that is small *in ranks*.

mod ends;
mod estimate;
mod layers;
mod many;
mod target;
mod window;

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::parts::{InParts, length};
use crate::selection::positive;
use crate::{Clamp, Mechanism, MechanismError, Run};
use ends::beside;
use estimate::RankBound;
pub use estimate::Ranked;
use layers::{Score, draw};
pub use many::Quantiles;
use target::Target;
use window::{Window, counted};

/// One quantile of numbers, by the exponential mechanism on the grid points of an interval.
///
/// With b = #{x < y} and u = #{x <= y}, the rank of a grid point y is anything in [b, u], and d(y) is
/// the distance of that interval from the wanted rank t; y is released with a chance proportional to
/// e^(-ε d(y)/R).
///
/// | wanted | t | R under add-remove | under replace, zero-out |
/// |---|---|---|---|
/// | the fraction q = 0 or 1 | q n | 1 | 1 |
/// | any other fraction q | q n | 2 max(q, 1 - q) | 2 |
/// | the k-th lowest, highest | k, n - k | 2 | 2 |
/// | an end for the fraction q | see [`Quantile::below`] | 2 max(q, 1 - q) | 2 |
///
/// Data becomes steps as [`Clamp`] says; NaN counts as the point of the interval nearest to 0, so
/// drop it first if it stands for nothing. Without data, every grid point is as likely as any.
///
/// # Guarantee
/// `exponential(eps)`: the changes of d lie in an interval of length R, so the loss lies in one of length
/// ε ([`crate::selection::Exponential`] has the proof).
///
/// *Proof of R.* d = max(0, b - t, t - u). A unit x that comes changes t by q (q = 0 for a k-th lowest,
/// 1 for a k-th highest; that t is cut off at n changes all d alike, hence nothing). For y > x both b
/// and u rise by 1, for y < x neither, and for y = x only u; so b - t and t - u change by at most
/// max(q, 1 - q) in absolute value, and so does d. For q = 0, t - u never is above 0 at t = 0, so d = b, which
/// changes by 0 or 1; likewise q = 1. Under replace t stays, and for x < x' b falls by 1 on
/// x < y <= x', u on x <= y < x', nothing else changes: d changes by at most 1 either way, and for
/// d = b (q = 0) only downward. What zero-out leaves of a unit is NaN in its place, by convention,
/// which counts as a point of the interval: that is to replace it. Should the place be left
/// out instead, R is that of add-remove, which is no larger.
///
/// # How it is drawn
/// Exactly, and without sorting all data: a sample finds an interval around the wanted rank, one
/// pass counts what is below it and collects what is inside, and of that only the 100 R/ε or so
/// ranks that matter are sorted. Points beyond are drawn with a chance below 2^-60; if one
/// is, its exact rank is counted in another pass. For ten million rows this takes about as long as
/// finding their median by selection, unless ε is so small (below 1/1000) that sorting shows. Time
/// depends on the data: do not let it be measured.
///
/// # Reference
/// A. Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
/// algorithm 2, with ties and ranges treated as above.
///
/// ```
/// use throng_mechanism::quantile::Quantile;
/// use throng_mechanism::{Budget, Clamp, Grid, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let ages = Clamp::new(&0.into(), &120.into(), Grid::new(-3)?)?;
/// let median = Quantile::median(ages, &1.into(), Neighbours::AddRemove)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&median)?;
/// let data = Sensitive::new([31.0, 47.5, 22.25, 68.0, 35.0]);
/// let release = median.run(data.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} is off by at most {} ranks", release.value().value(0), median.rank_error(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantile {
    target: Target,
    clamp: Clamp,
    /// ε/R.
    rate: Rational,
    spec: MechanismSpec,
    under: Neighbours,
}

impl Quantile {
    /// The fraction q of the data lies below.
    ///
    /// # Errors
    /// If q is not in [0, 1], its denominator is 2^62 or more, or epsilon is not above 0.
    pub fn fraction(
        q: &Rational,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        Self::of(Target::fraction(q)?, clamp, epsilon, under)
    }

    /// The middle.
    ///
    /// # Errors
    /// If epsilon is not above 0.
    pub fn median(
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        Self::fraction(&Rational::new(1, 2_u32)?, clamp, epsilon, under)
    }

    /// The k-th lowest: k units lie below.
    ///
    /// # Errors
    /// If epsilon is not above 0.
    pub fn lowest(
        k: u64,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        Self::of(Target::Lowest(k), clamp, epsilon, under)
    }

    /// The k-th highest: k units lie above.
    ///
    /// # Errors
    /// If epsilon is not above 0.
    pub fn highest(
        k: u64,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        Self::of(Target::Highest(k), clamp, epsilon, under)
    }

    /// About the minimum: the k-th lowest, with the k that its error stays within 19 times out of
    /// 20, so that seldom anything below the data is released.
    ///
    /// The minimum itself is one person's secret, and the fraction q = 0 is no better: every
    /// point below all data has rank 0, so it returns any of them.
    ///
    /// # Errors
    /// If epsilon is not above 0.
    pub fn minimum(
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        Self::lowest(Self::safe_rank(clamp, epsilon, under)?, clamp, epsilon, under)
    }

    /// About the maximum; see [`Quantile::minimum`].
    ///
    /// # Errors
    /// If epsilon is not above 0.
    pub fn maximum(
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        Self::highest(Self::safe_rank(clamp, epsilon, under)?, clamp, epsilon, under)
    }

    fn safe_rank(
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<u64, MechanismError> {
        let error = Self::lowest(0, clamp, epsilon, under)?.rank_error(0.95)?;
        Ok(u64::try_from(Rational::from_f64(error)?.ceil()).unwrap_or(u64::MAX).max(1))
    }

    fn of(
        target: Target,
        clamp: Clamp,
        epsilon: &Rational,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        positive("epsilon", epsilon)?;
        let rate = epsilon.checked_div(&target.range(under))?;
        let spec = MechanismSpec::leaf(Leaf::Exponential { epsilon: epsilon.clone() })?;
        Ok(Self { target, clamp, rate, spec, under })
    }

    /// ε/R: chances are proportional to e^(-rate d).
    #[must_use]
    pub const fn rate(&self) -> &Rational {
        &self.rate
    }

    /// Every grid point with its energy rate · d on some data: chances are proportional to
    /// e^(-energy). For small ranges.
    ///
    /// # Errors
    /// If there are more than 2^16 grid points.
    pub fn energies(&self, rows: &[f64]) -> Result<Vec<(i64, Rational)>, MechanismError> {
        if self.clamp.width() >= 1 << 16 {
            return Err(MechanismError::invalid("the grid points", "more", "at most 2^16"));
        }
        let (copies, rows) = (self.copies(), [rows]);
        let rows = beside(&copies, &rows);
        let domain = (self.clamp.lower(), self.clamp.upper());
        let score = Score::new(&self.target, length(&rows), &self.rate, domain)?;
        let energy = |y| (y, score.energy(score.distance(counted(&rows, self.clamp, y))));
        Ok((domain.0..=domain.1).map(energy).collect())
    }

    /// How many ranks the answer is off, at most, with this confidence; whatever the data is.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn rank_error(&self, confidence: f64) -> Result<f64, MechanismError> {
        self.bound().rank_error(confidence)
    }

    fn bound(&self) -> RankBound {
        RankBound { clamp: self.clamp, rate: self.rate.clone(), draws: 1, levels: 1 }
    }
}

impl Mechanism for Quantile {
    type Input = [f64];
    type Output = Ranked;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn answer(&self, input: &[f64], run: &mut Run<'_>) -> Result<Ranked, MechanismError> {
        self.answer_in_parts(&[input], run)
    }
}

impl InParts for Quantile {
    type Record = f64;

    fn answer_in_parts(
        &self,
        parts: &[&[f64]],
        run: &mut Run<'_>,
    ) -> Result<Ranked, MechanismError> {
        let copies = self.copies();
        let rows = beside(&copies, parts);
        let domain = (self.clamp.lower(), self.clamp.upper());
        let score = Score::new(&self.target, length(&rows), &self.rate, domain)?;
        let window = Window::around(&rows, self.clamp, score.ranks());
        let outside = |y| counted(&rows, self.clamp, y);
        let place = draw(&window, &score, outside, run)?;
        Ok(Ranked::new(vec![place], self.bound()))
    }
}
