//! The learners against `vectors/learn.csv`, which mpmath computed.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests compare with plain numbers, and may fail"
)]

use serde_json::{Value, json};
use throng_account::{Leaf, MechanismSpec, Neighbours, Target};
use throng_learn::columns::{Column, Columns};
use throng_learn::conjugate::{
    BetaBernoulliModel, DirichletCategoricalModel, GammaPoissonModel, NormalMeanModel, Posterior,
};
use throng_learn::correlated::{Bands, Participation};
use throng_learn::forest::{ForestClassifier, ForestOptions};
use throng_learn::linear::{LinearMethod, LinearOptions, LinearRegression};
use throng_learn::naive_bayes::{NaiveBayes, NaiveBayesOptions};
use throng_learn::tuning::{Runs, spec_of_best};
use throng_learn::{Bounds, Classes, Interval, Privacy};
use throng_mechanism::Mechanism;
use throng_numeric::Rational;

/// Quantities that no user sees; they are compared beside their code.
const INSIDE: [&str; 9] = [
    "linear_estimate_0",
    "linear_estimate_1",
    "linear_estimate_2",
    "linear_error_0",
    "linear_error_1",
    "linear_error_2",
    "bound_threshold",
    "objective",
    "corners",
];

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn number(text: &str) -> f64 {
    rational(text).to_f64_nearest()
}

fn whole(text: &str) -> usize {
    text.parse().unwrap()
}

fn released(law: &str, size: &str, steps: &str) -> Value {
    let steps: i64 = steps.parse().unwrap();
    json!({"steps": steps, "noise": {"law": law, "size": number(size), "exponent": 0}})
}

/// The posteriors of the models that a row describes.
fn posteriors(quantity: &str, args: &[&str]) -> Vec<Posterior> {
    match (quantity, args) {
        ("chance", [law, size, yes, n, a, b]) => {
            let (yes, n) = (released(law, size, yes), whole(n));
            let no = released(law, size, "3");
            let (a, b) = (number(a), number(b));
            let beta = json!({"prior": [a, b], "yes": yes, "no": null, "records": n});
            let levels = json!({"alpha": [a, b], "counts": [yes, no], "records": n});
            let beta: BetaBernoulliModel = serde_json::from_value(beta).unwrap();
            let levels: DirichletCategoricalModel = serde_json::from_value(levels).unwrap();
            vec![beta.posterior(), levels.posterior(0).unwrap()]
        }
        ("chance_of_both", [law, size, yes, no, a, b]) => {
            let (yes, no) = (released(law, size, yes), released(law, size, no));
            let (a, b) = (number(a), number(b));
            let beta = json!({"prior": [a, b], "yes": yes, "no": no, "records": null});
            let levels = json!({"alpha": [a, b], "counts": [yes, no], "records": null});
            let beta: BetaBernoulliModel = serde_json::from_value(beta).unwrap();
            let levels: DirichletCategoricalModel = serde_json::from_value(levels).unwrap();
            vec![beta.posterior(), levels.posterior(0).unwrap()]
        }
        ("rate", [law, size, sum, n, shape, rate]) => {
            let model = json!({"most": 1000, "prior": [number(shape), number(rate)],
                "sum": released(law, size, sum), "number": null, "records": whole(n)});
            let model: GammaPoissonModel = serde_json::from_value(model).unwrap();
            vec![model.posterior()]
        }
        ("mean", [sum, size, n, mean, variance, spread]) => {
            let model = json!({"bounds": [-100.0, 100.0], "middle": 0.0,
                "prior": [number(mean), number(variance)], "variance": number(spread),
                "sum": released("gaussian", size, sum), "number": null, "records": whole(n)});
            let model: NormalMeanModel = serde_json::from_value(model).unwrap();
            vec![model.posterior()]
        }
        _ => panic!("no model for {quantity} {args:?}"),
    }
}

/// The distance that Laplace noise was made for, in units of so many steps.
fn distance(spec: &MechanismSpec, under: Neighbours, unit: f64) -> f64 {
    let MechanismSpec::Leaf(Leaf::Laplace { scale, sensitivity }) = spec else {
        panic!("{spec} is not Laplace noise")
    };
    // On a grid the distance is larger by 1/(4b); under replace a unit contributes half of it.
    let each = if under == Neighbours::Replace { 2.0 } else { 1.0 };
    (each * sensitivity.to_f64_nearest() - 0.25 / scale.to_f64_nearest()) / unit
}

fn relation(times: &str) -> Privacy {
    let under = if times == "2" { Neighbours::Replace } else { Neighbours::AddRemove };
    Privacy::new(Target::Epsilon { epsilon: 1.0, delta: 0.0 }, under).unwrap()
}

fn linear(features: &str, times: &str, method: LinearMethod) -> f64 {
    let bounds = Bounds::same(whole(features), -1.0, 1.0).unwrap();
    let norm = (method == LinearMethod::Moments).then_some(1e9);
    let options = LinearOptions { method, norm, ..Default::default() };
    let label = Interval::new(-1.0, 1.0).unwrap();
    let learner = LinearRegression::new(bounds, label, &relation(times), options).unwrap();
    distance(&learner.spec(), learner.neighbours(), 8192.0 * 8192.0)
}

