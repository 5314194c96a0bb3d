use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use super::images::Images;
use super::{AnyModel, Table, kind};
use crate::boosting::{BoostingClassifier, BoostingRegressor};
use crate::columns::{Column, Columns};
use crate::conjugate::{BetaBernoulli, DirichletCategorical, GammaPoisson, NormalMean};
use crate::forest::{ForestClassifier, ForestRegressor, TreeOptions};
use crate::histogram::Histogram;
use crate::kmeans::KMeans;
use crate::linear::LinearRegression;
use crate::logistic::LogisticRegression;
use crate::marginals::Marginals;
use crate::naive_bayes::NaiveBayes;
use crate::network::{RegressionOptions, RegressionTraining, Training};
use crate::pca::Pca;
use crate::scaler::Scaler;
use crate::schema;
use crate::svm::Svm;
use crate::synthetic::Synthesis;
use crate::{Interval, LearnError, Learner, Privacy, Schema};

/// The options of a learner, by name.
pub(super) fn options<O: DeserializeOwned>(given: &Map<String, Value>) -> Result<O, LearnError> {
    serde_json::from_value(Value::Object(given.clone())).map_err(|error| {
        let allowed = "one that `throng learn models NAME` lists, with a value of its kind";
        LearnError::invalid("an option", format!("not understood ({error})"), allowed)
    })
}

/// A setting that is no option but a part of the model, and the rest.
pub(super) fn take<T: DeserializeOwned>(
    given: &Map<String, Value>,
    name: &str,
) -> Result<(T, Map<String, Value>), LearnError> {
    let mut rest = given.clone();
    let value = rest.remove(name).and_then(|value| serde_json::from_value(value).ok());
    let value = value.ok_or_else(|| {
        let allowed = format!("given as a whole number, such as --set {name}=8");
        LearnError::invalid(name, "missing, or no such number", allowed)
    })?;
    Ok((value, rest))
}

/// Columns for learners that take categories by place.
fn columns(schema: &Schema) -> Result<Columns, LearnError> {
    let column = |column: &schema::Column| match column {
        schema::Column::Number { bounds, .. } => Column::Number(*bounds),
        schema::Column::Category { levels, .. } => {
            Column::Category(u32::try_from(levels.len()).unwrap_or(u32::MAX))
        }
    };
    Columns::new(schema.columns().iter().map(column).collect())
}

fn one_column() -> LearnError {
    let allowed =
        "a single one: a number with bounds or a category with levels, as the model needs";
    LearnError::invalid("what is declared of columns", "something else", allowed)
}

/// The bounds of the only column.
fn only(schema: &Schema) -> Result<Interval, LearnError> {
    match schema.columns() {
        [schema::Column::Number { bounds, .. }] => Ok(*bounds),
        _ => Err(one_column()),
    }
}

/// The bounds of the only column of noes and yeses: those of numbers, or 0 and 1 for two levels.
fn no_and_yes(schema: &Schema) -> Result<Interval, LearnError> {
    match schema.columns() {
        [schema::Column::Category { levels, .. }] if levels.len() == 2 => Interval::new(0.0, 1.0),
        [schema::Column::Category { levels, .. }] => {
            let allowed = "2, the first for no, the second for yes";
            Err(LearnError::invalid("the number of levels", levels.len(), allowed))
        }
        _ => only(schema),
    }
}

/// The levels of the only column.
fn levels(schema: &Schema) -> Result<u32, LearnError> {
    match schema.columns() {
        [schema::Column::Category { levels, .. }] => {
            Ok(u32::try_from(levels.len()).unwrap_or(u32::MAX))
        }
        _ => Err(one_column()),
    }
}

/// That a learner got a table of another kind is a mistake of the caller.
pub(super) fn other_table() -> LearnError {
    LearnError::refused(
        "the table has no labels of the kind that the model learns",
        "read the table as the task of the model says",
    )
}

