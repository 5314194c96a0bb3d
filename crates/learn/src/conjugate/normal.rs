use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::bayes::{Part, Posterior, given};
use throng_mechanism::{Clamp, Grid, Mechanism, MechanismError, Noise, PerCell, Run};
use throng_numeric::Rational;

use super::statistic::{Statistic, check, declared, percent, read_records};
use super::{column, summed_up};
use crate::error::positive;
use crate::histogram::noise_for;
use crate::{Estimate, Interval, LearnError, Learner, Matrix, Model, Privacy, Summary};

/// The mean of normal numbers of known variance, with a normal prior.
///
/// # Guarantee
/// That of the noise. Numbers are clamped to declared bounds, put on a grid and counted from the
/// grid point in the middle. *Add/remove*: a record moves their sum by at most the larger distance from
/// there to a bound, and the number of records, which is released too, by 1. *Replace*: it
/// moves the sum by at most the width of the bounds.
///
/// The posterior takes the noise as normal or Laplace on the line, from which noise on a fine grid
/// cannot be told. It does not know of clamping: declare bounds that hardly matter. A missing number is
/// left out if the number of records is private, and in the middle if it is public.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalMean {
    bounds: Interval,
    clamp: Clamp,
    middle: i64,
    known: given::Normal,
    records: Option<i64>,
    sum: Noise,
    number: Option<Noise>,
    spec: MechanismSpec,
}

/// Prior, variance and number of records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NormalMeanOptions {
    /// The mean of the prior; without, the middle of the bounds.
    pub mean: Option<f64>,
    /// The standard deviation of the prior; without, half the width of the bounds.
    pub deviation: Option<f64>,
    /// The standard deviation of the data; without, a quarter of the width of the bounds.
    pub spread: Option<f64>,
    /// The number of records, public under replace.
    pub records: Option<u64>,
    /// The share of the budget for counting the records, in percent, if their number is private.
    pub count_share: u32,
}

impl Default for NormalMeanOptions {
    fn default() -> Self {
        Self { mean: None, deviation: None, spread: None, records: None, count_share: 20 }
    }
}

impl NormalMean {
    /// A learner for numbers within bounds.
    ///
    /// # Errors
    /// If the prior is not finite or a deviation not above 0, the number of records is declared under
    /// add/remove or not under replace, or the target is out of range.
    pub fn new(
        bounds: Interval,
        privacy: &Privacy,
        options: &NormalMeanOptions,
    ) -> Result<Self, LearnError> {
        let known = known(bounds, options)?;
        let under = privacy.neighbours();
        let records = declared(options.records, under)?;
        let (lower, upper) = (bounds.lower(), bounds.upper());
        let clamp = Clamp::between(&Rational::from_f64(lower)?, &Rational::from_f64(upper)?)?;
        let middle = clamp.lower() + clamp.width() / 2;
        let reach = (clamp.upper() - middle).max(middle - clamp.lower());
        let far = if records.is_some() { clamp.width() } else { reach };
        let sum_cells = PerCell::of(1, clamp.grid().at(far), under)?;
        let (count, rest) = percent(options.count_share)?;
        let (sum, number) = match records {
            Some(_) => (noise_for(privacy, (1, 1), &sum_cells, clamp.grid())?, None),
            None => {
                let one = PerCell::of(1, Rational::ONE, under)?;
                let number = noise_for(privacy, (count, 100), &one, Grid::WHOLE)?;
                (noise_for(privacy, (rest, 100), &sum_cells, clamp.grid())?, Some(number))
            }
        };
        let spec = crate::marginals::described(std::iter::once(&sum).chain(&number))?;
        privacy.certify(&spec)?;
        Ok(Self { bounds, clamp, middle, known, records, sum, number, spec })
    }

    /// The sum of the numbers, counted from the middle, in steps; and how many: private.
    fn summed(&self, rows: &Matrix<f64>) -> (i128, i128) {
        let steps = |x: f64| self.clamp.apply(self.bounds.clamp(x)) - self.middle;
        column(rows, self.records).fold((0, 0), |(sum, n), x| (sum + i128::from(steps(x)), n + 1))
    }
}

/// Prior and variance, with what was left out filled in.
fn known(bounds: Interval, options: &NormalMeanOptions) -> Result<given::Normal, LearnError> {
    let mean = options.mean.unwrap_or_else(|| bounds.middle());
    if !mean.is_finite() {
        return Err(LearnError::invalid("the prior mean", mean, "finite"));
    }
    let square = |name, x| positive(name, x).and_then(|x| positive(name, x * x));
    let width = bounds.width();
    Ok(given::Normal {
        prior: (mean, square("the prior deviation", options.deviation.unwrap_or(width / 2.0))?),
        variance: square("the spread of the data", options.spread.unwrap_or(width / 4.0))?,
    })
}

