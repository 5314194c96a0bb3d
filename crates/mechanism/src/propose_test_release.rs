//! Propose, test, release.
//!
//! The analyst *proposes* a bound on how far one unit moves the answer. How many units would have
//! to change before the bound is wrong is itself a number that one unit changes by at most 1, so it
//! can be *tested* with little noise. If the data passes, the answer is *released* with noise for
//! the proposed bound; if not, nothing but the refusal is.
//!
//! A refusal is an answer like any other: private, paid for, and not an error.

mod median;
mod mode;
mod test;

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::{Grid, L1, L2, Mechanism, MechanismError, Noise, Noisy, Run, Sensitivity, Uncovered};
pub use median::LocalMedian;
pub use mode::StableMode;
pub use test::StabilityTest;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The data passed the test.
    Released(T),
    /// It did not.
    Refused,
}

impl<T> Outcome<T> {
    /// What was released, if anything.
    pub fn released(self) -> Option<T> {
        match self {
            Self::Released(value) => Some(value),
            Self::Refused => None,
        }
    }
}

/// A function that knows how far its data is from data on which it is less stable.
///
/// # Contract
/// For all neighbours x, x' and every bound: the distances differ by at most 1 (or both are `None`);
/// and if |value(x) - value(x')| > bound, both distances are `Some(0)`.
pub trait LocallyStable {
    /// The private data.
    type Input: ?Sized;

    /// What "differ in one unit" means for it.
    fn neighbours(&self) -> Neighbours;

    /// As for [`Mechanism::units_are_records`].
    fn units_are_records(&self) -> bool {
        false
    }

    /// The grid whose steps values are counted in.
    fn grid(&self) -> Grid;

    /// What error bars on the value leave out.
    fn uncovered(&self) -> Vec<Uncovered>;

    /// The value in steps.
    fn value(&self, input: &Self::Input) -> i64;

    /// How many units must change before one more moves the value by more than `bound` steps: 0
    /// if one can right away, `None` if none ever can.
    fn distance(&self, input: &Self::Input, bound: i64) -> Option<u64>;
}

/// A value with noise for a proposed bound on its local sensitivity, if the data is far enough from
/// data that breaks it.
///
/// # Guarantee
/// [`Mechanism::spec`]: the composition of the test (ε₁), the noise at the proposed bound (ε₂ or σ), and δ.
///
/// # Why this is right
/// Let d be the distance; it passes if d + Z > T. If the values on two neighbours x, x' are at most
/// the bound apart, the mechanism is the test, followed, adaptively, by the noise: their
/// composition. If not, d = 0 on both: the law of the test is the same, and P(M(x) in E) <=
/// P(refused, in E) + δ <= P(M(x') in E) + δ. A composition hides less than any of its parts, so that
/// of test, noise and (0, δ) covers both cases.
///
/// # Reference
/// Dwork and Lei, *Differential Privacy and Robust Statistics* (2009).
///
/// ```
/// use throng_mechanism::propose_test_release::{LocalMedian, Outcome, ProposeTestRelease};
/// use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours};
/// let clamp = Clamp::new(&0.into(), &1000.into(), Grid::at_most(&"1/16".parse()?)?)?;
/// let median = LocalMedian::new(clamp, Neighbours::AddRemove);
/// // At most 2 a unit, ε = 1/2 for the test and 1/2 for the noise.
/// let half = "1/2".parse()?;
/// let mechanism =
///     ProposeTestRelease::laplace(median, &2.into(), &half, &"1e-6".parse()?, &half)?;
/// assert!(mechanism.test().sufficient_distance(0.95)? < 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposeTestRelease<F> {
    function: F,
    /// The proposed bound, in steps.
    bound: i64,
    test: StabilityTest,
    noise: Noise,
    spec: MechanismSpec,
}

impl<F: LocallyStable> ProposeTestRelease<F> {
    /// Tests `proposed` with ε and δ, then adds Laplace noise that is `noise`-private for it.
    ///
    /// # Errors
    /// If the bound is negative or beyond the grid, or as for [`StabilityTest::new`] and
    /// [`Noise::pure`].
    pub fn laplace(
        function: F,
        proposed: &Rational,
        epsilon: &Rational,
        delta: &Rational,
        noise: &Rational,
    ) -> Result<Self, MechanismError> {
        let sensitivity = Sensitivity::<L1>::of(proposed.clone(), function.neighbours())?;
        let noise = Noise::pure(noise, &sensitivity, function.grid())?;
        Self::with(function, proposed, epsilon, delta, noise)
    }

    /// Tests `proposed` with ε and δ, then adds Gaussian noise of standard deviation σ.
    ///
    /// # Errors
    /// If the bound is negative or beyond the grid, or as for [`StabilityTest::new`] and
    /// [`Noise::gaussian`].
    pub fn gaussian(
        function: F,
        proposed: &Rational,
        epsilon: &Rational,
        delta: &Rational,
        sigma: &Rational,
    ) -> Result<Self, MechanismError> {
        let sensitivity = Sensitivity::<L2>::of(proposed.clone(), function.neighbours())?;
        let noise = Noise::gaussian(sigma, &sensitivity, function.grid())?;
        Self::with(function, proposed, epsilon, delta, noise)
    }

    fn with(
        function: F,
        proposed: &Rational,
        epsilon: &Rational,
        delta: &Rational,
        noise: Noise,
    ) -> Result<Self, MechanismError> {
        // Values are whole steps: those at most `proposed` apart are at most this many apart.
        let bound = function.grid().whole_steps(proposed)?;
        let test = StabilityTest::new(epsilon, delta, function.neighbours())?;
        let spec = test.followed_by(Some(noise.spec()))?;
        Ok(Self { function, bound, test, noise, spec })
    }

    /// The test.
    #[must_use]
    pub const fn test(&self) -> &StabilityTest {
        &self.test
    }

    /// The noise on what is released.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

impl<F: LocallyStable> Mechanism for ProposeTestRelease<F> {
    type Input = F::Input;
    type Output = Outcome<Noisy>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.function.neighbours()
    }

    fn units_are_records(&self) -> bool {
        self.function.units_are_records()
    }

    /// The noise on the value is independent of the test, so its error bars hold given release.
    fn answer(
        &self,
        input: &F::Input,
        run: &mut Run<'_>,
    ) -> Result<Outcome<Noisy>, MechanismError> {
        if !self.test.passes(self.function.distance(input, self.bound), run)? {
            return Ok(Outcome::Refused);
        }
        let steps = self.noise.added_to(i128::from(self.function.value(input)), run)?;
        let uncovered = self.function.uncovered();
        Ok(Outcome::Released(Noisy::new(vec![steps], &self.noise, uncovered)))
    }
}
