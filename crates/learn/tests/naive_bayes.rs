//! Naive Bayes as a user sees it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss, reason = "a test")]

use crate::trees::shared::{Dice, budget, hostile, right};
use throng_learn::columns::{Column, Columns};
use throng_learn::naive_bayes::{NaiveBayes, NaiveBayesModel, NaiveBayesOptions};
use throng_learn::{Classes, Classified, Interval, Learner, Matrix, Predict, Privacy, Saved};
use throng_mechanism::{Mechanism, Neighbours, Sensitive};
use throng_sample::SeededEntropy;

/// Two numbers and a category, all of which tell the class.
fn columns() -> Columns {
    let number = Column::Number(Interval::new(0.0, 1.0).unwrap());
    Columns::new(vec![number, number, Column::Category(3)]).unwrap()
}

fn examples(rows: usize, seed: u64) -> Classified {
    let mut dice = Dice::new(seed);
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for _ in 0..rows {
        let class = dice.below(3);
        let centre = [0.2, 0.5, 0.8][class];
        let near = |dice: &mut Dice| centre + 0.3 * (dice.fraction() - 0.5);
        let level = if dice.fraction() < 0.7 { class } else { dice.below(3) };
        values.extend([near(&mut dice), near(&mut dice), level as f64]);
        labels.push(u32::try_from(class).unwrap());
    }
    Classified::new(Matrix::new(rows, 3, values).unwrap(), labels).unwrap()
}

fn learner(privacy: &Privacy) -> NaiveBayes {
    let classes = Classes::new(3).unwrap();
    NaiveBayes::new(columns(), classes, privacy, NaiveBayesOptions::default()).unwrap()
}

fn targets() -> [Privacy; 3] {
    let target = *Privacy::approximate(1.0, 1e-5).unwrap().target();
    [
        Privacy::approximate(1.0, 1e-5).unwrap(),
        Privacy::pure(1.0).unwrap(),
        Privacy::new(target, Neighbours::Replace).unwrap(),
    ]
}

fn fitted(privacy: &Privacy, examples: Classified) -> Saved<NaiveBayesModel> {
    let learner = learner(privacy);
    let mut budget = budget(&learner);
    let mut entropy = SeededEntropy::new(3);
    Saved::of(learner.fit(&Sensitive::new(examples), &mut budget, &mut entropy).unwrap())
}

#[test]
fn it_learns_under_every_kind_of_target() {
    let held = examples(500, 2);
    for privacy in targets() {
        let saved = fitted(&privacy, examples(3000, 1));
        let right = right(&saved.model().predict(held.features()).unwrap(), held.labels());
        assert!(right > 0.9, "{right}");
    }
}

/// One record in a hundred is of the second class, and lies elsewhere.
#[test]
fn a_rare_class_keeps_its_mean_and_its_frequency() {
    let number = Column::Number(Interval::new(0.0, 1.0).unwrap());
    let columns = Columns::new(vec![number, number]).unwrap();
    let mut dice = Dice::new(4);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for record in 0..40_000_u32 {
        let rare = record % 100 == 0;
        let centre = if rare { 0.7 } else { 0.4 };
        values.extend([0, 1].map(|_| centre + 0.2 * (dice.fraction() - 0.5)));
        labels.push(u32::from(rare));
    }
    let examples = Classified::new(Matrix::new(40_000, 2, values).unwrap(), labels).unwrap();
    for privacy in targets() {
        let classes = Classes::new(2).unwrap();
        let options = NaiveBayesOptions { reach: 1.0, ..Default::default() };
        let learner = NaiveBayes::new(columns.clone(), classes, &privacy, options).unwrap();
        let data = Sensitive::new(examples.clone());
        let mut budget = budget(&learner);
        let release = learner.fit(&data, &mut budget, &mut SeededEntropy::new(8)).unwrap();
        let model = release.value();
        #[expect(clippy::disallowed_methods, reason = "a test compares with ordinary numbers")]
        let share = model.prior()[1].exp();
        assert!((0.008..0.0125).contains(&share), "{share}");
        for mean in model.means().row(1) {
            // 0.7 is 0.4 from the middle of [0, 1], in units of half its width.
            assert!((mean - 0.4).abs() < 0.08, "{mean}");
        }
    }
}

#[test]
fn it_reaches_its_target() {
    for privacy in targets() {
        let saved = fitted(&privacy, examples(10, 1));
        let delta = if privacy.epsilon_if_pure().unwrap().is_some() { 0.0 } else { 1e-5 };
        let found = saved.card().epsilon(delta).unwrap();
        assert!(found.upper <= 1.0 + 1e-9 && found.lower > 0.99, "{found:?}");
    }
}

#[test]
fn both_formats_give_the_model_back() {
    let saved = fitted(&targets()[0], examples(300, 1));
    assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
}

#[test]
fn hostile_tables_are_fitted_all_the_same() {
    for (rows, labels) in hostile(3) {
        let examples = Classified::new(rows.clone(), labels).unwrap();
        for privacy in targets() {
            let saved = fitted(&privacy, examples.clone());
            saved.to_json().unwrap();
            saved.model().predict(&rows).unwrap();
        }
    }
}

#[test]
fn what_is_wrong_is_refused_before_it_is_paid() {
    let privacy = &targets()[0];
    let classes = Classes::new(3).unwrap();
    for options in [
        NaiveBayesOptions { reach: 0.0, ..Default::default() },
        NaiveBayesOptions { reach: f64::NAN, ..Default::default() },
        NaiveBayesOptions { square_weight: 0.0, ..Default::default() },
        NaiveBayesOptions { count_weight: -1.0, ..Default::default() },
        NaiveBayesOptions { variance_floor: 0.0, ..Default::default() },
        NaiveBayesOptions { variance_floor: 1.5, ..Default::default() },
        NaiveBayesOptions { variance_floor: f64::NAN, ..Default::default() },
        NaiveBayesOptions { smoothing: f64::INFINITY, ..Default::default() },
    ] {
        assert!(NaiveBayes::new(columns(), classes, privacy, options).is_err());
    }
    let wide = Columns::new(vec![Column::Category(65_536); 300]).unwrap();
    assert!(NaiveBayes::new(wide, classes, privacy, NaiveBayesOptions::default()).is_err());
    let learner = learner(privacy);
    let mut budget = budget(&learner);
    let before = budget.remaining();
    let narrow = Classified::new(Matrix::filled(2, 2, 0.0), vec![0, 1]).unwrap();
    let mut entropy = SeededEntropy::new(3);
    assert!(learner.fit(&Sensitive::new(narrow), &mut budget, &mut entropy).is_err());
    assert_eq!(budget.remaining(), before);
    drop(learner.fit(&Sensitive::new(examples(10, 1)), &mut budget, &mut entropy).unwrap());
    assert!(learner.fit(&Sensitive::new(examples(10, 1)), &mut budget, &mut entropy).is_err());
    assert_eq!(learner.neighbours(), Neighbours::AddRemove);
}
