//! One model on one data set of `bench/learn_data.py`, again and again: a line of JSON for each fit.
//!
//! `bench MODEL --data DIRECTORY --epsilon 0.1,1 --delta 1e-5 --runs 20`; see `bench/learn.py`. The time of
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
mod measure;

use std::collections::HashMap;
use std::error::Error;
use std::path::PathBuf;

use throng_account::filter::Budget as Amount;
use throng_learn::linear::{LinearOptions, LinearRegression};
use throng_learn::{Learner, Matrix, Predict, Predictions, Privacy};
use throng_mechanism::{Budget, Sensitive};
use throng_numeric::Rational;
use throng_sample::OsEntropy;

use data::Set;
use measure::timed;

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

    fn epsilons(&self) -> Result<Vec<f64>, Fault> {
        self.text("epsilon")?.split(',').map(|text| Ok(text.parse()?)).collect()
    }

    fn delta(&self) -> Result<f64, Fault> {
        Ok(self.text("delta")?.parse()?)
    }
}

/// A budget that covers any of these fits: each is held to its own target, below.
fn wide() -> Amount {
    Amount::Zcdp { rho: Rational::from(1_000_000), delta: Rational::ZERO }
}

/// Makes a learner, pays for it and fits it: (model, CPU seconds).
pub(crate) fn fit<L: Learner>(
    make: impl FnOnce(&Privacy) -> Result<L, Fault>,
    input: L::Input,
    (epsilon, delta): (f64, f64),
) -> Result<(L::Output, f64), Fault>
where
    L::Input: Sized,
{
    let input = Sensitive::new(input);
    let (made, seconds) = timed(|| -> Result<_, Fault> {
        let learner = make(&Privacy::approximate(epsilon, delta)?)?;
        let mut budget = Budget::of(wide(), learner.neighbours())?;
        Ok(learner.fit(&input, &mut budget, &mut OsEntropy)?)
    });
    let (model, guarantee) = made?.into_parts();
    let found = guarantee.epsilon(delta)?.upper;
    if found > epsilon * (1.0 + 1e-9) {
        return Err(format!("the model has an epsilon of {found}, not of {epsilon}").into());
    }
    Ok((model, seconds))
}

/// The share of labels that are right.
pub(crate) fn accuracy(model: &dyn Predict, features: &Matrix<f64>, labels: &[u32]) -> Result<f64, Fault> {
    let Predictions::Classes { chosen, .. } = model.predict(features)? else {
        return Err("the model tells no classes".into());
    };
    let right = chosen.iter().zip(labels).filter(|(one, other)| one == other).count();
    Ok(right as f64 / labels.len() as f64)
}

/// 1 - (sum of squared errors) / (sum of squared deviations from the mean).
pub(crate) fn r2(model: &dyn Predict, features: &Matrix<f64>, labels: &[f64]) -> Result<f64, Fault> {
    let Predictions::Numbers(told) = model.predict(features)? else {
        return Err("the model tells no numbers".into());
    };
    let mean = labels.iter().sum::<f64>() / labels.len() as f64;
    let square = |x: f64| x * x;
    let off: f64 = told.iter().zip(labels).map(|(one, other)| square(one - other)).sum();
    Ok(1.0 - off / labels.iter().map(|label| square(label - mean)).sum::<f64>())
}

/// The sum of squared distances to the nearest centre.
pub(crate) fn inertia(centres: &Matrix<f64>, points: &Matrix<f64>) -> f64 {
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
    let nearest = |point| centres.iter().map(|c| distance(c, point)).fold(f64::INFINITY, f64::min);
    points.iter().map(nearest).sum()
}

/// For every epsilon and run: a fit, its score, and the line that says so.
pub(crate) fn repeat(
    options: &Options,
    mut once: impl FnMut(usize, (f64, f64)) -> Result<(f64, f64), Fault>,
) -> Result<(), Fault> {
    for epsilon in options.epsilons()? {
        for run in 0..options.count("runs")? {
            let (score, cpu_seconds) = once(run, (epsilon, options.delta()?))?;
            let line = serde_json::json!({
                "epsilon": epsilon, "run": run, "score": score, "cpu_seconds": cpu_seconds,
            });
            println!("{line}");
        }
    }
    Ok(())
}

/// Fits a classifier and scores it on the held-out rows.
fn classify<L>(
    options: &Options,
    make: impl Fn(&Set, &Privacy) -> Result<L, Fault>,
) -> Result<(), Fault>
where
    L: Learner<Input = throng_learn::Classified>,
    L::Output: Predict,
{
    let set = Set::open(&options.directory()?, options.count("runs")?)?;
    repeat(options, |run, cost| {
        let (train, held) = set.rows(run);
        let (model, seconds) =
            fit(|privacy| make(&set, privacy), train.classified(set.columns())?, cost)?;
        let held = held.classified(set.columns())?;
        Ok((accuracy(&model, held.features(), held.labels())?, seconds))
    })
}

/// The same for a regression.
fn regress<L>(
    options: &Options,
    make: impl Fn(&Set, &Privacy) -> Result<L, Fault>,
) -> Result<(), Fault>
where
    L: Learner<Input = throng_learn::Measured>,
    L::Output: Predict,
{
    let set = Set::open(&options.directory()?, options.count("runs")?)?;
    repeat(options, |run, cost| {
        let (train, held) = set.rows(run);
        let (model, seconds) =
            fit(|privacy| make(&set, privacy), train.measured(set.columns())?, cost)?;
        let held = held.measured(set.columns())?;
        Ok((r2(&model, held.features(), held.labels())?, seconds))
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
        _ => Err(format!("no model is called {model}").into()),
    }
}
