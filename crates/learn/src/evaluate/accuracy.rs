use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, NoiseLaw, Run};
use throng_numeric::Enclosure;

use super::{Between, said};
use crate::data::check_columns;
use crate::histogram::{Blur, Counts, noise_of_counts};
use crate::math::count;
use crate::{Classes, Classified, LearnError, Learner, Model, Predict, Privacy};

/// How a classifier does on private examples.
///
/// # Guarantee
/// That of the noise. Each record of a declared class is counted in one cell: right or wrong; or,
/// with a confusion matrix, by its class and what it is taken for. So adding or removing one moves one
/// count by 1, replacing one moves two. The model must not depend on these examples, or be released
/// under a guarantee of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Accuracy<M> {
    model: M,
    classes: Classes,
    confusion: bool,
    noise: Noise,
}

/// What is counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccuracyOptions {
    /// Each pair of classes, not only right and wrong. It costs the same, but the accuracy that is added up
    /// from more counts has more noise.
    pub confusion: bool,
}

impl<M: Predict> Accuracy<M> {
    /// An evaluation of a model.
    ///
    /// # Errors
    /// If the target is out of range.
    pub fn new(
        model: M,
        classes: Classes,
        privacy: &Privacy,
        options: &AccuracyOptions,
    ) -> Result<Self, LearnError> {
        let noise = noise_of_counts(privacy, (1, 1))?;
        privacy.certify(noise.spec())?;
        Ok(Self { model, classes, confusion: options.confusion, noise })
    }

    fn shape(&self) -> Vec<usize> {
        let classes = self.classes.count();
        if self.confusion { vec![classes, classes] } else { vec![2] }
    }

    /// Right and wrong, or class by class: private.
    fn count(&self, examples: &Classified) -> Vec<i64> {
        let mut counts = vec![0_i64; self.shape().iter().product()];
        for (truth, guess) in said(&self.model, examples, self.classes) {
            let cell = if self.confusion {
                // What is no class at all is taken for the first other.
                truth * self.classes.count() + guess.unwrap_or(usize::from(truth == 0))
            } else {
                usize::from(guess != Some(truth))
            };
            if let Some(count) = counts.get_mut(cell) {
                *count += 1;
            }
        }
        counts
    }
}

impl<M: Predict> Mechanism for Accuracy<M> {
    type Input = Classified;
    type Output = AccuracyReport;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Classified,
        run: &mut Run<'_>,
    ) -> Result<AccuracyReport, MechanismError> {
        let counts = Counts::release(self.count(input), self.shape(), &self.noise, run)?;
        Ok(AccuracyReport { counts })
    }
}

impl<M: Predict> Learner for Accuracy<M> {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        self.model.check_machine()?;
        check_columns(input.features().columns(), self.model.columns())
    }
}

/// Released counts of right and wrong, or of classes taken for classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccuracyReport {
    counts: Counts,
}

impl AccuracyReport {
    /// The counts: right and wrong; or class by class, the true one in rows.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The accuracy on these examples, within an interval that covers it with this confidence, over
    /// the noise. That they are a sample is not covered.
    ///
    /// # Guarantee
    /// The numbers of right and wrong are sums of counts, each within its half width but for half of what
    /// the confidence leaves.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn accuracy(&self, confidence: f64) -> Result<Between, LearnError> {
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(LearnError::invalid("the confidence", confidence, "above 0 and below 1"));
        }
        // Half of what is missing, no more: both subtractions are exact or rounded the safe way.
        let each = (1.0 - (1.0 - confidence).next_down() / 2.0).next_up();
        let half = |cells: &[f64]| half_width_of_sum(self.counts.noise(), cells.len(), each);
        let (right, wrong) = self.right_and_wrong();
        let (more, less) = (half(&right)?, half(&wrong)?);
        let (right, wrong): (f64, f64) = (right.iter().sum(), wrong.iter().sum());
        let share = |right: f64, wrong: f64, none: f64| {
            let (right, wrong) = (right.max(0.0), wrong.max(0.0));
            if right + wrong > 0.0 { right / (right + wrong) } else { none }
        };
        let lower = share(right - more, wrong + less, 0.0);
        let upper = share(right + more, wrong - less, 1.0);
        Ok(Between { value: share(right, wrong, 0.5).clamp(lower, upper), lower, upper })
    }

    /// The cells that count what is right, and the others.
    fn right_and_wrong(&self) -> (Vec<f64>, Vec<f64>) {
        let values = self.counts.values();
        let is_right = |cell: usize| match self.counts.shape() {
            [classes, _] => cell / classes == cell % classes,
            _ => cell == 0,
        };
        let cells = |wanted: bool| {
            let of = values.iter().enumerate().filter(move |(cell, _)| is_right(*cell) == wanted);
            of.map(|(_, n)| *n).collect()
        };
        (cells(true), cells(false))
    }
}