fn naive_bayes(categories: &str, times: &str) -> f64 {
    let columns = Columns::new(vec![Column::Category(3); whole(categories)]).unwrap();
    let (classes, options) = (Classes::new(2).unwrap(), NaiveBayesOptions::default());
    let learner = NaiveBayes::new(columns, classes, &relation(times), options).unwrap();
    distance(&learner.spec(), learner.neighbours(), 4096.0)
}

fn forest(trees: &str, times: &str) -> f64 {
    let options = ForestOptions { trees: trees.parse().unwrap(), ..Default::default() };
    let columns = Columns::new(vec![Column::Category(3)]).unwrap();
    let classes = Classes::new(2).unwrap();
    let learner = ForestClassifier::new(columns, classes, &relation(times), options).unwrap();
    let spec = learner.spec();
    if let MechanismSpec::Leaf(Leaf::DiscreteLaplace { sensitivity, .. }) = &spec {
        let each = if learner.neighbours() == Neighbours::Replace { 2.0 } else { 1.0 };
        return each * sensitivity.to_f64_nearest() / 256.0;
    }
    distance(&spec, learner.neighbours(), 256.0)
}

fn divergence(runs: &Runs, sigma: &str, order: &str) -> f64 {
    let base = format!("gaussian(sigma={sigma})").parse().unwrap();
    let spec = spec_of_best(&[base], runs, Neighbours::AddRemove).unwrap();
    let MechanismSpec::Leaf(Leaf::Renyi { table }) = &spec else { panic!("{spec} is no table") };
    let order = rational(order);
    table.iter().find(|(known, _)| *known == order).unwrap().1.to_f64_nearest()
}

/// What the crate says about a row, and how far it may be off, relatively.
fn evaluate(quantity: &str, args: &[&str]) -> Vec<(f64, f64)> {
    if let Some(model) = quantity.strip_suffix("_mean") {
        let width = if model == "chance_of_both" { 5e-3 } else { 1e-6 };
        return posteriors(model, args).iter().map(|p| (p.mean(), width)).collect();
    }
    if let Some(model) = quantity.strip_suffix("_deviation") {
        let width = if model == "chance_of_both" { 1e-2 } else { 1e-6 };
        return posteriors(model, args).iter().map(|p| (p.standard_deviation(), width)).collect();
    }
    vec![match (quantity, args) {
        ("functional", [d, times]) => (linear(d, times, LinearMethod::Functional), 1e-9),
        ("products", [d, times]) => (linear(d, times, LinearMethod::Moments), 1e-9),
        ("naive_bayes", [m, times]) => (naive_bayes(m, times), 1e-9),
        ("forest", [trees, times]) => (forest(trees, times), 1e-9),
        ("mean_runs", [eta, gamma]) => {
            let runs = Runs::negative_binomial(rational(eta), rational(gamma)).unwrap();
            (runs.mean().unwrap().lower(), 1e-12)
        }
        ("search", [eta, gamma, sigma, order]) => {
            let runs = Runs::negative_binomial(rational(eta), rational(gamma)).unwrap();
            (divergence(&runs, sigma, order), 1e-6)
        }
        ("poisson_search", [mean, sigma, order]) => {
            (divergence(&Runs::poisson(rational(mean)).unwrap(), sigma, order), 1e-6)
        }
        ("bands", [band, steps, times, apart]) => {
            let of = Participation::new(whole(steps), whole(times), whole(apart)).unwrap();
            (Bands::square_root(whole(band)).unwrap().square(of).to_f64_nearest(), 1e-12)
        }
        _ => panic!("nothing for {quantity}"),
    }]
}

#[test]
fn numbers_agree_with_the_vectors() {
    let text = include_str!("../../../vectors/learn.csv");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for line in text.lines().skip(2) {
        let (quantity, rest) = line.split_once(',').unwrap();
        let (arguments, value) = rest.rsplit_once(',').unwrap();
        if INSIDE.contains(&quantity) {
            continue;
        }
        let args: Vec<&str> = arguments.trim_matches('"').split(' ').collect();
        let value: f64 = value.parse().unwrap();
        for (found, width) in evaluate(quantity, &args) {
            seen += 1;
            if (found - value).abs() > width * value.abs() {
                wrong.push(format!("{quantity} {arguments}: {found} is not {value}"));
            }
        }
    }
    assert!(seen > 60, "only {seen} vectors");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_search_of_pure_runs_costs_two_and_eta_of_them() {
    let base: MechanismSpec = "laplace(scale=2)".parse().unwrap();
    for (eta, epsilon) in [("1", "3/2"), ("0", "1"), ("-1/2", "3/4")] {
        let runs = Runs::negative_binomial(rational(eta), rational("1/10")).unwrap();
        let spec = spec_of_best(std::slice::from_ref(&base), &runs, Neighbours::AddRemove).unwrap();
        let expected = Leaf::Pure { epsilon: rational(epsilon) };
        assert_eq!(spec, MechanismSpec::leaf(expected).unwrap());
    }
}
