//! How far coefficients may be off, by sampling and by noise together.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::solve::Statistics;
use crate::math::count;

/// Estimates without a penalty and their standard errors: of the intercept, then of the coefficients, where all
/// runs from -1 to 1.
pub(super) struct Errors {
    pub(super) estimates: Vec<f64>,
    pub(super) deviations: Vec<f64>,
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
        if i == j { statistics.on_squares.powi(2) } else { statistics.on_products.powi(2) }
    };
    let of_noise = Mat::from_fn(p, p, |i, j| {
        if i == j {
            let sum: f64 = (0..p).map(|k| entry(i, k) * theta[(k, 0)].powi(2)).sum();
            sum + statistics.on_products.powi(2)
        } else {
            entry(i, j) * theta[(i, 0)] * theta[(j, 0)]
        }
    });
    let covariance = &inverse * &of_noise * &inverse;
    let deviation = |i: usize| (covariance[(i, i)] + residual * inverse[(i, i)]).max(0.0).sqrt();
    let found = Errors {
        estimates: (0..p).map(|i| theta[(i, 0)]).collect(),
        deviations: (0..p).map(deviation).collect(),
    };
    let finite = found.estimates.iter().chain(&found.deviations).all(|x| x.is_finite());
    finite.then_some(found)
}
