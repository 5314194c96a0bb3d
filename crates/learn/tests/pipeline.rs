//! Pre-processing and a learner under one budget, as a user sees them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss, reason = "a test")]

use crate::trees::shared::{Dice, budget, hostile, read_after, refused, right};
use serde_json::json;
use throng_learn::kmeans::{KMeans, KMeansOptions};
use throng_learn::linear::{LinearOptions, LinearRegression};
use throng_learn::logistic::{LogisticModel, LogisticOptions, LogisticRegression};
use throng_learn::pca::{Pca, PcaModel, PcaOptions};
use throng_learn::pipeline::{Pipeline, PipelineModel, PipelineOptions};
use throng_learn::scaler::{Scaler, ScalerModel, ScalerOptions};
use throng_learn::{
    Bounds, Classes, Classified, Interval, LearnError, Learner, Matrix, Measured, Predict, Privacy,
    Saved,
};
use throng_mechanism::{Mechanism, Neighbours, Sensitive};
use throng_sample::SeededEntropy;

const COLUMNS: usize = 6;

/// Columns that fill a hundredth of their bounds, the first of which tells the class.
fn examples(rows: usize, seed: u64) -> Classified {
    let mut dice = Dice::new(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let row: Vec<f64> = (0..COLUMNS).map(|_| 20.0 + dice.fraction()).collect();
        labels.push(u32::from(row[0] > 20.5));
        values.extend(row);
    }
    Classified::new(Matrix::new(rows, COLUMNS, values).unwrap(), labels).unwrap()
}

fn bounds() -> Bounds {
    Bounds::same(COLUMNS, -100.0, 100.0).unwrap()
}

fn privacy() -> Privacy {
    Privacy::approximate(1.0, 1e-5).unwrap()
}

fn logistic(bounds: Bounds, privacy: &Privacy) -> Result<LogisticRegression, LearnError> {
    LogisticRegression::new(bounds, Classes::new(2)?, privacy, LogisticOptions::default())
}

type Scaled = Pipeline<Scaler, LogisticRegression>;

fn scaled(privacy: &Privacy) -> Scaled {
    let options = PipelineOptions { share: 0.3, ..Default::default() };
    let least = ScalerOptions { least: 0.001 };
    Pipeline::new(privacy, options, |share| Scaler::new(bounds(), share, least), logistic).unwrap()
}

fn fitted(
    learner: &Scaled,
    examples: Classified,
) -> Saved<PipelineModel<ScalerModel, LogisticModel>> {
    let mut entropy = SeededEntropy::new(3);
    Saved::of(learner.fit(&Sensitive::new(examples), &mut budget(learner), &mut entropy).unwrap())
}

/// Scores that spread over their bounds are worth more than numbers that fill a hundredth of theirs.
#[test]
fn scores_help_where_bounds_are_wide() {
    let held = examples(1000, 2);
    let saved = fitted(&scaled(&privacy()), examples(20_000, 1));
    let with = right(&saved.model().predict(held.features()).unwrap(), held.labels());
    let alone = logistic(bounds(), &privacy()).unwrap();
    let input = Sensitive::new(examples(20_000, 1));
    let model = alone.fit(&input, &mut budget(&alone), &mut SeededEntropy::new(3)).unwrap();
    let without = right(&model.value().predict(held.features()).unwrap(), held.labels());
    assert!(with > 0.95 && with > without + 0.02, "{with} {without}");
}

/// One permit pays for both, the card says both, and together they are what was asked for.
#[test]
fn both_together_reach_the_target() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let privacy = Privacy::new(*privacy().target(), under).unwrap();
        let learner = scaled(&privacy);
        let saved = fitted(&learner, examples(50, 1));
        assert_eq!(saved.card().spec().unwrap(), learner.spec());
        let found = saved.card().epsilon(1e-5).unwrap();
        assert!(found.upper <= 1.0 && found.lower > 0.98, "{found:?}");
    }
    let least = ScalerOptions::default();
    let pure = Pipeline::new(
        &Privacy::pure(1.0).unwrap(),
        PipelineOptions::default(),
        |share| Scaler::new(bounds(), share, least.clone()),
        |bounds, rest| Scaler::new(bounds, rest, least.clone()),
    );
    let cost = throng_account::filter::cost::pure(&pure.unwrap().spec(), Neighbours::AddRemove);
    let cost = cost.unwrap().to_f64_nearest();
    assert!(cost <= 1.0 && cost > 0.999, "{cost}");
}

