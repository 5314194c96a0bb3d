//! Principal components and standard scores as a user sees them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss, reason = "a test")]

use crate::trees::shared::{Dice, budget, hostile, read_after, refused};
use serde_json::json;
use throng_learn::pca::{Pca, PcaModel, PcaOptions};
use throng_learn::pipeline::Transform;
use throng_learn::scaler::{Scaler, ScalerModel, ScalerOptions};
use throng_learn::{Bounds, LearnError, Learner, Matrix, Predict, Predictions, Privacy, Saved};
use throng_mechanism::{Neighbours, Sensitive};
use throng_sample::SeededEntropy;

/// Points along (3, 4)/5 in the first two columns, from (2, 2); a little noise in the third.
fn points(rows: usize) -> Matrix<f64> {
    let mut dice = Dice::new(1);
    let mut values = Vec::new();
    for _ in 0..rows {
        let along = 4.0 * (dice.fraction() - 0.5);
        values.extend([2.0 + 0.6 * along, 2.0 + 0.8 * along, 0.2 * (dice.fraction() - 0.5)]);
    }
    Matrix::new(rows, 3, values).unwrap()
}

fn bounds() -> Bounds {
    Bounds::same(3, -5.0, 5.0).unwrap()
}

fn privacy() -> Privacy {
    Privacy::approximate(1.0, 1e-5).unwrap()
}

fn components(points: Matrix<f64>) -> Saved<PcaModel> {
    let learner = Pca::new(bounds(), &privacy(), PcaOptions::default()).unwrap();
    let mut entropy = SeededEntropy::new(3);
    Saved::of(learner.fit(&Sensitive::new(points), &mut budget(&learner), &mut entropy).unwrap())
}

fn scores(privacy: &Privacy, points: Matrix<f64>) -> Saved<ScalerModel> {
    let learner = Scaler::new(bounds(), privacy, ScalerOptions::default()).unwrap();
    let mut entropy = SeededEntropy::new(3);
    Saved::of(learner.fit(&Sensitive::new(points), &mut budget(&learner), &mut entropy).unwrap())
}

fn targets() -> [Privacy; 3] {
    [
        privacy(),
        Privacy::pure(1.0).unwrap(),
        Privacy::new(*privacy().target(), Neighbours::Replace).unwrap(),
    ]
}

#[test]
fn the_first_component_is_where_the_points_lie() {
    let saved = components(points(20_000));
    let first = saved.model().components().row(0);
    assert!((0.6 * first[0] + 0.8 * first[1]).abs() > 0.98, "{first:?}");
    assert!((saved.model().mean()[0] - 0.4).abs() < 0.05);
    assert!(saved.model().variances()[0] > 10.0 * saved.model().variances()[1]);
    let Predictions::Features(found) = saved.model().predict(&points(5)).unwrap() else {
        panic!("not features")
    };
    assert_eq!((found.rows(), found.columns()), (5, 2));
    let found = saved.card().epsilon(1e-5).unwrap();
    assert!(found.upper <= 1.0 && found.lower > 0.99);
}

#[test]
fn standard_scores_have_mean_0_and_variance_1() {
    for privacy in targets() {
        let saved = scores(&privacy, points(20_000));
        let Predictions::Features(found) = saved.model().predict(&points(1000)).unwrap() else {
            panic!("not features")
        };
        for column in 0..2 {
            let values: Vec<f64> = found.iter().map(|row| row[column]).collect();
            let mean = values.iter().sum::<f64>() / 1000.0;
            let square = values.iter().map(|x| x * x).sum::<f64>() / 1000.0;
            assert!(mean.abs() < 0.1 && (square - 1.0).abs() < 0.2, "{mean} {square}");
        }
        let delta = if privacy.epsilon_if_pure().unwrap().is_some() { 0.0 } else { 1e-5 };
        let found = saved.card().epsilon(delta).unwrap();
        assert!(found.upper <= 1.0 + 1e-9 && found.lower > 0.99);
    }
}

#[test]
fn both_formats_give_the_models_back() {
    let saved = components(points(50));
    assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
    let saved = scores(&privacy(), points(50));
    assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
}