/// One of the learners; each is made for one kind of table.
macro_rules! learners {
    ($($(#[$about:meta])* $variant:ident($learner:ty) of $table:ident,)*) => {
        /// A learner chosen by name.
        ///
        /// # Guarantee
        /// That of the learner chosen.
        #[derive(Debug)]
        pub enum AnyLearner {
            $($(#[$about])* $variant(Box<$learner>),)*
        }

        impl Mechanism for AnyLearner {
            type Input = Table;
            type Output = AnyModel;

            fn spec(&self) -> MechanismSpec {
                match self { $(Self::$variant(learner) => learner.spec(),)* }
            }

            fn neighbours(&self) -> Neighbours {
                match self { $(Self::$variant(learner) => learner.neighbours(),)* }
            }

            fn answer(&self, input: &Table, run: &mut Run<'_>) -> Result<AnyModel, MechanismError> {
                match (self, input) {
                    $((Self::$variant(learner), Table::$table(table)) => {
                        learner.answer(table, run).map(AnyModel::$variant)
                    })*
                    #[allow(unreachable_patterns, reason = "other tables")]
                    _ => Err(other_table().into()),
                }
            }
        }

        impl Learner for AnyLearner {
            fn check(&self, input: &Table) -> Result<(), LearnError> {
                match (self, input) {
                    $((Self::$variant(learner), Table::$table(table)) => learner.check(table),)*
                    #[allow(unreachable_patterns, reason = "other tables")]
                    _ => Err(other_table()),
                }
            }
        }
    };
}

learners! {
    /// Linear regression.
    Linear(LinearRegression) of Measured,
    /// Logistic regression.
    Logistic(LogisticRegression) of Classified,
    /// A support vector machine.
    Svm(Svm) of Classified,
    /// Boosted trees for classes.
    Boosting(BoostingClassifier) of Classified,
    /// Boosted trees for a number.
    BoostingRegression(BoostingRegressor) of Measured,
    /// Random trees for classes.
    Forest(ForestClassifier) of Classified,
    /// Random trees for a number.
    ForestRegression(ForestRegressor) of Measured,
    /// Naive Bayes.
    NaiveBayes(NaiveBayes) of Classified,
    /// A neural network.
    Network(Training) of Classified,
    /// A neural network for a number.
    NetworkRegression(RegressionTraining) of Measured,
    /// Images.
    Images(Images) of Classified,
    /// K-means.
    KMeans(KMeans) of Plain,
    /// Principal components.
    Pca(Pca) of Plain,
    /// Standard scores.
    Scaler(Scaler) of Plain,
    /// A histogram.
    Histogram(Histogram) of Plain,
    /// Marginals.
    Marginals(Marginals) of Plain,
    /// A synthetic table.
    Synthetic(Synthesis) of Plain,
    /// The chance of a yes.
    BetaBernoulli(BetaBernoulli) of Plain,
    /// The chances of levels.
    DirichletCategorical(DirichletCategorical) of Plain,
    /// The mean of numbers.
    NormalMean(NormalMean) of Plain,
    /// The rate of counts.
    GammaPoisson(GammaPoisson) of Plain,
}

impl AnyLearner {
    /// The learner of a name, for a table as declared, with options by name; those that are not given
    /// are as usual.
    ///
    /// # Errors
    /// If there is no such learner or option, or as for the learner.
    pub fn new(
        name: &str,
        schema: &Schema,
        privacy: &Privacy,
        given: &Map<String, Value>,
    ) -> Result<Self, LearnError> {
        let bounds = || schema.bounds(kind(name)?.encoding);
        Ok(match kind(name)?.name {
            "linear" => Self::Linear(Box::new(LinearRegression::new(
                bounds()?,
                schema.range()?,
                privacy,
                options(given)?,
            )?)),
            "logistic" => Self::Logistic(Box::new(LogisticRegression::new(
                bounds()?,
                schema.classes()?,
                privacy,
                options(given)?,
            )?)),
            "svm" => Self::Svm(Box::new(Svm::new(
                bounds()?,
                schema.classes()?,
                privacy,
                options(given)?,
            )?)),
            "boosting" => Self::Boosting(Box::new(BoostingClassifier::new(
                columns(schema)?,
                schema.classes()?,
                privacy,
                options(given)?,
            )?)),
            "boosting-regression" => Self::BoostingRegression(Box::new(BoostingRegressor::new(
                columns(schema)?,
                schema.range()?,
                privacy,
                options(given)?,
            )?)),
            "forest" => Self::Forest(Box::new(ForestClassifier::new(
                columns(schema)?,
                schema.classes()?,
                privacy,
                options(given)?,
            )?)),
            "forest-regression" => Self::ForestRegression(Box::new(ForestRegressor::new(
                columns(schema)?,
                schema.range()?,
                privacy,
                options(given)?,
            )?)),
            "tree" => Self::Forest(Box::new(ForestClassifier::new(
                columns(schema)?,
                schema.classes()?,
                privacy,
                options::<TreeOptions>(given)?.into(),
            )?)),
            "tree-regression" => Self::ForestRegression(Box::new(ForestRegressor::new(
                columns(schema)?,
                schema.range()?,
                privacy,
                options::<TreeOptions>(given)?.into(),
            )?)),
            "naive-bayes" => Self::NaiveBayes(Box::new(NaiveBayes::new(
                columns(schema)?,
                schema.classes()?,
                privacy,
                options(given)?,
            )?)),
            "network" => Self::Network(Box::new(Training::new(
                bounds()?,
                schema.classes()?,
                privacy,
                options(given)?,
            )?)),
            "network-regression" => Self::NetworkRegression(Box::new(Training::new(
                bounds()?,
                schema.range()?,
                privacy,
                options::<RegressionOptions>(given)?.into(),
            )?)),
            "image-classifier" => Self::Images(Box::new(Images::new(schema, privacy, given)?)),
            "k-means" => Self::KMeans(Box::new({
                let (clusters, rest) = take(given, "clusters")?;
                KMeans::new(bounds()?, clusters, privacy, options(&rest)?)
            }?)),
            "pca" => Self::Pca(Box::new(Pca::new(bounds()?, privacy, options(given)?)?)),
            "scaler" => Self::Scaler(Box::new(Scaler::new(bounds()?, privacy, options(given)?)?)),
            "histogram" => {
                Self::Histogram(Box::new(Histogram::of_schema(schema, privacy, &options(given)?)?))
            }
            "marginals" => {
                Self::Marginals(Box::new(Marginals::of_schema(schema, privacy, &options(given)?)?))
            }
            "synthetic" => {
                Self::Synthetic(Box::new(Synthesis::of_schema(schema, privacy, &options(given)?)?))
            }
            "beta-bernoulli" => {
                let bounds = no_and_yes(schema)?;
                let learner = BetaBernoulli::within(bounds, privacy, &options(given)?)?;
                Self::BetaBernoulli(Box::new(learner))
            }
            "dirichlet-categorical" => Self::DirichletCategorical(Box::new(
                DirichletCategorical::new(levels(schema)?, privacy, &options(given)?)?,
            )),
            "normal-mean" => Self::NormalMean(Box::new(NormalMean::new(
                only(schema)?,
                privacy,
                &options(given)?,
            )?)),
            "gamma-poisson" => Self::GammaPoisson(Box::new(GammaPoisson::within(
                only(schema)?,
                privacy,
                &options(given)?,
            )?)),
            other => return Err(LearnError::invalid("the model", other, "known")),
        })
    }
}
