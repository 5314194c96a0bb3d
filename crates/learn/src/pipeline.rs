//! Pre-processing with privacy: first a transformer is fitted, then a learner on what it makes of the
//! rows; both under one budget.
//!
//! Standard scores make columns comparable and cut off what is far from everybody; principal components
//! make many columns few. Either is fitted with noise, so what comes after may depend on it.
//!
//! Between the two, rows are clamped to some standard deviations of the first model's output, within the
//! bounds that it proves, and each column is put on [-1, 1]. So the second learner is declared
//! in advance, for columns in [-1, 1], and its noise does not depend on what the first finds.

mod model;
mod parts;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use crate::{Bounds, Interval, LearnError, Learner, Matrix, Predict, Predictions, Privacy};
pub use model::PipelineModel;
pub use parts::Featured;

/// A fitted model that makes other features of rows.
pub trait Transform: Predict {
    /// Where each new feature lies, whatever the rows: what a next learner may be declared with.
    ///
    /// # Errors
    /// Never for a model that was fitted or read.
    fn output_bounds(&self) -> Result<Bounds, LearnError>;

    /// About how far each new feature is from 0, as a standard deviation.
    fn spreads(&self) -> Vec<f64>;

    /// The new features.
    ///
    /// # Errors
    /// If the rows have another number of columns.
    fn transform(&self, rows: &Matrix<f64>) -> Result<Matrix<f64>, LearnError> {
        match self.predict(rows)? {
            Predictions::Features(features) => Ok(features),
            Predictions::Classes { .. } | Predictions::Numbers(_) | Predictions::Clusters(_) => {
                Err(LearnError::refused("the model makes no features", "use a scaler or pca"))
            }
        }
    }

    /// Where most of each new feature lies: so many deviations from 0, no further than
    /// [`Transform::output_bounds`].
    ///
    /// # Errors
    /// As for that.
    fn usual_bounds(&self, deviations: f64) -> Result<Bounds, LearnError> {
        let all = self.output_bounds()?;
        let usual = |(interval, spread): (&Interval, f64)| {
            let most = deviations * spread;
            // Nothing is left of the interval if the spread is 0, or it lies on one side of 0.
            Interval::new(interval.lower().max(-most), interval.upper().min(most))
                .unwrap_or(*interval)
        };
        let intervals: Vec<Interval> =
            all.intervals().iter().zip(self.spreads()).map(usual).collect();
        intervals.try_into()
    }
}

/// A learner of a transformation.
pub trait Transformer: Learner<Input = Matrix<f64>, Output: Transform> {
    /// How many features it makes of a row.
    fn outputs(&self) -> usize;
}

/// How a budget is shared, and what is cut off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PipelineOptions {
    /// The share of the budget that the transformer takes; from 0.001 to 0.999.
    pub share: f64,
    /// How many standard deviations from 0 its features count.
    pub deviations: f64,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        Self { share: 0.1, deviations: 3.0 }
    }
}

/// Shares are counted in so many parts.
const PARTS: u32 = 1000;

impl PipelineOptions {
    /// The parts of the transformer.
    fn parts(&self) -> Result<u32, LearnError> {
        if !(0.001..=0.999).contains(&self.share) {
            return Err(LearnError::invalid("the share", self.share, "in [0.001, 0.999]"));
        }
        if !(0.1..=1e6).contains(&self.deviations) {
            let name = "the number of deviations";
            return Err(LearnError::invalid(name, self.deviations, "in [0.1, 1000000]"));
        }
        let parts = crate::math::nearest(self.share * f64::from(PARTS));
        Ok(u32::try_from(parts).unwrap_or(1).clamp(1, PARTS - 1))
    }
}

/// A transformer and a learner of what it makes of the rows.
///
/// # Guarantee
/// The first model is released as the transformer promises. Given it, what happens to a row
/// before the second learner sees it depends on that row alone, so neighbours stay neighbours, and the
/// second promises what it does for every table. Both together are their adaptive composition,
/// which is the spec; it is held against the target.
///
/// ```
/// use throng_learn::logistic::{LogisticOptions, LogisticRegression};
/// use throng_learn::pca::{Pca, PcaOptions};
/// use throng_learn::pipeline::{Pipeline, PipelineOptions};
/// use throng_learn::{Bounds, Classes, Privacy};
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let options = PcaOptions { components: 4, ..Default::default() };
/// let learner = Pipeline::new(
///     &privacy,
///     PipelineOptions::default(),
///     |share| Pca::new(Bounds::same(30, 0.0, 1.0)?, share, options),
///     |bounds, rest| {
///         LogisticRegression::new(bounds, Classes::new(2)?, rest, LogisticOptions::default())
///     },
/// )?;
/// # drop(learner);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline<T, L> {
    first: T,
    then: L,
    deviations: f64,
    spec: MechanismSpec,
    under: Neighbours,
}

impl<T: Transformer, L: Learner> Pipeline<T, L> {
    /// A pipeline that reaches a target. Both learners are made with a part of it, the second for as many
    /// columns as the first makes, each in [-1, 1].
    ///
    /// # Errors
    /// If an option is out of range, a learner cannot be made, or they protect another relation than the
    /// target or do not reach it together.
    #[expect(clippy::needless_pass_by_value, reason = "as all learners do")]
    pub fn new(
        privacy: &Privacy,
        options: PipelineOptions,
        first: impl FnOnce(&Privacy) -> Result<T, LearnError>,
        then: impl FnOnce(Bounds, &Privacy) -> Result<L, LearnError>,
    ) -> Result<Self, LearnError> {
        let part = options.parts()?;
        let first = first(&parts::part(privacy, (part, PARTS))?)?;
        let bounds = Bounds::same(first.outputs(), -1.0, 1.0)?;
        let then = then(bounds, &parts::part(privacy, (PARTS - part, PARTS))?)?;
        let under = privacy.neighbours();
        if first.neighbours() != under || then.neighbours() != under {
            return Err(LearnError::refused(
                "the learners of a pipeline protect different relations",
                "make both with what they are given",
            ));
        }
        let spec = MechanismSpec::composed(vec![first.spec(), then.spec()])?;
        privacy.certify(&spec)?;
        Ok(Self { first, then, deviations: options.deviations, spec, under })
    }
}

impl<T, L> Mechanism for Pipeline<T, L>
where
    T: Transformer,
    L: Learner<Input: Featured>,
{
    type Input = L::Input;
    type Output = PipelineModel<T::Output, L::Output>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(&self, input: &L::Input, run: &mut Run<'_>) -> Result<Self::Output, MechanismError> {
        self.check(input)?;
        let first = self.first.answer(input.features(), run)?;
        let bounds = first.usual_bounds(self.deviations)?;
        let features = model::between(&first, &bounds, input.features())?;
        let then = self.then.answer(&input.with(features)?, run)?;
        Ok(PipelineModel { first, bounds, then })
    }
}

impl<T, L> Learner for Pipeline<T, L>
where
    T: Transformer,
    L: Learner<Input: Featured>,
{
    fn check(&self, input: &L::Input) -> Result<(), LearnError> {
        self.first.check(input.features())?;
        self.then.check(&L::Input::empty(self.first.outputs())?)
    }
}
