//! Sums of all steps so far, by a factorisation of the matrix of prefix sums.

use std::fmt;
use std::sync::Arc;

use throng_account::MechanismSpec;
use throng_numeric::{Natural, Rational};
use throng_sample::Entropy;

use super::counting::Counting;
use super::estimate::{Estimate, Spread};
use super::nodes::{BATCH, to_f64};
use super::recent::Recent;
use super::stream::Stream;
use crate::{
    Grid, Guarantee, L2, MechanismError, Neighbours, Noise, Permit, Release, Run, Sensitive,
    Sensitivity,
};

/// Coefficients are multiples of 2^-20.
const PLACES: i32 = 20;

/// The first column 1 = c_0, c_1, ..., c_(b-1) of a lower-triangular Toeplitz matrix C with b bands:
/// multiples of 2^-20 near binom(2k, k)/4^k, the coefficients of 1/√(1 - z).
///
/// C² would be the matrix of ones, A, if there were no end; so A = B C with B near C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    /// c_k 2^20.
    steps: Vec<i64>,
}

impl Factor {
    /// The square root of the matrix of prefix sums, cut after `band` diagonals.
    ///
    /// # Errors
    /// If the band is not in 1..=2^20.
    pub fn square_root(band: usize) -> Result<Self, MechanismError> {
        if band == 0 || band > 1 << 20 {
            return Err(MechanismError::invalid("the band", band, "in 1..=2^20"));
        }
        let mut steps = Vec::with_capacity(band);
        let mut coefficient = 1.0_f64;
        let mut k = 0.0;
        for _ in 0..band {
            #[expect(clippy::cast_possible_truncation, reason = "between 1 and 2^20")]
            steps.push((coefficient * 1_048_576.0).round_ties_even() as i64);
            k += 1.0;
            coefficient *= (2.0 * k - 1.0) / (2.0 * k);
        }
        Ok(Self { steps })
    }

    /// The sum of the squares of the coefficients, exactly.
    #[must_use]
    pub fn square(&self) -> Rational {
        let square = |c: &i64| Natural::from(c.unsigned_abs()) * Natural::from(c.unsigned_abs());
        let sum = self.steps.iter().map(square).fold(Natural::ZERO, |sum, x| sum + x);
        Rational::new(sum, Natural::ONE << 40).unwrap_or(Rational::ONE)
    }

    /// The sum of the coefficients, in steps of 2^-20.
    fn sum(&self) -> u64 {
        self.steps.iter().map(|c| c.unsigned_abs()).sum()
    }

    /// The coefficients, exactly: 20 bits.
    fn coefficients(&self) -> Vec<f64> {
        self.steps.iter().map(|c| to_f64(*c) / 1_048_576.0).collect()
    }
}

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

/// y = C x. Private.
struct Mixed {
    /// ..., c_1, c_0 in steps of 2^-20.
    coefficients: Vec<i64>,
    recent: Recent<i64>,
}

impl Mixed {
    fn new(factor: &Factor) -> Self {
        let coefficients: Vec<_> = factor.steps.iter().rev().copied().collect();
        Self { recent: Recent::new(coefficients.len()), coefficients }
    }

    /// The next y, in steps of 2^-20; no overflow, as the largest |x| times Σ c_k has 62 bits.
    fn push(&mut self, value: i64) -> i64 {
        self.recent.push(value);
        self.recent.dot(&self.coefficients)
    }
}

/// w = C^-1 y with its sums, and the coefficients of B with the sum of their squares. Public.
struct Unmixed {
    /// ..., c_2, c_1.
    coefficients: Vec<f64>,
    recent: Recent<f64>,
    sum: f64,
    weights: Recent<f64>,
    square: f64,
    steps: u64,
}

impl Unmixed {
    fn new(factor: &Factor) -> Self {
        let mut coefficients = factor.coefficients();
        coefficients.reverse();
        coefficients.pop();
        let recent = || Recent::new(coefficients.len());
        let (recent, weights) = (recent(), recent());
        Self { coefficients, recent, sum: 0.0, weights, square: 0.0, steps: 0 }
    }

