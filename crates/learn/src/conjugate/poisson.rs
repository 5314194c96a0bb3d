use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::bayes::{Part, Posterior, given, ln_gamma};
use throng_mechanism::{Grid, Mechanism, MechanismError, Noise, PerCell, Run};
use throng_numeric::Rational;

use super::statistic::{Statistic, check, declared, percent, read_records};
use super::{column, summed_up};
use crate::error::positive;
use crate::histogram::noise_for;
use crate::math::{exp, ln, ln_1p, nearest, number};
use crate::{Estimate, Interval, LearnError, Learner, Matrix, Model, Privacy, Summary};

/// The rate of Poisson counts, with a Gamma(shape, rate) prior.
///
/// Values are rounded and clamped to whole numbers within the bounds, none of them negative. A missing one is left out if the number of records is
/// private, and counts as half of most if it is public.
///
/// # Guarantee
/// That of the noise. A record moves the sum of the counts by at most `most`, under add/remove as under
/// replace; and the number of records, which is released if it is private, by 1.
///
/// The posterior does not know of clamping: declare a `most` that hardly matters.
#[derive(Debug, Clone, PartialEq)]
pub struct GammaPoisson {
    least: i64,
    most: i64,
    prior: [f64; 2],
    records: Option<i64>,
    sum: Noise,
    number: Option<Noise>,
    spec: MechanismSpec,
}

/// Prior and number of records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GammaPoissonOptions {
    /// The shape of the prior, above 0.
    pub shape: f64,
    /// The rate of the prior, above 0: shape/rate is its mean.
    pub rate: f64,
    /// The number of records, public under replace.
    pub records: Option<u64>,
    /// The share of the budget for counting the records, in percent, if their number is private.
    pub count_share: u32,
}

impl Default for GammaPoissonOptions {
    fn default() -> Self {
        Self { shape: 1.0, rate: 0.1, records: None, count_share: 20 }
    }
}

impl GammaPoisson {
    /// A learner for counts of at most `most`.
    ///
    /// # Errors
    /// As for [`GammaPoisson::within`].
    pub fn new(
        most: i64,
        privacy: &Privacy,
        options: &GammaPoissonOptions,
    ) -> Result<Self, LearnError> {
        Self::between(0, most, privacy, options)
    }

    /// A learner for counts within bounds.
    ///
    /// # Errors
    /// If the largest count is not in 1..2^32, a prior parameter is not finite and above 0, the number of records
    /// is declared under add/remove or not under replace, or the target is out of range.
    pub fn within(
        bounds: Interval,
        privacy: &Privacy,
        options: &GammaPoissonOptions,
    ) -> Result<Self, LearnError> {
        let (lower, upper) = (nearest(bounds.lower().ceil()), nearest(bounds.upper().floor()));
        Self::between(lower.clamp(0, upper.max(0)), upper, privacy, options)
    }

    fn between(
        least: i64,
        most: i64,
        privacy: &Privacy,
        options: &GammaPoissonOptions,
    ) -> Result<Self, LearnError> {
        if !(1..1 << 32).contains(&most) {
            return Err(LearnError::invalid("the largest count", most, "in 1..2^32"));
        }
        let prior = [positive("shape", options.shape)?, positive("rate", options.rate)?];
        let under = privacy.neighbours();
        let records = declared(options.records, under)?;
        let sums = PerCell::of(1, Rational::from(most), under)?;
        let (count, rest) = percent(options.count_share)?;
        let (sum, number) = match records {
            Some(_) => (noise_for(privacy, (1, 1), &sums, Grid::WHOLE)?, None),
            None => {
                let one = PerCell::of(1, Rational::ONE, under)?;
                let number = noise_for(privacy, (count, 100), &one, Grid::WHOLE)?;
                (noise_for(privacy, (rest, 100), &sums, Grid::WHOLE)?, Some(number))
            }
        };
        let spec = crate::marginals::described(std::iter::once(&sum).chain(&number))?;
        privacy.certify(&spec)?;
        Ok(Self { least, most, prior, records, sum, number, spec })
    }

    /// The sum of the counts and their number: private.
    fn summed(&self, rows: &Matrix<f64>) -> (i128, i128) {
        let clamped = |x: f64| {
            let known = if x.is_nan() { self.most / 2 } else { nearest(x) };
            i128::from(known.clamp(self.least, self.most))
        };
        column(rows, self.records).fold((0, 0), |(sum, n), x| (sum + clamped(x), n + 1))
    }
}

