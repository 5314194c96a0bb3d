//! What a record says about its scores: which way they should go, and how sharply.

use crate::math::{exp, nearest, softmax};
use crate::{Classes, contribution};

/// The most that a record adds in a round.
const SIZE: f64 = 4096.0;

/// The square of it.
pub(super) const MOST: u64 = 4096 * 4096;

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Loss {
    /// Of one class of two.
    Logistic,
    /// Of one class of several.
    Softmax(usize),
    /// Of a number in [-1, 1]; residuals count up to a size.
    Squared(f64),
}

/// What a gradient and a curvature of 1 are in whole numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Units {
    pub(super) gradient: f64,
    pub(super) curvature: f64,
}

impl Loss {
    /// Two classes have one score, that of the second against the first; several have one each.
    pub(super) fn of_classes(classes: Classes) -> Self {
        if classes.count() == 2 { Self::Logistic } else { Self::Softmax(classes.count()) }
    }

    /// How many scores a record has.
    pub(super) const fn outputs(self) -> usize {
        match self {
            Self::Logistic | Self::Squared(_) => 1,
            Self::Softmax(classes) => classes,
        }
    }

    /// Units such that contributions are about as large as they may be.
    ///
    /// For two classes, with chance q of being wrong: q² + (3 q (1-q))² <= 1, so curvature costs nothing
    /// beside the gradient; for several the gradient is up to √2 q. A residual of the largest size
    /// and the curvature of a square, which is 1, have squares in the ratio 4 to 1.
    pub(super) fn units(self) -> Units {
        match self {
            Self::Logistic => Units { gradient: SIZE, curvature: 3.0 * SIZE },
            Self::Softmax(_) => {
                let size = SIZE * std::f64::consts::FRAC_1_SQRT_2;
                Units { gradient: size, curvature: 3.0 * size }
            }
            Self::Squared(most) => {
                let size = SIZE / 5_f64.sqrt();
                Units { gradient: 2.0 * size / most, curvature: size }
            }
        }
    }

    /// The gradients, then the curvatures, of a record, as integers the sum of whose squares is at
    /// most [`MOST`] by the time they are returned, whatever was computed before.
    pub(super) fn contribute(self, label: f64, scores: &[f64], work: &mut [f64], out: &mut [i64]) {
        let units = self.units();
        let (gradients, curvatures) = out.split_at_mut(scores.len());
        let mut put = |k: usize, gradient: f64, curvature: f64| {
            if let (Some(g), Some(h)) = (gradients.get_mut(k), curvatures.get_mut(k)) {
                *g = nearest((gradient * units.gradient).trunc());
                *h = nearest((curvature * units.curvature).trunc());
            }
        };
        let score = scores.first().copied().unwrap_or(0.0);
        match self {
            Self::Logistic => {
                let p = 1.0 / (1.0 + exp(-score));
                put(0, label - p, p * (1.0 - p));
            }
            Self::Softmax(_) => {
                work.copy_from_slice(scores);
                softmax(work);
                let own = usize::try_from(nearest(label)).unwrap_or(usize::MAX);
                for (k, p) in work.iter().enumerate() {
                    put(k, if k == own { 1.0 - p } else { -p }, p * (1.0 - p));
                }
            }
            Self::Squared(most) => put(0, (label - score).clamp(-most, most), 1.0),
        }
        while contribution::square(out).is_none_or(|square| square > MOST) {
            out.iter_mut().for_each(|x| *x -= x.signum() * (1 + x.abs() / 1024));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the scores, the contribution is within the bound; and seldom is it cut down to that.
    #[test]
    fn contributions_are_within_the_bound_and_nearly_reach_it() {
        let odd = [0.0, 1.0, -1.0, 0.3, 5.0, -40.0, 1e300, -1e300, f64::NAN, f64::INFINITY];
        for loss in [Loss::Logistic, Loss::Softmax(3), Loss::Squared(0.5)] {
            let width = loss.outputs();
            let mut largest = 0;
            for i in 0..odd.len().pow(3) {
                let at = |k: u32| odd[i / odd.len().pow(k) % odd.len()];
                let scores = [at(0), at(1), at(2)];
                let (mut work, mut out) = (vec![0.0; width], vec![0; 2 * width]);
                for label in [0.0, 1.0, 2.0, -1.0] {
                    loss.contribute(label, &scores[..width], &mut work, &mut out);
                    largest = largest.max(contribution::square(&out).unwrap());
                }
            }
            assert!(largest <= MOST && largest * 10 > MOST * 9);
        }
    }

    #[test]
    fn curvature_costs_nothing_beside_gradients() {
        for i in 0..=1000 {
            let q = f64::from(i) / 1000.0;
            let curvature = 3.0 * q * (1.0 - q);
            assert!(q * q + curvature * curvature <= 1.0 + 1e-12);
        }
    }
}
