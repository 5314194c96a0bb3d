//! Networks from outside: they learn, they cost what they say, and nothing in the data stops them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at the first error")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use throng_account::filter::Currency;
use throng_account::{Accuracy, Neighbours, PrivacyLoss, Target};
use throng_learn::network::{
    Checkpoint, Clipping, Layer, Network, NetworkOptions, Optimiser, Schedule, Shape, Training,
};
use throng_learn::{
    Bounds, Classes, Classified, Learner, Matrix, Predict, Predictions, Privacy, Saved,
};
use throng_mechanism::{Budget, Mechanism, Sensitive};
use throng_sample::{Entropy, OsEntropy, SeededEntropy};

const COLUMNS: usize = 16;

fn number(entropy: &mut SeededEntropy) -> f64 {
    let mut bytes = [0; 4];
    entropy.fill(&mut bytes).unwrap();
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}

/// 4 x 4 images: class 0 is bright on the left, 1 on the right, 2 at the top.
fn examples(rows: u32, seed: u64) -> Classified {
    let mut entropy = SeededEntropy::new(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let class = row % 3;
        for place in 0..16_u32 {
            let bright = match class {
                0 => place % 4 < 2,
                1 => place % 4 >= 2,
                _ => place < 8,
            };
            values.push(0.7 * number(&mut entropy) + if bright { 0.3 } else { 0.0 });
        }
        labels.push(class);
    }
    let rows = usize::try_from(rows).unwrap();
    Classified::new(Matrix::new(rows, COLUMNS, values).unwrap(), labels).unwrap()
}

fn budget() -> Budget {
    let currency = Currency::Renyi { order: "8".parse().unwrap() };
    let (epsilon, delta) = ("1e6".parse().unwrap(), "1e-5".parse().unwrap());
    Budget::converted(&currency, &epsilon, &delta, Neighbours::AddRemove).unwrap()
}

fn small() -> NetworkOptions {
    NetworkOptions {
        layers: vec![Layer::Dense { units: 12 }, Layer::Relu],
        records: Some(1500),
        steps: 30,
        clip: 1.0,
        optimiser: Optimiser::Adam { beta1: 0.9, beta2: 0.99 },
        learning_rate: 0.05,
        schedule: Schedule::Constant,
        ..NetworkOptions::default()
    }
}

/// With the noise that steps without sampling need for an epsilon of 3: more than those with it do.
fn training(options: NetworkOptions) -> Training {
    let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
    let noise = if options.batch.is_some() { "2" } else { "7.7" };
    Training::with_noise(bounds, Classes::new(3).unwrap(), &noise.parse().unwrap(), options)
        .unwrap()
}

fn accuracy(network: &Network, test: &Classified) -> f64 {
    let Predictions::Classes { chosen, probabilities } = network.predict(test.features()).unwrap()
    else {
        panic!("classes")
    };
    for row in probabilities.unwrap().iter() {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5 && row.iter().all(|p| p.is_finite()));
    }
    let right = chosen.iter().zip(test.labels()).filter(|(a, b)| a == b).count();
    f64::from(u32::try_from(right).unwrap()) / f64::from(u32::try_from(test.len()).unwrap())
}

fn fitted(options: NetworkOptions, seed: u64) -> Network {
    let data = Sensitive::new(examples(1500, 7));
    let mut entropy = SeededEntropy::new(seed);
    let release = training(options).fit(&data, &mut budget(), &mut entropy).unwrap();
    release.into_parts().0
}

fn convolutions() -> NetworkOptions {
    NetworkOptions {
        layers: vec![
            Layer::Convolution { filters: 4, size: 3, stride: 1, padding: 1 },
            Layer::Tanh,
            Layer::MaxPool { size: 2, stride: 2 },
            Layer::Dense { units: 8 },
            Layer::Relu,
        ],
        image: Some(Shape { height: 4, width: 4, channels: 1 }),
        ..small()
    }
}

#[test]
fn every_way_of_training_learns() {
    let test = examples(600, 8);
    let sgd = Optimiser::Sgd { momentum: 0.9 };
    let ways = [
        small(),
        convolutions(),
        NetworkOptions { batch: Some(300), steps: 60, ..small() },
        NetworkOptions { clipping: Clipping::PerLayer, ..small() },
        NetworkOptions { clipping: Clipping::Adaptive { quantile: 0.5 }, ..small() },
        NetworkOptions { clipping: Clipping::Adaptive { quantile: 0.5 }, clip: 30.0, ..small() },
        NetworkOptions { optimiser: sgd, learning_rate: 0.5, ..small() },
        NetworkOptions {
            optimiser: sgd,
            learning_rate: 0.5,
            schedule: Schedule::Cosine,
            ..small()
        },
        NetworkOptions { schedule: Schedule::Linear, warm_up: 5, averaging: 0.8, ..small() },
        NetworkOptions { layers: vec![], ..small() },
    ];
    for options in ways {
        let found = accuracy(&fitted(options.clone(), 1), &test);
        assert!(found > 0.85, "{found} with {options:?}");
    }
}