impl Mechanism for NormalMean {
    type Input = Matrix<f64>;
    type Output = NormalMeanModel;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.sum.neighbours()
    }

    fn answer(
        &self,
        input: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<NormalMeanModel, MechanismError> {
        let (sum, number) = self.summed(input);
        let sum = Statistic::release(sum, &self.sum, run)?;
        let number = match &self.number {
            Some(noise) => Some(Statistic::release(number, noise, run)?),
            None => None,
        };
        Ok(NormalMeanModel {
            bounds: self.bounds,
            middle: self.clamp.grid().to_f64(self.middle),
            prior: self.known.prior.into(),
            variance: self.known.variance,
            sum,
            number,
            records: self.records,
        })
    }
}

impl Learner for NormalMean {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check(input, self.records)
    }
}

/// A released sum (and number of records), and what they say of the mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NormalMeanModel {
    bounds: Interval,
    middle: f64,
    prior: [f64; 2],
    variance: f64,
    sum: Statistic,
    number: Option<Statistic>,
    #[serde(default, deserialize_with = "read_records")]
    records: Option<i64>,
}

impl NormalMeanModel {
    /// What was released: the sum, counted from [`NormalMeanModel::middle`], and the number of records if
    /// that is private.
    #[must_use]
    pub const fn statistics(&self) -> (&Statistic, Option<&Statistic>) {
        (&self.sum, self.number.as_ref())
    }

    /// Where numbers were counted from.
    #[must_use]
    pub const fn middle(&self) -> f64 {
        self.middle
    }

    /// The bounds numbers were clamped to.
    #[must_use]
    pub const fn bounds(&self) -> Interval {
        self.bounds
    }

    /// What is known of the mean.
    #[must_use]
    pub fn posterior(&self) -> Posterior {
        self.shifted(0.0)
    }

    /// What is known of the next number.
    #[must_use]
    pub fn predictive(&self) -> Posterior {
        self.shifted(self.variance)
    }

    /// The posterior with more variance, back at its place.
    fn shifted(&self, more: f64) -> Posterior {
        let [mean, variance] = self.prior;
        let known =
            given::Normal { prior: (mean - self.middle, variance), variance: self.variance };
        let deviation = self.sum.noise().standard_deviation().unwrap_or(f64::MAX);
        let scales = given::normal_scales(deviation, self.sum.noise().is_laplace());
        let centred = match &self.number {
            Some(n) => given::mean_of_both(self.sum.value(), &scales, n.released(), known),
            None => given::mean(self.sum.value(), &scales, self.records.unwrap_or(0), known),
        };
        Posterior::mixture(centred.parts().iter().map(|(weight, part)| {
            let part = match *part {
                Part::Normal { mean, variance } => {
                    Part::Normal { mean: mean + self.middle, variance: variance + more }
                }
                Part::Beta { .. } | Part::Gamma { .. } => *part,
            };
            (crate::math::ln(*weight), part)
        }))
    }
}

impl Summary for NormalMeanModel {
    fn summary(&self, confidence: f64) -> Result<Vec<Estimate>, LearnError> {
        Ok(vec![summed_up("the mean", &self.posterior(), confidence)?])
    }
}

impl Model for NormalMeanModel {
    const KIND: &'static str = "normal-mean";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_moves_the_sum_no_further_than_the_noise_was_made_for() {
        let privacy = Privacy::approximate(1.0, 1e-6).unwrap();
        let nasty = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -3.0, 0.1, 7.0, 2.0];
        for (lower, upper) in [(-3.0, 7.0), (0.1, 0.7), (1e6, 1e6 + 1.0)] {
            let bounds = Interval::new(lower, upper).unwrap();
            let options = NormalMeanOptions::default();
            let learner = NormalMean::new(bounds, &privacy, &options).unwrap();
            let all = learner.summed(&Matrix::from_rows(&nasty.map(|x| [x])));
            // Half the width, and half a step as the middle is on the grid.
            let most = i128::from(learner.clamp.width() + 1) / 2;
            let mut moved = 0;
            for left_out in 0..nasty.len() {
                let mut rest: Vec<[f64; 1]> = nasty.map(|x| [x]).to_vec();
                rest.remove(left_out);
                let fewer = learner.summed(&Matrix::from_rows(&rest));
                assert_eq!(all.1 - fewer.1, i128::from(!nasty[left_out].is_nan()));
                moved = moved.max((all.0 - fewer.0).abs());
            }
            assert!(moved <= most && moved >= most - 1, "{moved} {most}");
        }
    }
}
