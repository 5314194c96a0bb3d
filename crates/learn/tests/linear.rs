//! Linear regression as a user sees it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_precision_loss,
    missing_docs,
    unreachable_pub,
    reason = "a test"
)]

use crate::convex::shared::{Dice, fitted, hostile, is_refused_without_budget};
use throng_account::Neighbours;
use throng_learn::linear::{LinearMethod, LinearModel, LinearOptions, LinearRegression};
use throng_learn::{
    Bounds, Interval, LearnError, Learner, Matrix, Measured, Predict, Predictions, Privacy, Saved,
    Summary,
};
use throng_mechanism::Mechanism;

const SLOPES: [f64; 3] = [3.0, -2.0, 0.5];

/// label = 10 + slopes · features + noise, features in [0, 4].
fn examples(rows: usize, seed: u64) -> Measured {
    let mut dice = Dice::new(seed);
    let mut table = dice.table(rows, 3);
    let mut labels = Vec::new();
    for row in 0..rows {
        for x in table.row_mut(row) {
            *x *= 4.0;
        }
        let along: f64 = table.row(row).iter().zip(SLOPES).map(|(x, s)| x * s).sum();
        labels.push(10.0 + along + dice.normal());
    }
    Measured::new(table, labels).unwrap()
}

fn learner(privacy: &Privacy, options: LinearOptions) -> LinearRegression {
    let bounds = Bounds::same(3, 0.0, 4.0).unwrap();
    LinearRegression::new(bounds, Interval::new(-5.0, 30.0).unwrap(), privacy, options).unwrap()
}

fn approximate() -> Privacy {
    Privacy::approximate(1.0, 1e-5).unwrap()
}

#[test]
fn coefficients_come_back_in_the_units_of_the_data() {
    let all = [
        (approximate(), LinearOptions::default()),
        (Privacy::pure(1.0).unwrap(), LinearOptions::default()),
        (approximate(), LinearOptions { ridge: Some(0.1), ..Default::default() }),
        (
            Privacy::pure(3.0).unwrap(),
            LinearOptions { method: LinearMethod::Functional, ..Default::default() },
        ),
    ];
    for (privacy, options) in all {
        let model = fitted(&learner(&privacy, options), examples(40_000, 1), 2);
        for (found, slope) in model.value().coefficients().iter().zip(SLOPES) {
            assert!((found - slope).abs() < 0.3, "{found} is far from {slope}");
        }
        assert!((model.value().intercept() - 10.0).abs() < 1.0);
    }
}

#[test]
fn predictions_are_good_and_within_the_bounds_of_the_label() {
    let model = fitted(&learner(&approximate(), LinearOptions::default()), examples(20_000, 3), 4);
    let held = examples(500, 5);
    let Predictions::Numbers(said) = model.value().predict(held.features()).unwrap() else {
        panic!("not numbers")
    };
    let mean = held.labels().iter().sum::<f64>() / 500.0;
    let left: f64 = said.iter().zip(held.labels()).map(|(a, b)| (a - b) * (a - b)).sum();
    let all: f64 = held.labels().iter().map(|b| (b - mean) * (b - mean)).sum();
    assert!(1.0 - left / all > 0.9);
    let Predictions::Numbers(said) = model.value().predict(&hostile(20, 3)).unwrap() else {
        panic!("not numbers")
    };
    assert!(said.iter().all(|y| (-5.0..=30.0).contains(y)));
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let learner = learner(&approximate(), LinearOptions::default());
    let (mut held, mut all) = (0, 0);
    for seed in 0..120 {
        let model = fitted(&learner, examples(6000, 100 + seed), seed);
        let intervals = model.value().intervals(0.9).unwrap().expect("enough data for intervals");
        for ((low, high), slope) in intervals.into_iter().zip(SLOPES) {
            held += usize::from(low <= slope && slope <= high);
            all += 1;
        }
    }
    // 360 intervals at 90 %, of which three at a time share their noise.
    let share = held as f64 / f64::from(all);
    assert!((0.84..=0.96).contains(&share), "{share}");
}

/// A slope of 0.5 and residuals of a quarter of the half width: labels near an end are common, and a weight that
/// looked at them would draw the slope towards 0, by eight standard errors here.
#[test]
fn wide_residuals_do_not_bias_the_slope() {
    let bounds = Bounds::same(1, -1.0, 1.0).unwrap();
    let label = Interval::new(-1.0, 1.0).unwrap();
    let privacy = approximate();
    let learner = LinearRegression::new(bounds, label, &privacy, LinearOptions::default()).unwrap();
    let (mut held, mut sum, mut within) = (0, 0.0, 0);
    let runs = 40;
    for seed in 0..runs {
        let mut dice = Dice::new(500 + seed);
        let mut table = dice.table(20_000, 1);
        let mut labels = Vec::new();
        for row in 0..20_000 {
            let x = 2.0 * table.row(row)[0] - 1.0;
            table.row_mut(row)[0] = x;
            labels.push(0.5 * x + 0.25 * dice.normal());
        }
        // Clamping labels at the bounds is another matter: few are beyond.
        let model = fitted(&learner, Measured::new(table, labels).unwrap(), seed);
        let lines = model.value().summary(0.95).unwrap();
        let [_, slope] = &lines[..] else { panic!("an intercept and a slope") };
        let [low, high] = slope.interval.unwrap();
        held += usize::from(low <= 0.5 && 0.5 <= high);
        within += usize::from((slope.value - 0.5).abs() < 4.0 * slope.error.unwrap());
        sum += slope.value;
    }
    let mean = sum / runs as f64;
    assert!((mean - 0.5).abs() < 0.006, "{mean}");
    assert!(held >= 30 && within == 40, "{held} of {runs}");
}

