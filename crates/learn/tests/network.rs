//! Networks from outside: they learn, they cost what they say, and nothing in the data stops them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at the first error")]

use std::sync::{Arc, Mutex};

use throng_account::filter::Currency;
use throng_account::{Accuracy, Neighbours, PrivacyLoss, Target};
use throng_learn::network::{
    Checkpoint, Clipping, Layer, Network, NetworkOptions, Optimiser, Schedule, Shape, StepNoise,
    Training,
};
use throng_learn::{
    Bounds, Classes, Classified, Learner, Matrix, Predict, Predictions, Privacy, Saved,
};
use throng_mechanism::{Budget, Mechanism, MechanismSpec, Sensitive};
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

/// The noise that dp-accounting 0.6.0 finds by bisection for an epsilon of 3 at a delta of 1e-5, of 586 compositions
/// of `from_gaussian_mechanism(sigma, sampling_prob=2048/60000, value_discretization_interval=1e-4)`: with the optimistic
/// estimate (privacy buckets) 1.3854549, with the pessimistic one (connect-the-dots) 1.3941878.
#[test]
fn noise_is_what_dp_accounting_finds() {
    let privacy = Privacy::approximate(3.0, 1e-5).unwrap();
    let options =
        NetworkOptions { records: Some(60_000), batch: Some(2048), steps: 586, ..small() };
    let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
    let training = Training::new(bounds, Classes::new(10).unwrap(), &privacy, options).unwrap();
    let found = training.noise_multiplier().to_f64_nearest();
    assert!((1.385_454_9..1.394_187_8 * 1.000_1).contains(&found), "{found}");
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
        let saved = Saved::of(release);
        // Whenever it stops, it states the plan, not just the last segment.
        assert_eq!(saved.card().spec().unwrap(), training.spec());
        assert_eq!(training.finish(saved.model()).unwrap().card(), saved.card());
        let read = Saved::<Checkpoint>::from_safetensors(&saved.to_safetensors().unwrap()).unwrap();
        assert_eq!(read.model(), saved.model());
        let json = Saved::<Checkpoint>::from_json(&saved.to_json().unwrap()).unwrap();
        assert_eq!(json.model(), saved.model());
        checkpoint = read.into_parts().1;
    }
    assert_eq!(checkpoint.step(), 30);
    assert_eq!(checkpoint.spent().unwrap(), training.spec());
    let whole = training.finish(&checkpoint).unwrap();
    assert_eq!(whole.card().spec().unwrap(), training.spec());
    // Of the same entropy: the same network as in one go.
    let once = training.fit(&data, &mut budget, &mut SeededEntropy::new(3)).unwrap();
    assert_eq!(once.value(), whole.model());
    assert!(training.segment(checkpoint, 1).is_err(), "all steps are taken");
}

#[test]
fn a_checkpoint_stays_with_its_plan() {
    let data = Sensitive::new(examples(60, 7));
    let (mut entropy, mut budget) = (SeededEntropy::new(3), budget());
    let first = training(small());
    let begun = first.begin(&mut entropy).unwrap();
    assert_eq!(begun.spent(), None);
    let part = first.segment(begun, 10).unwrap().fit(&data, &mut budget, &mut entropy).unwrap();
    let part = part.into_parts().0;
    assert_eq!(part.spent().unwrap(), first.spec_of(10).unwrap());
    let others = [
        NetworkOptions { layers: vec![Layer::Dense { units: 13 }, Layer::Relu], ..small() },
        NetworkOptions { optimiser: Optimiser::Sgd { momentum: 0.0 }, ..small() },
        NetworkOptions { steps: 31, ..small() },
        NetworkOptions { batch: Some(300), ..small() },
    ];
    for options in others {
        let other = training(options);
        assert!(other.segment(part.clone(), 1).is_err());
        assert!(other.finish(&part).is_err());
    }
    let noise = "7.8".parse().unwrap();
    let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
    let louder = Training::with_noise(bounds, Classes::new(3).unwrap(), &noise, small()).unwrap();
    assert!(louder.segment(part.clone(), 1).is_err());
    // What is no part of the cost may change.
    let slower = training(NetworkOptions { learning_rate: 0.01, ..small() });
    assert!(slower.segment(part, 1).is_ok());
}

