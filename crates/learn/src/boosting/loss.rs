//! What a record says about a score: which way it should go, and how sharply.

use crate::contribution;
use crate::math::{exp, nearest, softmax};

/// A gradient of 1 in whole numbers.
pub(super) const GRADIENT: f64 = 4096.0;

/// A curvature of 1 in whole numbers: with it, (1-p)² + (3 p(1-p))² <= 1, so that curvature costs
/// nothing beside gradients.
pub(super) const CURVATURE: f64 = 3.0 * GRADIENT;

/// The square of the most that a record adds in a round.
pub(super) const MOST: u64 = 4096 * 4096;

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// Of a class of two.
    Logistic,
    /// Of a class of several.
    Softmax(usize),
    /// Of a number in [-1, 1].
    Squared,
}

impl Loss {
    /// How many scores a record has.
    pub(super) const fn outputs(self) -> usize {
        match self {
            Self::Logistic | Self::Squared => 1,
            Self::Softmax(classes) => classes,
        }
    }

    /// The gradients, then the curvatures, as integers the sum of whose squares is at most [`MOST`].
    pub(super) fn contribute(self, label: f64, scores: &[f64], work: &mut [f64], out: &mut [i64]) {
        let (gradients, curvatures) = out.split_at_mut(scores.len());
        match self {
            Self::Logistic => {
                let p = 1.0 / (1.0 + exp(-scores.first().copied().unwrap_or(0.0)));
                put(gradients, 0, (label - p) * GRADIENT);
                put(curvatures, 0, p * (1.0 - p) * CURVATURE);
            }
            Self::Softmax(_) => {
                work.copy_from_slice(scores);
                softmax(work);
                let scale = std::f64::consts::FRAC_1_SQRT_2;
                for (k, p) in work.iter().enumerate() {
                    let own = if nearest(label) == i64::try_from(k).unwrap_or(-1) { 1.0 } else { 0.0 };
                    put(gradients, k, scale * (own - p) * GRADIENT);
                    put(curvatures, k, scale * p * (1.0 - p) * CURVATURE);
                }
            }
            Self::Squared => {
                let residual = label - scores.first().copied().unwrap_or(0.0);
                put(gradients, 0, residual.clamp(-0.9, 0.9) * GRADIENT);
                put(curvatures, 0, 0.1 * CURVATURE);
            }
        }
        while contribution::square(out).is_none_or(|square| square > MOST) {
            out.iter_mut().for_each(|x| *x -= x.signum());
        }
    }
}

fn put(out: &mut [i64], place: usize, x: f64) {
    if let Some(out) = out.get_mut(place) {
        *out = nearest(x.trunc());
    }
}
