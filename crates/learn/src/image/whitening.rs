//! Features of about the same variance in all directions, so that descent is fast in all of them.

use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

use super::moments::Known;
use crate::math::{count, nearest, powf, single};

/// Features after whitening are clamped to this, in steps.
pub(super) const CLAMP: i16 = 127;

/// The steps of a standard deviation: one feature in some thousands is clamped.
const STEPS: f64 = 20.0;

/// x -> P (x - mean) Q, places × paths, in steps: P and Q are powers of the covariances of places and paths.
///
/// As if the covariance of all features were the product of both, which is far from true and good
/// enough: whatever it is, it is fixed before training and costs no more privacy.
#[derive(Debug)]
pub(super) struct Whitening {
    mean: Vec<f32>,
    places: Mat<f32>,
    paths: Mat<f32>,
}

impl Whitening {
    /// The power is -exponent for both; 0 leaves all as it is, 1/2 makes variances equal. Variances below `floor`
    /// times their mean, or below the noise in them, are not told apart.
    pub(super) fn of(known: &Known, exponent: f64, floor: f64) -> Self {
        let places = Root::of(&known.places, exponent, floor, known.spread);
        let paths = Root::of(&known.paths, exponent, floor, known.spread);
        // The mean square of a feature would be this, were the covariance a product.
        let square = places.square * paths.square / places.trace.max(f64::MIN_POSITIVE);
        let features = count(known.mean.len());
        let scale = STEPS * (features / square.max(f64::MIN_POSITIVE)).sqrt().clamp(1e-6, 1e6);
        let map = |root: &Mat<f64>, scale: f64| {
            Mat::from_fn(root.nrows(), root.ncols(), |i, j| single(scale * root[(i, j)]))
        };
        Self {
            mean: known.mean.iter().map(|x| single(*x)).collect(),
            places: map(&places.matrix, 1.0),
            paths: map(&paths.matrix, scale),
        }
    }

    /// In steps, not yet rounded.
    pub(super) fn apply(&self, features: &mut [f32], scratch: &mut Vec<f32>) {
        let (places, paths) = (self.places.nrows(), self.paths.nrows());
        scratch.resize(features.len(), 0.0);
        features.iter_mut().zip(&self.mean).for_each(|(x, mean)| *x -= mean);
        let x = MatRef::from_row_major_slice(&*features, places, paths);
        let half = MatMut::from_row_major_slice_mut(scratch, places, paths);
        faer::linalg::matmul::matmul(half, Accum::Replace, x, &self.paths, 1.0, Par::Seq);
        let half = MatRef::from_row_major_slice(&*scratch, places, paths);
        let out = MatMut::from_row_major_slice_mut(features, places, paths);
        faer::linalg::matmul::matmul(out, Accum::Replace, &self.places, half, 1.0, Par::Seq);
    }

    /// A record as integers, whitened in place: within ±127.
    pub(super) fn record(&self, steps: &mut [i16], room: &mut (Vec<f32>, Vec<f32>)) {
        let (features, scratch) = room;
        features.clear();
        features.extend(steps.iter().map(|x| f32::from(*x) / 32_768.0));
        self.apply(features, scratch);
        for (steps, x) in steps.iter_mut().zip(features) {
            let nearest = nearest(f64::from(*x)).clamp(-i64::from(CLAMP), i64::from(CLAMP));
            *steps = i16::try_from(nearest).unwrap_or(0);
        }
    }

    /// The weights for features, and the constant, that do the same as weights for whitened features (with a row for
    /// the constant at the end).
    pub(super) fn folded(&self, weights: &[f64], constant: f64) -> (Vec<f64>, f64) {
        let (last, weights) = weights.split_last().unwrap_or((&0.0, &[]));
        let mut folded: Vec<f32> = weights.iter().map(|w| single(*w)).collect();
        let (places, paths) = (self.places.nrows(), self.paths.nrows());
        let w = MatRef::from_row_major_slice(&folded, places, paths);
        let product = self.places.transpose() * w * self.paths.transpose();
        for (row, values) in folded.chunks_mut(paths).enumerate() {
            values.iter_mut().enumerate().for_each(|(column, x)| *x = product[(row, column)]);
        }
        let folded: Vec<f64> = folded.into_iter().map(f64::from).collect();
        let at_mean: f64 = folded.iter().zip(&self.mean).map(|(w, x)| w * f64::from(*x)).sum();
        (folded, constant * last - at_mean)
    }
}

/// A power of a covariance.
struct Root {
    matrix: Mat<f64>,
    /// The sum of the variances before, and after.
    trace: f64,
    square: f64,
}

impl Root {
    fn of(covariance: &Mat<f64>, exponent: f64, floor: f64, spread: f64) -> Self {
        let side = covariance.nrows();
        let identity = || Self { matrix: Mat::identity(side, side), trace: 1.0, square: 1.0 };
        let Ok(eigen) = covariance.self_adjoint_eigen(Side::Lower) else { return identity() };
        let variances = eigen.S().column_vector();
        let variance =
            |i: usize| if variances[i].is_finite() { variances[i].max(0.0) } else { 0.0 };
        let trace: f64 = (0..side).map(variance).sum();
        let mean = (trace / count(side)).max(f64::MIN_POSITIVE);
        // The noise of a symmetric matrix moves its eigenvalues by up to 2 √side times that of an entry.
        let least = floor + 2.0 * count(side).sqrt() * spread / mean;
        let factor = |i: usize| powf(variance(i) / mean + least, -exponent);
        let scaled = Mat::from_fn(side, side, |row, i| eigen.U()[(row, i)] * factor(i));
        let square = (0..side).map(|i| variance(i) * factor(i) * factor(i)).sum();
        let matrix = &scaled * eigen.U().transpose();
        if (0..side).any(|i| !matrix[(i, i)].is_finite()) {
            return identity();
        }
        Self { matrix, trace, square }
    }
}

/// The length of a typical whitened record, in steps.
pub(super) fn length(features: usize) -> f64 {
    STEPS * count(features).sqrt()
}