#[test]
fn a_private_start_stays_on_the_card() {
    let data = Sensitive::new(examples(60, 7));
    let (mut entropy, mut budget) = (SeededEntropy::new(3), budget());
    let first = training(small());
    let start = Saved::of(first.fit(&data, &mut budget, &mut entropy).unwrap());
    let second = training(NetworkOptions { steps: 7, batch: Some(300), ..small() });
    let both = MechanismSpec::composed(vec![first.spec(), second.spec()]).unwrap();
    let begun = second.begin_from_private(&start).unwrap();
    assert_eq!(begun.spent().unwrap(), first.spec());
    let release = second.segment(begun, 7).unwrap().fit(&data, &mut budget, &mut entropy).unwrap();
    let saved = Saved::of(release);
    assert_eq!(saved.card().spec().unwrap(), both);
    let read = Saved::<Checkpoint>::from_json(&saved.to_json().unwrap()).unwrap();
    assert_eq!(read, saved);
    let done = second.finish(read.model()).unwrap();
    assert_eq!(done.card().spec().unwrap(), both);
    // And on from there once more.
    let third = second.begin_from_private(&done).unwrap();
    let all = MechanismSpec::composed(vec![first.spec(), second.spec(), second.spec()]).unwrap();
    assert_eq!(third.plan(), all);
    // A card under another relation is not added up.
    let text = start.to_json().unwrap().replace("add-remove", "replace");
    assert!(second.begin_from_private(&Saved::from_json(&text).unwrap()).is_err());
}

#[test]
fn broken_checkpoints_are_refused() {
    let training = training(small());
    let begun = training.begin(&mut SeededEntropy::new(1)).unwrap();
    let data = Sensitive::new(examples(30, 7));
    let part = training.segment(begun, 2).unwrap().fit(&data, &mut budget(), &mut OsEntropy);
    let text = Saved::of(part.unwrap()).to_json().unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        change(&mut value["model"]);
        let read = Saved::<Checkpoint>::from_json(&value.to_string());
        read.and_then(|saved| training.segment(saved.into_parts().1, 1).map(|_| ()))
    };
    assert!(changed(&|_| {}).is_ok());
    assert!(changed(&|model| model["state"]["second"]["values"][3] = (-1.0).into()).is_err());
    assert!(changed(&|model| model["state"]["step"] = 31.into()).is_err());
    assert!(changed(&|model| model["state"]["clip"] = 0.into()).is_err());
    assert!(changed(&|model| model["each"] = "nothing".into()).is_err());
    assert!(changed(&|model| model["each"] = "gaussian(sigma=9)".into()).is_err());
    assert!(changed(&|model| model["steps"] = 0.into()).is_err());
    let rows = |model: &mut serde_json::Value| {
        let shape = model["state"]["parameters"]["shape"].as_array_mut().unwrap();
        shape.reverse();
    };
    assert!(changed(&rows).is_err());
}

#[test]
fn progress_is_told_with_what_was_spent() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&told);
    let options = NetworkOptions { batch: Some(300), ..small() };
    let training = training(options).watched(move |progress| {
        assert_eq!(progress.steps(), 30);
        seen.lock().unwrap().push((progress.step(), progress.epsilon(1e-5).unwrap()));
        assert!(progress.epsilon(2.0).is_err());
    });
    let data = Sensitive::new(examples(30, 7));
    let _ = training.fit(&data, &mut budget(), &mut OsEntropy).unwrap();
    let told = told.lock().unwrap().clone();
    assert_eq!(told.iter().map(|(step, _)| *step).collect::<Vec<_>>(), Vec::from_iter(1..=30));
    let epsilon = |steps: u64| {
        let spec = training.spec_of(steps).unwrap();
        let loss = PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default());
        loss.unwrap().epsilon(1e-5).unwrap().upper
    };
    // Rounded up to the next twentieth of the plan: never too small, and right at the end.
    assert!(told.is_sorted_by(|(_, before), (_, after)| before <= after));
    for (step, mark) in [(0, 2), (1, 2), (14, 16), (29, 30)] {
        assert_eq!(told[step].1, epsilon(mark));
    }
}

#[test]
fn progress_on_public_data_costs_nothing() {
    let training = training(small()).watched(|progress| {
        assert_eq!(progress.epsilon(1e-5).unwrap(), 0.0);
    });
    training.on_public(&examples(30, 7), &mut OsEntropy).unwrap();
}