#[test]
fn hostile_tables_are_fitted_all_the_same() {
    for (rows, _) in hostile(3) {
        components(rows.clone()).to_json().unwrap();
        for privacy in targets() {
            let saved = scores(&privacy, rows.clone());
            let Predictions::Features(found) = saved.model().predict(&rows).unwrap() else {
                panic!("not features")
            };
            assert!(found.values().iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn what_is_wrong_is_refused_before_it_is_paid() {
    for options in [
        PcaOptions { components: 0, ..Default::default() },
        PcaOptions { reach: 0.0, ..Default::default() },
        PcaOptions { reach: 1.1, ..Default::default() },
    ] {
        assert!(Pca::new(bounds(), &privacy(), options).is_err());
    }
    let wide = Bounds::same(3000, 0.0, 1.0).unwrap();
    assert!(Pca::new(wide, &privacy(), PcaOptions::default()).is_err());
    let pure = Pca::new(bounds(), &Privacy::pure(1.0).unwrap(), PcaOptions::default());
    assert!(matches!(pure, Err(LearnError::Refused { .. })));
    for least in [0.0, 1e-200, 1.5, f64::NAN] {
        assert!(Scaler::new(bounds(), &privacy(), ScalerOptions { least }).is_err());
    }
    let learner = Pca::new(bounds(), &privacy(), PcaOptions::default()).unwrap();
    let mut budget = budget(&learner);
    let mut entropy = SeededEntropy::new(3);
    let narrow = Sensitive::new(Matrix::filled(2, 2, 0.0));
    let before = budget.remaining();
    assert!(learner.fit(&narrow, &mut budget, &mut entropy).is_err());
    assert_eq!(budget.remaining(), before);
}

/// Whatever a row holds, what is made of it lies within the bounds, and rows at the ends reach them.
#[test]
fn what_models_make_lies_within_the_bounds_they_give() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -5.0, 5.0, 0.1, 1e308, 5e-324];
    let rows: Vec<f64> =
        (0..512_usize).flat_map(|i| [i / 64, i / 8, i].map(|k| odd[k % 8])).collect();
    let rows = Matrix::new(512, 3, rows).unwrap();
    let (components, scores) = (components(points(200)), scores(&privacy(), points(200)));
    for model in [components.model() as &dyn Transform, scores.model()] {
        let (bounds, found) = (model.output_bounds().unwrap(), model.transform(&rows).unwrap());
        assert_eq!(bounds.columns(), found.columns());
        for (column, interval) in bounds.intervals().iter().enumerate() {
            let values: Vec<f64> = found.iter().map(|row| row[column]).collect();
            assert!(values.iter().all(|x| (interval.lower()..=interval.upper()).contains(x)));
            let most = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            assert!(most > 0.9 * interval.upper().max(-interval.lower()), "{most} {interval:?}");
        }
        let usual = model.usual_bounds(0.5).unwrap();
        for (usual, all) in usual.intervals().iter().zip(bounds.intervals()) {
            assert!(usual.lower() >= all.lower() && usual.upper() <= all.upper());
            assert!(usual.width() < all.width());
        }
    }
}

#[test]
fn a_table_of_another_width_is_refused_on_a_permit_too() {
    let pca = Pca::new(bounds(), &privacy(), PcaOptions::default()).unwrap();
    let scaler = Scaler::new(bounds(), &privacy(), ScalerOptions::default()).unwrap();
    for columns in [0, 2, 4] {
        let rows = Matrix::filled(2, columns, f64::NEG_INFINITY);
        assert!(refused(&pca, rows.clone()) && refused(&scaler, rows));
    }
}

#[test]
fn a_file_that_is_no_model_is_not_read() {
    let saved = components(points(50));
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| model["mean"] = json!([0.0, 0.0])));
    assert!(!read_after(&saved, |model| model["mean"][0] = json!(2.0)));
    assert!(!read_after(&saved, |model| model["variances"] = json!([1.0])));
    assert!(!read_after(&saved, |model| model["noise"] = json!(-1.0)));
    assert!(!read_after(&saved, |model| model["components"]["shape"] = json!([3, 2])));
    assert!(!read_after(&saved, |model| model["components"]["values"] = json!([0, 0, 0, 0, 0, 0])));
    let saved = scores(&privacy(), points(50));
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| model["means"] = json!([0.0, 0.0])));
    assert!(!read_after(&saved, |model| model["means"][0] = json!(7.0)));
    assert!(!read_after(&saved, |model| model["deviations"][0] = json!(0.0)));
    assert!(!read_after(&saved, |model| model["deviations"][0] = json!(5e-324)));
}
