//! Fits, their scores, and the lines that tell them.

use throng_account::filter::Budget as Amount;
use throng_learn::histogram::{Bins, Domain, Histogram};
use throng_learn::kmeans::{KMeans, KMeansOptions};
use throng_learn::{
    Classified, Interval, Learner, Matrix, Measured, Predict, Predictions, Privacy,
};
use throng_mechanism::{Budget, Mechanism, Sensitive};
use throng_numeric::Rational;
use throng_sample::OsEntropy;

use crate::data::Set;
use crate::measure::timed;
use crate::{Fault, Options};

/// A budget that covers any of these fits: each is held to its own target, below.
pub(crate) fn wide() -> Amount {
    Amount::Renyi { orders: vec![(Rational::from(8), Rational::from(1_000_000))] }
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
pub(crate) fn accuracy(
    model: &dyn Predict,
    features: &Matrix<f64>,
    labels: &[u32],
) -> Result<f64, Fault> {
    let Predictions::Classes { chosen, .. } = model.predict(features)? else {
        return Err("the model tells no classes".into());
    };
    let right = chosen.iter().zip(labels).filter(|(one, other)| one == other).count();
    Ok(right as f64 / labels.len() as f64)
}

/// 1 - (sum of squared errors) / (sum of squared deviations from the mean).
pub(crate) fn r2(
    model: &dyn Predict,
    features: &Matrix<f64>,
    labels: &[f64],
) -> Result<f64, Fault> {
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
    let delta = options.delta()?;
    for epsilon in options.epsilons()? {
        for run in 0..options.count("runs")? {
            let (score, cpu_seconds) = once(run, (epsilon, delta))?;
            let line = serde_json::json!({
                "epsilon": epsilon, "run": run, "score": score, "cpu_seconds": cpu_seconds,
            });
            println!("{line}");
        }
    }
    Ok(())
}

/// Fits a classifier and scores it on the held-out rows.
pub(crate) fn classify<L>(
    options: &Options,
    make: impl Fn(&Set, &Privacy) -> Result<L, Fault>,
) -> Result<(), Fault>
where
    L: Learner<Input = Classified>,
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
pub(crate) fn regress<L>(
    options: &Options,
    make: impl Fn(&Set, &Privacy) -> Result<L, Fault>,
) -> Result<(), Fault>
where
    L: Learner<Input = Measured>,
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

/// The same for clusters, scored on the points they were found in.
pub(crate) fn cluster(options: &Options) -> Result<(), Fault> {
    let set = Set::open(&options.directory()?, options.count("runs")?)?;
    let clusters = options.text("clusters")?.parse()?;
    repeat(options, |run, cost| {
        let points = set.rows(run).0.features(set.columns())?;
        let make = |privacy: &Privacy| {
            Ok(KMeans::new(set.schema.bounds()?, clusters, privacy, KMeansOptions::default())?)
        };
        let (model, seconds) = fit(make, points.clone(), cost)?;
        Ok((inertia(&model.centres(), &points), seconds))
    })
}

/// Counts of one column in bins of equal width, for epsilon alone; there is no score.
pub(crate) fn count(options: &Options) -> Result<(), Fault> {
    let set = Set::open(&options.directory()?, 1)?;
    let name = options.text("column")?;
    let at = set.schema.columns.iter().position(|column| column.name == name);
    let at = at.ok_or("no such column")?;
    let (lower, upper) = set.schema.columns[at].ends();
    let bins: u32 = options.text("bins")?.parse()?;
    let values = set.rows(0).0.column(at);
    let rows = Sensitive::new(Matrix::new(values.len(), 1, values)?);
    repeat(options, |_, (epsilon, _)| {
        let (counts, seconds) = timed(|| -> Result<_, Fault> {
            let domain = Domain::new(vec![Bins::equal(Interval::new(lower, upper)?, bins)?])?;
            let learner = Histogram::new(domain, &Privacy::pure(epsilon)?)?;
            let mut budget = Budget::pure(Rational::from(1000), learner.neighbours())?;
            Ok(learner.fit(&rows, &mut budget, &mut OsEntropy)?)
        });
        Ok((counts?.value().counts().values().len() as f64, seconds))
    })
}