/// Half the width of an interval that covers the sum of so many counts.
///
/// # Guarantee
/// One count: by its law. More: by the moment generating function M of the noise, as for every t > 0 the
/// sum of m is beyond w on either side with a chance of at most 2 M(t)^m e^(-tw). For Gaussian noise
/// ln M(t) <= σ²t²/2 (C. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy",
/// 2020), and the best t gives σ √(2 m ln(2/β)); for Laplace noise, with q = e^(-1/b),
/// M(t) = (1-q)²/((1-qe^t)(1-qe^-t)), and the best of some t below 1/b is taken.
fn half_width_of_sum(noise: &Blur, terms: usize, confidence: f64) -> Result<f64, LearnError> {
    if terms <= 1 {
        return noise.half_width(1, confidence);
    }
    let terms = Enclosure::point(count(terms))?;
    let two = Enclosure::point(2.0)?;
    let rare = (two / Enclosure::point((1.0 - confidence).next_down())?).ln()?;
    let steps = match noise.law()? {
        NoiseLaw::DiscreteGaussian { sigma } => {
            (Enclosure::of_rational(&sigma) * (two * terms * rare).sqrt()?).upper()
        }
        NoiseLaw::DiscreteLaplace { scale } => {
            let fall = Enclosure::ONE / Enclosure::of_rational(&scale);
            let gap = |t: Enclosure| Ok::<_, LearnError>((-(t - fall).expm1()).ln()?);
            let mut least = f64::INFINITY;
            for part in 1..20 {
                let t = fall * Enclosure::point(f64::from(part))? / Enclosure::point(20.0)?;
                let log = two * gap(Enclosure::ZERO)? - gap(t)? - gap(-t)?;
                least = least.min(((rare + terms * log) / t).upper());
            }
            least
        }
        NoiseLaw::Staircase(_) => {
            return Err(LearnError::refused("staircase noise", "use Laplace noise"));
        }
    };
    Ok((steps * noise.grid()?.to_f64(1)).next_up())
}

impl Model for AccuracyReport {
    const KIND: &'static str = "accuracy";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Matrix, Predictions};

    struct Sign;

    impl Predict for Sign {
        fn columns(&self) -> usize {
            1
        }

        fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
            let class = |row: &[f64]| u32::from(row.first().is_some_and(|x| *x > 0.0));
            let chosen = features.iter().map(class).collect();
            Ok(Predictions::Classes { chosen, probabilities: None })
        }
    }

    #[test]
    fn sums_of_counts_are_covered_by_far_less_than_each_count() {
        for privacy in [Privacy::pure(1.0).unwrap(), Privacy::approximate(1.0, 1e-6).unwrap()] {
            let noise = noise_of_counts(&privacy, (1, 1)).unwrap();
            let blur = Blur::of(&noise).unwrap();
            let deviation = blur.standard_deviation().unwrap();
            let terms = 90;
            let half = half_width_of_sum(&blur, terms, 0.95).unwrap();
            let normal = 1.96 * deviation * count(terms).sqrt();
            assert!(half > normal && half < 1.6 * normal, "{half} {normal}");
            assert!(half < 0.2 * count(terms) * blur.half_width(terms, 0.95).unwrap());
            // The law itself: sums of noise are within it about as often as they should be.
            let mut entropy = throng_sample::SeededEntropy::new(4);
            let sampler = noise.law().sampler().unwrap();
            let inside = |_: &u32| {
                let draws = (0..terms).map(|_| sampler.draw(&mut entropy).unwrap());
                let sum: f64 = draws.map(|x| f64::from(i32::try_from(x).unwrap())).sum();
                sum.abs() <= half / blur.grid().unwrap().to_f64(1)
            };
            assert!((0..400).filter(inside).count() >= 380);
        }
    }

    #[test]
    fn a_record_moves_one_count_by_one_or_none() {
        let rows = [[1.0], [-1.0], [f64::NAN], [f64::INFINITY], [3.0], [0.0]];
        let labels = vec![1, 0, 2, 0, 9, u32::MAX];
        for confusion in [false, true] {
            let options = AccuracyOptions { confusion };
            let privacy = Privacy::pure(1.0).unwrap();
            let classes = Classes::new(3).unwrap();
            let accuracy = Accuracy::new(Sign, classes, &privacy, &options).unwrap();
            let examples = Classified::new(Matrix::from_rows(&rows), labels.clone()).unwrap();
            let all = accuracy.count(&examples);
            assert_eq!(all.iter().sum::<i64>(), 4);
            for left_out in 0..rows.len() {
                let kept: Vec<usize> = (0..rows.len()).filter(|i| *i != left_out).collect();
                let fewer = accuracy.count(&examples.select(&kept));
                let moved: i64 = all.iter().zip(&fewer).map(|(a, b)| (a - b).abs()).sum();
                assert!(moved <= 1);
            }
        }
    }
}
