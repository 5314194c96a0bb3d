//! Logistic regression as a user sees it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_precision_loss,
    missing_docs,
    unreachable_pub,
    reason = "a test"
)]

use crate::convex::shared::{Dice, fitted, hostile, is_refused_without_budget};
use throng_account::{Neighbours, Target};
use throng_learn::logistic::{LogisticModel, LogisticOptions, LogisticRegression, Method};
use throng_learn::{
    Bounds, Classes, Classified, LearnError, Learner, Matrix, Predict, Predictions, Privacy, Saved,
};
use throng_mechanism::Mechanism;

/// Classes by which of the first columns is largest (two: whether the first is above the second).
fn examples(rows: usize, columns: usize, classes: usize, seed: u64) -> Classified {
    let mut dice = Dice::new(seed);
    let table = dice.table(rows, columns);
    let class = |row: &[f64]| {
        let best = (0..classes).max_by(|a, b| row[*a].total_cmp(&row[*b]));
        u32::try_from(best.unwrap()).unwrap()
    };
    let labels = table.iter().map(class).collect();
    Classified::new(table, labels).unwrap()
}

fn learner(
    columns: usize,
    classes: u32,
    privacy: &Privacy,
    options: LogisticOptions,
) -> LogisticRegression {
    let bounds = Bounds::same(columns, 0.0, 1.0).unwrap();
    LogisticRegression::new(bounds, Classes::new(classes).unwrap(), privacy, options).unwrap()
}

fn by(method: Method) -> LogisticOptions {
    LogisticOptions { method, ..Default::default() }
}

