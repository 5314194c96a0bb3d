//! Boosted trees as a user sees them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss, reason = "a test")]

use crate::trees::shared::{Dice, budget, explained, hostile, read_after, refused, right};
use serde_json::json;
use throng_learn::boosting::{
    BoostedClassifier, BoostingClassifier, BoostingOptions, BoostingRegressor,
};
use throng_learn::columns::{Column, Columns};
use throng_learn::{
    Classes, Classified, Interval, LearnError, Learner, Matrix, Measured, Predict, Privacy, Saved,
};
use throng_mechanism::{Neighbours, Sensitive};
use throng_sample::SeededEntropy;

fn columns() -> Columns {
    let number = Column::Number(Interval::new(0.0, 1.0).unwrap());
    Columns::new(vec![number, number, Column::Category(5)]).unwrap()
}

/// A table, and a score of each row that all columns move, in [0, 3].
fn table(rows: usize, seed: u64) -> (Matrix<f64>, Vec<f64>) {
    let mut dice = Dice::new(seed);
    let (mut values, mut scores) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (a, b, level) = (dice.fraction(), dice.fraction(), dice.below(5));
        values.extend([a, b, level as f64]);
        // Not monotone in the first column, nor in the place of the level.
        scores.push(4.0 * (a - 0.5).abs().min(0.25) + b + f64::from(u8::from(level % 2 == 0)));
    }
    (Matrix::new(rows, 3, values).unwrap(), scores)
}

fn examples(rows: usize, classes: u32, seed: u64) -> Classified {
    let (rows, scores) = table(rows, seed);
    let class = |score: &f64| u32::from(*score > 1.5) + u32::from(*score > 2.2 && classes == 3);
    Classified::new(rows, scores.iter().map(class).collect()).unwrap()
}

fn privacy() -> Privacy {
    Privacy::approximate(1.0, 1e-5).unwrap()
}

fn classifier(classes: u32, privacy: &Privacy) -> BoostingClassifier {
    let classes = Classes::new(classes).unwrap();
    BoostingClassifier::new(columns(), classes, privacy, BoostingOptions::default()).unwrap()
}

fn fitted(learner: &BoostingClassifier, examples: Classified) -> Saved<BoostedClassifier> {
    let mut entropy = SeededEntropy::new(3);
    Saved::of(learner.fit(&Sensitive::new(examples), &mut budget(learner), &mut entropy).unwrap())
}

#[test]
fn two_and_three_classes_are_learnt() {
    for (classes, least) in [(2, 0.9), (3, 0.75)] {
        let model = fitted(&classifier(classes, &privacy()), examples(8000, classes, 1));
        let held = examples(1000, classes, 2);
        let right = right(&model.model().predict(held.features()).unwrap(), held.labels());
        assert!(right > least, "{classes} classes: {right}");
    }
}

#[test]
fn what_columns_do_together_is_learnt_by_deeper_trees() {
    let mut dice = Dice::new(7);
    let mut draw = |rows: usize| {
        let values: Vec<f64> = (0..3 * rows).map(|_| dice.fraction()).collect();
        let rows = Matrix::new(rows, 3, values).unwrap();
        let labels = rows.iter().map(|x| u32::from((x[0] > 0.5) != (x[1] > 0.5))).collect();
        Classified::new(rows, labels).unwrap()
    };
    let (train, held) = (draw(8000), draw(1000));
    let number = Column::Number(Interval::new(0.0, 1.0).unwrap());
    let score = |depth: u32| {
        let options = BoostingOptions { depth, parts: 4, ..Default::default() };
        let columns = Columns::new(vec![number; 3]).unwrap();
        let privacy = Privacy::approximate(3.0, 1e-5).unwrap();
        let learner =
            BoostingClassifier::new(columns, Classes::new(2).unwrap(), &privacy, options).unwrap();
        let model = fitted(&learner, train.clone());
        right(&model.model().predict(held.features()).unwrap(), held.labels())
    };
    assert!(score(1) < 0.6 && score(2) > 0.8);
}

#[test]
fn numbers_are_learnt() {
    let label = Interval::new(0.0, 3.0).unwrap();
    let learner =
        BoostingRegressor::new(columns(), label, &privacy(), BoostingOptions::default()).unwrap();
    let (rows, scores) = table(8000, 1);
    let input = Sensitive::new(Measured::new(rows, scores).unwrap());
    let mut entropy = SeededEntropy::new(3);
    let saved = Saved::of(learner.fit(&input, &mut budget(&learner), &mut entropy).unwrap());
    let (rows, scores) = table(1000, 2);
    let explained = explained(&saved.model().predict(&rows).unwrap(), &scores);
    assert!(explained > 0.8, "{explained}");
    assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    for (rows, labels) in hostile(3) {
        let labels = labels.iter().map(|x| f64::from(*x) * 1e300).collect();
        let input = Sensitive::new(Measured::new(rows.clone(), labels).unwrap());
        let model = learner.fit(&input, &mut budget(&learner), &mut entropy).unwrap();
        let found = Saved::of(model).model().predict(&rows).unwrap();
        let throng_learn::Predictions::Numbers(found) = found else { panic!("not numbers") };
        assert!(found.iter().all(|x| (0.0..=3.0).contains(x)));
    }
}