#[test]
fn public_data_gives_a_start() {
    let options = NetworkOptions { steps: 60, ..small() };
    let public =
        training(options).on_public(&examples(900, 5), &mut SeededEntropy::new(1)).unwrap();
    let test = examples(600, 8);
    assert!(accuracy(&public, &test) > 0.95);
    let few = NetworkOptions { steps: 1, learning_rate: 1e-4, ..small() };
    let tuning = training(few).starting_from_public(&public).unwrap();
    let data = Sensitive::new(examples(90, 9));
    let tuned = tuning.fit(&data, &mut budget(), &mut OsEntropy).unwrap();
    assert!(accuracy(tuned.value(), &test) > 0.9);
    let wider = NetworkOptions { layers: vec![Layer::Dense { units: 13 }, Layer::Relu], ..small() };
    assert!(training(wider).starting_from_public(&public).is_err());
    // The same layers for images of another shape, or numbers between other bounds.
    let of = |height, width, channels| {
        let image = Some(Shape { height, width, channels });
        training(NetworkOptions { layers: vec![], image, steps: 1, ..small() })
    };
    let flat = of(4, 4, 1).on_public(&examples(9, 1), &mut OsEntropy).unwrap();
    assert!(of(4, 4, 1).starting_from_public(&flat).is_ok());
    assert!(of(2, 2, 4).starting_from_public(&flat).is_err());
    let bounds = Bounds::same(COLUMNS, 0.0, 2.0).unwrap();
    let (classes, noise) = (Classes::new(3).unwrap(), "2".parse().unwrap());
    let other = Training::with_noise(bounds, classes, &noise, small()).unwrap();
    assert!(other.starting_from_public(&public).is_err());
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
        learning_rate: 1e6,
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
    let correlated = StepNoise::Correlated { band: 4 };
    let wide =
        |filters, size, padding| of_image(Layer::Convolution { filters, size, stride: 1, padding });
    let bad = [
        NetworkOptions { clip: 0.0, ..small() },
        NetworkOptions { clip: f64::NAN, ..small() },
        NetworkOptions { clip: 1e9, ..small() },
        NetworkOptions { learning_rate: -1.0, ..small() },
        NetworkOptions { learning_rate: 1e7, ..small() },
        NetworkOptions { warm_up: 31, ..small() },
        NetworkOptions { steps: 1_000_000_001, ..small() },
        NetworkOptions { records: None, clipping: Clipping::Adaptive { quantile: 0.5 }, ..small() },
        NetworkOptions { records: None, optimiser: Optimiser::Sgd { momentum: 0.0 }, ..small() },
        NetworkOptions { noise: StepNoise::Correlated { band: 0 }, ..small() },
        NetworkOptions { noise: correlated, steps: 1 << 21, ..small() },
        NetworkOptions {
            noise: correlated,
            clipping: Clipping::Adaptive { quantile: 0.5 },
            ..small()
        },
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
        wide(1, 1 << 33, (1 << 33) - 1),
        wide(1, 1 << 13, (1 << 13) - 1),
        wide(1 << 17, 3, 1),
        layers(vec![Layer::Dense { units: 1 << 21 }]),
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

/// The weights after one step of rate 1 from 0, in units of clip/expected: minus the noisy sum of gradients,
/// in clip norms.
fn one_step(training: &Training, table: Classified, seed: u64) -> Vec<f64> {
    let currency = Currency::Renyi { order: "8".parse().unwrap() };
    let (epsilon, delta) = ("1e9".parse().unwrap(), "1e-5".parse().unwrap());
    let under = training.neighbours();
    let mut budget = Budget::converted(&currency, &epsilon, &delta, under).unwrap();
    let data = Sensitive::new(table);
    let release = training.fit(&data, &mut budget, &mut SeededEntropy::new(seed)).unwrap();
    let network = release.into_parts().0;
    let unit = 100.0 / training.options().clip;
    let all = network.weights().iter().chain(network.biases());
    all.flat_map(Matrix::values).map(|x| f64::from(*x) * unit).collect()
}

fn linear(noise: StepNoise) -> NetworkOptions {
    NetworkOptions {
        layers: vec![],
        records: Some(100),
        steps: 1,
        clip: 0.5,
        noise,
        optimiser: Optimiser::Sgd { momentum: 0.0 },
        learning_rate: 1.0,
        ..NetworkOptions::default()
    }
}

/// The sum of n squares of standard normal numbers is within n - 2√(nx) and n + 2√(nx) + 2x but with chance
/// 2e^-x (Laurent, Massart 2000): with x = 21.5 false alarms are below 1e-9. Half the noise gives n/4, which is
/// below as long as n > 16/9 · 4 · 21.5.
fn is_standard(sample: &[f64]) -> bool {
    let (n, x) = (f64::from(u32::try_from(sample.len()).unwrap()), 21.5_f64);
    let sum: f64 = sample.iter().map(|z| z * z).sum();
    (n - 2.0 * (n * x).sqrt()..=n + 2.0 * (n * x).sqrt() + 2.0 * x).contains(&sum)
}

#[test]
fn steps_have_the_noise_that_they_are_paid_for() {
    let (columns, classes) = (200, Classes::new(5).unwrap());
    let empty = || Classified::new(Matrix::filled(0, columns, 0.0), vec![]).unwrap();
    let bounds = || Bounds::same(columns, 0.0, 1.0).unwrap();
    let sigma = 3.0;
    for noise in [StepNoise::Independent, StepNoise::Correlated { band: 1 }] {
        let training =
            Training::with_noise(bounds(), classes, &"3".parse().unwrap(), linear(noise)).unwrap();
        assert_eq!(training.spec().to_string().matches("sigma=3").count(), 1);
        let found: Vec<f64> = one_step(&training, empty(), 4).iter().map(|x| x / sigma).collect();
        assert_eq!(found.len(), 1005);
        assert!(is_standard(&found));
        assert!(!is_standard(&found.iter().map(|z| z / 2.0).collect::<Vec<_>>()));
    }
    // A record that is replaced moves sums twice as far, and so does the noise.
    for (under, times) in [(Neighbours::AddRemove, 1.0), (Neighbours::Replace, 2.0)] {
        let privacy = Privacy::new(Target::Gdp { mu: 0.5 }, under).unwrap();
        let options = linear(StepNoise::Correlated { band: 4 });
        let training = Training::new(bounds(), classes, &privacy, options).unwrap();
        assert_eq!(training.neighbours(), under);
        privacy.certify(&training.spec()).unwrap();
        let found = one_step(&training, empty(), 5);
        let found: Vec<f64> = found.iter().map(|x| x / (2.0 * times)).collect();
        assert!(is_standard(&found));
    }
}

/// N coins of chance q show within N (q ± √(ln(2e9)/2N)) but with chance 1e-9 (Hoeffding).
#[test]
fn batches_have_the_rate_that_is_paid_for() {
    let records = 2000;
    let table = Classified::new(Matrix::filled(records, 1, 1.0), vec![0; records]).unwrap();
    let step = |batch: Option<u64>, seed: u64| {
        let options =
            NetworkOptions { records: Some(2000), batch, ..linear(StepNoise::Independent) };
        let bounds = Bounds::same(1, 0.0, 1.0).unwrap();
        let (classes, noise) = (Classes::new(2).unwrap(), "1/1024".parse().unwrap());
        let training = Training::with_noise(bounds, classes, &noise, options).unwrap();
        // Steps are divided by the batch.
        one_step(&training, table.clone(), seed)[0] * count(batch.unwrap_or(2000))
    };
    let all = step(None, 0);
    let shares: f64 = (1..=20).map(|seed| step(Some(500), seed) / all).sum();
    let (rate, wide) = (shares / 20.0, (21.5_f64 / (2.0 * 40_000.0)).sqrt());
    assert!((rate - 0.25).abs() < wide, "{rate}");
    assert!((rate / 2.0 - 0.25).abs() > wide);
}

fn count(n: u64) -> f64 {
    f64::from(u32::try_from(n).unwrap())
}

#[test]
fn correlated_noise_learns_under_each_relation() {
    let test = examples(600, 8);
    for (under, batch, optimiser, learning_rate) in [
        (Neighbours::AddRemove, Some(300), Optimiser::default(), 0.05),
        (Neighbours::Replace, None, Optimiser::Sgd { momentum: 0.9 }, 0.5),
    ] {
        let target = Target::Epsilon { epsilon: 3.0, delta: 1e-5 };
        let privacy = Privacy::new(target, under).unwrap();
        let noise = StepNoise::Correlated { band: 8 };
        let options = NetworkOptions { batch, noise, optimiser, learning_rate, ..small() };
        let bounds = Bounds::same(COLUMNS, 0.0, 1.0).unwrap();
        let training = Training::new(bounds, Classes::new(3).unwrap(), &privacy, options).unwrap();
        let spec = training.spec();
        assert!(spec.to_string().starts_with("gaussian("), "{spec}");
        let loss = PrivacyLoss::of_spec(&spec, under, Accuracy::default()).unwrap();
        let epsilon = loss.epsilon(1e-5).unwrap();
        assert!(epsilon.upper <= 3.0 && epsilon.lower > 2.999, "{epsilon:?}");
        let mut budget = Budget::gdp(&"50".parse().unwrap(), under).unwrap();
        let data = Sensitive::new(examples(1500, 7));
        let network = training.fit(&data, &mut budget, &mut SeededEntropy::new(2)).unwrap();
        let found = accuracy(network.value(), &test);
        assert!(found > 0.8, "{found} {under}");
        // All steps are one release: there is no part of it to go on from.
        assert!(training.begin(&mut OsEntropy).is_err() && training.spec_of(3).is_err());
    }
}

#[test]
fn predictions_do_not_depend_on_the_place_of_a_row() {
    for options in [small(), convolutions()] {
        let network = fitted(NetworkOptions { steps: 3, ..options }, 1);
        network.check_machine().unwrap();
    }
}
