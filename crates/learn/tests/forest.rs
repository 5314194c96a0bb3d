//! Random trees as a user sees them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss, reason = "a test")]

use crate::trees::shared::{Dice, budget, explained, hostile, read_after, refused, right};
use serde_json::json;
use throng_learn::columns::{Column, Columns};
use throng_learn::forest::{
    Asks, ForestClassifier, ForestClassifierModel, ForestOptions, ForestRegressor, Seen,
    TreeOptions,
};
use throng_learn::{
    Classes, Classified, Interval, Learner, Matrix, Measured, Predict, Predictions, Privacy, Saved,
};
use throng_mechanism::{Neighbours, Sensitive};
use throng_sample::SeededEntropy;

fn columns() -> Columns {
    let number = Column::Number(Interval::new(0.0, 1.0).unwrap());
    Columns::new(vec![number, number, Column::Category(4)]).unwrap()
}

/// The label is how many of three things hold, from 0 to 3.
fn table(rows: usize, seed: u64) -> (Matrix<f64>, Vec<f64>) {
    let mut dice = Dice::new(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (a, b, level) = (dice.fraction(), dice.fraction(), dice.below(4));
        values.extend([a, b, level as f64]);
        labels.push([a > 0.5, b > 0.5, level < 2].map(|x| f64::from(u8::from(x))).iter().sum());
    }
    (Matrix::new(rows, 3, values).unwrap(), labels)
}

fn examples(rows: usize, seed: u64) -> Classified {
    let (rows, labels) = table(rows, seed);
    Classified::new(rows, labels.iter().map(|x| u32::from(*x > 1.5)).collect()).unwrap()
}

fn targets() -> [Privacy; 3] {
    let target = *Privacy::approximate(1.0, 1e-5).unwrap().target();
    [
        Privacy::approximate(1.0, 1e-5).unwrap(),
        Privacy::pure(1.0).unwrap(),
        Privacy::new(target, Neighbours::Replace).unwrap(),
    ]
}

fn learner(privacy: &Privacy, options: ForestOptions) -> ForestClassifier {
    ForestClassifier::new(columns(), Classes::new(2).unwrap(), privacy, options).unwrap()
}

fn fitted(learner: &ForestClassifier, examples: Classified) -> Saved<ForestClassifierModel> {
    let mut entropy = SeededEntropy::new(3);
    Saved::of(learner.fit(&Sensitive::new(examples), &mut budget(learner), &mut entropy).unwrap())
}

#[test]
fn classes_are_learnt_by_many_trees_and_by_one() {
    let held = examples(1000, 2);
    for (trees, seen, least) in
        [(20, Seen::All, 0.85), (20, Seen::Disjoint, 0.8), (1, Seen::All, 0.6)]
    {
        for (privacy, asks) in
            targets().iter().flat_map(|privacy| [(privacy, Asks::Level), (privacy, Asks::Node)])
        {
            let options = ForestOptions { trees, depth: 6, seen, asks };
            let model = fitted(&learner(privacy, options), examples(20_000, 1));
            let right = right(&model.model().predict(held.features()).unwrap(), held.labels());
            assert!(right > least, "{trees} trees, {seen:?}, {asks:?}: {right}");
        }
    }
}

#[test]
fn numbers_are_learnt() {
    let label = Interval::new(0.0, 3.0).unwrap();
    for privacy in targets() {
        let learner =
            ForestRegressor::new(columns(), label, &privacy, ForestOptions::default()).unwrap();
        let (rows, labels) = table(20_000, 1);
        let input = Sensitive::new(Measured::new(rows, labels).unwrap());
        let mut entropy = SeededEntropy::new(3);
        let saved = Saved::of(learner.fit(&input, &mut budget(&learner), &mut entropy).unwrap());
        let (rows, labels) = table(1000, 2);
        let explained = explained(&saved.model().predict(&rows).unwrap(), &labels);
        assert!(explained > 0.4, "{explained}");
        assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
        let nothing = Measured::new(Matrix::filled(0, 3, 0.0), Vec::new()).unwrap();
        let input = Sensitive::new(nothing);
        let saved = Saved::of(learner.fit(&input, &mut budget(&learner), &mut entropy).unwrap());
        let found = saved.model().predict(&Matrix::filled(2, 3, f64::NAN)).unwrap();
        let Predictions::Numbers(found) = found else { panic!("not numbers") };
        assert!(found.iter().all(|x| (0.0..=3.0).contains(x)));
    }
}

#[test]
fn it_reaches_its_target() {
    for privacy in targets() {
        for seen in [Seen::All, Seen::Disjoint] {
            let options = ForestOptions { seen, ..Default::default() };
            let saved = fitted(&learner(&privacy, options), examples(10, 1));
            let delta = if privacy.epsilon_if_pure().unwrap().is_some() { 0.0 } else { 1e-5 };
            let found = saved.card().epsilon(delta).unwrap();
            assert!(found.upper <= 1.0 + 1e-9 && found.lower > 0.99, "{found:?}");
        }
    }
}

