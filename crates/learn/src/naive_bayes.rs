//! Naive Bayes: each column speaks for itself.
//!
//! Everything that the classifier needs is a sum over records: how many are of each class, and, for
//! each class, the sum and the sum of squares of each column of numbers and how often each level of
//! a category occurs. All sums are released at once, in one vector with one noise. What follows,
//! means, variances and smoothing that know how large the noise is, is computed from the release.

mod estimate;
mod model;
mod statistics;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};

use crate::columns::Columns;
use crate::data::check_columns;
use crate::error::positive;
use crate::{Classes, Classified, LearnError, Learner, Privacy, contribution};
pub use model::NaiveBayesModel;
use statistics::{Norm, Statistics};

/// How naive Bayes is fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NaiveBayesOptions {
    /// How far a row of numbers may be from the middle of the bounds, as a fraction of the largest
    /// distance there is; rows further out are moved towards the middle, when fitting and when
    /// predicting. Less means less noise.
    pub reach: f64,
    /// The weight of the squares beside that of the sums, 1: more means less noise in variances and
    /// more in means.
    pub square_weight: f64,
    /// The weight of the number of records of each class.
    pub count_weight: f64,
    /// The least variance, as a fraction of a quarter of the squared width of the bounds.
    pub variance_floor: f64,
    /// What is added to each count of a level of a category.
    pub smoothing: f64,
}

impl Default for NaiveBayesOptions {
    fn default() -> Self {
        Self {
            reach: 0.5,
            square_weight: 0.5,
            count_weight: 1.0,
            variance_floor: 0.02,
            smoothing: 1.0,
        }
    }
}

impl NaiveBayesOptions {
    fn check(&self) -> Result<(), LearnError> {
        if !(self.reach > 0.0 && self.reach <= 1.0) {
            return Err(LearnError::invalid("the reach", self.reach, "above 0 and at most 1"));
        }
        for (name, weight) in
            [("the weight of squares", self.square_weight), ("of counts", self.count_weight)]
        {
            if !(0.01..=100.0).contains(&weight) {
                return Err(LearnError::invalid(name, weight, "in [0.01, 100]"));
            }
        }
        if !(self.variance_floor > 0.0 && self.variance_floor <= 1.0) {
            let given = self.variance_floor;
            return Err(LearnError::invalid("the least variance", given, "above 0 and at most 1"));
        }
        positive("the smoothing", self.smoothing).map(|_| ())
    }
}

/// Naive Bayes of one joint release, for columns of numbers and of categories.
///
/// A record with a label that is not declared is left out; a level that is not declared counts for no
/// level.
///
/// # Guarantee
/// A record adds to the sums of its own class only: the weight of a count, the weight of a
/// category in at most one cell of each, and for its numbers integers whose size (the sum
/// of squares, or with pure epsilon the sum of sizes) is checked, as integers, not to exceed
/// a bound that depends on the parameters only. Noise is made for the sum of these three bounds.
///
/// # Reference
/// Vaidya, Shafiq, Basu, Hong, *Differentially Private Naive Bayes Classification* (2013), with sums in
/// place of means and deviations, whose sensitivity depends on how many records there are.
///
/// ```
/// use throng_learn::naive_bayes::{NaiveBayes, NaiveBayesOptions};
/// use throng_learn::{Bounds, Classes, Privacy};
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let columns = Bounds::same(30, 0.0, 1.0)?.into();
/// let learner = NaiveBayes::new(columns, Classes::new(2)?, &privacy, NaiveBayesOptions::default())?;
/// # drop(learner);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveBayes {
    statistics: Statistics,
    noise: Noise,
    options: NaiveBayesOptions,
}

impl NaiveBayes {
    /// Naive Bayes for these columns and classes.
    ///
    /// # Errors
    /// If an option is out of range, there are more than 2^24 cells, or nothing reaches the target.
    pub fn new(
        columns: Columns,
        classes: Classes,
        privacy: &Privacy,
        options: NaiveBayesOptions,
    ) -> Result<Self, LearnError> {
        options.check()?;
        let (under, pure) = (privacy.neighbours(), privacy.epsilon_if_pure()?);
        let norm = if pure.is_some() { Norm::Sum } else { Norm::Euclidean };
        let statistics = Statistics::new(columns, classes, norm, &options)?;
        let noise = match pure {
            Some(epsilon) => contribution::laplace(&epsilon, statistics.most(), under)?,
            None => contribution::gaussian(&privacy.gaussian()?, (1, 1), statistics.most(), under)?,
        };
        privacy.certify(noise.spec())?;
        Ok(Self { statistics, noise, options })
    }
}

impl Mechanism for NaiveBayes {
    type Input = Classified;
    type Output = NaiveBayesModel;

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
    ) -> Result<NaiveBayesModel, MechanismError> {
        let mut sums = self.statistics.of(input);
        self.noise.add(&mut sums, run)?;
        let deviation = contribution::deviation(&self.noise);
        Ok(estimate::model(&self.statistics, &sums, deviation, &self.options))
    }
}

impl Learner for NaiveBayes {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.statistics.columns().count())
    }
}
