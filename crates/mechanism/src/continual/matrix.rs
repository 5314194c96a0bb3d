//! Sums of all steps so far, by a factorisation of the matrix of prefix sums.

use std::fmt;
use std::sync::Arc;

use throng_account::MechanismSpec;
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::counting::Counting;
use super::estimate::{Estimate, Spread};
use super::factor::{Factor, Mixed, PLACES, Unmixed, in_units};
use super::nodes::BATCH;
use super::stream::Stream;
use crate::{
    Grid, Guarantee, L2, MechanismError, Neighbours, Noise, Permit, Release, Run, Sensitive,
    Sensitivity,
};

/// The sum of all steps so far, after each of at most T steps, with correlated Gaussian noise.
///
/// # Guarantee
/// For all estimates together, that of Gaussian noise of `sigma` on a value that one unit moves
/// by √(Σ c_k²) times what the [`Stream`] says, in L2; under its relation.
///
/// # Why this is right
/// What is computed from the stream x is y_t = Σ_(k<b) c_k x_(t-k), a multiple of 2^-20,
/// with independent noise z_t on that grid. Moving one x_t by d moves y by d times a column of C, of norm
/// at most √(Σ c_k²), so by the triangle inequality streams that are d apart in L1 are at most that
/// far apart in L2. Estimates are computed from y + z.
///
/// # Accuracy
/// With w = C^-1 (y + z), the prefix sums of w are A x + B z, B = A C^-1. B is Toeplitz; its
/// coefficients are b_t = 1 - Σ_(k>=1) c_k b_(t-k), and the variance at step t is
/// σ² Σ_(k<t) b_k². If band = T then b = c up to rounding, and the variance times Σ c_k² is the best
/// known to within a constant: both are (ln(16 t) + 0.577)/π. With a narrower band, b_t tends to
/// 1/Σ c_k, about √(π/band)/2, so that the variance grows by π/(4 band) a step: a band of T/4 is
/// nearly as good as T, and for T far above 100 bands take a [`super::TreeCounter`].
///
/// The recursion is stable: c_0 > c_1 >= c_2 >= ... > 0, so by Eneström and Kakeya all zeros of
/// Σ c_k z^k are outside the unit disc (on it, equality would need z = 1, where the sum is
/// positive), and errors of rounding die out.
///
/// # Reference
/// Fichtenberger, Henzinger, Upadhyay, *Constant Matters* (2023); Henzinger, Upadhyay, Upadhyay,
/// *Almost Tight Error Bounds on Differentially Private Continual Counting* (2023); Kalinin,
/// Lampert, *Banded Square Root Matrix Factorization* (2024).
///
/// ```
/// use throng_mechanism::continual::{MatrixCounter, Stream};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let visits = Stream::of_steps(0, 100, Neighbours::AddRemove)?.of_events(1)?;
/// let counter = MatrixCounter::new(&"5".parse()?, visits, 365, 365)?;
/// let mut budget = Budget::zcdp("1".parse()?, Neighbours::AddRemove)?;
/// let mut session = counter.start(budget.authorise(counter.spec())?)?;
/// for today in [17, 25, 12] {
///     let so_far = session.step(&Sensitive::new(today), &mut OsEntropy)?;
///     println!("{} {}", so_far.value().value(), so_far.value().interval(0.95)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixCounter {
    stream: Stream,
    factor: Factor,
    noise: Arc<Noise>,
    horizon: u64,
}

