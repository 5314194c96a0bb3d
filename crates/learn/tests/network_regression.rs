//! Networks that learn a number, as a user sees them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "tests may fail, and issue permits that nobody paid for"
)]

use serde_json::{Map, Value, json};
use throng_account::Target;
use throng_learn::any::{AnyLearner, AnyModel, Table, kind};
use throng_learn::network::{
    Checkpoint, Layer, Network, NetworkOptions, RegressionNetwork, RegressionOptions,
    RegressionTraining, StepNoise, Training,
};
use throng_learn::schema::{Column, Label};
use throng_learn::{
    Bounds, Interval, LearnError, Learner, Matrix, Measured, Predict, Predictions, Privacy, Saved,
    Schema,
};
use throng_mechanism::{Budget, Mechanism, Neighbours, Permit, Sensitive};
use throng_numeric::Rational;
use throng_sample::{Entropy, SeededEntropy};

/// Made-up numbers.
struct Dice(SeededEntropy);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    /// Uniform in [0, 1).
    fn fraction(&mut self) -> f64 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes).unwrap();
        f64::from(u32::from_le_bytes(bytes)) / 4_294_967_296.0
    }

    /// About normal.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.fraction()).sum::<f64>() - 6.0
    }
}

/// What is learnt from: names and bounds of the columns, the range of the label, and records.
struct Data {
    schema: Schema,
    train: Measured,
    test: Measured,
}

fn data(columns: &[(f64, f64)], label: (f64, f64), rows: &[(Vec<f64>, f64)], held: usize) -> Data {
    let column = |(i, (lower, upper)): (usize, &(f64, f64))| Column::Number {
        name: format!("c{i}"),
        bounds: Interval::new(*lower, *upper).unwrap(),
    };
    let bounds = Interval::new(label.0, label.1).unwrap();
    let label = Label::Number { name: "y".into(), bounds };
    let schema = Schema::new(columns.iter().enumerate().map(column).collect(), Some(label));
    let table = |rows: &[(Vec<f64>, f64)]| {
        let values = rows.iter().flat_map(|(row, _)| row.iter().copied()).collect();
        let features = Matrix::new(rows.len(), columns.len(), values).unwrap();
        Measured::new(features, rows.iter().map(|(_, y)| *y).collect()).unwrap()
    };
    let (test, train) = rows.split_at(held);
    Data { schema: schema.unwrap(), train: table(train), test: table(test) }
}

/// Like the prices of houses in California: eight columns, most of them skewed, within wide bounds; prices that
/// bend in place and income, and are cut off at 5.
fn houses(rows: usize) -> Data {
    let mut dice = Dice::new(1);
    let row = |_| {
        let place = [dice.fraction(), dice.fraction()];
        let income = (1.2 + 0.45 * dice.normal()).exp();
        let age = 52.0 * dice.fraction();
        let rooms = (1.65 + 0.25 * dice.normal() + 0.03 * income).exp();
        let bedrooms = rooms * (0.2 + 0.02 * dice.normal());
        let people = (7.0 + 0.7 * dice.normal()).exp();
        let each = (1.0 + 0.25 * dice.normal()).exp();
        let coast = (-3.0 * (place[0] + 0.6 * place[1] - 0.8).abs()).exp();
        let price = 0.35 * income + 1.6 * coast + 0.006 * age - 0.25 * (each - 2.9)
            + 0.25 * income.min(6.0) * coast
            + 0.45 * dice.normal();
        let columns = vec![
            income,
            age,
            rooms,
            bedrooms,
            people,
            each,
            32.5 + 9.5 * place[0],
            -124.4 + 10.0 * place[1],
        ];
        (columns, price.clamp(0.15, 5.0))
    };
    let bounds = [
        (0.0, 15.0),
        (0.0, 60.0),
        (0.0, 20.0),
        (0.0, 5.0),
        (0.0, 10_000.0),
        (0.0, 8.0),
        (32.0, 42.5),
        (-125.0, -114.0),
    ];
    data(&bounds, (0.0, 5.0), &(0..rows).map(row).collect::<Vec<_>>(), rows / 5)
}

/// Like the progress of diabetes: ten columns that have causes in common, a number of which they tell half.
fn patients(rows: usize) -> Data {
    let mut dice = Dice::new(2);
    let row = |_| {
        let causes = [dice.normal(), dice.normal(), dice.normal()];
        let columns: Vec<f64> = (0..10)
            .map(|i: usize| (0.7 * causes[i % 3] + 0.7 * dice.normal()).clamp(-4.0, 4.0))
            .collect();
        let told = 24.0 * columns[2] + 22.0 * columns[8] + 15.0 * columns[3] - 12.0 * columns[1];
        (columns, (152.0 + told + 54.0 * dice.normal()).clamp(25.0, 346.0))
    };
    data(&[(-4.0, 4.0); 10], (25.0, 346.0), &(0..rows).map(row).collect::<Vec<_>>(), rows / 4)
}

