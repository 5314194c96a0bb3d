//! How far coefficients may be off, by sampling and by noise together.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::solve::Statistics;
use crate::erm::rows::squared;
use crate::math::count;

/// Estimates without a penalty and their covariance: of the intercept, then of the coefficients, where all
/// runs from -1 to 1.
pub(super) struct Errors {
    pub(super) estimates: Vec<f64>,
    covariance: Mat<f64>,
}

impl Errors {
    /// The standard errors.
    pub(super) fn deviations(&self) -> Vec<f64> {
        let variance = |i: usize| self.covariance[(i, i)];
        (0..self.estimates.len()).map(|i| variance(i).max(0.0).sqrt()).collect()
    }

    /// The standard error of a weighted sum of the estimates.
    pub(super) fn of_sum(&self, weights: &[f64]) -> f64 {
        let mut variance = 0.0;
        for (i, a) in weights.iter().enumerate().take(self.estimates.len()) {
            for (j, b) in weights.iter().enumerate().take(self.estimates.len()) {
                variance += a * b * self.covariance[(i, j)];
            }
        }
        variance.max(0.0).sqrt()
    }
}

/// To first order: with A the moments of (1, features), b those with the label, and E, e their noise, the
/// solution of A θ = b moves by A⁻¹ (e - E θ). E is symmetric with independent entries of variance v_ij on
/// and above its diagonal, so the covariance of e - E θ has Σ_j v_ij θ_j² + v_iy on its diagonal and
/// v_ij θ_i θ_j elsewhere. Sampling adds σ² A for residuals of variance σ².
///
/// None if the smallest curvature is not beyond what noise alone makes (norms of such E are about twice its
/// deviation times the root of its width; twice that is asked for): then some coefficients may be
/// anything.
pub(super) fn errors(statistics: &Statistics) -> Option<Errors> {
    let p = statistics.features() + 1;
    let a = Mat::from_fn(p, p, |i, j| statistics.at(i, j));
    let b = Mat::from_fn(p, 1, |i, _| statistics.at(i, p));
    let noise = statistics.on_squares.max(statistics.on_products);
    let values = a.self_adjoint_eigenvalues(Side::Lower).ok()?;
    let smallest = values.first()?;
    if *smallest <= 4.0 * noise * count(p).sqrt() {
        return None;
    }
    let inverse = a.llt(Side::Lower).ok()?.solve(Mat::<f64>::identity(p, p));
    let theta = &inverse * &b;
    let left: f64 = statistics.at(p, p) - (0..p).map(|i| theta[(i, 0)] * b[(i, 0)]).sum::<f64>();
    let residual = (left / statistics.records()).max(0.0);
    let entry = |i: usize, j: usize| {
        squared(if i == j { statistics.on_squares } else { statistics.on_products })
    };
    let of_noise = Mat::from_fn(p, p, |i, j| {
        if i == j {
            let sum: f64 = (0..p).map(|k| entry(i, k) * squared(theta[(k, 0)])).sum();
            sum + squared(statistics.on_products)
        } else {
            entry(i, j) * theta[(i, 0)] * theta[(j, 0)]
        }
    });
    let noise = &inverse * &of_noise * &inverse;
    let covariance = Mat::from_fn(p, p, |i, j| noise[(i, j)] + residual * inverse[(i, j)]);
    let found = Errors { estimates: (0..p).map(|i| theta[(i, 0)]).collect(), covariance };
    let deviations = found.deviations();
    let finite = found.estimates.iter().chain(&deviations).all(|x| x.is_finite());
    finite.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erm::rows::LEVELS;
    use crate::math::nearest;
    use crate::vectors::{number, rows};

    /// Estimates and standard errors from the formula and by differentiation, in `vectors/learn.py`.
    #[test]
    fn estimates_and_errors_agree_with_the_vectors() {
        let steps = |x: f64| nearest(x * LEVELS * LEVELS);
        for place in 0..3 {
            for (quantity, of) in [("linear_estimate", 0), ("linear_error", 1)] {
                for (arguments, value) in rows(&format!("{quantity}_{place}")) {
                    let upper: Vec<i64> =
                        arguments[0].split(',').map(|x| steps(number(x))).collect();
                    let deviation = number(arguments[1]) * LEVELS * LEVELS;
                    let found = errors(&Statistics::new(4, &upper, deviation, 1)).unwrap();
                    let found = [found.estimates.clone(), found.deviations()][of][place];
                    assert!((found / value - 1.0).abs() < 1e-9, "{quantity} {found} {value}");
                }
            }
        }
    }
}