#[test]
fn training_costs_what_was_asked_for_and_no_less() {
    let privacy = Privacy::approximate(3.0, 1e-5).unwrap();
    let adaptive = Clipping::Adaptive { quantile: 0.3 };
    for (options, start) in [
        (small(), "30 * gaussian("),
        (NetworkOptions { clipping: adaptive, ..small() }, "30 * gaussian("),
        (NetworkOptions { batch: Some(15), ..small() }, "30 * sampled(gaussian("),
    ] {
        let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
        let training =
            Training::new(bounds, Classes::new(3).unwrap(), &privacy, options.clone()).unwrap();
        let spec = training.spec();
        assert!(spec.to_string().starts_with(start), "{spec}");
        let loss = PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default()).unwrap();
        let epsilon = loss.epsilon(1e-5).unwrap();
        assert!(epsilon.upper <= 3.0 && epsilon.lower > 2.999, "{epsilon:?}");
        assert_eq!(training.spec_of(30).unwrap(), spec);
    }
}

#[test]
fn other_targets_are_reached() {
    let targets = [
        Target::Gdp { mu: 0.5 },
        Target::Detection { false_alarm: 0.01, found: 0.05 },
        Target::Advantage { advantage: 0.2 },
    ];
    for target in targets {
        let privacy = Privacy::new(target, Neighbours::AddRemove).unwrap();
        let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
        let training = Training::new(bounds, Classes::new(3).unwrap(), &privacy, small()).unwrap();
        privacy.certify(&training.spec()).unwrap();
    }
}

#[test]
fn a_permit_is_needed_for_just_this() {
    let training = training(small());
    let data = Sensitive::new(examples(30, 1));
    let mut budget = budget();
    let other = budget.authorise(&"gaussian(sigma=100)".parse().unwrap()).unwrap();
    assert!(training.run(&data, other, &mut OsEntropy).is_err());
    let mut poor = Budget::gdp(&"0.01".parse().unwrap(), Neighbours::AddRemove).unwrap();
    assert!(training.fit(&data, &mut poor, &mut OsEntropy).is_err());
}

#[test]
fn one_seed_gives_one_network() {
    let options = NetworkOptions { batch: Some(200), ..convolutions() };
    assert_eq!(fitted(options.clone(), 5), fitted(options.clone(), 5));
    assert_ne!(fitted(options.clone(), 5), fitted(options, 6));
}

#[test]
fn networks_are_saved_in_both_forms() {
    let data = Sensitive::new(examples(60, 1));
    for options in [small(), convolutions()] {
        let training = training(options);
        let release = training.fit(&data, &mut budget(), &mut SeededEntropy::new(1)).unwrap();
        let saved = Saved::of(release);
        let json: Saved<Network> = Saved::from_json(&saved.to_json().unwrap()).unwrap();
        let tensors: Saved<Network> =
            Saved::from_safetensors(&saved.to_safetensors().unwrap()).unwrap();
        assert_eq!(json, saved);
        assert_eq!(tensors, saved);
        assert!(saved.card().epsilon(1e-5).unwrap().upper <= 3.0);
        let broken = saved.to_json().unwrap().replacen("\"classes\": 3", "\"classes\": 4", 1);
        assert!(Saved::<Network>::from_json(&broken).is_err());
    }
}