/// Components first, then clusters or a regression.
#[test]
fn components_come_before_other_learners() {
    let components = PcaOptions { components: 2, ..Default::default() };
    let options = PipelineOptions { share: 0.5, ..Default::default() };
    let clusters = Pipeline::new(
        &privacy(),
        options.clone(),
        |share| Pca::new(bounds(), share, components.clone()),
        |bounds, rest| KMeans::new(bounds, 3, rest, KMeansOptions::default()),
    )
    .unwrap();
    let features = examples(500, 1).features().clone();
    let mut entropy = SeededEntropy::new(3);
    let input = Sensitive::new(features.clone());
    let model = clusters.fit(&input, &mut budget(&clusters), &mut entropy).unwrap();
    let (model, _) = model.into_parts();
    assert_eq!(model.then().centres().columns(), 2);
    assert_eq!(model.columns(), COLUMNS);
    model.predict(&features).unwrap();
    let label = Interval::new(0.0, 1.0).unwrap();
    let numbers = Pipeline::new(
        &privacy(),
        options,
        |share| Pca::new(bounds(), share, components.clone()),
        |bounds, rest| LinearRegression::new(bounds, label, rest, LinearOptions::default()),
    )
    .unwrap();
    for (rows, labels) in hostile(COLUMNS) {
        let labels = labels.iter().map(|x| f64::from(*x)).collect();
        let input = Sensitive::new(Measured::new(rows.clone(), labels).unwrap());
        let model = numbers.fit(&input, &mut budget(&numbers), &mut entropy).unwrap();
        model.value().predict(&rows).unwrap();
    }
}

#[test]
fn both_formats_give_the_model_back_and_files_are_checked() {
    let saved = fitted(&scaled(&privacy()), examples(50, 1));
    assert_eq!(Saved::from_json(&saved.to_json().unwrap()).unwrap(), saved);
    assert_eq!(Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap(), saved);
    assert!(read_after(&saved, |_| {}));
    assert!(!read_after(&saved, |model| model["bounds"] = json!([[0, 1]])));
    assert!(!read_after(&saved, |model| model["first"]["deviations"][0] = json!(0)));
    let other = saved.to_json().unwrap();
    assert!(Saved::<PipelineModel<PcaModel, LogisticModel>>::from_json(&other).is_err());
}

#[test]
fn what_is_wrong_is_refused_before_it_is_paid() {
    let scaler = |share: &Privacy| Scaler::new(bounds(), share, ScalerOptions::default());
    for options in [
        PipelineOptions { share: 0.0, ..Default::default() },
        PipelineOptions { share: f64::NAN, ..Default::default() },
        PipelineOptions { deviations: 0.0, ..Default::default() },
        PipelineOptions { deviations: f64::INFINITY, ..Default::default() },
    ] {
        assert!(Pipeline::new(&privacy(), options, scaler, logistic).is_err());
    }
    let usual = PipelineOptions::default;
    // A learner that takes the whole target for itself, or protects another relation.
    let all = Pipeline::new(&privacy(), usual(), scaler, |bounds, _| logistic(bounds, &privacy()));
    assert!(all.is_err());
    let other = Privacy::new(*privacy().target(), Neighbours::Replace).unwrap();
    let mixed = Pipeline::new(&privacy(), usual(), scaler, |bounds, _| logistic(bounds, &other));
    assert!(mixed.is_err());
    // A second learner for another number of columns than the first makes.
    let wide = Pipeline::new(&privacy(), usual(), scaler, |_, rest| {
        logistic(Bounds::same(COLUMNS + 1, -1.0, 1.0)?, rest)
    })
    .unwrap();
    let mut budget = budget(&wide);
    let before = budget.remaining();
    let mut entropy = SeededEntropy::new(3);
    let input = Sensitive::new(examples(5, 1));
    assert!(wide.fit(&input, &mut budget, &mut entropy).is_err());
    assert_eq!(budget.remaining(), before);
    let narrow = Classified::new(Matrix::filled(2, 2, 0.0), vec![0, 1]).unwrap();
    assert!(refused(&scaled(&privacy()), narrow));
}