impl MatrixCounter {
    /// Gaussian noise of standard deviation `sigma`, and a factor of `band` diagonals.
    ///
    /// # Errors
    /// If sigma is not above 0, the horizon is 0 or the band not in 1..=2^20, or sums could
    /// overflow.
    pub fn new(
        sigma: &Rational,
        stream: Stream,
        horizon: u64,
        band: usize,
    ) -> Result<Self, MechanismError> {
        if horizon == 0 {
            return Err(MechanismError::invalid("the horizon", horizon, "at least 1"));
        }
        let longest = usize::try_from(horizon).unwrap_or(usize::MAX);
        let factor = Factor::square_root(band.min(longest))?;
        stream.check_sums(factor.sum())?;
        let square = factor.square() * stream.distance().square();
        let sensitivity = Sensitivity::<L2>::of_square(&square, stream.neighbours())?;
        let noise = Noise::gaussian(sigma, &sensitivity, Grid::new(-PLACES)?)?;
        Ok(Self { stream, factor, noise: Arc::new(noise), horizon })
    }

    /// What a session costs.
    #[must_use]
    pub fn spec(&self) -> &MechanismSpec {
        self.noise.spec()
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.stream.neighbours()
    }

    /// The factor C.
    #[must_use]
    pub const fn factor(&self) -> &Factor {
        &self.factor
    }

    /// Starts a session.
    ///
    /// # Guarantee
    /// [`MatrixCounter::spec`] for all its estimates together.
    ///
    /// # Errors
    /// If the permit is for something else; it is spent all the same.
    pub fn start(&self, permit: Permit) -> Result<MatrixSession, MechanismError> {
        let guarantee = permit.redeem(self.spec(), self.neighbours())?;
        Ok(MatrixSession {
            stream: self.stream,
            noise: Arc::clone(&self.noise),
            guarantee,
            horizon: self.horizon,
            mixed: Mixed::new(&self.factor),
            unmixed: Unmixed::new(&self.factor),
            spread: Spread::of(self.noise.law(), self.noise.grid())?,
        })
    }
}

/// A [`MatrixCounter`] on its way.
///
/// Every [`Release`] carries the guarantee of the *whole* session: it is paid once, not per step.
pub struct MatrixSession {
    stream: Stream,
    noise: Arc<Noise>,
    guarantee: Guarantee,
    horizon: u64,
    mixed: Mixed,
    unmixed: Unmixed,
    spread: Spread,
}

impl fmt::Debug for MatrixSession {
    /// Without the values, which are private.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatrixSession").field("steps", &self.unmixed.steps).finish_non_exhaustive()
    }
}

impl MatrixSession {
    /// How many more steps can be taken.
    #[must_use]
    pub const fn steps_left(&self) -> u64 {
        self.horizon - self.unmixed.steps
    }

    /// Takes one step.
    ///
    /// # Guarantee
    /// That of the session, for all its estimates together.
    ///
    /// # Errors
    /// If the horizon is reached or no noise can be drawn; after the latter the session is of no
    /// more use.
    pub fn step(
        &mut self,
        value: &Sensitive<i64>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Estimate>, MechanismError> {
        self.one(value, entropy)
    }

    /// Takes several steps at once: faster than one by one.
    ///
    /// # Guarantee
    /// As for [`MatrixSession::step`].
    ///
    /// # Errors
    /// As for [`MatrixSession::step`]; nothing is taken if there are fewer steps left.
    pub fn steps(
        &mut self,
        values: &Sensitive<impl AsRef<[i64]> + ?Sized>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Vec<Estimate>>, MechanismError> {
        self.several(values, entropy)
    }
}

impl Counting for MatrixSession {
    fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    fn left(&self) -> Option<u64> {
        Some(self.steps_left())
    }

    fn take(&mut self, values: &[i64], run: &mut Run<'_>) -> Result<Vec<Estimate>, MechanismError> {
        let mut estimates = Vec::with_capacity(values.len());
        for batch in values.chunks(BATCH) {
            let mut mixed: Vec<i64> =
                batch.iter().map(|x| self.mixed.push(self.stream.clamp(*x))).collect();
            self.noise.add(&mut mixed, run)?;
            for noisy in mixed {
                let (value, weight) = self.unmixed.push(in_units(noisy));
                estimates.push(Estimate::new(self.unmixed.steps, value, weight, self.spread));
            }
        }
        Ok(estimates)
    }
}