/// What a model explains of the squares of a number, on records that were held out.
fn explained(name: &str, settings: &Value, data: &Data, epsilon: f64, seed: u64) -> f64 {
    let model = fitted(name, settings, data, epsilon, seed).unwrap();
    let Predictions::Numbers(found) = model.predict(data.test.features()).unwrap() else {
        panic!("no numbers")
    };
    let labels = data.test.labels();
    let mean = labels.iter().sum::<f64>() / labels.len() as f64;
    let square = |x: f64| x * x;
    let left: f64 = found.iter().zip(labels).map(|(a, b)| square(a - b)).sum();
    1.0 - left / labels.iter().map(|y| square(y - mean)).sum::<f64>()
}

fn fitted(
    name: &str,
    settings: &Value,
    data: &Data,
    epsilon: f64,
    seed: u64,
) -> Result<AnyModel, LearnError> {
    let privacy = Privacy::approximate(epsilon, 1e-5)?;
    let mut settings: Map<String, Value> = settings.as_object().unwrap().clone();
    if name.starts_with("network") {
        settings.entry("records").or_insert(json!(data.train.len()));
    }
    assert_eq!(kind(name)?.task, throng_learn::any::Task::Number);
    let learner = AnyLearner::new(name, &data.schema, &privacy, &settings)?;
    let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    let permit = Permit::issue(learner.spec(), learner.neighbours(), nothing);
    let table = Sensitive::new(Table::Measured(data.train.clone()));
    Ok(learner.run(&table, permit, &mut SeededEntropy::new(seed))?.into_parts().0)
}

#[test]
fn numbers_are_learnt_with_the_usual_options() {
    let usual = json!({});
    let houses = houses(20_000);
    let found = explained("network-regression", &usual, &houses, 3.0, 1);
    assert!(found > 0.6, "houses: {found}");
    // Prices bend, and lines do not.
    let line = explained("linear", &usual, &houses, 3.0, 1);
    assert!(found > line + 0.05, "houses: {found}, along a line {line}");
    // Three hundred records, of whom all that is known tells a half.
    let patients = patients(442);
    let runs = (0..8).map(|seed| explained("network-regression", &usual, &patients, 3.0, seed));
    let found = runs.sum::<f64>() / 8.0;
    assert!(found > 0.05, "patients: {found}");
}

fn training(options: NetworkOptions) -> RegressionTraining {
    let privacy = Privacy::new(Target::Gdp { mu: 4.0 }, Neighbours::AddRemove).unwrap();
    let bounds = Bounds::same(2, 0.0, 1.0).unwrap();
    Training::new(bounds, Interval::new(-1.0, 3.0).unwrap(), &privacy, options).unwrap()
}

fn few_steps() -> NetworkOptions {
    NetworkOptions { records: Some(60), steps: 6, ..NetworkOptions::regression() }
}

fn examples() -> Measured {
    let rows: Vec<[f64; 2]> =
        (0..60).map(|i| [f64::from(i % 7) / 6.0, f64::from(i % 4) / 3.0]).collect();
    let labels = rows.iter().map(|[a, b]| 2.0 * a + b - 0.5).collect();
    Measured::new(Matrix::from_rows(&rows), labels).unwrap()
}

fn rich() -> Budget {
    Budget::gdp(&"100".parse().unwrap(), Neighbours::AddRemove).unwrap()
}

fn fit(training: &RegressionTraining, examples: Measured) -> Saved<RegressionNetwork> {
    let mut entropy = SeededEntropy::new(3);
    Saved::of(training.fit(&Sensitive::new(examples), &mut rich(), &mut entropy).unwrap())
}

/// With these records after the others.
fn and(more: &[([f64; 2], f64)]) -> Measured {
    let others = examples();
    let rows: Vec<[f64; 2]> = others.features().iter().map(|row| [row[0], row[1]]).collect();
    let rows: Vec<[f64; 2]> = rows.into_iter().chain(more.iter().map(|(row, _)| *row)).collect();
    let labels = others.labels().iter().copied().chain(more.iter().map(|(_, y)| *y)).collect();
    Measured::new(Matrix::from_rows(&rows), labels).unwrap()
}

#[test]
fn labels_beyond_the_range_count_as_its_ends_and_nan_as_nothing() {
    let training = training(few_steps());
    let end = fit(&training, and(&[([0.2, 0.9], 3.0), ([0.9, 0.1], -1.0)]));
    let beyond = and(&[([0.2, 0.9], f64::INFINITY), ([0.9, 0.1], -1e300)]);
    assert_eq!(fit(&training, beyond).model(), end.model());
    let without = fit(&training, examples());
    assert_eq!(fit(&training, and(&[([0.2, 0.9], f64::NAN)])).model(), without.model());
    assert_ne!(end.model(), without.model());
}

