//! From noisy moments to coefficients: post-processing.

use faer::{Mat, Side};

use crate::Matrix;
use crate::erm::rows::LEVELS;
use crate::math::{count, number};

/// Noisy second moments of (1, features, label), each of which runs from -1 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statistics {
    /// Symmetric.
    pub(super) moments: Matrix<f64>,
    /// The standard deviation of the noise on squares,
    pub(super) on_squares: f64,
    /// and on products of two different numbers.
    pub(super) on_products: f64,
}

/// What keeps coefficients small where the moments say little.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Penalty {
    /// As errors in both sides of the normal equations ask for: a direction of curvature w counts w²/(w²
    /// + k²) for k = this times the noise times the root of the number of features.
    Noise(f64),
    /// This times the sum of squares of the coefficients.
    Fixed(f64),
    /// Four standard deviations of the noise, and directions that have no curvature then are left out.
    Trimmed,
}

impl Statistics {
    /// Of the upper triangle, row by row, in steps squared, where products of two different numbers
    /// count so many `times`.
    pub(super) fn new(width: usize, upper: &[i64], deviation: f64, times: i64) -> Self {
        let mut moments = Matrix::filled(width, width, 0.0);
        let unit = LEVELS * LEVELS;
        let places = (0..width).flat_map(|i| (i..width).map(move |j| (i, j)));
        for ((i, j), sum) in places.zip(upper) {
            let times = if i == j { 1 } else { times };
            let value = number(*sum) / number(times) / unit;
            for (i, j) in [(i, j), (j, i)] {
                if let Some(cell) = moments.row_mut(i).get_mut(j) {
                    *cell = value;
                }
            }
        }
        let on_squares = deviation / unit;
        Self { moments, on_squares, on_products: on_squares / number(times) }
    }

    /// How many features.
    pub(super) const fn features(&self) -> usize {
        self.moments.rows().saturating_sub(2)
    }

    /// A moment; 0 if there is none.
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.moments.row(i).get(j).copied().unwrap_or(0.0)
    }

    /// How many records there are, or rather the sum of their weights; not below two standard
    /// deviations.
    pub(super) fn records(&self) -> f64 {
        self.at(0, 0).max(2.0 * self.on_squares)
    }

    /// (intercept, coefficients).
    pub(super) fn solved(&self, penalty: Penalty) -> (f64, Vec<f64>) {
        let d = self.features();
        let records = self.records();
        let mean = |i: usize| (self.at(i, 0) / records).clamp(-1.0, 1.0);
        let centred = |i: usize, j: usize| self.at(i, j) - records * mean(i) * mean(j);
        let curvature = Mat::from_fn(d, d, |i, j| centred(i + 1, j + 1));
        let pull: Vec<f64> = (1..=d).map(|i| centred(i, d + 1)).collect();
        let coefficients = self.penalised(&curvature, &pull, penalty);
        let along: f64 = coefficients.iter().zip(1..).map(|(c, i)| c * mean(i)).sum();
        (mean(d + 1) - along, coefficients)
    }

    /// V f(w) V' pull for the eigenvectors V and eigenvalues w of the curvature.
    fn penalised(&self, curvature: &Mat<f64>, pull: &[f64], penalty: Penalty) -> Vec<f64> {
        let d = pull.len();
        let Ok(spectrum) = curvature.self_adjoint_eigen(Side::Lower) else {
            // Only if the iteration for the eigenvalues fails, which finite numbers do not make it do.
            return vec![0.0; d];
        };
        let (vectors, values) = (spectrum.U(), spectrum.S().column_vector());
        let noise = self.on_squares.max(self.on_products);
        let mut coefficients = vec![0.0; d];
        for k in 0..d {
            let along: f64 = pull.iter().enumerate().map(|(i, x)| vectors[(i, k)] * x).sum();
            let length = along * penalty.inverse(values[k], noise, count(d));
            for (i, coefficient) in coefficients.iter_mut().enumerate() {
                *coefficient += vectors[(i, k)] * length;
            }
        }
        coefficients
    }
}

impl Penalty {
    /// What the pull along a direction of curvature w is multiplied by.
    fn inverse(self, w: f64, noise: f64, features: f64) -> f64 {
        let w = match self {
            Self::Trimmed => w + 4.0 * noise,
            Self::Noise(_) | Self::Fixed(_) => w,
        };
        let w = w.max(0.0);
        let inverse = match self {
            Self::Noise(caution) => w / (w * w + (caution * noise).powi(2) * features),
            Self::Fixed(ridge) => 1.0 / (w + ridge),
            Self::Trimmed => 1.0 / w,
        };
        if inverse.is_finite() { inverse } else { 0.0 }
    }
}
