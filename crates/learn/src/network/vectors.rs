//! Gradients, clipping and steps against `vectors/learn_network.csv`, which PyTorch computed, and for a number
//! against `vectors/learn_regression.csv`, which numpy computed.

use super::batch::Batch;
use super::clip::Group;
use super::grid::{BLOCK, BOUND};
use super::layer::{Layer, Shape, Stage, stages};
use super::options::{NetworkOptions, Optimiser};
use super::records::Records;
use super::state::State;
use super::{Network, RegressionNetwork};
use crate::math::{number, single};
use crate::{Bounds, Classes, Classified, Interval, Matrix, Measured, Predict, Predictions};

const RECORDS: u32 = 24;
const COLUMNS: u32 = 36;
const CLASSES: u32 = 4;
const CLIP: f64 = 0.75;
const STEPS: u64 = 3;

fn net(name: &str) -> Vec<Stage> {
    let last = Layer::Dense { units: 4 };
    match name {
        "mlp" => {
            let layers = [
                Layer::Dense { units: 7 },
                Layer::Relu,
                Layer::Dense { units: 5 },
                Layer::Tanh,
                last,
            ];
            stages(Shape::flat(36), &layers).unwrap()
        }
        "cnn" => {
            let layers = [
                Layer::Convolution { filters: 3, size: 3, stride: 1, padding: 1 },
                Layer::Tanh,
                Layer::MaxPool { size: 2, stride: 2 },
                Layer::Convolution { filters: 4, size: 2, stride: 1, padding: 0 },
                Layer::Relu,
                last,
            ];
            stages(Shape { height: 6, width: 6, channels: 1 }, &layers).unwrap()
        }
        other => panic!("no network {other}"),
    }
}

fn parameters(net: &[Stage]) -> Vec<f32> {
    let length: usize = net.iter().map(Stage::parameters).sum();
    let parameter = |i: u32| single((f64::from((i * i * 31 + i * 17) % 2001) - 1000.0) / 2500.0);
    (0..u32::try_from(length).unwrap()).map(parameter).collect()
}

fn records() -> Records {
    let labels = (0..RECORDS).map(|r| r * 7 % CLASSES).collect();
    let examples = Classified::new(features(), labels).unwrap();
    Records::of(&examples, &Bounds::same(36, 0.0, 1.0).unwrap(), Classes::new(CLASSES).unwrap())
}

/// The rows of a quantity of a network: indices and values.
fn expected(quantity: &str, of: &str) -> Vec<(usize, f64)> {
    written(include_str!("../../../../vectors/learn_network.csv"), quantity, of)
}

fn written(text: &str, quantity: &str, of: &str) -> Vec<(usize, f64)> {
    let rows = text.lines().filter(|line| line.starts_with(&format!("{quantity},{of},")));
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields[2].parse().unwrap(), fields[3].parse().unwrap())
    };
    let rows: Vec<_> = rows.map(row).collect();
    assert!(!rows.is_empty(), "no {quantity} of {of}");
    rows
}

/// Networks that learn a number.
fn net_of_number(name: &str) -> (Vec<Layer>, Vec<Stage>) {
    let last = Layer::Dense { units: 1 };
    let layers = match name {
        "flat" => vec![last],
        "mlp" => {
            let (first, second) = (Layer::Dense { units: 7 }, Layer::Dense { units: 5 });
            vec![first, Layer::Relu, second, Layer::Tanh, last]
        }
        other => panic!("no network {other}"),
    };
    let stages = stages(Shape::flat(36), &layers).unwrap();
    (layers, stages)
}

/// The same rows with numbers, some of them beyond their range.
fn features() -> Matrix<f64> {
    let pixel = |r: u32, c: u32| f64::from((r * 37 + c * c * 11 + r * c * 5) % 65) / 64.0;
    let values = (0..RECORDS).flat_map(|r| (0..COLUMNS).map(move |c| pixel(r, c))).collect();
    Matrix::new(24, 36, values).unwrap()
}

fn range() -> Interval {
    Interval::new(0.0, 5.0).unwrap()
}

