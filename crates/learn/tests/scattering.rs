//! Images: what is learnt, hostile images, bad parameters, saving and loading, and what it costs.
#![allow(clippy::unwrap_used, reason = "tests")]

use throng_account::{Accuracy, Neighbours, PrivacyLoss, Target};
use throng_learn::image::{ImageClassifier, ImageModel, ImageOptions};
use throng_learn::scattering::{Scattering, Shape};
use throng_learn::{
    Classes, Classified, Interval, Learner, Matrix, Predict, Predictions, Privacy, Saved,
};
use throng_mechanism::{Budget, Mechanism, Release, Sensitive};
use throng_sample::SeededEntropy;

const SHAPE: Shape = Shape { height: 8, width: 8, channels: 1 };

/// Stripes, down or across, of some phase, with specks.
fn stripes(records: usize, turn: usize) -> (Matrix<f32>, Vec<u32>) {
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for record in 0..records {
        let class = record * 7 / 3 % 2;
        for place in 0..64 {
            let (y, x) = (place / 8, place % 8);
            let along = if class == 0 { x } else { y };
            let speck = (place * 31 + record * 17 + turn * 5).is_multiple_of(23);
            let dark = ((along + record / 5) / 2).is_multiple_of(2) != speck;
            values.push(if dark { 1.0 } else { 0.0 });
        }
        labels.push(u32::try_from(class).unwrap());
    }
    (Matrix::new(records, 64, values).unwrap(), labels)
}

fn learner(privacy: &Privacy, options: ImageOptions) -> ImageClassifier {
    let (pixels, classes) = (Interval::new(0.0, 1.0).unwrap(), Classes::new(2).unwrap());
    ImageClassifier::new(SHAPE, pixels, classes, privacy, options).unwrap()
}

fn small() -> ImageOptions {
    ImageOptions { epochs: 8, ..ImageOptions::default() }
}

fn fitted(learner: &ImageClassifier, examples: Classified<f32>) -> Release<ImageModel> {
    let mut budget = Budget::gdp(&"9".parse().unwrap(), learner.neighbours()).unwrap();
    let mut entropy = SeededEntropy::new(11);
    learner.fit(&Sensitive::new(examples), &mut budget, &mut entropy).unwrap()
}

fn accuracy(model: &ImageModel) -> f64 {
    let (images, labels) = stripes(200, 3);
    let doubles = images.values().iter().map(|x| f64::from(*x)).collect();
    let doubles = Matrix::new(200, 64, doubles).unwrap();
    let Predictions::Classes { chosen, .. } = model.predict(&doubles).unwrap() else { return 0.0 };
    let right = chosen.iter().zip(&labels).filter(|(a, b)| a == b).count();
    f64::from(u32::try_from(right).unwrap()) / 200.0
}

#[test]
fn stripes_are_told_apart_with_and_without_batches() {
    let privacy = Privacy::approximate(3.0, 1e-5).unwrap();
    let batches = ImageOptions { epochs: 2, batches: 8, band: 8, ..ImageOptions::default() };
    for options in [small(), batches] {
        let (images, labels) = stripes(1500, 1);
        let examples = Classified::new(images, labels).unwrap();
        let release = fitted(&learner(&privacy, options), examples);
        let found = accuracy(&release.into_parts().0);
        assert!(found > 0.95, "{found}");
    }
}

#[test]
fn whatever_the_images_are_there_is_a_model() {
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    let options = ImageOptions { epochs: 2, ..ImageOptions::default() };
    let learner = learner(&privacy, options);
    let tables = [
        Classified::new(Matrix::filled(0, 64, 0.0), vec![]).unwrap(),
        Classified::new(Matrix::filled(1, 64, f32::NAN), vec![0]).unwrap(),
        Classified::new(Matrix::filled(5, 64, f32::INFINITY), vec![1; 5]).unwrap(),
        Classified::new(Matrix::filled(5, 64, -3e38), vec![9; 5]).unwrap(),
        Classified::new(stripes(20, 1).0, vec![1; 20]).unwrap(),
    ];
    for table in tables {
        let model = fitted(&learner, table).into_parts().0;
        assert!(model.weights().values().iter().all(|w| w.is_finite()));
        let hostile = Matrix::from_rows(&[[f64::NAN; 64], [f64::INFINITY; 64], [-1e300; 64]]);
        let Predictions::Classes { chosen, probabilities } = model.predict(&hostile).unwrap()
        else {
            panic!("not a classifier")
        };
        assert!(chosen.iter().all(|class| *class < 2));
        assert!(probabilities.unwrap().values().iter().all(|p| (0.0..=1.0).contains(p)));
        assert!(model.predict(&Matrix::filled(1, 63, 0.0)).is_err());
    }
    let narrow = Classified::new(Matrix::filled(2, 63, 0.0), vec![0, 1]).unwrap();
    assert!(learner.check(&narrow).is_err());
}

