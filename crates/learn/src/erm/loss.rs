//! Losses of scores.

use throng_numeric::{Enclosure, NumericError};

use super::exponential::{exp, softmax, softmax_by_class};
use crate::math::{count, ln, wide};

/// Records of a block.
pub(crate) const BLOCK: usize = 256;

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

impl Loss {
    /// The same for a block of records at a time: `scores` has [`BLOCK`] for each output, output by output,
    /// and there is a label for each of the first records. Many go into an instruction; each record gets the
    /// very numbers that [`Loss::slopes`] gives it.
    pub(crate) fn slopes_of_block(self, scores: &mut [f64], labels: &[usize]) {
        let (mut most, mut sum) = ([0.0; BLOCK], [0.0; BLOCK]);
        match (self, self.outputs()) {
            (Self::Logistic { .. }, 1) => {
                let targets = &mut most;
                for (target, label) in targets.iter_mut().zip(labels) {
                    *target = if *label == 1 { 1.0 } else { 0.0 };
                }
                wide!({
                    for (score, target) in scores.iter_mut().zip(&*targets) {
                        *score = 1.0 / (1.0 + exp(-*score)) - target;
                    }
                });
            }
            (Self::Logistic { .. }, _) => {
                let (all, most, sum) = (&mut *scores, &mut most, &mut sum);
                wide!(softmax_by_class(all, most, sum));
                for (record, label) in labels.iter().enumerate() {
                    if let Some(own) = scores.get_mut(label * BLOCK + record) {
                        *own -= 1.0;
                    }
                }
            }
            (Self::Hinge { width, .. }, outputs) => {
                for (place, scores) in scores.chunks_exact_mut(BLOCK).enumerate() {
                    let own = |label: usize| if outputs == 1 { label == 1 } else { label == place };
                    for (score, label) in scores.iter_mut().zip(labels) {
                        *score = hinge_slope(*score, own(*label), width);
                    }
                }
            }
        }
    }
}

/// What proofs need to know of a loss, for rows of norm 1 at most.
impl Loss {
    /// The square of the largest norm of the slopes of a record: with one score a slope is at most 1
    /// in size; a probability vector and a corner of the simplex are at most √2 apart; of several hinges
    /// each has a slope of at most 1.
    pub(crate) fn steepness(self) -> u64 {
        match (self, self.outputs()) {
            (Self::Logistic { .. } | Self::Hinge { .. }, 1) => 1,
            (Self::Logistic { .. }, _) => 2,
            (Self::Hinge { .. }, outputs) => u64::try_from(outputs).unwrap_or(u64::MAX),
        }
    }

    /// The largest curvature: p(1-p) <= 1/4; for the softmax diag(p) - pp' <= 1/2 (D. Böhning,
    /// 1992); for a hinge 1/(2h). Rounded up.
    pub(crate) fn curvature(self) -> f64 {
        match (self, self.outputs()) {
            (Self::Logistic { .. }, 1) => 0.25,
            (Self::Logistic { .. }, _) => 0.5,
            (Self::Hinge { width, .. }, _) => (0.5 / width).next_up(),
        }
    }

    /// The loss where all scores are 0, rounded up.
    pub(crate) fn start(self) -> f64 {
        match self {
            Self::Logistic { classes } => 1.000_001 * ln(count(classes)),
            Self::Hinge { width, .. } => {
                let bent =
                    if width <= 1.0 { 1.0 } else { (1.0 + width) * (1.0 + width) / (4.0 * width) };
                1.000_001 * bent * count(self.outputs())
            }
        }
    }

    /// How wide the intervals of the slopes of a record are, as a vector, over 2^-53; from exact scores. A
    /// score s is known up to a few u|s|, which the slope of a softmax makes small again where it is
    /// large; a bend of width h is steep, but only for scores of at most 1 + h.
    pub(crate) fn fuzz(self) -> f64 {
        match self {
            Self::Logistic { .. } => 64.0 * count(self.outputs()),
            Self::Hinge { width, .. } => {
                (16.0 + 8.0 * (1.0 + width) / width) * count(self.outputs()).sqrt()
            }
        }
    }

