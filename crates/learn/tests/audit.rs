//! Every learner under the auditor: a record that stands out is added to a few, and what the models
//! give away about it is held against the guarantee.
//!
//! A false alarm of any of these tests has a chance below 1e-6. The auditor is shown to have power: for the
//! learners that release sums it refutes a claim of half the privacy parameter.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may fail, and issue permits that nobody paid for"
)]

use serde_json::{Map, Value, json};
use throng_account::{Accuracy, PrivacyLoss, Target};
use throng_audit::{Claim, Effort, FromFn, Options, Orientation, Outcome, Verdict, World, audit};
use throng_learn::any::{self, AnyLearner, AnyModel, KINDS, Table, Task};
use throng_learn::schema::{Column, Encoding, Label};
use throng_learn::{Classified, Interval, Matrix, Measured, Privacy, Schema};
use throng_mechanism::{Mechanism, Neighbours, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

/// Fits in each world.
const RUNS: u64 = 3000;
/// The chance of a false alarm in one audit.
const FALSE_ALARM: f64 = 1e-8;
/// What all learners are asked for: much, so that a defect of a factor shows in few fits.
const MU: f64 = 2.0;

fn privacy(mu: f64) -> Privacy {
    Privacy::new(Target::Gdp { mu }, Neighbours::AddRemove).unwrap()
}

/// What each learner needs to be fast, and what it cannot do without.
fn settings(name: &str) -> Map<String, Value> {
    let value = match name {
        "network" => json!({"layers": [], "steps": 2, "records": 8}),
        "k-means" => json!({"clusters": 2, "levels": 2, "starts": 1}),
        "logistic" | "svm" => json!({"steps": 5}),
        "image-classifier" => json!({"height": 4, "width": 4, "epochs": 2}),
        "histogram" | "marginals" | "synthetic" => json!({"bins": 2}),
        "boosting" | "forest" => json!({"trees": 3}),
        _ => json!({}),
    };
    value.as_object().unwrap().clone()
}

fn number(name: &str) -> Column {
    Column::Number { name: name.into(), bounds: Interval::new(0.0, 1.0).unwrap() }
}

/// Two columns for most; those that describe one column get one.
fn schema(name: &str, task: Task) -> Schema {
    let columns = match name {
        "normal-mean" | "gamma-poisson" | "beta-bernoulli" => vec![number("a")],
        "dirichlet-categorical" => {
            vec![Column::Category { name: "a".into(), levels: vec!["0".into(), "1".into()] }]
        }
        "image-classifier" => (0..16).map(|pixel| number(&format!("p{pixel}"))).collect(),
        _ => vec![number("a"), number("b")],
    };
    let label = match task {
        Task::Number => {
            Some(Label::Number { name: "y".into(), bounds: Interval::new(0.0, 1.0).unwrap() })
        }
        Task::Classes => {
            let classes = vec!["no".into(), "yes".into()];
            Some(Label::Classes { name: "y".into(), classes })
        }
        Task::Clusters | Task::Features | Task::Distribution => None,
    };
    Schema::new(columns, label).unwrap()
}

/// Three records in the middle, and the canary in a corner, labelled like nobody else.
fn table(task: Task, columns: usize, canary: bool) -> Table {
    let mut values = vec![0.5; 3 * columns];
    let mut labels = vec![0, 0, 0];
    if canary {
        values.extend(vec![1.0; columns]);
        labels.push(1);
    }
    let features = Matrix::new(labels.len(), columns, values).unwrap();
    match task {
        Task::Classes => Table::Classified(Classified::new(features, labels).unwrap()),
        Task::Number => {
            let labels = labels.into_iter().map(f64::from).collect();
            Table::Measured(Measured::new(features, labels).unwrap())
        }
        Task::Clusters | Task::Features | Task::Distribution => Table::Plain(features),
    }
}

/// All numbers that a model shows.
fn numbers(value: &Value, found: &mut Vec<Outcome>) {
    match value {
        Value::Number(number) => found.push(Outcome::Number(number.as_f64().unwrap())),
        Value::Array(members) => members.iter().for_each(|member| numbers(member, found)),
        Value::Object(members) => members.values().for_each(|member| numbers(member, found)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn fitted(learner: &AnyLearner, data: &Sensitive<Table>, entropy: &mut SeededEntropy) -> AnyModel {
    let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    let permit = Permit::issue(learner.spec(), learner.neighbours(), nothing);
    learner.run(data, permit, entropy).unwrap().into_parts().0
}

fn claim(learner: &AnyLearner) -> Claim {
    let (spec, under) = (learner.spec(), learner.neighbours());
    if !spec.to_string().contains("sampled") {
        return Claim::of_spec(&spec, under, Orientation::Either).unwrap();
    }
    let loss = PrivacyLoss::of_spec(&spec, under, Accuracy { width: 1e-2 }).unwrap();
    let pairs = [0.0, 0.5, 1.0, 2.0].map(|epsilon| (epsilon, loss.delta(epsilon).unwrap().upper));
    Claim::of_pairs(&spec.to_string(), &pairs).unwrap()
}

/// Whether the claim is refuted by fits of a learner.
fn refuted(name: &str, claim: &Claim, learner: &AnyLearner, seed: u64) -> bool {
    let kind = any::kind(name).unwrap();
    let columns = schema(name, kind.task).bounds(kind.encoding).unwrap().columns();
    let worlds = [false, true].map(|canary| Sensitive::new(table(kind.task, columns, canary)));
    let mut entropy = SeededEntropy::new(seed);
    let mut target = FromFn::new(|world: World| {
        let data = &worlds[usize::from(world == World::One)];
        let mut found = Vec::new();
        numbers(&fitted(learner, data, &mut entropy).parameters().unwrap(), &mut found);
        Outcome::List(found)
    });
    let options = Options {
        confidence: 1.0 - FALSE_ALARM,
        nan_is_an_outcome: true,
        bounds: false,
        ..Options::default()
    };
    let report = audit::live(claim, &mut target, &options, Effort::Runs(RUNS), &mut |_| {});
    match report {
        Ok(report) => report.verdict == Verdict::Violated,
        Err(error) if error.to_string().contains("all outcomes of both worlds are the same") => {
            false
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

fn learner(name: &str, mu: f64) -> AnyLearner {
    let task = any::kind(name).unwrap().task;
    AnyLearner::new(name, &schema(name, task), &privacy(mu), &settings(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Audits every n-th kind, from the k-th on.
fn kinds_audited(k: usize, n: usize) {
    for (seed, kind) in (1..).zip(KINDS).skip(k).step_by(n) {
        println!("{}", kind.name);
        let learner = learner(kind.name, MU);
        assert!(!refuted(kind.name, &claim(&learner), &learner, seed), "{}", kind.name);
    }
}

#[test]
fn no_learner_is_refuted_first_part() {
    kinds_audited(0, 2);
}

#[test]
fn no_learner_is_refuted_second_part() {
    kinds_audited(1, 2);
}

#[test]
fn half_of_what_is_spent_is_refuted() {
    for (seed, name) in (100..).zip(["histogram", "marginals"]) {
        let half = claim(&learner(name, MU / 2.0));
        assert!(refuted(name, &half, &learner(name, MU), seed), "{name}");
    }
}

#[test]
fn every_kind_encodes_its_schema() {
    for kind in KINDS {
        let schema = schema(kind.name, kind.task);
        assert!(matches!(kind.encoding, Encoding::OneHot | Encoding::Places));
        assert!(schema.bounds(kind.encoding).is_ok());
        assert!(!kind.about.is_empty() && (kind.options)().is_object(), "{}", kind.name);
    }
}