#[test]
fn whatever_records_hold_a_number_within_the_range_is_said() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 5e-324, 1e300];
    let more: Vec<_> =
        odd.iter().flat_map(|a| odd.map(|b| ([*a, b], b))).cycle().take(200).collect();
    let wild = NetworkOptions { learning_rate: 1e6, clip: 1e6, ..few_steps() };
    let correlated = StepNoise::Correlated { band: 3 };
    let adaptive = throng_learn::network::Clipping::Adaptive { quantile: 0.5 };
    for options in [
        few_steps(),
        wild,
        NetworkOptions { batch: Some(20), noise: correlated, ..few_steps() },
        NetworkOptions { clipping: adaptive, ..few_steps() },
        NetworkOptions { layers: Vec::new(), ..few_steps() },
    ] {
        for records in [and(&more), Measured::new(Matrix::filled(0, 2, 0.0), vec![]).unwrap()] {
            let saved = fit(&training(options.clone()), records);
            let asked = Matrix::from_rows(&more.iter().map(|(row, _)| *row).collect::<Vec<_>>());
            let Predictions::Numbers(said) = saved.model().predict(&asked).unwrap() else {
                panic!("no numbers")
            };
            assert_eq!(said.len(), 200);
            assert!(said.iter().all(|x| (-1.0..=3.0).contains(x)), "{options:?}");
        }
    }
}

#[test]
fn a_training_in_parts_is_one_of_the_whole_plan() {
    let training = training(few_steps());
    let mut entropy = SeededEntropy::new(8);
    let data = Sensitive::new(examples());
    let mut checkpoint = training.begin(&mut entropy).unwrap();
    for steps in [2, 4] {
        let text = serde_json::to_string(&checkpoint).unwrap();
        assert_eq!(serde_json::from_str::<Checkpoint>(&text).unwrap(), checkpoint);
        let segment = training.segment(checkpoint, steps).unwrap();
        checkpoint = segment.fit(&data, &mut rich(), &mut entropy).unwrap().into_parts().0;
    }
    let saved = training.finish(&checkpoint).unwrap();
    assert_eq!(saved.card().spec().unwrap(), training.spec());
    assert!(training.segment(checkpoint, 1).is_err());
    // On from a network, public or paid for; not from one of another range.
    let again = training.clone().starting_from_public(saved.model()).unwrap();
    assert_eq!(again.spec(), training.spec());
    assert!(training.begin_from_private(&saved).is_ok());
    let privacy = Privacy::new(Target::Gdp { mu: 4.0 }, Neighbours::AddRemove).unwrap();
    let (bounds, other) = (Bounds::same(2, 0.0, 1.0).unwrap(), Interval::new(0.0, 3.0).unwrap());
    let other = Training::new(bounds, other, &privacy, few_steps()).unwrap();
    assert!(other.starting_from_public(saved.model()).is_err());
}

#[test]
fn it_learns_from_public_records_too() {
    // Nothing is clipped, so steps are to be shorter.
    let options = NetworkOptions { steps: 300, learning_rate: 0.05, ..few_steps() };
    let learnt = training(options).on_public(&examples(), &mut SeededEntropy::new(5)).unwrap();
    let Predictions::Numbers(said) = learnt.predict(examples().features()).unwrap() else {
        panic!("no numbers")
    };
    let worst =
        said.iter().zip(examples().labels()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 0.5, "{worst}");
    assert_eq!(learnt.range(), Interval::new(-1.0, 3.0).unwrap());
}

#[test]
fn networks_are_saved_by_what_they_learn() {
    let saved = fit(&training(few_steps()), examples());
    let (json, tensors) = (saved.to_json().unwrap(), saved.to_safetensors().unwrap());
    assert_eq!(Saved::from_json(&json).unwrap(), saved);
    assert_eq!(Saved::from_safetensors(&tensors).unwrap(), saved);
    // Not as a network of classes, nor as one that says it is.
    assert!(Saved::<Network>::from_json(&json).is_err());
    let mut value: Value = serde_json::from_str(&json).unwrap();
    value["kind"] = json!("network");
    assert!(Saved::<Network>::from_json(&value.to_string()).is_err());
    value["model"]["classes"] = json!(2);
    assert!(Saved::<Network>::from_json(&value.to_string()).is_err());
    value["kind"] = json!("network-regression");
    assert!(Saved::<RegressionNetwork>::from_json(&value.to_string()).is_err());
    // Neither without its range, nor with weights of another shape.
    let mut value: Value = serde_json::from_str(&json).unwrap();
    value["model"]["range"] = Value::Null;
    assert!(Saved::<RegressionNetwork>::from_json(&value.to_string()).is_err());
}

#[test]
fn options_begin_with_what_suits_a_number() {
    let read = |text: &str| serde_json::from_str::<RegressionOptions>(text);
    assert_eq!(read("{}").unwrap().0, NetworkOptions::regression());
    let given = read(r#"{"steps": 7, "layers": [], "records": 9}"#).unwrap().0;
    let expected = NetworkOptions {
        steps: 7,
        layers: Vec::<Layer>::new(),
        records: Some(9),
        ..NetworkOptions::regression()
    };
    assert_eq!(given, expected);
    assert!(read(r#"{"stepz": 7}"#).is_err() && read(r#"{"steps": "x"}"#).is_err());
    let data = patients(10);
    let refused = |settings: &Value| fitted("network-regression", settings, &data, 1.0, 1).is_err();
    assert!(refused(&json!({"steps": 0})) && refused(&json!({"clip": -1.0})));
    assert!(refused(&json!({"records": null})) && refused(&json!({"nonsense": 1})));
}