fn measured() -> Records {
    let labels = (0..RECORDS).map(|r| f64::from(r * 13 % 29) / 4.0 - 1.0).collect();
    let examples = Measured::new(features(), labels).unwrap();
    Records::of(&examples, &Bounds::same(36, 0.0, 1.0).unwrap(), range())
}

fn numbers(quantity: &str, of: &str) -> Vec<(usize, f64)> {
    written(include_str!("../../../../vectors/learn_regression.csv"), quantity, of)
}

fn norm<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn norms_of_gradients_are_those_of_pytorch() {
    let records = records();
    for name in ["mlp", "cnn"] {
        let net = net(name);
        let parameters = parameters(&net);
        for (record, expected) in expected("norm", name) {
            let mut batch = Batch::new(&net, BLOCK);
            let gradient = batch.plain(&net, &parameters, &records, &[record]);
            let found = norm(gradient.iter().map(|x| f64::from(*x)).collect::<Vec<_>>().iter());
            assert!((found / expected - 1.0).abs() < 1e-5, "{name} {record}: {found} {expected}");
        }
    }
}

/// Contributions are clipped a little closer than asked for, and are on a grid.
#[test]
fn clipped_sums_are_those_of_pytorch() {
    let (records, places) = (records(), Vec::from_iter(0..24));
    for name in ["mlp", "cnn"] {
        let net = net(name);
        let with = net.iter().enumerate().filter(|(_, stage)| stage.parameters() > 0);
        let stages = with.map(|(at, _)| at).collect();
        let groups = [Group { stages, square: BOUND * BOUND }];
        let mut sums = Vec::new();
        let mut batch = Batch::new(&net, BLOCK);
        let parameters = parameters(&net);
        batch.clipped(&net, &parameters, &records, &places, (&groups, CLIP)).write(1, &mut sums);
        // Every record is longer than the clip norm.
        assert_eq!(sums.last(), Some(&-24));
        let unit = CLIP / number(i64::try_from(BOUND).unwrap());
        let rows = expected("clipped", name);
        let pairs: Vec<(f64, f64)> =
            rows.iter().map(|(i, value)| (number(sums[*i]) * unit, *value)).collect();
        // As long in the direction of the sum, ...
        let along: f64 = pairs.iter().map(|(found, value)| found * value).sum();
        let square: f64 = pairs.iter().map(|(_, value)| value * value).sum();
        assert!((along / square - 1.0).abs() < 0.015, "{name}: {along} {square}");
        // ... and apart by little in all: rounding is some thousandths of a contribution, of which 24 are summed, and
        // every fifth parameter is looked at.
        let apart: Vec<f64> = pairs.iter().map(|(found, value)| found - value).collect();
        let most = 0.005 * 24.0 * CLIP / 5.0_f64.sqrt();
        assert!(norm(apart.iter()) < most, "{name}: {} {most}", norm(apart.iter()));
    }
}

#[test]
fn steps_are_those_of_pytorch() {
    let (records, places) = (records(), Vec::from_iter(0..24));
    let sgd = (Optimiser::Sgd { momentum: 0.9 }, 0.1);
    let adam = (Optimiser::Adam { beta1: 0.9, beta2: 0.99 }, 0.01);
    for (quantity, (optimiser, learning_rate)) in [("sgd", sgd), ("adam", adam)] {
        for name in ["mlp", "cnn"] {
            let net = net(name);
            let options = NetworkOptions {
                optimiser,
                learning_rate,
                steps: STEPS,
                schedule: super::options::Schedule::Constant,
                warm_up: 0,
                averaging: 0.0,
                ..NetworkOptions::default()
            };
            let start = parameters(&net);
            let mut state = State::from(&start, &options);
            for _ in 0..STEPS {
                let mut batch = Batch::new(&net, BLOCK);
                let values = state.parameters.values();
                let gradient = batch.plain(&net, values, &records, &places);
                gradient.iter_mut().for_each(|x| *x /= 24.0);
                state.follow(gradient, &options);
            }
            for (i, value) in expected(quantity, name) {
                let found = f64::from(state.parameters.values()[i]);
                let moved = (value - f64::from(start[i])).abs();
                let apart = (found - value).abs();
                assert!(
                    apart < 1e-3 * moved + 1e-6,
                    "{quantity} {name} {i}: {found} {value}, from {}",
                    start[i]
                );
            }
        }
    }
}