impl Mechanism for GammaPoisson {
    type Input = Matrix<f64>;
    type Output = GammaPoissonModel;

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
    ) -> Result<GammaPoissonModel, MechanismError> {
        let (sum, n) = self.summed(input);
        let sum = Statistic::release(sum, &self.sum, run)?;
        let number = match &self.number {
            Some(noise) => Some(Statistic::release(n, noise, run)?),
            None => None,
        };
        let (most, prior, records) = (self.most, self.prior, self.records);
        Ok(GammaPoissonModel { most, prior, sum, number, records })
    }
}

impl Learner for GammaPoisson {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check(input, self.records)
    }
}

/// A released sum of counts (and their number), and what they say of the rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GammaPoissonModel {
    most: i64,
    prior: [f64; 2],
    sum: Statistic,
    number: Option<Statistic>,
    #[serde(default, deserialize_with = "read_records")]
    records: Option<i64>,
}

impl GammaPoissonModel {
    /// What was released: the sum, and the number of records if that is private.
    #[must_use]
    pub const fn statistics(&self) -> (&Statistic, Option<&Statistic>) {
        (&self.sum, self.number.as_ref())
    }

    /// The count that others were clamped to.
    #[must_use]
    pub const fn most(&self) -> i64 {
        self.most
    }

    /// What is known of the rate.
    #[must_use]
    pub fn posterior(&self) -> Posterior {
        let prior = self.prior.into();
        match &self.number {
            Some(n) => given::rate_of_both(self.sum.released(), n.released(), prior),
            None => given::rate(self.sum.released(), self.records.unwrap_or(0), prior),
        }
    }

    /// How likely each of the first `counts` counts 0, 1, ... is for the next record: a mixture of
    /// negative binomials.
    #[must_use]
    pub fn predictive(&self, counts: u32) -> Vec<f64> {
        let posterior = self.posterior();
        let chance = |k: u32| {
            let k = number(k.into());
            let of = |(weight, part): &(f64, Part)| match *part {
                Part::Gamma { shape, rate } => {
                    let ways = ln_gamma(shape + k) - ln_gamma(shape) - ln_gamma(k + 1.0);
                    weight * exp(ways - shape * ln_1p(1.0 / rate) - k * ln(rate + 1.0))
                }
                Part::Beta { .. } | Part::Normal { .. } => 0.0,
            };
            posterior.parts().iter().map(of).sum()
        };
        (0..counts).map(chance).collect()
    }
}

impl Summary for GammaPoissonModel {
    fn summary(&self, confidence: f64) -> Result<Vec<Estimate>, LearnError> {
        Ok(vec![summed_up("the rate", &self.posterior(), confidence)?])
    }
}

impl Model for GammaPoissonModel {
    const KIND: &'static str = "gamma-poisson";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_moves_the_sum_by_most_at_most() {
        let privacy = Privacy::pure(1.0).unwrap();
        let learner = GammaPoisson::new(20, &privacy, &GammaPoissonOptions::default()).unwrap();
        let nasty = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -3.0, 0.6, 20.4, 7.0];
        let all = learner.summed(&Matrix::from_rows(&nasty.map(|x| [x])));
        assert_eq!(all, (20 + 20 + 1 + 20 + 7, 7));
        let replace = Privacy::new(*privacy.target(), Neighbours::Replace).unwrap();
        let options = GammaPoissonOptions { records: Some(8), ..Default::default() };
        let public = GammaPoisson::new(20, &replace, &options).unwrap();
        assert_eq!(public.summed(&Matrix::from_rows(&nasty.map(|x| [x]))), (all.0 + 10, 8));
        let bounds = Interval::new(4.5, 20.9).unwrap();
        let within = GammaPoisson::within(bounds, &privacy, &GammaPoissonOptions::default());
        let found = within.unwrap().summed(&Matrix::from_rows(&nasty.map(|x| [x])));
        assert_eq!(found, (20 + 5 + 20 + 5 + 5 + 20 + 7, 7));
        for x in nasty {
            let (sum, n) = learner.summed(&Matrix::from_rows(&[[x]]));
            assert!((0..=20).contains(&sum) && n <= 1);
        }
    }
}
