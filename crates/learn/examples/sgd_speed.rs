//! How fast networks are trained: records per second of processor time on one thread, with privacy and
//! without, and the largest resident memory.
//!
//! `cargo run --release -p throng-learn --example sgd_speed`
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example stops at the first error")]

use std::fs;

use throng_account::filter::Currency;
use throng_learn::network::{Layer, NetworkOptions, Optimiser, Shape, Training};
use throng_learn::{Bounds, Classes, Classified, Learner, Matrix};
use throng_mechanism::{Budget, Neighbours, Sensitive};
use throng_sample::{Entropy, OsEntropy};

/// Records in the made-up table, all of which are declared.
const RECORDS: u32 = 2048;

/// Seconds of processor time that this process has used, in steps of 1/100.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let after = stat.rsplit(')').next().unwrap_or("");
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|x| x.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn largest_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("");
    line.trim_start_matches("VmHWM:").trim().to_owned()
}

/// Random numbers in [0, 1], a fifth of which are not 0, and random classes.
fn made_up(columns: usize) -> Classified {
    let rows = usize::try_from(RECORDS).unwrap();
    let mut bytes = vec![0; rows * columns];
    OsEntropy.fill(&mut bytes).unwrap();
    let values = bytes.iter().map(|b| f64::from(b.saturating_sub(204)) / 51.0).collect();
    let labels = (0..RECORDS).map(|row| row % 10).collect();
    Classified::new(Matrix::new(rows, columns, values).unwrap(), labels).unwrap()
}

struct Case {
    name: &'static str,
    columns: usize,
    image: Option<Shape>,
    layers: Vec<Layer>,
}

fn cases() -> Vec<Case> {
    let hidden = || vec![Layer::Dense { units: 128 }, Layer::Relu];
    let tutorial = vec![
        Layer::Convolution { filters: 16, size: 8, stride: 2, padding: 3 },
        Layer::Relu,
        Layer::MaxPool { size: 2, stride: 1 },
        Layer::Convolution { filters: 32, size: 4, stride: 2, padding: 0 },
        Layer::Relu,
        Layer::MaxPool { size: 2, stride: 1 },
        Layer::Dense { units: 32 },
        Layer::Relu,
    ];
    let image = Some(Shape { height: 28, width: 28, channels: 1 });
    vec![
        Case { name: "784-128-10", columns: 784, image: None, layers: hidden() },
        Case { name: "64-128-10", columns: 64, image: None, layers: hidden() },
        Case { name: "CNN 26k", columns: 784, image, layers: tutorial },
    ]
}

const BATCHES: [u64; 2] = [256, 1024];

/// How many records are taken in one run, about.
const fn work(case: &Case) -> u64 {
    if case.image.is_some() { 1 << 14 } else { 1 << 17 }
}

fn training(case: &Case, batch: u64) -> Training {
    let options = NetworkOptions {
        layers: case.layers.clone(),
        image: case.image,
        records: Some(u64::from(RECORDS)),
        batch: Some(batch),
        steps: work(case) / batch,
        optimiser: Optimiser::Sgd { momentum: 0.9 },
        learning_rate: 0.1,
        ..NetworkOptions::default()
    };
    let bounds = Bounds::same(case.columns, 0.0, 1.0).unwrap();
    let noise = "1".parse().unwrap();
    Training::with_noise(bounds, Classes::new(10).unwrap(), &noise, options).unwrap()
}

/// Records per second of processor time, the best of a few runs.
fn speed(taken: u64, mut run: impl FnMut()) -> f64 {
    let records = f64::from(u32::try_from(taken).unwrap_or(u32::MAX));
    let mut best = 0.0_f64;
    for _ in 0..5 {
        let start = processor_seconds();
        run();
        best = best.max(records / (processor_seconds() - start).max(0.01));
    }
    best
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    println!("| network | batch | private/s | plain/s | private/plain | memory |");
    println!("|---|---|---|---|---|---|");
    for case in cases().into_iter().filter(|case| case.name.contains(&wanted)) {
        let trainings = BATCHES.map(|batch| training(&case, batch));
        let work = work(&case);
        let table = made_up(case.columns);
        let plain = trainings.each_ref().map(|training| {
            speed(work, || {
                training.on_public(&table, &mut OsEntropy).unwrap();
            })
        });
        let secret = Sensitive::new(table);
        for ((training, plain), batch) in trainings.iter().zip(plain).zip(BATCHES) {
            let private = speed(work, || {
                let currency = Currency::Renyi { order: "8".parse().unwrap() };
                let (epsilon, delta) = ("1e6".parse().unwrap(), "1e-5".parse().unwrap());
                let mut budget =
                    Budget::converted(&currency, &epsilon, &delta, Neighbours::AddRemove).unwrap();
                let _ = training.fit(&secret, &mut budget, &mut OsEntropy).unwrap();
            });
            println!(
                "| {} | {batch} | {private:.0} | {plain:.0} | {:.2} | {} |",
                case.name,
                private / plain,
                largest_memory()
            );
        }
    }
}
