//! Each kind of model by each of its methods, with settings so small that one record shows.

use serde_json::{Value, json};
use throng_learn::any::{self, AnyLearner, AnyModel, Table};
use throng_learn::{LearnError, Matrix, Predictions, Privacy};
use throng_mechanism::{Mechanism, Neighbours};
use throng_sample::Entropy;

use super::tables::schema;
use super::{Case, Subject, ran};

/// Kinds that describe one column.
pub const CONJUGATE: [&str; 4] =
    ["beta-bernoulli", "dirichlet-categorical", "normal-mean", "gamma-poisson"];

/// The learner of a kind, with settings.
pub fn learner(
    kind: &str,
    settings: &Value,
    privacy: &Privacy,
    wide: bool,
) -> Result<AnyLearner, LearnError> {
    let columns = if settings.get("image").is_some() { "image" } else { kind };
    let columns = if kind == "image-classifier" { "image" } else { columns };
    let schema = schema(columns, any::kind(kind)?.task, wide);
    let mut settings = settings.as_object().unwrap().clone();
    // What describes a column wants to know how many records there are, where that is public.
    let describes = CONJUGATE.contains(&kind);
    if describes && privacy.neighbours() == Neighbours::Replace {
        settings.insert("records".to_owned(), json!(4));
    }
    AnyLearner::new(kind, &schema, privacy, &settings)
}

fn case(kind: &'static str, title: &'static str, settings: Value) -> Case {
    let make = move |privacy: &Privacy, wide: bool| {
        let learner = learner(kind, &settings, privacy, wide)?;
        let kind = any::kind(kind)?;
        let columns = if settings.get("image").is_some() || kind.name == "image-classifier" {
            "image"
        } else {
            kind.name
        };
        let columns = schema(columns, kind.task, wide).bounds(kind.encoding)?.columns();
        let (spec, under) = (learner.spec(), learner.neighbours());
        let run = move |table: &Table, entropy: &mut dyn Entropy| {
            let model = ran(&learner, table.clone(), entropy)?;
            let said = said_of_the_corner(&model, columns);
            let parameters = model.parameters().map_err(|error| error.to_string())?;
            Ok(json!({"corner": said, "model": parameters}))
        };
        let (title, run) = (title.to_owned(), Box::new(run));
        Ok(Subject { title, task: kind.task, columns, spec, under, run })
    };
    Case { title, make: Box::new(make) }
}

/// One for each method of each kind.
pub fn cases() -> Vec<Case> {
    let image = json!({"height": 4, "width": 4, "channels": 1});
    let hidden = json!([{"layer": "dense", "units": 3}, {"layer": "tanh"}]);
    let small = json!([{"layer": "dense", "units": 3}, {"layer": "relu"}]);
    let convolution = json!([
        {"layer": "convolution", "filters": 2, "size": 3},
        {"layer": "relu"},
        {"layer": "max-pool", "size": 2}
    ]);
    let trees = json!({"trees": 2, "depth": 1});
    let disjoint = json!({"trees": 2, "depth": 1, "seen": "disjoint"});
    let boosted = json!({"trees": 2, "parts": 2, "depth": 1});
    vec![
        case("linear", "linear, moments", json!({})),
        case("linear", "linear, functional", json!({"method": "functional"})),
        case("logistic", "logistic, gradient", json!({"steps": 2})),
        case("logistic", "logistic, output", json!({"method": "output"})),
        case("logistic", "logistic, objective", json!({"method": "objective"})),
        case("svm", "svm, gradient", json!({"steps": 2})),
        case("svm", "svm, output", json!({"method": "output"})),
        case("svm", "svm, objective", json!({"method": "objective"})),
        case("svm", "svm, kernel", json!({"steps": 2, "kernel": {"features": 3}})),
        case("boosting", "boosting", boosted.clone()),
        case("boosting-regression", "boosting-regression", boosted),
        case("forest", "forest, all", trees.clone()),
        case("forest", "forest, disjoint", disjoint.clone()),
        case("forest-regression", "forest-regression, all", trees),
        case("forest-regression", "forest-regression, disjoint", disjoint),
        case("tree", "tree", json!({"depth": 1})),
        case("tree-regression", "tree-regression", json!({"depth": 1})),
        case("naive-bayes", "naive-bayes", json!({})),
        case("network", "network, flat", json!({"layers": [], "steps": 2, "records": 4})),
        case(
            "network",
            "network, per layer",
            json!({"layers": hidden, "steps": 2, "records": 4, "clipping": "per-layer"}),
        ),
        case(
            "network",
            "network, adaptive",
            json!({"layers": [], "steps": 2, "records": 4, "clipping": {"adaptive": {"quantile": 0.5}}}),
        ),
        case(
            "network",
            "network, sampled",
            json!({"layers": hidden, "steps": 2, "records": 4, "batch": 2, "optimiser": {"sgd": {"momentum": 0.5}}}),
        ),
        case(
            "network",
            "network, convolution",
            json!({"layers": convolution, "image": image, "steps": 2, "records": 4}),
        ),
        case(
            "network",
            "network, correlated",
            json!({"layers": [], "steps": 4, "records": 4, "batch": 2, "noise": {"correlated": {"band": 2}}}),
        ),
        case(
            "network-regression",
            "network-regression, flat",
            json!({"layers": [], "steps": 2, "records": 4}),
        ),
        case(
            "network-regression",
            "network-regression, sampled",
            json!({"layers": small, "steps": 2, "records": 4, "batch": 2}),
        ),
        case(
            "network-regression",
            "network-regression, correlated",
            json!({"layers": [], "steps": 4, "records": 4, "batch": 2, "noise": {"correlated": {"band": 2}}}),
        ),
        case(
            "image-classifier",
            "image-classifier",
            json!({"height": 4, "width": 4, "epochs": 2, "batches": 2}),
        ),
        case(
            "k-means",
            "k-means, sketch",
            json!({"clusters": 2, "levels": 2, "starts": 1, "steps": 2}),
        ),
        case(
            "k-means",
            "k-means, blocks",
            json!({"clusters": 2, "method": "sample-and-aggregate", "blocks": 1}),
        ),
        case("pca", "pca", json!({})),
        case("scaler", "scaler", json!({})),
        case("histogram", "histogram", json!({"bins": 2})),
        case("marginals", "marginals", json!({"bins": 2})),
        case("synthetic", "synthetic", json!({"bins": 2})),
        case("beta-bernoulli", "beta-bernoulli", json!({})),
        case("dirichlet-categorical", "dirichlet-categorical", json!({})),
        case("normal-mean", "normal-mean", json!({})),
        case("gamma-poisson", "gamma-poisson", json!({})),
    ]
}

/// What a model says about the record in the upper corner, if it speaks of records.
fn said_of_the_corner(model: &AnyModel, columns: usize) -> Vec<f64> {
    let Ok(predictor) = model.predictor() else { return Vec::new() };
    match predictor.predict(&Matrix::filled(1, columns, 1e9)).unwrap() {
        Predictions::Classes { probabilities: Some(table), .. } | Predictions::Features(table) => {
            table.values().to_vec()
        }
        Predictions::Classes { chosen: classes, .. } | Predictions::Clusters(classes) => {
            classes.iter().map(|class| f64::from(*class)).collect()
        }
        Predictions::Numbers(numbers) => numbers,
    }
}