#[test]
fn a_training_in_segments_is_the_same_training_and_states_what_all_cost() {
    let options = NetworkOptions { batch: Some(300), averaging: 0.5, ..small() };
    let training = training(options);
    let data = Sensitive::new(examples(1500, 7));
    let mut entropy = SeededEntropy::new(3);
    let mut budget = budget();
    let mut checkpoint = training.begin(&mut entropy).unwrap();
    assert!(training.finish(&checkpoint).is_err(), "nothing is paid for yet");
    for steps in [4, 1, 25] {
        let segment = training.segment(checkpoint, steps).unwrap();
        assert_eq!(segment.spec(), training.spec_of(steps).unwrap());
        let release = segment.fit(&data, &mut budget, &mut entropy).unwrap();
        assert_eq!(release.guarantee().spec(), &training.spec_of(steps).unwrap());
        let card = training.finish(release.value()).unwrap().into_parts().0;
        let saved = Saved::new(card, release.into_parts().0);
        let read = Saved::<Checkpoint>::from_safetensors(&saved.to_safetensors().unwrap()).unwrap();
        assert_eq!(read.model(), saved.model());
        let json = Saved::<Checkpoint>::from_json(&saved.to_json().unwrap()).unwrap();
        assert_eq!(json.model(), saved.model());
        checkpoint = read.into_parts().1;
    }
    assert_eq!(checkpoint.step(), 30);
    assert_eq!(checkpoint.spent().unwrap().unwrap(), training.spec());
    let whole = training.finish(&checkpoint).unwrap();
    assert_eq!(whole.card().spec().unwrap(), training.spec());
    // Of the same entropy: the same network as in one go.
    let once = training.fit(&data, &mut budget, &mut SeededEntropy::new(3)).unwrap();
    assert_eq!(once.value(), whole.model());
    assert!(training.segment(checkpoint, 1).is_err(), "all steps are taken");
}

#[test]
fn segments_of_different_trainings_compose() {
    let data = Sensitive::new(examples(60, 7));
    let (mut entropy, mut budget) = (SeededEntropy::new(3), budget());
    let first = training(small());
    let privacy = Privacy::approximate(1.0, 1e-5).unwrap();
    let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
    let second = Training::new(bounds, Classes::new(3).unwrap(), &privacy, small()).unwrap();
    let begun = first.begin(&mut entropy).unwrap();
    let half = first.segment(begun, 10).unwrap().fit(&data, &mut budget, &mut entropy).unwrap();
    let half = half.into_parts().0;
    let all = second.segment(half.clone(), 20).unwrap().fit(&data, &mut budget, &mut entropy);
    let spent = all.unwrap().into_parts().0.spent().unwrap().unwrap().to_string();
    assert!(spent.starts_with("10 * gaussian(") && spent.contains(" + 20 * gaussian("), "{spent}");
    // Another network or optimiser does not go on from there.
    let wider = NetworkOptions { layers: vec![Layer::Dense { units: 13 }, Layer::Relu], ..small() };
    assert!(training(wider).segment(half.clone(), 1).is_err());
    let sgd = NetworkOptions { optimiser: Optimiser::Sgd { momentum: 0.0 }, ..small() };
    assert!(training(sgd).segment(half, 1).is_err());
}

#[test]
fn progress_is_told() {
    let told = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&told);
    let training = training(small()).watched(move |step, steps| {
        assert_eq!(seen.fetch_add(1, Ordering::Relaxed) + 1, step);
        assert_eq!(steps, 30);
    });
    let data = Sensitive::new(examples(30, 7));
    let _ = training.fit(&data, &mut budget(), &mut OsEntropy).unwrap();
    assert_eq!(told.load(Ordering::Relaxed), 30);
}

#[test]
fn public_data_gives_a_start() {
    let options = NetworkOptions { steps: 60, ..small() };
    let public =
        training(options).on_public(&examples(900, 5), &mut SeededEntropy::new(1)).unwrap();
    let test = examples(600, 8);
    assert!(accuracy(&public, &test) > 0.95);
    let few = NetworkOptions { steps: 1, learning_rate: 1e-4, ..small() };
    let tuning = training(few).from(&public).unwrap();
    let data = Sensitive::new(examples(90, 9));
    let tuned = tuning.fit(&data, &mut budget(), &mut OsEntropy).unwrap();
    assert!(accuracy(tuned.value(), &test) > 0.9);
    let wider = NetworkOptions { layers: vec![Layer::Dense { units: 13 }, Layer::Relu], ..small() };
    assert!(training(wider).from(&public).is_err());
}

#[test]
fn nothing_in_the_data_stops_a_training() {
    let hostile = |value: f64, label: u32, rows: usize| {
        Classified::new(Matrix::filled(rows, COLUMNS, value), vec![label; rows]).unwrap()
    };
    let tables = [
        hostile(f64::NAN, 0, 5),
        hostile(f64::INFINITY, 1, 130),
        hostile(f64::NEG_INFINITY, 2, 1),
        hostile(1e308, 7, 20),
        hostile(0.5, u32::MAX, 20),
        hostile(0.0, 0, 0),
    ];
    for table in tables {
        for options in [small(), convolutions(), NetworkOptions { batch: Some(1), ..small() }] {
            let data = Sensitive::new(table.clone());
            let network = training(options).fit(&data, &mut budget(), &mut OsEntropy).unwrap();
            let network = network.into_parts().0;
            let all = network.weights().iter().chain(network.biases());
            assert!(all.flat_map(Matrix::values).all(|x| x.is_finite()));
            accuracy(&network, &table);
        }
    }
    // Wild learning rates end with finite weights too.
    let wild = NetworkOptions {
        optimiser: Optimiser::Sgd { momentum: 0.99 },
        learning_rate: 1e30,
        ..small()
    };
    let network = fitted(wild, 1);
    assert!(network.weights().iter().flat_map(Matrix::values).all(|x| x.is_finite()));
    accuracy(&network, &examples(30, 1));
}