#[test]
fn gradients_of_the_squared_loss_are_those_of_numpy() {
    let (records, places) = (measured(), Vec::from_iter(0..24));
    for name in ["flat", "mlp"] {
        let (_, net) = net_of_number(name);
        let start = parameters(&net);
        // Clipping begins a little before the clip norm.
        let mut within = [0_i64; 2];
        for (record, expected) in numbers("norm", name) {
            let mut batch = Batch::new(&net, BLOCK);
            let gradient = batch.plain(&net, &start, &records, &[record]);
            let found = norm(gradient.iter().map(|x| f64::from(*x)).collect::<Vec<_>>().iter());
            // An error may be small where an output is about as large as its number.
            let apart = (found - expected).abs();
            assert!(apart < 1e-5 * expected + 3e-6, "{name} {record}: {found} {expected}");
            within[0] += i64::from(expected < 0.97 * CLIP);
            within[1] += i64::from(expected < CLIP);
        }
        let with = net.iter().enumerate().filter(|(_, stage)| stage.parameters() > 0);
        let groups = [Group { stages: with.map(|(at, _)| at).collect(), square: BOUND * BOUND }];
        let (mut sums, mut batch) = (Vec::new(), Batch::new(&net, BLOCK));
        batch.clipped(&net, &start, &records, &places, (&groups, CLIP)).write(1, &mut sums);
        let [least, most] = within.map(|within| 2 * within - 24);
        assert!(sums.last().is_some_and(|sum| (least..=most).contains(sum)), "{name}");
        let unit = CLIP / number(i64::try_from(BOUND).unwrap());
        let rows = numbers("clipped", name);
        let pairs: Vec<(f64, f64)> =
            rows.iter().map(|(i, value)| (number(sums[*i]) * unit, *value)).collect();
        let along: f64 = pairs.iter().map(|(found, value)| found * value).sum();
        let square: f64 = pairs.iter().map(|(_, value)| value * value).sum();
        assert!((along / square - 1.0).abs() < 0.015, "{name}: {along} {square}");
        let apart: Vec<f64> = pairs.iter().map(|(found, value)| found - value).collect();
        let most = 0.005 * 24.0 * CLIP / 3.0_f64.sqrt();
        assert!(norm(apart.iter()) < most, "{name}: {} {most}", norm(apart.iter()));
    }
}

#[test]
fn steps_down_the_squared_loss_are_those_of_numpy() {
    let (records, places) = (measured(), Vec::from_iter(0..24));
    for name in ["flat", "mlp"] {
        let (_, net) = net_of_number(name);
        let options = NetworkOptions {
            optimiser: Optimiser::Sgd { momentum: 0.9 },
            learning_rate: 0.02,
            steps: STEPS,
            schedule: super::options::Schedule::Constant,
            ..NetworkOptions::regression()
        };
        let start = parameters(&net);
        let mut state = State::from(&start, &options);
        for _ in 0..STEPS {
            let mut batch = Batch::new(&net, BLOCK);
            let values = state.parameters.values();
            let gradient = batch.plain(&net, values, &records, &places);
            gradient.iter_mut().for_each(|x| *x /= 24.0);
            state.follow(gradient, &options);
        }
        for (i, value) in numbers("sgd", name) {
            let found = f64::from(state.parameters.values()[i]);
            let moved = (value - f64::from(start[i])).abs();
            assert!((found - value).abs() < 1e-3 * moved + 1e-6, "{name} {i}: {found} {value}");
        }
    }
}

#[test]
fn numbers_are_said_as_numpy_says_them() {
    for name in ["flat", "mlp"] {
        let (layers, net) = net_of_number(name);
        let (bounds, shape) = (Bounds::same(36, 0.0, 1.0).unwrap(), Shape::flat(36));
        let network: RegressionNetwork =
            Network::of(&bounds, range(), shape, &layers, &net, &parameters(&net));
        let Predictions::Numbers(said) = network.predict(&features()).unwrap() else {
            panic!("no numbers")
        };
        for (record, value) in numbers("said", name) {
            assert!((said[record] - value).abs() < 1e-5, "{name} {record}: {said:?} {value}");
        }
    }
}
