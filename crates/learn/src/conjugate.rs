//! Bayesian inference with conjugate priors, from noisy sums.
//!
//! | learner | a record | prior | asked for |
//! |---|---|---|---|
//! | [`BetaBernoulli`] | yes or no | Beta | the chance of a yes |
//! | [`DirichletCategorical`] | one of some levels | Dirichlet | the chance of each |
//! | [`NormalMean`] | a number within bounds, of known variance | normal | the mean |
//! | [`GammaPoisson`] | a count up to a bound | gamma | the rate |
//!
//! The data is one column. Its sums are released once, with noise; the model keeps them and the prior, and
//! all inference is post-processing. Posteriors know of the noise: they are mixtures over what
//! the sums may have been ([`throng_mechanism::bayes`]), so that a credible interval of 95 % is
//! right 95 % of the time, which it would not be if the noisy sum were taken for the sum.
//!
//! Under add/remove the number of records is private, and bought as part of the release; a record whose
//! value is missing (NaN) is left out. Under replace it is public and has to be declared; a
//! table of another number of records is refused, and a record whose value is missing counts for what
//! its learner says.

mod bernoulli;
mod categorical;
mod normal;
mod poisson;
mod statistic;

pub use bernoulli::{BetaBernoulli, BetaBernoulliModel, BetaBernoulliOptions};
pub use categorical::{
    DirichletCategorical, DirichletCategoricalModel, DirichletCategoricalOptions,
};
pub use normal::{NormalMean, NormalMeanModel, NormalMeanOptions};
pub use poisson::{GammaPoisson, GammaPoissonModel, GammaPoissonOptions};
pub use statistic::Statistic;
pub use throng_mechanism::bayes::{Credible, Posterior};

use crate::{Estimate, LearnError, Matrix};

/// The numbers of a table of one column; of another, those of the first. Where the number of records is
/// private, those that are missing are left out; where it is public, each of them has to count for
/// something.
fn column(rows: &Matrix<f64>, records: Option<i64>) -> impl Iterator<Item = f64> {
    let all = rows.iter().map(|row| row.first().copied().unwrap_or(f64::NAN));
    all.filter(move |x| records.is_some() || !x.is_nan())
}

/// What a posterior says, in one line.
fn summed_up(of: &str, posterior: &Posterior, chance: f64) -> Result<Estimate, LearnError> {
    let Credible { lower, upper, .. } = posterior.credible(chance)?;
    Ok(Estimate {
        of: of.to_owned(),
        value: posterior.mean(),
        error: Some(posterior.standard_deviation()),
        interval: Some([lower, upper]),
    })
}