#[test]
fn the_intercept_has_an_error_too() {
    let learner = learner(&approximate(), LinearOptions::default());
    let mut held = 0;
    for seed in 0..60 {
        let model = fitted(&learner, examples(8000, 900 + seed), seed);
        let lines = model.value().summary(0.9).unwrap();
        assert_eq!(lines.len(), 4);
        let (estimate, error) = model.value().intercept_estimate().unwrap();
        assert!((lines[0].value - estimate).abs() < 1e-12 && lines[0].error == Some(error));
        let [low, high] = lines[0].interval.unwrap();
        held += usize::from(low <= 10.0 && 10.0 <= high);
        let errors = model.value().standard_errors().unwrap();
        let intervals = model.value().intervals(0.9).unwrap().unwrap();
        for ((line, error), (low, high)) in lines[1..].iter().zip(errors).zip(intervals) {
            assert!((line.error.unwrap() - error).abs() < 1e-12);
            let [a, b] = line.interval.unwrap();
            assert!((a - low).abs() < 1e-9 && (b - high).abs() < 1e-9);
        }
    }
    assert!((44..=60).contains(&held), "{held} of 60");
    assert!(fitted(&learner, examples(9, 1), 1).value().summary(0.9).unwrap()[0].error.is_none());
}

#[test]
fn there_are_no_intervals_where_noise_is_all_there_is() {
    let model = fitted(&learner(&approximate(), LinearOptions::default()), examples(30, 1), 2);
    assert_eq!(model.value().intervals(0.9).unwrap(), None);
    assert_eq!(model.value().standard_errors(), None);
    assert!(model.value().intervals(1.0).is_err());
    assert!(model.value().intervals(f64::NAN).is_err());
}

#[test]
fn whatever_the_table_holds_it_is_fitted() {
    let tables = [
        Measured::new(Matrix::filled(0, 3, 0.0), vec![]).unwrap(),
        Measured::new(hostile(2, 3), vec![f64::NAN, f64::INFINITY]).unwrap(),
        Measured::new(hostile(400, 3), vec![-1e300; 400]).unwrap(),
        Measured::new(Matrix::filled(100, 3, 2.0), vec![7.0; 100]).unwrap(),
    ];
    for privacy in [approximate(), Privacy::pure(0.5).unwrap()] {
        for method in [LinearMethod::Moments, LinearMethod::Functional] {
            for table in &tables {
                let options = LinearOptions { method, ..Default::default() };
                let model = fitted(&learner(&privacy, options), table.clone(), 6);
                assert!(model.value().coefficients().iter().all(|x| x.is_finite()));
                assert!(model.value().intercept().is_finite());
            }
        }
    }
}

#[test]
fn targets_are_reached_under_both_relations() {
    for (epsilon, delta) in [(0.1, 1e-5), (1.0, 1e-6), (8.0, 1e-9)] {
        let privacy = Privacy::approximate(epsilon, delta).unwrap();
        let spec = learner(&privacy, LinearOptions::default()).spec();
        privacy.certify(&spec).unwrap();
        let exchanged = Privacy::new(*privacy.target(), Neighbours::Replace).unwrap();
        let learner = learner(&exchanged, LinearOptions::default());
        assert_eq!(learner.neighbours(), Neighbours::Replace);
        exchanged.certify(&learner.spec()).unwrap();
    }
    is_refused_without_budget(&learner(&approximate(), LinearOptions::default()), examples(10, 1));
}

#[test]
fn wrong_shapes_and_parameters_are_refused() {
    let learner = learner(&approximate(), LinearOptions::default());
    let narrow = Measured::new(Matrix::filled(5, 2, 0.0), vec![0.0; 5]).unwrap();
    assert!(matches!(learner.check(&narrow), Err(LearnError::Invalid { .. })));
    for options in [
        LinearOptions { ridge: Some(-1.0), ..Default::default() },
        LinearOptions { ridge: Some(f64::NAN), ..Default::default() },
        LinearOptions { norm: Some(0.0), ..Default::default() },
        LinearOptions { norm: Some(f64::INFINITY), ..Default::default() },
        LinearOptions { caution: 0.0, ..Default::default() },
        LinearOptions { method: LinearMethod::Functional, norm: Some(2.0), ..Default::default() },
    ] {
        let bounds = Bounds::same(3, 0.0, 4.0).unwrap();
        let label = Interval::new(0.0, 1.0).unwrap();
        assert!(LinearRegression::new(bounds, label, &approximate(), options).is_err());
    }
}

#[test]
fn models_are_saved_and_read_again() {
    let release = fitted(&learner(&approximate(), LinearOptions::default()), examples(900, 1), 2);
    let saved = Saved::of(release);
    let json = Saved::<LinearModel>::from_json(&saved.to_json().unwrap()).unwrap();
    assert_eq!(json, saved);
    let tensors = saved.to_safetensors().unwrap();
    assert_eq!(Saved::<LinearModel>::from_safetensors(&tensors).unwrap(), saved);
}
