//! Support vector machines as a user sees them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_precision_loss,
    missing_docs,
    unreachable_pub,
    reason = "a test"
)]

use crate::convex::shared::{Dice, fitted, hostile, is_refused_without_budget};
use throng_learn::svm::{Kernel, Method, Svm, SvmModel, SvmOptions};
use throng_learn::{
    Bounds, Classes, Classified, Learner, Matrix, Predict, Predictions, Privacy, Saved,
};
use throng_mechanism::Mechanism;

/// Labelled by a rule.
fn examples(rows: usize, seed: u64, rule: impl Fn(&[f64]) -> u32) -> Classified {
    let table = Dice::new(seed).table(rows, 2);
    let labels = table.iter().map(rule).collect();
    Classified::new(table, labels).unwrap()
}

fn line(row: &[f64]) -> u32 {
    u32::from(row[0] + row[1] > 1.0)
}

/// No line separates it.
fn ring(row: &[f64]) -> u32 {
    u32::from((row[0] - 0.5).hypot(row[1] - 0.5) < 0.36)
}

fn stripes(row: &[f64]) -> u32 {
    if row[0] < 0.33 { 0 } else { 1 + u32::from(row[1] > 0.5) }
}

fn learner(classes: u32, options: SvmOptions) -> Svm {
    let bounds = Bounds::same(2, 0.0, 1.0).unwrap();
    Svm::new(bounds, Classes::new(classes).unwrap(), &approximate(), options).unwrap()
}

fn approximate() -> Privacy {
    Privacy::approximate(1.0, 1e-5).unwrap()
}

fn by(method: Method) -> SvmOptions {
    SvmOptions { method, ..Default::default() }
}

fn accuracy(model: &SvmModel, held: &Classified) -> f64 {
    let Predictions::Classes { chosen, .. } = model.predict(held.features()).unwrap() else {
        panic!("not classes")
    };
    let right = chosen.iter().zip(held.labels()).filter(|(a, b)| a == b).count();
    right as f64 / held.len() as f64
}

#[test]
fn a_line_is_found_by_every_method() {
    for method in [Method::Gradient, Method::Output, Method::Objective] {
        let model = fitted(&learner(2, by(method)), examples(9000, 1, line), 2);
        let found = accuracy(model.value(), &examples(1000, 3, line));
        let least = if method == Method::Output { 0.82 } else { 0.93 };
        assert!(found > least, "{method:?}: {found}");
    }
}

#[test]
fn a_ring_needs_a_kernel() {
    let kernel = Some(Kernel { scale: 0.7, features: 60 });
    let held = examples(1000, 3, ring);
    let plain = fitted(&learner(2, SvmOptions::default()), examples(6000, 1, ring), 2);
    let curved = fitted(
        &learner(2, SvmOptions { kernel, ..Default::default() }),
        examples(6000, 1, ring),
        2,
    );
    assert!(accuracy(plain.value(), &held) < 0.75);
    assert!(accuracy(curved.value(), &held) > 0.9);
}

#[test]
fn several_classes_are_learnt_together() {
    let model = fitted(&learner(3, SvmOptions::default()), examples(6000, 1, stripes), 2);
    let found = accuracy(model.value(), &examples(1000, 3, stripes));
    assert!(found > 0.8, "{found}");
    assert_eq!(model.value().scores(&Matrix::filled(4, 2, 0.5)).unwrap().columns(), 3);
}

#[test]
fn whatever_the_table_holds_it_is_fitted() {
    let tables = [
        Classified::new(Matrix::filled(0, 2, 0.0), vec![]).unwrap(),
        Classified::new(hostile(3, 2), vec![0, 1, 9]).unwrap(),
        Classified::new(hostile(200, 2), vec![1; 200]).unwrap(),
    ];
    let kernel = Some(Kernel { scale: 1.0, features: 10 });
    for method in [Method::Gradient, Method::Output, Method::Objective] {
        for kernel in [None, kernel] {
            let learner = learner(2, SvmOptions { kernel, ..by(method) });
            for table in &tables {
                let model = fitted(&learner, table.clone(), 6);
                let scores = model.value().scores(&hostile(9, 2)).unwrap();
                assert!(scores.values().iter().all(|x| x.is_finite()));
            }
        }
    }
}

#[test]
fn a_sharp_bend_is_fitted_too() {
    for method in [Method::Output, Method::Objective] {
        let penalty = Some(if method == Method::Output { 0.5 } else { 3000.0 });
        let options = SvmOptions { width: 1e-3, penalty, ..by(method) };
        for table in [examples(9000, 1, line), examples(9000, 1, |_| 1)] {
            let model = fitted(&learner(2, options.clone()), table, 2);
            assert!(model.value().intercepts().iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn targets_are_reached() {
    for (epsilon, delta) in [(0.1, 1e-5), (1.0, 1e-6), (8.0, 1e-9)] {
        let privacy = Privacy::approximate(epsilon, delta).unwrap();
        for method in [Method::Gradient, Method::Output, Method::Objective] {
            let bounds = Bounds::same(2, 0.0, 1.0).unwrap();
            let classes = Classes::new(2).unwrap();
            let learner = Svm::new(bounds, classes, &privacy, by(method)).unwrap();
            privacy.certify(&learner.spec()).unwrap();
        }
    }
    is_refused_without_budget(&learner(2, SvmOptions::default()), examples(9, 1, line));
}

#[test]
fn wrong_shapes_and_parameters_are_refused() {
    let narrow = Classified::new(Matrix::filled(3, 1, 0.0), vec![0; 3]).unwrap();
    assert!(learner(2, SvmOptions::default()).check(&narrow).is_err());
    let kernel = |scale, features| Some(Kernel { scale, features });
    for options in [
        SvmOptions { width: 0.0, ..Default::default() },
        SvmOptions { width: 1e9, ..Default::default() },
        SvmOptions { width: f64::NAN, ..Default::default() },
        SvmOptions { kernel: kernel(0.0, 9), ..Default::default() },
        SvmOptions { kernel: kernel(f64::INFINITY, 9), ..Default::default() },
        SvmOptions { kernel: kernel(1.0, 0), ..Default::default() },
        SvmOptions { kernel: kernel(1.0, 10_001), ..Default::default() },
        SvmOptions { penalty: Some(0.5), ..by(Method::Objective) },
    ] {
        let bounds = Bounds::same(2, 0.0, 1.0).unwrap();
        assert!(Svm::new(bounds, Classes::new(2).unwrap(), &approximate(), options).is_err());
    }
}

#[test]
fn models_are_saved_and_read_again() {
    let kernel = Some(Kernel { scale: 1.0, features: 5 });
    for options in [SvmOptions::default(), SvmOptions { kernel, ..Default::default() }] {
        let saved = Saved::of(fitted(&learner(2, options), examples(50, 1, line), 2));
        let json = Saved::<SvmModel>::from_json(&saved.to_json().unwrap()).unwrap();
        assert_eq!(json, saved);
        let tensors = saved.to_safetensors().unwrap();
        assert_eq!(Saved::<SvmModel>::from_safetensors(&tensors).unwrap(), saved);
    }
}