#[test]
fn it_reaches_its_target_under_both_relations() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let privacy = Privacy::new(*privacy().target(), under).unwrap();
        let saved = fitted(&classifier(2, &privacy), examples(10, 2, 1));
        let found = saved.card().epsilon(1e-5).unwrap();
        assert!(found.upper <= 1.0 && found.lower > 0.99, "{found:?}");
    }
}

#[test]
fn both_formats_give_the_model_back() {
    let saved = fitted(&classifier(3, &privacy()), examples(300, 3, 1));
    assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
}

#[test]
fn hostile_tables_are_fitted_all_the_same() {
    for (rows, labels) in hostile(3) {
        for classes in [2, 3] {
            let input = Classified::new(rows.clone(), labels.clone()).unwrap();
            let saved = fitted(&classifier(classes, &privacy()), input);
            saved.to_json().unwrap();
            right(&saved.model().predict(&rows).unwrap(), &labels);
        }
    }
}

#[test]
fn what_is_wrong_is_refused_before_it_is_paid() {
    let classes = Classes::new(2).unwrap();
    let usual = BoostingOptions::default;
    for options in [
        BoostingOptions { trees: Some(0), ..usual() },
        BoostingOptions { depth: 0, ..usual() },
        BoostingOptions { depth: 10, parts: 8, ..usual() },
        BoostingOptions { parts: 1, ..usual() },
        BoostingOptions { parts: u32::MAX, ..usual() },
        BoostingOptions { rate: 0.0, ..usual() },
        BoostingOptions { ridge: f64::NAN, ..usual() },
        BoostingOptions { caution: -1.0, ..usual() },
        BoostingOptions { residual: 0.0, ..usual() },
    ] {
        assert!(BoostingClassifier::new(columns(), classes, &privacy(), options).is_err());
    }
    let usual_of = |classes| {
        let classes = Classes::new(classes).unwrap();
        BoostingClassifier::new(columns(), classes, &privacy(), usual())
    };
    assert!(usual_of(257).is_err() && usual_of(256).is_ok());
    for (trees, fits) in [(1024, true), (1025, false)] {
        let options = BoostingOptions { trees: Some(trees), depth: 14, parts: 2, ..usual() };
        let found = BoostingClassifier::new(columns(), classes, &privacy(), options);
        assert_eq!(found.is_ok(), fits, "{trees}");
    }
    let pure = Privacy::pure(1.0).unwrap();
    let found = BoostingClassifier::new(columns(), classes, &pure, usual());
    assert!(matches!(found, Err(LearnError::Refused { .. })));
    let learner = classifier(2, &privacy());
    let mut budget = budget(&learner);
    let before = budget.remaining();
    let narrow = Classified::new(Matrix::filled(2, 2, 0.0), vec![0, 1]).unwrap();
    let mut entropy = SeededEntropy::new(3);
    assert!(learner.fit(&Sensitive::new(narrow), &mut budget, &mut entropy).is_err());
    assert_eq!(budget.remaining(), before);
    drop(learner.fit(&Sensitive::new(examples(9, 2, 1)), &mut budget, &mut entropy).unwrap());
    assert!(learner.fit(&Sensitive::new(examples(9, 2, 1)), &mut budget, &mut entropy).is_err());
}

#[test]
fn a_table_of_another_width_is_refused_on_a_permit_too() {
    for width in [0, 2, 4] {
        let rows = Matrix::filled(2, width, f64::NEG_INFINITY);
        let input = Classified::new(rows.clone(), vec![0, 1]).unwrap();
        assert!(refused(&classifier(2, &privacy()), input));
        let label = Interval::new(0.0, 3.0).unwrap();
        let learner =
            BoostingRegressor::new(columns(), label, &privacy(), BoostingOptions::default());
        assert!(refused(&learner.unwrap(), Measured::new(rows, vec![0.0, 1.0]).unwrap()));
    }
}

#[test]
fn a_file_that_is_no_model_is_not_read() {
    let saved = fitted(&classifier(3, &privacy()), examples(300, 3, 1));
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| model["classes"] = json!(4)));
    assert!(!read_after(&saved, |model| model["trees"] = json!([])));
    assert!(!read_after(&saved, |model| {
        model["trees"][1]["shape"]["questions"][0]["column"] = json!(3);
    }));
    assert!(!read_after(&saved, |model| {
        model["trees"][1]["shape"]["questions"][0]["parts"] = json!(9);
    }));
    assert!(!read_after(&saved, |model| model["trees"][0]["values"]["values"][0] = json!(null)));
    let label = Interval::new(0.0, 3.0).unwrap();
    let options = BoostingOptions { trees: Some(3), ..Default::default() };
    let learner = BoostingRegressor::new(columns(), label, &privacy(), options).unwrap();
    let (rows, scores) = table(100, 1);
    let input = Sensitive::new(Measured::new(rows, scores).unwrap());
    let mut entropy = SeededEntropy::new(3);
    let saved = Saved::of(learner.fit(&input, &mut budget(&learner), &mut entropy).unwrap());
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| {
        model["trees"][0]["values"] = json!({"shape": [1, 2], "values": [1, 2]});
    }));
    assert!(!read_after(&saved, |model| model["label"] = json!([3, 0])));
}
