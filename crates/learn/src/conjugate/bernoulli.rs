use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::bayes::{Posterior, given};
use throng_mechanism::{Grid, Mechanism, MechanismError, Noise, PerCell, Run};
use throng_numeric::Rational;

use super::statistic::{Statistic, check, declared, read_records};
use super::{column, summed_up};
use crate::error::positive;
use crate::histogram::noise_for;
use crate::{Estimate, Interval, LearnError, Learner, Matrix, Model, Privacy, Summary};

/// The chance of a yes, with a Beta(a, b) prior.
///
/// A value of at least the middle of the bounds is a yes, any other a no. A missing one is neither if the
/// number of records is private, and a no if it is public.
///
/// # Guarantee
/// That of the noise. *Add/remove*: the numbers of yeses and of noes are released, of which a record
/// moves one by 1. *Replace*: the number of yeses, which moves by at most 1.
///
/// ```
/// use throng_learn::conjugate::{BetaBernoulli, BetaBernoulliOptions};
/// use throng_learn::{Learner, Matrix, Privacy};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let smokers = BetaBernoulli::new(&Privacy::pure(1.0)?, &BetaBernoulliOptions::default())?;
/// let answers = Sensitive::new(Matrix::from_rows(&[[1.0], [0.0], [0.0], [1.0]]));
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let release = smokers.fit(&answers, &mut budget, &mut OsEntropy)?;
/// let posterior = release.value().posterior();
/// println!("{}, in {:?}", posterior.mean(), posterior.credible(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BetaBernoulli {
    middle: f64,
    prior: [f64; 2],
    records: Option<i64>,
    noise: Noise,
}

/// Prior and number of records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BetaBernoulliOptions {
    /// Yeses of the prior, above 0.
    pub a: f64,
    /// Noes of the prior, above 0.
    pub b: f64,
    /// The number of records, public under replace.
    pub records: Option<u64>,
}

impl Default for BetaBernoulliOptions {
    /// All chances are equally likely beforehand.
    fn default() -> Self {
        Self { a: 1.0, b: 1.0, records: None }
    }
}

impl BetaBernoulli {
    /// A learner for 0 and 1.
    ///
    /// # Errors
    /// As for [`BetaBernoulli::within`].
    pub fn new(privacy: &Privacy, options: &BetaBernoulliOptions) -> Result<Self, LearnError> {
        Self::within(Interval::new(0.0, 1.0)?, privacy, options)
    }

    /// A learner for values within bounds: yes from the middle on.
    ///
    /// # Errors
    /// If a prior parameter is not finite and above 0, the number of records is declared under
    /// add/remove or not under replace, or the target is out of range.
    pub fn within(
        bounds: Interval,
        privacy: &Privacy,
        options: &BetaBernoulliOptions,
    ) -> Result<Self, LearnError> {
        let middle = bounds.middle();
        let prior = [positive("a", options.a)?, positive("b", options.b)?];
        let records = declared(options.records, privacy.neighbours())?;
        let cells = PerCell::of(1, Rational::ONE, privacy.neighbours())?;
        let noise = noise_for(privacy, (1, 1), &cells, Grid::WHOLE)?;
        privacy.certify(noise.spec())?;
        Ok(Self { middle, prior, records, noise })
    }

    /// The numbers of yeses and of noes: private.
    fn counted(&self, rows: &Matrix<f64>) -> (i128, i128) {
        let count = |(yes, no), x| if x >= self.middle { (yes + 1, no) } else { (yes, no + 1) };
        column(rows, self.records).fold((0, 0), count)
    }
}

impl Mechanism for BetaBernoulli {
    type Input = Matrix<f64>;
    type Output = BetaBernoulliModel;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(
        &self,
        input: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<BetaBernoulliModel, MechanismError> {
        let (yes, no) = self.counted(input);
        let yes = Statistic::release(yes, &self.noise, run)?;
        let no = match self.records {
            Some(_) => None,
            None => Some(Statistic::release(no, &self.noise, run)?),
        };
        Ok(BetaBernoulliModel { prior: self.prior, yes, no, records: self.records })
    }
}

impl Learner for BetaBernoulli {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check(input, self.records)
    }
}

/// The released numbers of yeses (and of noes), and what they say of their chance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetaBernoulliModel {
    prior: [f64; 2],
    yes: Statistic,
    no: Option<Statistic>,
    #[serde(default, deserialize_with = "read_records")]
    records: Option<i64>,
}

impl BetaBernoulliModel {
    /// What was released: yeses, and noes if the number of records is private.
    #[must_use]
    pub const fn statistics(&self) -> (&Statistic, Option<&Statistic>) {
        (&self.yes, self.no.as_ref())
    }

    /// What is known of the chance of a yes; also the chance that the next record is one is
    /// its mean.
    #[must_use]
    pub fn posterior(&self) -> Posterior {
        let prior = self.prior.into();
        match &self.no {
            Some(no) => given::chance_of_both(self.yes.released(), no.released(), prior),
            None => given::chance(self.yes.released(), self.records.unwrap_or(0), prior),
        }
    }
}

impl Summary for BetaBernoulliModel {
    fn summary(&self, confidence: f64) -> Result<Vec<Estimate>, LearnError> {
        Ok(vec![summed_up("the chance of a yes", &self.posterior(), confidence)?])
    }
}

impl Model for BetaBernoulliModel {
    const KIND: &'static str = "beta-bernoulli";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_moves_one_number_by_one() {
        let rows = [[1.0], [0.0], [f64::NAN], [f64::INFINITY], [f64::NEG_INFINITY], [0.5]];
        let private = Privacy::pure(1.0).unwrap();
        let public = Privacy::new(*private.target(), Neighbours::Replace).unwrap();
        for (privacy, records, noes) in [(private, None, 2), (public, Some(6), 3)] {
            let options = BetaBernoulliOptions { records, ..Default::default() };
            let learner = BetaBernoulli::new(&privacy, &options).unwrap();
            let (yes, no) = learner.counted(&Matrix::from_rows(&rows));
            assert_eq!((yes, no), (3, noes));
            for left_out in 0..rows.len() {
                let mut rest = rows.to_vec();
                rest.remove(left_out);
                let (fewer, less) = learner.counted(&Matrix::from_rows(&rest));
                assert!((yes - fewer) + (no - less) <= 1 && fewer <= yes && less <= no);
            }
        }
    }

    #[test]
    fn yes_begins_in_the_middle_of_the_bounds() {
        let privacy = Privacy::pure(1.0).unwrap();
        let bounds = Interval::new(1.0, 2.0).unwrap();
        let learner =
            BetaBernoulli::within(bounds, &privacy, &BetaBernoulliOptions::default()).unwrap();
        assert_eq!(learner.counted(&Matrix::from_rows(&[[1.0], [2.0], [2.0], [1.4]])), (2, 2));
    }
}