#[test]
fn bad_parameters_are_refused() {
    for (height, width, channels) in
        [(0, 8, 1), (8, 0, 1), (8, 8, 0), (7, 8, 1), (8, 10, 1), (4096, 4096, 4)]
    {
        assert!(Scattering::new(Shape { height, width, channels }).is_err());
    }
    let (pixels, classes) = (Interval::new(0.0, 1.0).unwrap(), Classes::new(2).unwrap());
    let made = |options, privacy: &Privacy| {
        ImageClassifier::new(SHAPE, pixels, classes, privacy, options).is_ok()
    };
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    let good = ImageOptions::default;
    assert!(made(good(), &privacy));
    assert!(!made(good(), &Privacy::pure(1.0).unwrap()));
    for options in [
        ImageOptions { epochs: 0, ..good() },
        ImageOptions { batches: 0, ..good() },
        ImageOptions { band: 0, ..good() },
        ImageOptions { clip: 0.0, ..good() },
        ImageOptions { clip: f64::NAN, ..good() },
        ImageOptions { rate: -1.0, ..good() },
        ImageOptions { rate: f64::INFINITY, ..good() },
        ImageOptions { momentum: 1.0, ..good() },
        ImageOptions { decay: 1.5, ..good() },
        ImageOptions { whitening: -0.1, ..good() },
        ImageOptions { floor: 0.0, ..good() },
        ImageOptions { moments: 0, ..good() },
        ImageOptions { moments: 1000, ..good() },
    ] {
        assert!(!made(options, &privacy));
    }
}

#[test]
fn models_are_kept_in_both_formats() {
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    let (images, labels) = stripes(50, 1);
    let examples = Classified::new(images, labels).unwrap();
    let saved = Saved::of(fitted(&learner(&privacy, small()), examples));
    let json: Saved<ImageModel> = Saved::from_json(&saved.to_json().unwrap()).unwrap();
    assert_eq!(json, saved);
    let tensors = Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap();
    assert_eq!(saved, tensors);
    assert!(saved.card().epsilon(1e-5).unwrap().upper <= 1.0);
}

#[test]
fn the_spec_reaches_the_target_under_each_relation() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let target = Target::Epsilon { epsilon: 3.0, delta: 1e-5 };
        for (batches, band) in [(1, 1), (10, 10)] {
            let options = ImageOptions { batches, band, ..ImageOptions::default() };
            let learner = learner(&Privacy::new(target, under).unwrap(), options);
            let loss = PrivacyLoss::of_spec(&learner.spec(), under, Accuracy::default()).unwrap();
            let epsilon = loss.epsilon(1e-5).unwrap();
            assert!(epsilon.upper <= 3.0 && epsilon.lower > 2.999);
            assert_eq!(learner.neighbours(), under);
        }
    }
}

#[test]
fn a_fit_needs_a_budget_that_covers_it() {
    let privacy = Privacy::approximate(3.0, 1e-5).unwrap();
    let mut budget = Budget::gdp(&"0.1".parse().unwrap(), Neighbours::AddRemove).unwrap();
    let (images, labels) = stripes(20, 1);
    let examples = Sensitive::new(Classified::new(images, labels).unwrap());
    let mut entropy = SeededEntropy::new(1);
    assert!(learner(&privacy, small()).fit(&examples, &mut budget, &mut entropy).is_err());
}

/// `vectors/learn_network.csv` has them by direct convolutions in numpy.
#[test]
fn features_are_those_of_the_definition() {
    let scattering = Scattering::new(Shape { height: 8, width: 12, channels: 2 }).unwrap();
    let pixel = |k: u16| f32::from((3 * 37 + k * k % 65 * 11 + 3 * k * 5) % 65) / 64.0;
    let image: Vec<f32> = (0..192).map(pixel).collect();
    let mut features = vec![0.0; scattering.features()];
    scattering.room().transform(&image, &mut features);
    let text = include_str!("../../../vectors/learn_network.csv");
    let mut seen = 0;
    for line in text.lines().filter(|line| line.starts_with("scattering,8x12x2,")) {
        let fields: Vec<&str> = line.split(',').collect();
        let (index, value): (usize, f32) = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        assert!((features[index] - value).abs() < 2e-6, "{line}: {}", features[index]);
        seen += 1;
    }
    assert_eq!(seen, features.len().div_ceil(5));
}

#[test]
fn images_of_a_size_that_no_machine_whitens_are_refused() {
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    let (pixels, classes) = (Interval::new(0.0, 1.0).unwrap(), Classes::new(2).unwrap());
    for (height, width, channels, fits) in
        [(256, 256, 1, true), (256, 260, 1, false), (4, 4, 50, true), (4, 4, 51, false)]
    {
        let shape = Shape { height, width, channels };
        let made = ImageClassifier::new(shape, pixels, classes, &privacy, ImageOptions::default());
        assert_eq!(made.is_ok(), fits);
    }
}