    /// Both parts of scores, less those of the largest where only differences count: exact, as both are
    /// multiples of one step.
    pub(crate) fn shift(self, high: &mut [f64], low: &mut [f64]) {
        if self.is_separate() {
            return;
        }
        let pairs = high.iter().zip(low.iter()).map(|(high, low)| (*high, *low));
        let largest = pairs.max_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)));
        let (most_high, most_low) = largest.unwrap_or_default();
        high.iter_mut().for_each(|x| *x -= most_high);
        low.iter_mut().for_each(|x| *x -= most_low);
    }

    /// Whether the slope of a score depends on that score alone.
    pub(crate) fn is_separate(self) -> bool {
        match self {
            Self::Logistic { .. } => self.outputs() == 1,
            Self::Hinge { .. } => true,
        }
    }

    /// The derivative of a slope by its score, if that depends on the score alone.
    pub(crate) fn bend(self, score: f64, place: usize, label: usize) -> f64 {
        match self {
            Self::Logistic { .. } => {
                let likely = 1.0 / (1.0 + exp(-score));
                likely * (1.0 - likely)
            }
            Self::Hinge { width, .. } => {
                let own = if self.outputs() == 1 { label == 1 } else { place == label };
                let margin = if own { score } else { -score };
                if (margin - 1.0).abs() <= width { 0.5 / width } else { 0.0 }
            }
        }
    }

    /// Scores, known within an interval, become their slopes, known within an interval.
    pub(crate) fn enclosed(
        self,
        scores: &mut [Enclosure],
        label: usize,
    ) -> Result<(), NumericError> {
        match (self, scores) {
            (Self::Logistic { .. }, [score]) => {
                let target = if label == 1 { Enclosure::ONE } else { Enclosure::ZERO };
                let ends = sigmoid(score.lower())?.hull(sigmoid(score.upper())?);
                *score = ends - target;
            }
            (Self::Logistic { .. }, scores) => {
                let most = scores.iter().map(|s| s.upper()).fold(f64::NEG_INFINITY, f64::max);
                let most = Enclosure::point(most)?;
                let mut sum = Enclosure::ZERO;
                for score in scores.iter_mut() {
                    *score = (*score - most).exp();
                    sum = sum + *score;
                }
                for (place, score) in scores.iter_mut().enumerate() {
                    let target = if place == label { Enclosure::ONE } else { Enclosure::ZERO };
                    *score = *score / sum - target;
                }
            }
            (Self::Hinge { width, .. }, [score]) => {
                *score = enclosed_hinge(*score, label == 1, width)?;
            }
            (Self::Hinge { width, .. }, scores) => {
                for (place, score) in scores.iter_mut().enumerate() {
                    *score = enclosed_hinge(*score, place == label, width)?;
                }
            }
        }
        Ok(())
    }
}

/// 1/(1 + e^-x), by the exponential that does not overflow.
fn sigmoid(x: f64) -> Result<Enclosure, NumericError> {
    let small = (-Enclosure::point(x.abs())?).exp();
    let upper = Enclosure::ONE / (Enclosure::ONE + small);
    Ok(if x < 0.0 { Enclosure::ONE - upper } else { upper })
}

fn enclosed_hinge(score: Enclosure, own: bool, width: f64) -> Result<Enclosure, NumericError> {
    let width = Enclosure::point(width)?;
    let margin = if own { score } else { -score };
    let share = (Enclosure::ONE + width - margin) / (width + width);
    let size = share.max(Enclosure::ZERO).min(Enclosure::ONE);
    Ok(if own { -size } else { size })
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
    fn enclosures_hold_what_is_computed() {
        let losses = [
            Loss::Logistic { classes: 2 },
            Loss::Logistic { classes: 4 },
            Loss::Hinge { classes: 2, width: 0.3 },
            Loss::Hinge { classes: 3, width: 0.3 },
        ];
        for loss in losses {
            for centre in [-800.0, -30.0, -1.1, 0.0, 0.9, 12.0, 900.0] {
                let mut scores: Vec<f64> =
                    (0..loss.outputs()).map(|i| centre * (1.0 - 0.3 * count(i))).collect();
                let mut enclosed: Vec<Enclosure> =
                    scores.iter().map(|s| Enclosure::new(s - 1e-12, s + 1e-12).unwrap()).collect();
                loss.slopes(&mut scores, 1);
                loss.enclosed(&mut enclosed, 1).unwrap();
                for (slope, held) in scores.iter().zip(&enclosed) {
                    assert!(held.lower() <= slope + 1e-15 && slope - 1e-15 <= held.upper());
                    assert!(held.width() < 1e-9, "{held}");
                }
            }
        }
    }

    /// Bit by bit, for ordinary, huge and hostile scores.
    #[test]
    fn a_block_has_the_slopes_of_its_records() {
        for classes in [2, 3, 10] {
            for loss in [Loss::Logistic { classes }, Loss::Hinge { classes, width: 0.3 }] {
                let k = loss.outputs();
                let score = |record: usize, output: usize| match (record % 41, output % 3) {
                    (7, 1) => f64::NAN,
                    (8, 0) => f64::INFINITY,
                    (9, 0) => f64::NEG_INFINITY,
                    (10, _) => 900.0 - count(output),
                    _ => f64::from(crate::alike::made_up(output, record)) / 97.0,
                };
                let labels: Vec<usize> = (0..BLOCK - 3).map(|record| record % (k + 1)).collect();
                let mut block: Vec<f64> =
                    (0..k * BLOCK).map(|at| score(at % BLOCK, at / BLOCK)).collect();
                loss.slopes_of_block(&mut block, &labels);
                for (record, label) in labels.iter().enumerate() {
                    let mut one: Vec<f64> = (0..k).map(|output| score(record, output)).collect();
                    loss.slopes(&mut one, *label);
                    for (output, slope) in one.iter().enumerate() {
                        let found = block[output * BLOCK + record];
                        assert!(found == *slope || found.is_nan() && slope.is_nan());
                    }
                }
            }
        }
    }

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
