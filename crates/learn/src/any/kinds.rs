use serde::Serialize;
use serde_json::Value;

use super::{Kind, Task};
use crate::schema::Encoding;
use crate::{
    boosting, conjugate, forest, histogram, image, kmeans, linear, logistic, marginals,
    naive_bayes, network, pca, scaler, svm, synthetic,
};

/// All kinds of models there are.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "linear",
        about: "linear regression from noisy moments, with standard errors",
        task: Task::Number,
        encoding: Encoding::OneHot,
        options: usual::<linear::LinearOptions>,
    },
    Kind {
        name: "logistic",
        about: "logistic regression: noisy gradients, or a perturbed objective or output",
        task: Task::Classes,
        encoding: Encoding::OneHot,
        options: usual::<logistic::LogisticOptions>,
    },
    Kind {
        name: "svm",
        about: "a support vector machine, linear or with a kernel",
        task: Task::Classes,
        encoding: Encoding::OneHot,
        options: usual::<svm::SvmOptions>,
    },
    Kind {
        name: "boosting",
        about: "boosted trees drawn without data, with noise in their leaves",
        task: Task::Classes,
        encoding: Encoding::Places,
        options: usual::<boosting::BoostingOptions>,
    },
    Kind {
        name: "boosting-regression",
        about: "the same for a number",
        task: Task::Number,
        encoding: Encoding::Places,
        options: usual::<boosting::BoostingOptions>,
    },
    Kind {
        name: "forest",
        about: "random trees with noisy counts in their leaves",
        task: Task::Classes,
        encoding: Encoding::Places,
        options: usual::<forest::ForestOptions>,
    },
    Kind {
        name: "forest-regression",
        about: "the same for a number",
        task: Task::Number,
        encoding: Encoding::Places,
        options: usual::<forest::ForestOptions>,
    },
    Kind {
        name: "tree",
        about: "one decision tree, each node with a question of its own, with noisy counts in its leaves",
        task: Task::Classes,
        encoding: Encoding::Places,
        options: usual::<forest::TreeOptions>,
    },
    Kind {
        name: "tree-regression",
        about: "the same for a number",
        task: Task::Number,
        encoding: Encoding::Places,
        options: usual::<forest::TreeOptions>,
    },
    Kind {
        name: "naive-bayes",
        about: "naive Bayes of numbers and categories, from one noisy release",
        task: Task::Classes,
        encoding: Encoding::Places,
        options: usual::<naive_bayes::NaiveBayesOptions>,
    },
    Kind {
        name: "network",
        about: "a neural network by private stochastic gradient descent",
        task: Task::Classes,
        encoding: Encoding::OneHot,
        options: usual::<network::NetworkOptions>,
    },
    Kind {
        name: "network-regression",
        about: "the same for a number",
        task: Task::Number,
        encoding: Encoding::OneHot,
        options: usual::<network::RegressionOptions>,
    },
    Kind {
        name: "image-classifier",
        about: "images by fixed wavelet features and a private linear classifier (needs height=H, width=W)",
        task: Task::Classes,
        encoding: Encoding::Places,
        options: usual::<image::ImageOptions>,
    },
    Kind {
        name: "k-means",
        about: "clusters: a start on a private sketch, then noisy steps (needs clusters=K)",
        task: Task::Clusters,
        encoding: Encoding::OneHot,
        options: usual::<kmeans::KMeansOptions>,
    },
    Kind {
        name: "pca",
        about: "principal components of noisy second moments",
        task: Task::Features,
        encoding: Encoding::OneHot,
        options: usual::<pca::PcaOptions>,
    },
    Kind {
        name: "scaler",
        about: "standard scores by noisy means and deviations",
        task: Task::Features,
        encoding: Encoding::OneHot,
        options: usual::<scaler::ScalerOptions>,
    },
    Kind {
        name: "histogram",
        about: "counts of all combinations of the columns, in declared bins",
        task: Task::Distribution,
        encoding: Encoding::Places,
        options: usual::<histogram::HistogramOptions>,
    },
    Kind {
        name: "marginals",
        about: "counts of many small sets of columns under one budget",
        task: Task::Distribution,
        encoding: Encoding::Places,
        options: usual::<marginals::MarginalsOptions>,
    },
    Kind {
        name: "synthetic",
        about: "a made-up table with about the same pairs of columns",
        task: Task::Distribution,
        encoding: Encoding::Places,
        options: usual::<synthetic::SynthesisOptions>,
    },
    Kind {
        name: "beta-bernoulli",
        about: "the chance of a yes, by its posterior given a noisy count",
        task: Task::Distribution,
        encoding: Encoding::Places,
        options: usual::<conjugate::BetaBernoulliOptions>,
    },
    Kind {
        name: "dirichlet-categorical",
        about: "the chances of the levels of a category, by their posterior",
        task: Task::Distribution,
        encoding: Encoding::Places,
        options: usual::<conjugate::DirichletCategoricalOptions>,
    },
    Kind {
        name: "normal-mean",
        about: "the mean of a column of numbers, by its posterior",
        task: Task::Distribution,
        encoding: Encoding::Places,
        options: usual::<conjugate::NormalMeanOptions>,
    },
    Kind {
        name: "gamma-poisson",
        about: "the rate of counts, by its posterior",
        task: Task::Distribution,
        encoding: Encoding::Places,
        options: usual::<conjugate::GammaPoissonOptions>,
    },
];

/// Options as they are if nothing is said.
fn usual<O: Default + Serialize>() -> Value {
    serde_json::to_value(O::default()).unwrap_or(Value::Null)
}
