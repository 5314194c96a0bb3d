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
//! Under add/remove the number of records is private, and bought as part of the release. Under
//! replace it is public and has to be declared.

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

use crate::Matrix;

/// The numbers of a table of one column; of another, those of the first.
fn column(rows: &Matrix<f64>) -> impl Iterator<Item = f64> {
    rows.iter().map(|row| row.first().copied().unwrap_or(f64::NAN))
}