#[test]
fn wrong_shapes_cost_nothing() {
    let training = training(small());
    let narrow = Classified::new(Matrix::filled(4, 3, 0.0), vec![0; 4]).unwrap();
    let mut budget = budget();
    let before = budget.spent().clone();
    assert!(training.fit(&Sensitive::new(narrow.clone()), &mut budget, &mut OsEntropy).is_err());
    assert_eq!(budget.spent(), &before);
    assert!(training.on_public(&narrow, &mut OsEntropy).is_err());
    let network = fitted(small(), 1);
    assert!(network.predict(narrow.features()).is_err());
    assert_eq!(network.columns(), COLUMNS);
}

#[test]
fn bad_options_are_refused() {
    let privacy = Privacy::approximate(3.0, 1e-5).unwrap();
    let make = |privacy: &Privacy, options: NetworkOptions| {
        let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
        Training::new(bounds, Classes::new(3).unwrap(), privacy, options)
    };
    let layers = |layers: Vec<Layer>| NetworkOptions { layers, ..small() };
    let image = Some(Shape { height: 4, width: 4, channels: 1 });
    let of_image = |one: Layer| NetworkOptions { image, ..layers(vec![one]) };
    let huge = usize::MAX;
    let bad = [
        NetworkOptions { clip: 0.0, ..small() },
        NetworkOptions { clip: f64::NAN, ..small() },
        NetworkOptions { clip: 1e9, ..small() },
        NetworkOptions { learning_rate: -1.0, ..small() },
        NetworkOptions { steps: 0, ..small() },
        NetworkOptions { records: Some(0), ..small() },
        NetworkOptions { records: None, batch: Some(10), ..small() },
        NetworkOptions { batch: Some(0), ..small() },
        NetworkOptions { batch: Some(1501), ..small() },
        NetworkOptions { averaging: 1.0, ..small() },
        NetworkOptions { clipping: Clipping::Adaptive { quantile: 0.0 }, ..small() },
        NetworkOptions { optimiser: Optimiser::Sgd { momentum: 1.0 }, ..small() },
        NetworkOptions { optimiser: Optimiser::Adam { beta1: 0.9, beta2: 1.0 }, ..small() },
        NetworkOptions { image: Some(Shape { height: 4, width: 5, channels: 1 }), ..small() },
        layers(vec![Layer::Relu]),
        layers(vec![Layer::Dense { units: 4 }, Layer::Relu, Layer::Tanh]),
        layers(vec![Layer::Dense { units: 0 }]),
        layers(vec![Layer::Dense { units: huge }]),
        layers(vec![Layer::MaxPool { size: 2, stride: 1 }]),
        of_image(Layer::MaxPool { size: 2, stride: 0 }),
        of_image(Layer::MaxPool { size: 5, stride: 1 }),
        of_image(Layer::Convolution { filters: 1, size: 3, stride: 1, padding: huge }),
        of_image(Layer::Convolution { filters: huge, size: 3, stride: 1, padding: 1 }),
    ];
    for options in bad {
        assert!(make(&privacy, options.clone()).is_err(), "{options:?}");
    }
    assert!(make(&Privacy::pure(1.0).unwrap(), small()).is_err());
    let replace = Privacy::new(Target::Gdp { mu: 1.0 }, Neighbours::Replace).unwrap();
    assert!(make(&replace, small()).is_err());
    assert!(serde_json::from_str::<NetworkOptions>(r#"{"steps": 5, "stesp": 6}"#).is_err());
    let read: NetworkOptions = serde_json::from_str(
        r#"{"layers": [{"layer": "convolution", "filters": 4, "size": 3}, {"layer": "relu"}],
            "optimiser": {"sgd": {"momentum": 0.5}}, "clipping": {"adaptive": {"quantile": 0.5}}}"#,
    )
    .unwrap();
    let text = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<NetworkOptions>(&text).unwrap(), read);
}
