//! Saved models of every kind, as format 1 wrote them: they are read for ever, and say the same.
//!
//! `cargo test -p throng-learn --test it saved -- --ignored` writes the files that are not there yet, for a new
//! kind; it changes none.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may fail, and issue permits that nobody paid for"
)]

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use throng_account::Target;
use throng_learn::any::{self, AnyLearner, AnyModel, KINDS, Table, Task};
use throng_learn::schema::{Column, Label};
use throng_learn::{Card, Classified, Interval, Matrix, Measured, Predictions, Privacy, Schema};
use throng_mechanism::{Mechanism, Neighbours, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

fn file(kind: &str, form: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/saved");
    folder.join(format!("{kind}.{form}"))
}

fn settings(name: &str) -> Map<String, Value> {
    let value = match name {
        "network" | "network-regression" => json!({"layers": [], "steps": 2, "records": 8}),
        "k-means" => json!({"clusters": 2, "levels": 2, "starts": 1}),
        "logistic" | "svm" => json!({"steps": 5}),
        "image-classifier" => json!({"height": 4, "width": 4, "epochs": 2}),
        "histogram" | "marginals" | "synthetic" => json!({"bins": 2}),
        "boosting" | "boosting-regression" => json!({"trees": 2, "depth": 2, "parts": 3}),
        "forest" | "forest-regression" => json!({"trees": 2, "depth": 2}),
        "tree" | "tree-regression" => json!({"depth": 2}),
        _ => json!({}),
    };
    value.as_object().unwrap().clone()
}

fn number(name: &str) -> Column {
    Column::Number { name: name.into(), bounds: Interval::new(0.0, 1.0).unwrap() }
}

fn schema(name: &str, task: Task) -> Schema {
    let levels = vec!["0".into(), "1".into()];
    let columns = match name {
        "normal-mean" | "gamma-poisson" | "beta-bernoulli" => vec![number("a")],
        "dirichlet-categorical" => vec![Column::Category { name: "a".into(), levels }],
        "image-classifier" => (0..16).map(|pixel| number(&format!("p{pixel}"))).collect(),
        _ => vec![number("a"), number("b")],
    };
    let label = match task {
        Task::Number => {
            Some(Label::Number { name: "y".into(), bounds: Interval::new(0.0, 1.0).unwrap() })
        }
        Task::Classes => {
            Some(Label::Classes { name: "y".into(), classes: vec!["no".into(), "yes".into()] })
        }
        Task::Clusters | Task::Features | Task::Distribution => None,
    };
    Schema::new(columns, label).unwrap()
}

/// Forty records that differ.
fn features(columns: usize) -> Matrix<f64> {
    let values = (0..40 * columns).map(|i| f64::from(u8::try_from(i * 7 % 11).unwrap()) / 10.0);
    Matrix::new(40, columns, values.collect()).unwrap()
}

fn table(task: Task, columns: usize) -> Table {
    let features = features(columns);
    let high: Vec<u32> = features.iter().map(|row| u32::from(row[0] > 0.5)).collect();
    match task {
        Task::Classes => Table::Classified(Classified::new(features, high).unwrap()),
        Task::Number => {
            let labels = features.iter().map(|row| row[0]).collect();
            Table::Measured(Measured::new(features, labels).unwrap())
        }
        Task::Clusters | Task::Features | Task::Distribution => Table::Plain(features),
    }
}

fn fitted(name: &str) -> (Card, AnyModel) {
    let kind = any::kind(name).unwrap();
    let schema = schema(name, kind.task);
    let privacy = Privacy::new(Target::Gdp { mu: 2.0 }, Neighbours::AddRemove).unwrap();
    let learner = AnyLearner::new(name, &schema, &privacy, &settings(name)).unwrap();
    let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    let permit = Permit::issue(learner.spec(), learner.neighbours(), nothing);
    let columns = schema.bounds(kind.encoding).unwrap().columns();
    let data = Sensitive::new(table(kind.task, columns));
    let release = learner.run(&data, permit, &mut SeededEntropy::new(7)).unwrap();
    let (model, guarantee) = release.into_parts();
    (Card::of(&guarantee).of_table(schema, kind.encoding), model)
}

/// What a model says about five records, in numbers.
fn said(model: &AnyModel) -> Vec<f64> {
    let Ok(predict) = model.predictor() else { return Vec::new() };
    let rows = features(predict.columns()).select(&[0, 1, 2, 3, 4]);
    match predict.predict(&rows).unwrap() {
        Predictions::Numbers(numbers) => numbers,
        Predictions::Classes { chosen, probabilities } => {
            let chances = probabilities.map_or_else(Vec::new, |table| table.values().to_vec());
            chosen.into_iter().map(f64::from).chain(chances).collect()
        }
        Predictions::Clusters(clusters) => clusters.into_iter().map(f64::from).collect(),
        Predictions::Features(table) => table.values().to_vec(),
    }
}

#[test]
#[ignore = "writes files"]
fn new_kinds_are_saved() {
    for kind in KINDS {
        if file(kind.name, "json").exists() {
            continue;
        }
        let (card, model) = fitted(kind.name);
        std::fs::write(file(kind.name, "json"), model.to_json(&card).unwrap()).unwrap();
        let tensors = model.to_safetensors(&card).unwrap();
        std::fs::write(file(kind.name, "safetensors"), tensors).unwrap();
        let words = serde_json::to_string(&said(&model)).unwrap();
        std::fs::write(file(kind.name, "said"), words).unwrap();
    }
}

#[test]
fn every_kind_is_read_as_it_was_meant() {
    for kind in KINDS {
        let name = kind.name;
        let read = |form: &str| {
            std::fs::read(file(name, form)).unwrap_or_else(|_| panic!("no {form} of {name}"))
        };
        let (card, model) = AnyModel::load(&read("json")).unwrap();
        // A tree is a forest of one.
        assert_eq!(model.kind(), name.replace("tree", "forest"));
        assert!(card.spec().is_ok() && card.neighbours() == Ok(Neighbours::AddRemove), "{name}");
        assert!(card.table().is_some(), "{name}");
        let again = AnyModel::load(&read("safetensors")).unwrap();
        assert_eq!(again, (card.clone(), model.clone()), "{name}");
        let expected: Vec<f64> = serde_json::from_slice(&read("said")).unwrap();
        let found = said(&model);
        assert_eq!(found.len(), expected.len(), "{name}");
        for (found, expected) in found.iter().zip(expected) {
            let near = (found - expected).abs() <= 1e-9 * (1.0 + expected.abs());
            assert!(near, "{name} says {found} in place of {expected}");
        }
        // What is written now is what was written then.
        let written: Value = serde_json::from_str(&model.to_json(&card).unwrap()).unwrap();
        let kept: Value = serde_json::from_slice(&read("json")).unwrap();
        assert_eq!(written["model"], kept["model"], "{name}");
    }
}

#[test]
fn a_file_of_another_format_is_refused() {
    let text = std::fs::read_to_string(file("linear", "json")).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["throng"] = json!(2);
    assert!(AnyModel::load(value.to_string().as_bytes()).is_err());
}
