use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::bayes::{Posterior, given};
use throng_mechanism::{Grid, Mechanism, MechanismError, Noise, NoiseLaw, Run};
use throng_numeric::Rational;

use super::statistic::{Statistic, check, declared, read_records};
use super::{column, summed_up};
use crate::error::positive;
use crate::histogram::{Bins, moved, noise_for};
use crate::{Estimate, LearnError, Learner, Matrix, Model, Privacy, Summary};

/// The chances of some levels 0, 1, ..., with a Dirichlet prior.
///
/// A record of another level, or of none, is left out; if the number of records is public, it is counted
/// among those of the other levels.
///
/// # Guarantee
/// That of the noise. The count of each level is released: adding or removing a record moves one by
/// 1, replacing one moves two.
///
/// The posterior of a level takes it against all others, which is a yes or no question with prior
/// Beta(α, Σα - α). Given its own count and, if the number of records is private, the sum
/// of the other counts, it is exact but for the law of the sum of their noises, which is taken as normal
/// from three levels on.
#[derive(Debug, Clone, PartialEq)]
pub struct DirichletCategorical {
    alpha: Vec<f64>,
    bins: Bins,
    records: Option<i64>,
    noise: Noise,
}

/// Prior and number of records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DirichletCategoricalOptions {
    /// The prior parameter of each level, or one for all; above 0.
    pub alpha: Vec<f64>,
    /// The number of records, public under replace.
    pub records: Option<u64>,
}

impl Default for DirichletCategoricalOptions {
    /// All chances are equally likely beforehand.
    fn default() -> Self {
        Self { alpha: vec![1.0], records: None }
    }
}

impl DirichletCategorical {
    /// A learner for some levels.
    ///
    /// # Errors
    /// If there are not from 2 to 65536 levels, a prior parameter is not finite and above 0 or there are
    /// neither one nor as many as levels, the number of records is declared under add/remove or not under
    /// replace, or the target is out of range.
    pub fn new(
        levels: u32,
        privacy: &Privacy,
        options: &DirichletCategoricalOptions,
    ) -> Result<Self, LearnError> {
        if !(2..=1 << 16).contains(&levels) {
            return Err(LearnError::invalid("the number of levels", levels, "from 2 to 65536"));
        }
        let bins = Bins::levels(levels)?;
        let alpha = match options.alpha.as_slice() {
            [one] => vec![*one; bins.count()],
            all if all.len() == bins.count() => all.to_vec(),
            all => {
                let allowed = format!("1 or {levels}, one for each level");
                return Err(LearnError::invalid("the length of alpha", all.len(), allowed));
            }
        };
        for parameter in &alpha {
            positive("alpha", *parameter)?;
        }
        let records = declared(options.records, privacy.neighbours())?;
        let noise = noise_for(privacy, (1, 1), &moved(privacy.neighbours())?, Grid::WHOLE)?;
        privacy.certify(noise.spec())?;
        Ok(Self { alpha, bins, records, noise })
    }

    /// The count of each level: private.
    fn count(&self, rows: &Matrix<f64>) -> Vec<i128> {
        let mut counts = vec![0_i128; self.bins.count()];
        for x in column(rows, self.records) {
            let place = self.bins.place(x).and_then(|place| usize::try_from(place).ok());
            if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
                *count += 1;
            }
        }
        counts
    }
}

impl Mechanism for DirichletCategorical {
    type Input = Matrix<f64>;
    type Output = DirichletCategoricalModel;

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
    ) -> Result<DirichletCategoricalModel, MechanismError> {
        let mut counts = Vec::with_capacity(self.alpha.len());
        for count in self.count(input) {
            counts.push(Statistic::release(count, &self.noise, run)?);
        }
        let (alpha, records) = (self.alpha.clone(), self.records);
        Ok(DirichletCategoricalModel { alpha, counts, records })
    }
}

impl Learner for DirichletCategorical {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check(input, self.records)
    }
}

