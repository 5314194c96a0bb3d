//! A factor of the matrix of prefix sums: there with data, and back without.

use throng_numeric::{Natural, Rational};

use super::nodes::to_f64;
use super::recent::Recent;
use crate::MechanismError;

/// Coefficients are multiples of 2^-20.
pub(super) const PLACES: i32 = 20;

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
    pub(super) fn sum(&self) -> u64 {
        self.steps.iter().map(|c| c.unsigned_abs()).sum()
    }

    /// The coefficients, exactly: 20 bits.
    fn coefficients(&self) -> Vec<f64> {
        self.steps.iter().map(|c| in_units(*c)).collect()
    }
}

/// A number of steps of 2^-20 as a number.
pub(super) const fn in_units(steps: i64) -> f64 {
    to_f64(steps) / 1_048_576.0
}

/// y = C x. Private.
pub(super) struct Mixed {
    /// ..., c_1, c_0 in steps of 2^-20.
    coefficients: Vec<i64>,
    recent: Recent<i64>,
}

impl Mixed {
    pub(super) fn new(factor: &Factor) -> Self {
        let coefficients: Vec<_> = factor.steps.iter().rev().copied().collect();
        Self { recent: Recent::new(coefficients.len()), coefficients }
    }

    /// The next y, in steps of 2^-20; no overflow, as the largest |x| times Σ c_k has 62 bits.
    pub(super) fn push(&mut self, value: i64) -> i64 {
        self.recent.push(value);
        self.recent.dot(&self.coefficients)
    }
}

/// w = C^-1 y with its sums, and the coefficients of B with the sum of their squares. Public.
pub(super) struct Unmixed {
    /// ..., c_2, c_1.
    coefficients: Vec<f64>,
    recent: Recent<f64>,
    sum: f64,
    weights: Recent<f64>,
    square: f64,
    pub(super) steps: u64,
}

impl Unmixed {
    pub(super) fn new(factor: &Factor) -> Self {
        let mut coefficients = factor.coefficients();
        coefficients.reverse();
        coefficients.pop();
        let recent = || Recent::new(coefficients.len());
        let (recent, weights) = (recent(), recent());
        Self { coefficients, recent, sum: 0.0, weights, square: 0.0, steps: 0 }
    }

    /// The prefix sum after y, and the variance in units of that of the noise.
    pub(super) fn push(&mut self, y: f64) -> (f64, f64) {
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
            let (estimate, _) = unmixed.push(in_units(mixed.push(value)));
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
