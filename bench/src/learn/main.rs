//! One model on one data set of `bench/learn_data.py`, again and again: a line of JSON for each fit.
//!
//! `learn MODEL --data DIRECTORY --epsilon 0.1,1 --delta 1e-5 --runs 20`; see `bench/learn.py`. The time of
//! a fit includes making the learner (its calibration and certification), the permit and
//! the noise, which comes from the system's own source as for any user.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "a benchmark"
)]

mod data;
mod fit;
mod measure;
mod nets;

use std::collections::HashMap;
use std::error::Error;
use std::path::PathBuf;

use throng_learn::boosting::{BoostingClassifier, BoostingOptions, BoostingRegressor};
use throng_learn::forest::{ForestClassifier, ForestOptions, ForestRegressor, TreeOptions};
use throng_learn::linear::{LinearOptions, LinearRegression};
use throng_learn::logistic::{LogisticOptions, LogisticRegression};
use throng_learn::naive_bayes::{NaiveBayes, NaiveBayesOptions};

use data::Schema;
use fit::{classify, cluster, count, regress};

pub(crate) type Fault = Box<dyn Error>;

/// The options of a call.
pub(crate) struct Options(HashMap<String, String>);

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Fault> {
        let mut options = HashMap::new();
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return Err("an option without a value".into()) };
            let name = name.strip_prefix("--").ok_or("options start with --")?;
            options.insert(name.to_owned(), value.clone());
        }
        Ok(Self(options))
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, Fault> {
        Ok(self.0.get(name).ok_or_else(|| format!("--{name} is missing"))?)
    }

    pub(crate) fn count(&self, name: &str) -> Result<usize, Fault> {
        Ok(self.text(name)?.parse()?)
    }

    pub(crate) fn directory(&self) -> Result<PathBuf, Fault> {
        Ok(self.text("data")?.into())
    }

    pub(crate) fn epsilons(&self) -> Result<Vec<f64>, Fault> {
        self.text("epsilon")?.split(',').map(|text| Ok(text.parse()?)).collect()
    }

    /// 0, for epsilon alone, if none is given.
    pub(crate) fn delta(&self) -> Result<f64, Fault> {
        self.0.get("delta").map_or(Ok(0.0), |text| Ok(text.parse()?))
    }
}

/// Boosted trees, for classes or for a number.
fn boosting(options: &Options) -> Result<(), Fault> {
    if Schema::read(&options.directory()?)?.label_bounds.is_some() {
        return regress(options, |set, privacy| {
            let (columns, label) = (set.schema.mixed()?, set.schema.label()?);
            Ok(BoostingRegressor::new(columns, label, privacy, BoostingOptions::default())?)
        });
    }
    classify(options, |set, privacy| {
        let (columns, classes) = (set.schema.mixed()?, set.schema.classes()?);
        Ok(BoostingClassifier::new(columns, classes, privacy, BoostingOptions::default())?)
    })
}

/// Random trees, for classes or for a number.
fn forest(options: &Options, grown: &ForestOptions) -> Result<(), Fault> {
    if Schema::read(&options.directory()?)?.label_bounds.is_some() {
        return regress(options, |set, privacy| {
            let (columns, label) = (set.schema.mixed()?, set.schema.label()?);
            Ok(ForestRegressor::new(columns, label, privacy, grown.clone())?)
        });
    }
    classify(options, |set, privacy| {
        let (columns, classes) = (set.schema.mixed()?, set.schema.classes()?);
        Ok(ForestClassifier::new(columns, classes, privacy, grown.clone())?)
    })
}

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (model, rest) = arguments.split_first().ok_or("which model?")?;
    let options = Options::parse(rest)?;
    match model.as_str() {
        "linear" => regress(&options, |set, privacy| {
            let (bounds, label) = (set.schema.bounds()?, set.schema.label()?);
            Ok(LinearRegression::new(bounds, label, privacy, LinearOptions::default())?)
        }),
        "logistic" => classify(&options, |set, privacy| {
            let (bounds, classes) = (set.schema.bounds()?, set.schema.classes()?);
            Ok(LogisticRegression::new(bounds, classes, privacy, LogisticOptions::default())?)
        }),
        "naive-bayes" => classify(&options, |set, privacy| {
            let (columns, classes) = (set.schema.bounds()?.into(), set.schema.classes()?);
            Ok(NaiveBayes::new(columns, classes, privacy, NaiveBayesOptions::default())?)
        }),
        "boosting" => boosting(&options),
        "forest" => forest(&options, &ForestOptions::default()),
        "tree" => forest(&options, &TreeOptions::default().into()),
        "kmeans" => cluster(&options),
        "histogram" => count(&options),
        "mlp" => nets::mlp(&options),
        "features" => nets::features(&options),
        "sgd" => nets::sgd(&options),
        _ => Err(format!("no model is called {model}").into()),
    }
}