    /// The prefix sum after y, and the variance in units of that of the noise.
    fn push(&mut self, y: f64) -> (f64, f64) {
        let next = y - self.recent.dot(&self.coefficients);
        self.recent.push(next);
        self.sum += next;
        let weight = 1.0 - self.weights.dot(&self.coefficients);
        self.weights.push(weight);
        self.square += weight * weight;
        self.steps += 1;
        (self.sum, self.square)
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
                let (value, weight) = self.unmixed.push(to_f64(noisy) / 1_048_576.0);
                estimates.push(Estimate::new(self.unmixed.steps, value, weight, self.spread));
            }
        }
        Ok(estimates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmixed(band: usize) -> Unmixed {
        Unmixed::new(&Factor::square_root(band).unwrap())
    }

    #[test]
    fn the_first_coefficients_are_those_of_the_root() {
        let factor = Factor::square_root(4).unwrap();
        // 1, 1/2, 3/8, 5/16
        assert_eq!(factor.steps, [1 << 20, 1 << 19, 3 << 17, 5 << 16]);
        assert_eq!(factor.square().to_string(), "381/256");
    }

    /// The whole covariance: the response to each single noise.
    #[test]
    fn the_stated_variance_is_the_sum_of_the_squared_weights() {
        for band in [1, 2, 5, 40] {
            let steps = 40;
            let mut squares = vec![0.0; steps];
            for place in 0..steps {
                let mut session = unmixed(band);
                for (t, square) in squares.iter_mut().enumerate() {
                    let (weight, _) = session.push(if t == place { 1.0 } else { 0.0 });
                    *square += weight * weight;
                }
            }
            let mut session = unmixed(band);
            for square in squares {
                assert!((session.push(0.0).1 - square).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn one_step_moves_the_mixture_by_one_column() {
        let factor = Factor::square_root(6).unwrap();
        let mixed = |stream: &[i64]| -> Vec<i64> {
            let mut mixed = Mixed::new(&factor);
            stream.iter().map(|x| mixed.push(*x)).collect()
        };
        let stream: Vec<i64> = (0..90).map(|t| t % 13).collect();
        let before = mixed(&stream);
        let most = factor.square() * Rational::from(9);
        for place in 0..90 {
            let mut moved = stream.clone();
            moved[place] -= 3;
            let pairs = mixed(&moved).into_iter().zip(&before).map(|(a, b)| a - b);
            let square: i64 = pairs.map(|d| d * d).sum();
            let square = Rational::new(square, Natural::ONE << 40).unwrap();
            assert!(square <= most && (place > 84 || square == most));
        }
    }

    #[test]
    fn a_long_recursion_stays_exact() {
        let factor = Factor::square_root(64).unwrap();
        let mut mixed = Mixed::new(&factor);
        let mut unmixed = Unmixed::new(&factor);
        let (mut sum, mut worst) = (0, 0.0_f64);
        for t in 0..200_000_i64 {
            let value = t * t % 101;
            sum += value;
            let (estimate, _) = unmixed.push(to_f64(mixed.push(value)) / 1_048_576.0);
            worst = worst.max((estimate - to_f64(sum)).abs());
        }
        assert!(worst < 1e-4, "{worst}");
    }

    #[test]
    fn the_variance_of_the_dense_factor_is_the_known_constant() {
        // Σ c_k² over k < n is (ln(16 n) + γ)/π + O(1/n), and B = C.
        let n = 4096;
        let log = throng_numeric::Enclosure::point(16.0 * 4096.0).unwrap().ln().unwrap().upper();
        let expected = (log + 0.577_215_664_9) / std::f64::consts::PI;
        let factor = Factor::square_root(n).unwrap();
        assert!((factor.square().to_f64_nearest() - expected).abs() < 1e-3);
        let mut session = unmixed(n);
        let last = (0..n).map(|_| session.push(0.0).1).last().unwrap();
        assert!((last - expected).abs() < 1e-2, "{last} {expected}");
    }
}
