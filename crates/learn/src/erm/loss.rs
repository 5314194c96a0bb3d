//! Losses of scores.

use crate::math::{exp, softmax};

/// A loss of the scores of a record, convex in them.
///
/// With two classes there is one score, the higher the likelier class 1; with more there is one for each
/// class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Loss {
    /// -ln of the probability of the label, by the softmax of the scores.
    Logistic {
        /// How many classes.
        classes: usize,
    },
    /// For each score, with m its product with ±1 for "is the label": 0 for m > 1 + h, 1 - m for m < 1 - h,
    /// (1 + h - m)²/(4h) between.
    Hinge {
        /// How many classes.
        classes: usize,
        /// Half the width of the bend, h.
        width: f64,
    },
}

impl Loss {
    /// How many scores there are.
    pub(crate) const fn outputs(self) -> usize {
        let (Self::Logistic { classes } | Self::Hinge { classes, .. }) = self;
        if classes == 2 { 1 } else { classes }
    }

    /// Scores become the derivatives of the loss by them.
    pub(crate) fn slopes(self, scores: &mut [f64], label: usize) {
        match (self, scores) {
            (Self::Logistic { .. }, [score]) => {
                let target = if label == 1 { 1.0 } else { 0.0 };
                *score = 1.0 / (1.0 + exp(-*score)) - target;
            }
            (Self::Logistic { .. }, scores) => {
                softmax(scores);
                if let Some(own) = scores.get_mut(label) {
                    *own -= 1.0;
                }
            }
            (Self::Hinge { width, .. }, [score]) => {
                *score = hinge_slope(*score, label == 1, width);
            }
            (Self::Hinge { width, .. }, scores) => {
                for (place, score) in scores.iter_mut().enumerate() {
                    *score = hinge_slope(*score, place == label, width);
                }
            }
        }
    }
}

/// The derivative of the Huber hinge by the score.
fn hinge_slope(score: f64, own: bool, width: f64) -> f64 {
    let sign = if own { 1.0 } else { -1.0 };
    let short = 1.0 + width - sign * score;
    -sign * (short / (2.0 * width)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_loss() {
        let mut one = [0.0];
        Loss::Logistic { classes: 2 }.slopes(&mut one, 1);
        assert_eq!(one, [-0.5]);
        let mut three = [0.0; 3];
        Loss::Logistic { classes: 3 }.slopes(&mut three, 2);
        assert!((three[0] - 1.0 / 3.0).abs() < 1e-15 && (three[2] + 2.0 / 3.0).abs() < 1e-15);
        let hinge = |score: f64, label| {
            let mut one = [score];
            Loss::Hinge { classes: 2, width: 0.5 }.slopes(&mut one, label);
            one[0]
        };
        assert_eq!(hinge(1.6, 1), 0.0);
        assert_eq!(hinge(1.0, 1), -0.5);
        assert_eq!(hinge(-9.0, 1), -1.0);
        assert_eq!(hinge(0.4, 0), 1.0);
        assert_eq!(hinge(-1.0, 0), 0.5);
    }
}