#[test]
fn both_formats_give_the_model_back() {
    for options in [ForestOptions::default(), TreeOptions::default().into()] {
        let saved = fitted(&learner(&targets()[0], options), examples(300, 1));
        assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
        assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
    }
}

/// A record that replaces another takes √2 times the noise of one that is added, not twice.
#[test]
fn a_replaced_record_costs_no_more_than_two_cells() {
    let [added, _, replaced] = targets();
    let doubt = |privacy: &Privacy| {
        let saved = fitted(&learner(privacy, ForestOptions::default()), examples(10, 1));
        serde_json::to_value(saved.model()).unwrap()["doubt"].as_f64().unwrap()
    };
    let ratio = doubt(&replaced) / doubt(&added);
    assert!((ratio - 2_f64.sqrt()).abs() < 1e-5, "{ratio}");
}

#[test]
fn a_table_of_another_width_is_refused_on_a_permit_too() {
    for columns in [0, 2, 4] {
        let rows = Matrix::filled(2, columns, f64::NEG_INFINITY);
        let input = Classified::new(rows.clone(), vec![0, 1]).unwrap();
        assert!(refused(&learner(&targets()[0], ForestOptions::default()), input));
        let label = Interval::new(0.0, 3.0).unwrap();
        let regressor =
            ForestRegressor::new(self::columns(), label, &targets()[1], ForestOptions::default());
        assert!(refused(&regressor.unwrap(), Measured::new(rows, vec![0.0, 1.0]).unwrap()));
    }
}

#[test]
fn a_file_that_is_no_model_is_not_read() {
    let saved = fitted(&learner(&targets()[0], TreeOptions::default().into()), examples(300, 1));
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| model["trees"] = json!([])));
    assert!(!read_after(&saved, |model| model["doubt"] = json!(0)));
    assert!(!read_after(&saved, |model| model["columns"].as_array_mut().unwrap().truncate(1)));
    let shape = "/trees/0/shape/questions";
    assert!(!read_after(&saved, |model| {
        model.pointer_mut(shape).unwrap().as_array_mut().unwrap().pop();
    }));
    assert!(!read_after(&saved, |model| {
        model.pointer_mut(shape).unwrap()[0]["parts"] = json!(3);
    }));
    assert!(!read_after(&saved, |model| {
        model["trees"][0]["values"] = json!({"shape": [1, 2], "values": [1, 2]});
    }));
    let label = Interval::new(0.0, 3.0).unwrap();
    let options = ForestOptions::default();
    let learner = ForestRegressor::new(columns(), label, &targets()[0], options).unwrap();
    let (rows, labels) = table(100, 1);
    let input = Sensitive::new(Measured::new(rows, labels).unwrap());
    let mut entropy = SeededEntropy::new(3);
    let saved = Saved::of(learner.fit(&input, &mut budget(&learner), &mut entropy).unwrap());
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| model["least"] = json!(-1)));
    assert!(!read_after(&saved, |model| {
        model["trees"][3]["shape"]["questions"][0]["column"] = json!(3);
    }));
}

#[test]
fn hostile_tables_are_fitted_all_the_same() {
    for (rows, labels) in hostile(3) {
        for seen in [Seen::All, Seen::Disjoint] {
            let options = ForestOptions { seen, ..Default::default() };
            let input = Classified::new(rows.clone(), labels.clone()).unwrap();
            let saved = fitted(&learner(&targets()[1], options), input);
            right(&saved.model().predict(&rows).unwrap(), &labels);
        }
    }
}

#[test]
fn what_is_wrong_is_refused_before_it_is_paid() {
    let (privacy, classes) = (&targets()[0], Classes::new(2).unwrap());
    for options in [
        ForestOptions { trees: 0, ..Default::default() },
        ForestOptions { depth: 0, ..Default::default() },
        ForestOptions { depth: 15, ..Default::default() },
        ForestOptions { trees: 10_000, depth: 14, ..Default::default() },
        ForestOptions { trees: 20, depth: 14, asks: Asks::Node, ..Default::default() },
    ] {
        assert!(ForestClassifier::new(columns(), classes, privacy, options).is_err());
    }
    let learner = learner(privacy, ForestOptions::default());
    let mut budget = budget(&learner);
    let before = budget.remaining();
    let narrow = Classified::new(Matrix::filled(2, 2, 0.0), vec![0, 1]).unwrap();
    let mut entropy = SeededEntropy::new(3);
    assert!(learner.fit(&Sensitive::new(narrow), &mut budget, &mut entropy).is_err());
    assert_eq!(budget.remaining(), before);
    drop(learner.fit(&Sensitive::new(examples(9, 1)), &mut budget, &mut entropy).unwrap());
    assert!(learner.fit(&Sensitive::new(examples(9, 1)), &mut budget, &mut entropy).is_err());
}