/// The released counts of levels, and what they say of their chances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirichletCategoricalModel {
    alpha: Vec<f64>,
    counts: Vec<Statistic>,
    #[serde(default, deserialize_with = "read_records")]
    records: Option<i64>,
}

impl DirichletCategoricalModel {
    /// What was released: the count of each level.
    #[must_use]
    pub fn counts(&self) -> &[Statistic] {
        &self.counts
    }

    /// What is known of the chance of a level; `None` if there is no such level.
    #[must_use]
    pub fn posterior(&self, level: usize) -> Option<Posterior> {
        self.against(level, &self.all()?)
    }

    /// The posterior of a level against all others.
    fn against(&self, level: usize, all: &All) -> Option<Posterior> {
        let (alpha, count) = (*self.alpha.get(level)?, self.counts.get(level)?);
        let prior = (alpha, (all.alpha - alpha).max(f64::MIN_POSITIVE));
        Some(match self.records {
            Some(records) => given::chance(count.released(), records, prior),
            None => {
                let others = all.counts.saturating_sub(count.steps().into());
                let others = i64::try_from(others).unwrap_or(i64::MAX);
                given::chance_of_both(count.released(), (&all.law_of_others, others), prior)
            }
        })
    }

    /// The posteriors of all levels.
    fn posteriors(&self) -> impl Iterator<Item = Posterior> {
        let all = self.all();
        (0..self.alpha.len()).filter_map(move |level| self.against(level, all.as_ref()?))
    }

    /// The chance that the next record is of each level.
    #[must_use]
    pub fn predictive(&self) -> Vec<f64> {
        let means: Vec<f64> = self.posteriors().map(|posterior| posterior.mean()).collect();
        let total: f64 = means.iter().sum();
        means.into_iter().map(|mean| mean / total).collect()
    }

    /// What the posteriors of all levels have in common.
    fn all(&self) -> Option<All> {
        let (law, _) = self.counts.first()?.released();
        let others = u64::try_from(self.counts.len().saturating_sub(1)).unwrap_or(u64::MAX);
        let law_of_others = if others == 1 {
            law.clone()
        } else {
            let variance = Rational::from_f64(law.variance().ok()?.upper()).ok()?;
            let sigma = (variance * Rational::from(others)).to_f64_nearest().sqrt();
            NoiseLaw::gaussian(Rational::from_f64(sigma).ok()?).ok()?
        };
        let counts = self.counts.iter().map(|count| i128::from(count.steps())).sum();
        Some(All { alpha: self.alpha.iter().sum(), counts, law_of_others })
    }
}

/// Sums over all levels.
struct All {
    /// Of prior parameters,
    alpha: f64,
    /// of released counts.
    counts: i128,
    /// The law of the noise on the sum of all counts but one.
    law_of_others: NoiseLaw,
}

impl Summary for DirichletCategoricalModel {
    fn summary(&self, confidence: f64) -> Result<Vec<Estimate>, LearnError> {
        let line = |(level, posterior): (usize, Posterior)| {
            summed_up(&format!("the chance of level {level}"), &posterior, confidence)
        };
        self.posteriors().enumerate().map(line).collect()
    }
}

impl Model for DirichletCategoricalModel {
    const KIND: &'static str = "dirichlet-categorical";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_moves_one_count_by_one_or_none() {
        let privacy = Privacy::pure(1.0).unwrap();
        let options = DirichletCategoricalOptions::default();
        let learner = DirichletCategorical::new(3, &privacy, &options).unwrap();
        let rows = [[1.0], [0.0], [f64::NAN], [f64::INFINITY], [-1.0], [3.0], [2.0], [1.5]];
        let all = learner.count(&Matrix::from_rows(&rows));
        assert_eq!(all, [1, 1, 1]);
        for left_out in 0..rows.len() {
            let mut rest = rows.to_vec();
            rest.remove(left_out);
            let fewer = learner.count(&Matrix::from_rows(&rest));
            let moved: i128 = all.iter().zip(&fewer).map(|(a, b)| (a - b).abs()).sum();
            assert!(moved <= 1);
        }
    }
}
