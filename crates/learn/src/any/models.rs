use serde_json::Value;
use throng_mechanism::MechanismError;

use crate::boosting::{BoostedClassifier, BoostedRegressor};
use crate::conjugate::{
    BetaBernoulliModel, DirichletCategoricalModel, GammaPoissonModel, NormalMeanModel,
};
use crate::forest::{ForestClassifierModel, ForestRegressorModel};
use crate::histogram::HistogramModel;
use crate::image::ImageModel;
use crate::kmeans::KMeansModel;
use crate::linear::LinearModel;
use crate::logistic::LogisticModel;
use crate::marginals::MarginalsModel;
use crate::model::saved::{kind_of, read};
use crate::naive_bayes::NaiveBayesModel;
use crate::network::{Network, RegressionNetwork};
use crate::pca::PcaModel;
use crate::scaler::ScalerModel;
use crate::svm::SvmModel;
use crate::synthetic::SyntheticModel;
use crate::{Card, Estimate, LearnError, Matrix, Model, Predict, Predictions, Saved, Summary};

/// Models by the name that they are saved under.
macro_rules! models {
    ($($(#[$about:meta])* $variant:ident($model:ty),)*) => {
        /// A model of any kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyModel {
            $($(#[$about])* $variant($model),)*
        }

        impl AnyModel {
            /// What it is called.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => <$model>::KIND,)* }
            }

            /// Its parameters, as JSON.
            ///
            /// # Errors
            /// If one is not finite.
            pub fn parameters(&self) -> Result<Value, LearnError> {
                let value = match self { $(Self::$variant(model) => serde_json::to_value(model),)* };
                value.map_err(|error| LearnError::malformed(error.to_string()))
            }

            /// The model and its card as JSON.
            ///
            /// # Errors
            /// If a parameter is not finite.
            pub fn to_json(&self, card: &Card) -> Result<String, LearnError> {
                match self {
                    $(Self::$variant(model) => Saved::new(card.clone(), model.clone()).to_json(),)*
                }
            }

            /// The model and its card as safetensors.
            ///
            /// # Errors
            /// If a parameter is not finite.
            pub fn to_safetensors(&self, card: &Card) -> Result<Vec<u8>, LearnError> {
                match self {
                    $(Self::$variant(model) => {
                        Saved::new(card.clone(), model.clone()).to_safetensors()
                    })*
                }
            }

            /// A model and its card, saved in either form.
            ///
            /// # Errors
            /// If it is none.
            pub fn load(bytes: &[u8]) -> Result<(Card, Self), LearnError> {
                let value = read(bytes)?;
                let kind = kind_of(&value)?;
                $(if kind == <$model>::KIND {
                    let (card, model) = Saved::<$model>::from_value(value)?.into_parts();
                    return Ok((card, Self::$variant(model)));
                })*
                Err(LearnError::malformed(format!("no model is called {kind}")))
            }
        }
    };
}

models! {
    /// Linear regression.
    Linear(LinearModel),
    /// Logistic regression.
    Logistic(LogisticModel),
    /// A support vector machine.
    Svm(SvmModel),
    /// Boosted trees for classes.
    Boosting(BoostedClassifier),
    /// Boosted trees for a number.
    BoostingRegression(BoostedRegressor),
    /// Random trees for classes.
    Forest(ForestClassifierModel),
    /// Random trees for a number.
    ForestRegression(ForestRegressorModel),
    /// Naive Bayes.
    NaiveBayes(NaiveBayesModel),
    /// A neural network.
    Network(Network),
    /// A neural network for a number.
    NetworkRegression(RegressionNetwork),
    /// Images.
    Images(ImageModel),
    /// K-means.
    KMeans(KMeansModel),
    /// Principal components.
    Pca(PcaModel),
    /// Standard scores.
    Scaler(ScalerModel),
    /// A histogram.
    Histogram(HistogramModel),
    /// Marginals.
    Marginals(MarginalsModel),
    /// A synthetic table.
    Synthetic(SyntheticModel),
    /// The chance of a yes.
    BetaBernoulli(BetaBernoulliModel),
    /// The chances of levels.
    DirichletCategorical(DirichletCategoricalModel),
    /// The mean of numbers.
    NormalMean(NormalMeanModel),
    /// The rate of counts.
    GammaPoisson(GammaPoissonModel),
}

impl AnyModel {
    /// Its numbers with intervals of a chance, if they mean something by themselves.
    ///
    /// # Errors
    /// As for [`Summary::summary`].
    pub fn summary(&self, confidence: f64) -> Result<Option<Vec<Estimate>>, LearnError> {
        let model: &dyn Summary = match self {
            Self::Linear(model) => model,
            Self::BetaBernoulli(model) => model,
            Self::DirichletCategorical(model) => model,
            Self::NormalMean(model) => model,
            Self::GammaPoisson(model) => model,
            Self::Logistic(_)
            | Self::Svm(_)
            | Self::Boosting(_)
            | Self::BoostingRegression(_)
            | Self::Forest(_)
            | Self::ForestRegression(_)
            | Self::NaiveBayes(_)
            | Self::Network(_)
            | Self::NetworkRegression(_)
            | Self::Images(_)
            | Self::KMeans(_)
            | Self::Pca(_)
            | Self::Scaler(_)
            | Self::Histogram(_)
            | Self::Marginals(_)
            | Self::Synthetic(_) => return Ok(None),
        };
        model.summary(confidence).map(Some)
    }
}

impl AnyModel {
    /// The model as one that can be asked about rows.
    ///
    /// # Errors
    /// If it says nothing about rows.
    pub fn predictor(&self) -> Result<&dyn Predict, LearnError> {
        Ok(match self {
            Self::Linear(model) => model,
            Self::Logistic(model) => model,
            Self::Svm(model) => model,
            Self::Boosting(model) => model,
            Self::BoostingRegression(model) => model,
            Self::Forest(model) => model,
            Self::ForestRegression(model) => model,
            Self::NaiveBayes(model) => model,
            Self::Network(model) => model,
            Self::NetworkRegression(model) => model,
            Self::Images(model) => model,
            Self::KMeans(model) => model,
            Self::Pca(model) => model,
            Self::Scaler(model) => model,
            Self::Histogram(_)
            | Self::Marginals(_)
            | Self::Synthetic(_)
            | Self::BetaBernoulli(_)
            | Self::DirichletCategorical(_)
            | Self::NormalMean(_)
            | Self::GammaPoisson(_) => {
                return Err(LearnError::refused(
                    format!("a {} says nothing about single rows", self.kind()),
                    "look at it with `throng learn inspect`",
                ));
            }
        })
    }

    /// The model as one that rows can be drawn from.
    ///
    /// # Errors
    /// If it is none.
    pub fn sampler(&self) -> Result<&SyntheticModel, LearnError> {
        if let Self::Synthetic(model) = self {
            return Ok(model);
        }
        Err(LearnError::refused(
            format!("rows cannot be drawn from a {}", self.kind()),
            "fit a `synthetic` table",
        ))
    }
}

/// A model that says nothing about rows has no columns, and refuses every table.
impl Predict for AnyModel {
    fn columns(&self) -> usize {
        self.predictor().map_or(0, Predict::columns)
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        self.predictor()?.predict(features)
    }

    fn check_machine(&self) -> Result<(), MechanismError> {
        self.predictor().map_or(Ok(()), Predict::check_machine)
    }
}