fn accuracy(model: &LogisticModel, held: &Classified) -> f64 {
    let Predictions::Classes { chosen, probabilities } = model.predict(held.features()).unwrap()
    else {
        panic!("not classes")
    };
    let probabilities = probabilities.unwrap();
    for row in probabilities.iter() {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let right = chosen.iter().zip(held.labels()).filter(|(a, b)| a == b).count();
    right as f64 / held.len() as f64
}

fn approximate() -> Privacy {
    Privacy::approximate(1.0, 1e-5).unwrap()
}

#[test]
fn two_classes_are_told_apart_by_every_method() {
    for method in [Method::Gradient, Method::Output, Method::Objective] {
        let model = fitted(&learner(4, 2, &approximate(), by(method)), examples(9000, 4, 2, 1), 2);
        let found = accuracy(model.value(), &examples(1000, 4, 2, 3));
        let least = if method == Method::Output { 0.82 } else { 0.93 };
        assert!(found > least, "{method:?}: {found}");
        let weights = model.value().coefficients();
        assert!(weights.row(0)[1] > 0.0 && weights.row(0)[0] < 0.0);
    }
}

#[test]
fn several_classes_share_one_budget() {
    for (method, least) in
        [(Method::Gradient, 0.9), (Method::Output, 0.8), (Method::Objective, 0.8)]
    {
        let model = fitted(&learner(6, 5, &approximate(), by(method)), examples(6000, 6, 5, 1), 2);
        let found = accuracy(model.value(), &examples(1000, 6, 5, 3));
        assert!(found > least, "{method:?}: {found}");
        assert_eq!(model.value().coefficients().rows(), 5);
    }
}

#[test]
fn epsilon_alone_is_for_output_perturbation() {
    let privacy = Privacy::pure(1.0).unwrap();
    let model = fitted(&learner(3, 2, &privacy, by(Method::Output)), examples(20_000, 3, 2, 1), 2);
    let found = accuracy(model.value(), &examples(1000, 3, 2, 3));
    assert!(found > 0.85, "{found}");
    for method in [Method::Gradient, Method::Objective] {
        let bounds = Bounds::same(3, 0.0, 1.0).unwrap();
        let found = LogisticRegression::new(bounds, Classes::new(2).unwrap(), &privacy, by(method));
        assert!(matches!(found, Err(LearnError::Refused { .. })));
    }
}

#[test]
fn bounds_that_shift_and_stretch_change_nothing() {
    let narrow = examples(3000, 3, 2, 1);
    let mut table = narrow.features().clone();
    for x in table.values_mut() {
        *x = *x * 512.0 - 128.0;
    }
    let wide = Classified::new(table, narrow.labels().to_vec()).unwrap();
    let bounds = Bounds::same(3, -128.0, 384.0).unwrap();
    let classes = Classes::new(2).unwrap();
    let other = LogisticRegression::new(bounds, classes, &approximate(), by(Method::Gradient));
    let a = fitted(&learner(3, 2, &approximate(), by(Method::Gradient)), narrow.clone(), 9);
    let b = fitted(&other.unwrap(), wide, 9);
    for (a, b) in a.value().coefficients().values().iter().zip(b.value().coefficients().values()) {
        assert!((a - b * 512.0).abs() < 1e-6 * a.abs().max(1.0));
    }
}

#[test]
fn whatever_the_table_holds_it_is_fitted() {
    let tables = [
        Classified::new(Matrix::filled(0, 3, 0.0), vec![]).unwrap(),
        Classified::new(hostile(2, 3), vec![0, 1]).unwrap(),
        Classified::new(hostile(50, 3), vec![7; 50]).unwrap(),
        Classified::new(hostile(300, 3), vec![1; 300]).unwrap(),
        Classified::new(Matrix::filled(100, 3, 0.5), (0..100).collect()).unwrap(),
    ];
    for method in [Method::Gradient, Method::Output, Method::Objective] {
        let learner = learner(3, 2, &approximate(), by(method));
        for table in &tables {
            let model = fitted(&learner, table.clone(), 6);
            let weights = model.value().coefficients();
            assert!(weights.values().iter().all(|x| x.is_finite()));
            assert!(model.value().intercepts().iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn undeclared_labels_are_as_if_they_were_not_there() {
    let known = examples(500, 3, 2, 1);
    let mut rows: Vec<usize> = (0..500).collect();
    rows.extend([0, 1, 2]);
    let mut labels = known.labels().to_vec();
    labels.extend([2, 9, u32::MAX]);
    let more = Classified::new(known.features().select(&rows), labels).unwrap();
    for method in [Method::Gradient, Method::Output, Method::Objective] {
        let learner = learner(3, 2, &approximate(), by(method));
        assert_eq!(
            fitted(&learner, known.clone(), 3).value(),
            fitted(&learner, more.clone(), 3).value()
        );
    }
}

#[test]
fn targets_are_reached_under_both_relations() {
    for (epsilon, delta) in [(0.1, 1e-5), (1.0, 1e-6), (8.0, 1e-9)] {
        for method in [Method::Gradient, Method::Output, Method::Objective] {
            let privacy = Privacy::approximate(epsilon, delta).unwrap();
            let spec = learner(5, 2, &privacy, by(method)).spec();
            privacy.certify(&spec).unwrap();
        }
        let target = Target::Epsilon { epsilon, delta };
        let exchanged = Privacy::new(target, Neighbours::Replace).unwrap();
        for method in [Method::Gradient, Method::Output] {
            exchanged.certify(&learner(5, 3, &exchanged, by(method)).spec()).unwrap();
        }
    }
    let privacy = Privacy::new(Target::Gdp { mu: 0.3 }, Neighbours::AddRemove).unwrap();
    privacy.certify(&learner(5, 3, &privacy, by(Method::Gradient)).spec()).unwrap();
    let cheap = learner(3, 2, &approximate(), by(Method::Gradient));
    is_refused_without_budget(&cheap, examples(10, 3, 2, 1));
}

#[test]
fn objective_perturbation_is_refused_where_it_is_not_proved() {
    let make = |classes, privacy: &Privacy, options| {
        let bounds = Bounds::same(3, 0.0, 1.0).unwrap();
        LogisticRegression::new(bounds, Classes::new(classes).unwrap(), privacy, options)
    };
    let exchanged = Privacy::new(*approximate().target(), Neighbours::Replace).unwrap();
    assert!(make(2, &exchanged, by(Method::Objective)).is_err());
    for penalty in [0.1, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = LogisticOptions { penalty: Some(penalty), ..by(Method::Objective) };
        assert!(make(2, &approximate(), options).is_err());
    }
    // The Jacobian alone costs more than epsilon; with a little more penalty it does not.
    for (penalty, is_proved) in [(0.14, false), (0.2, true)] {
        let options = LogisticOptions { penalty: Some(penalty), ..by(Method::Objective) };
        assert_eq!(make(2, &approximate(), options).is_ok(), is_proved);
    }
    // More classes stretch more.
    for (penalty, is_proved) in [(0.5, false), (2.0, true)] {
        let options = LogisticOptions { penalty: Some(penalty), ..by(Method::Objective) };
        assert_eq!(make(4, &approximate(), options).is_ok(), is_proved);
    }
}

#[test]
fn one_class_alone_is_fitted_however_many_there_are_of_it() {
    for (rows, penalty) in [(1000, 0.01), (100_000, 0.01), (100_000, 1.0)] {
        let options = LogisticOptions { penalty: Some(penalty), ..by(Method::Output) };
        let table = Classified::new(Matrix::filled(rows, 3, 0.7), vec![1; rows]).unwrap();
        let model = fitted(&learner(3, 2, &approximate(), options), table, 3);
        assert!(model.value().intercepts().iter().all(|x| x.is_finite()));
    }
}

#[test]
fn wrong_shapes_and_parameters_are_refused() {
    let learner = learner(3, 2, &approximate(), by(Method::Gradient));
    assert!(learner.check(&examples(5, 4, 2, 1)).is_err());
    for options in [
        LogisticOptions { steps: 0, ..Default::default() },
        LogisticOptions { steps: 1_000_000, ..Default::default() },
        LogisticOptions { pace: f64::NAN, ..Default::default() },
        LogisticOptions { penalty: Some(0.0), ..by(Method::Output) },
        LogisticOptions { penalty: Some(1e-12), ..by(Method::Output) },
        LogisticOptions { norm: Some(0.5), ..by(Method::Output) },
        LogisticOptions { norm: Some(f64::NAN), ..by(Method::Objective) },
    ] {
        let bounds = Bounds::same(3, 0.0, 1.0).unwrap();
        let classes = Classes::new(2).unwrap();
        assert!(LogisticRegression::new(bounds, classes, &approximate(), options).is_err());
    }
}

#[test]
fn models_are_saved_and_read_again() {
    let learner = learner(3, 3, &approximate(), by(Method::Gradient));
    let saved = Saved::of(fitted(&learner, examples(100, 3, 3, 1), 2));
    let json = Saved::<LogisticModel>::from_json(&saved.to_json().unwrap()).unwrap();
    assert_eq!(json, saved);
    let tensors = saved.to_safetensors().unwrap();
    assert_eq!(Saved::<LogisticModel>::from_safetensors(&tensors).unwrap(), saved);
}
