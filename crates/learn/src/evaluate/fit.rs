use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Grid, Mechanism, MechanismError, Noise, PerCell, Run};
use throng_numeric::Rational;

use super::{Between, FINE, fits};
use crate::data::check_columns;
use crate::histogram::{Counts, noise_for};
use crate::{Interval, LearnError, Learner, Measured, Model, Predict, Privacy};

/// How a regression does on private examples.
///
/// # Guarantee
/// That of the noise. Labels and what the model says are clamped to a declared range; a record adds to
/// four sums: 1, its squared error, its label and the square of that, each as a fraction from 0 to 1 of
/// the range in steps of 2^-20. So it moves each of them by at most 1, whether it is added, removed or
/// replaced; one without a label adds nothing. The model must not depend on these examples, or be released under a guarantee of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit<M> {
    model: M,
    range: Interval,
    noise: Noise,
}

impl<M: Predict> Fit<M> {
    /// An evaluation of a model, for labels in a range.
    ///
    /// # Errors
    /// If the target is out of range.
    pub fn new(model: M, range: Interval, privacy: &Privacy) -> Result<Self, LearnError> {
        let cells = PerCell::of(4, Rational::ONE, privacy.neighbours())?;
        let noise = noise_for(privacy, (1, 1), &cells, Grid::new(-FINE)?)?;
        privacy.certify(noise.spec())?;
        Ok(Self { model, range, noise })
    }

    /// Number, squared errors, labels, squared labels, in steps: private.
    fn sums(&self, examples: &Measured) -> Vec<i64> {
        let mut sums = vec![0_i64; 4];
        for fit in fits(&self.model, examples, self.range) {
            let parts = [1 << FINE, fit.error, fit.label, fit.square];
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum = sum.saturating_add(part);
            }
        }
        sums
    }
}

impl<M: Predict> Mechanism for Fit<M> {
    type Input = Measured;
    type Output = FitReport;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(&self, input: &Measured, run: &mut Run<'_>) -> Result<FitReport, MechanismError> {
        let sums = Counts::release_steps(self.sums(input), vec![4], &self.noise, run)?;
        Ok(FitReport { range: self.range, sums })
    }
}

impl<M: Predict> Learner for Fit<M> {
    fn check(&self, input: &Measured) -> Result<(), LearnError> {
        self.model.check_machine()?;
        check_columns(input.features().columns(), self.model.columns())
    }
}

/// Released sums of squared errors and of labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitReport {
    range: Interval,
    sums: Counts,
}

impl FitReport {
    /// What was released: the number of records; and of squared errors, labels and squared labels the
    /// sums, as fractions of the range.
    #[must_use]
    pub const fn sums(&self) -> &Counts {
        &self.sums
    }

    /// The mean squared error on these examples, within an interval that covers it with this
    /// confidence, over the noise. That they are a sample is not covered.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn mean_squared_error(&self, confidence: f64) -> Result<Between, LearnError> {
        let [n, error, _, _] = self.four();
        let half = self.sums.half_width_of_all(confidence)?;
        let square = self.range.width() * self.range.width();
        let lower = ((error - half) / (n + half).max(1.0)).clamp(0.0, 1.0);
        let upper = if n - half > 0.0 { (error + half) / (n - half) } else { 1.0 };
        let upper = upper.clamp(lower, 1.0);
        let value = (error / n.max(1.0)).clamp(lower, upper);
        Ok(Between { value: value * square, lower: lower * square, upper: upper * square })
    }

    /// One minus the squared errors over those of the mean label, as an estimate; at most 1, and 0 if
    /// labels do not seem to vary.
    #[must_use]
    pub fn r_squared(&self) -> f64 {
        let [n, error, label, square] = self.four();
        let (n, error) = (n.max(1.0), error.max(0.0));
        let spread = square - label * label / n;
        if spread > 0.0 { 1.0 - error / spread } else { 0.0 }
    }

    fn four(&self) -> [f64; 4] {
        <[f64; 4]>::try_from(self.sums.values()).unwrap_or([0.0; 4])
    }
}

impl Model for FitReport {
    const KIND: &'static str = "fit";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Matrix, Predictions};

    struct Same;

    impl Predict for Same {
        fn columns(&self) -> usize {
            1
        }

        fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
            Ok(Predictions::Numbers(features.values().to_vec()))
        }
    }

    #[test]
    fn a_record_moves_each_sum_by_one_at_most() {
        let nasty = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -3.0, 0.1, 7.0];
        let range = Interval::new(-3.0, 7.0).unwrap();
        let fit = Fit::new(Same, range, &Privacy::approximate(1.0, 1e-6).unwrap()).unwrap();
        let whole = 1 << FINE;
        for x in nasty {
            for y in nasty {
                let one = Measured::new(Matrix::from_rows(&[[x]]), vec![y]).unwrap();
                assert!(fit.sums(&one).iter().all(|sum| (0..=whole).contains(sum)));
            }
        }
    }
}
