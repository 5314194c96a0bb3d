//! How noise is correlated, and how far a record that comes back moves what it hides.

use throng_numeric::{Natural, Rational};

use crate::LearnError;
use crate::math::{count, nearest};

/// Coefficients are multiples of 2^-12.
pub(super) const PLACES: u32 = 12;

/// The longest run.
const MOST_STEPS: usize = 1 << 20;

/// The most bands.
const MOST_BANDS: usize = 1 << 12;

/// Steps times bands, which is what a run and the search for its bands take.
const MOST_WORK: usize = 1 << 28;

/// Which steps a record can take part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Participation {
    steps: usize,
    times: usize,
    separation: usize,
}

impl Participation {
    /// In at most `times` of so many steps, any two of them at least `separation` apart.
    ///
    /// # Errors
    /// If one of them is 0, or there are more than 2^20 steps.
    pub fn new(steps: usize, times: usize, separation: usize) -> Result<Self, LearnError> {
        for (name, value) in
            [("the steps", steps), ("the times", times), ("the separation", separation)]
        {
            if value == 0 || value > MOST_STEPS {
                return Err(LearnError::invalid(name, value, "from 1 to 2^20"));
            }
        }
        Ok(Self { steps, times: times.min(steps.div_ceil(separation)), separation })
    }

    /// Once in each of some epochs, always after the same number of steps.
    ///
    /// # Errors
    /// If one of them is 0, or there are more than 2^20 steps.
    pub fn epochs(epochs: usize, steps_of_each: usize) -> Result<Self, LearnError> {
        Self::new(epochs.saturating_mul(steps_of_each), epochs, steps_of_each)
    }

    /// How many steps there are.
    #[must_use]
    pub const fn steps(self) -> usize {
        self.steps
    }

    /// How many of them a record can be in.
    #[must_use]
    pub const fn times(self) -> usize {
        self.times
    }

    /// How far they are apart.
    #[must_use]
    pub const fn separation(self) -> usize {
        self.separation
    }
}

/// The first column 1 = c_0 >= c_1 >= ... >= c_(b-1) >= 0 of a lower-triangular Toeplitz matrix C of b
/// bands: multiples of 2^-12.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bands {
    /// c_k 2^12.
    steps: Vec<i64>,
}

impl Bands {
    /// The square root of the matrix of prefix sums, cut after `band` diagonals: c_k is near
    /// binom(2k, k)/4^k. One band is independent noise.
    ///
    /// # Errors
    /// If the band is not in 1..=2^12.
    ///
    /// # Reference
    /// Kalinin, Lampert, *Banded Square Root Matrix Factorization for Differentially Private Model
    /// Training* (2024).
    pub fn square_root(band: usize) -> Result<Self, LearnError> {
        if !(1..=MOST_BANDS).contains(&band) {
            return Err(LearnError::invalid("the band", band, "from 1 to 2^12"));
        }
        let mut steps = Vec::with_capacity(band);
        let mut coefficient = 1.0;
        for k in 1..=band {
            steps.push(nearest(coefficient * f64::from(1_u32 << PLACES)));
            coefficient *= (2.0 * count(k) - 1.0) / (2.0 * count(k));
        }
        Ok(Self { steps })
    }

    /// Whether a run of so many steps is of a size that can be run.
    pub(super) fn check(&self, of: Participation) -> Result<(), LearnError> {
        let work = of.steps.saturating_mul(self.len());
        if work <= MOST_WORK {
            return Ok(());
        }
        let found = format!("{} times {}", of.steps, self.len());
        Err(LearnError::invalid("steps times bands", found, "at most 2^28"))
    }

    /// How many bands.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none: never.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// c_k 2^12.
    pub(super) fn steps(&self) -> &[i64] {
        &self.steps
    }

    /// Σ c_k 2^12.
    pub(super) fn sum(&self) -> i64 {
        self.steps.iter().sum()
    }

    /// The largest |Σ_i C e_(t_i) ⊗ g_i|² for steps t_i that a record can take part in and vectors g_i of norm at
    /// most 1, exactly.
    ///
    /// # Guarantee
    /// The square is Σ_ij ⟨C e_(t_i), C e_(t_j)⟩ ⟨g_i, g_j⟩. Entries of C are not negative, so it is at most
    /// Σ_ij ⟨C e_(t_i), C e_(t_j)⟩, with equality if all g_i are the same. For s <= t
    /// and T steps ⟨C e_s, C e_t⟩ = Σ_(v<T-t) c_v c_(v+t-s), which falls in t - s, as the
    /// coefficients do, and in t, as there are fewer terms. The i-th step of a record, from 0, is at least
    /// i times the separation, and the j-th at least (j - i) times that after it: so no inner
    /// product exceeds that of the steps 0, 1, 2, ... times the separation, for which it is computed.
    #[must_use]
    pub fn square(&self, of: Participation) -> Rational {
        let mut column = vec![0_u64; of.steps];
        for time in 0..of.times {
            let rows = column.iter_mut().skip(time * of.separation);
            for (sum, coefficient) in rows.zip(&self.steps) {
                *sum += coefficient.unsigned_abs();
            }
        }
        let square = |x: &u64| Natural::from(*x) * Natural::from(*x);
        let sum = column.iter().map(square).fold(Natural::ZERO, |sum, x| sum + x);
        Rational::new(sum, Natural::ONE << 24).unwrap_or(Rational::ONE)
    }

    /// Σ_t Σ_(k<=t) b_k², the variance of all prefix sums together for noise of variance 1, where b is the first
    /// column of A C^-1 and A that of prefix sums.
    #[must_use]
    pub fn error(&self, steps: usize) -> f64 {
        let one = f64::from(1_u32 << PLACES);
        let coefficients: Vec<f64> =
            self.steps.iter().map(|c| crate::math::number(*c) / one).collect();
        let mut weights: Vec<f64> = Vec::with_capacity(steps);
        for _ in 0..steps {
            let recent = weights.iter().rev().zip(coefficients.iter().skip(1));
            weights.push(1.0 - recent.map(|(b, c)| b * c).sum::<f64>());
        }
        let left = (1..=steps).rev().map(count);
        weights.iter().zip(left).map(|(b, times)| b * b * times).sum()
    }

    /// The square root of as many bands as make the prefix sums of a run best: the least product of
    /// [`Bands::square`] and [`Bands::error`] among bands of 1, 2, 4, ..., at most `most`.
    ///
    /// # Errors
    /// If `most` (or the steps, if these are fewer) is not in 1..=2^12, or steps times bands are beyond 2^28.
    pub fn best(of: Participation, most: usize) -> Result<Self, LearnError> {
        let most = most.min(of.steps);
        Self::square_root(most)?.check(of)?;
        let cost = |bands: &Self| bands.square(of).to_f64_nearest() * bands.error(of.steps);
        let mut best = Self::square_root(most)?;
        let mut band = 1;
        while band < most {
            let other = Self::square_root(band)?;
            if cost(&other) < cost(&best) {
                best = other;
            }
            band *= 2;
        }
        Ok(best)
    }
}
