//! Exact noise, side by side: Throng's bulk samplers, the exact integer sampler of the opendp
//! crate, and the key stream that both could not do without.
//!
//! One thread. Each figure is the best of several runs, because a shared machine can only make
//! a run slower. Prints a table; exits with 1 if a target is missed.

use std::process::ExitCode;
use std::time::Instant;

use dashu::rational::RBig;
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use throng_numeric::Rational;
use throng_sample::{BulkNoise, Entropy, EntropyError, OsEntropy};

const RUNS: usize = 5;
const SAMPLES: usize = 4_000_000;
const PEER_SAMPLES: usize = 20_000;

/// Targets: samples a second, times the peer's rate, times the cost of the bytes consumed.
const LEAST_RATE: f64 = 40e6;
const LEAST_RATIO: f64 = 100.0;
const MOST_OF_RAW: f64 = 3.0;

/// Counts what a sampler consumes.
struct Metered {
    bytes: usize,
}

impl Entropy for Metered {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.bytes += bytes.len();
        OsEntropy.fill(bytes)
    }
}

/// The least seconds per item of several runs of `work`, which does `items`.
fn seconds_per_item(items: usize, mut work: impl FnMut()) -> f64 {
    let run = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() / items as f64
    };
    (0..RUNS).map(|_| run(&mut work)).fold(f64::INFINITY, f64::min)
}

/// Seconds per byte of the key stream, drawn as the samplers draw it.
fn raw_seconds_per_byte() -> f64 {
    let mut bytes = vec![0; 8192];
    let rounds = 8 * SAMPLES / bytes.len();
    seconds_per_item(rounds * bytes.len(), || {
        for _ in 0..rounds {
            OsEntropy.fill(&mut bytes).expect("the operating system gives entropy");
            std::hint::black_box(&bytes);
        }
    })
}

struct Row {
    name: String,
    rate: f64,
    peer_rate: f64,
    bytes: f64,
    of_raw: f64,
}

impl Row {
    fn meets_targets(&self) -> bool {
        self.rate >= LEAST_RATE
            && self.rate >= LEAST_RATIO * self.peer_rate
            && self.of_raw <= MOST_OF_RAW
    }
}

fn measure(name: String, noise: &BulkNoise, raw: f64, mut peer: impl FnMut()) -> Row {
    let mut out = vec![0; 1 << 16];
    let rounds = SAMPLES / out.len();
    let samples = rounds * out.len();
    let seconds = seconds_per_item(samples, || {
        for _ in 0..rounds {
            noise.fill(&mut OsEntropy, &mut out).expect("entropy");
            std::hint::black_box(&out);
        }
    });
    let mut metered = Metered { bytes: 0 };
    noise.fill(&mut metered, &mut out).expect("entropy");
    let bytes = metered.bytes as f64 / out.len() as f64;
    let peer_seconds = seconds_per_item(PEER_SAMPLES, || {
        for _ in 0..PEER_SAMPLES {
            peer();
        }
    });
    Row {
        name,
        rate: 1.0 / seconds,
        peer_rate: 1.0 / peer_seconds,
        bytes,
        of_raw: seconds / (bytes * raw),
    }
}

fn main() -> ExitCode {
    let raw = raw_seconds_per_byte();
    println!("raw ChaCha20 key stream: {:.0} M words/s", 1e-6 / (8.0 * raw));
    println!();
    println!("| law | σ or scale | Throng M/s | opendp 0.16 k/s | ratio | bytes/sample | time / raw bytes | prepare µs |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut met = true;
    for (kind, scale) in [
        ("laplace", 1_u64),
        ("laplace", 10),
        ("laplace", 1000),
        ("laplace", 1_000_000),
        ("laplace", 1_000_000_000),
        ("gaussian", 1),
        ("gaussian", 10),
        ("gaussian", 1000),
        ("gaussian", 1_000_000),
        ("gaussian", 1_000_000_000),
    ] {
        let ours = Rational::from(scale);
        let theirs = RBig::from(scale);
        let start = Instant::now();
        let noise = if kind == "laplace" {
            BulkNoise::laplace(&ours)
        } else {
            BulkNoise::gaussian(&ours.square())
        }
        .expect("a positive scale");
        let prepare = start.elapsed().as_secs_f64() * 1e6;
        let row = measure(kind.to_owned(), &noise, raw, || {
            let drawn = if kind == "laplace" {
                sample_discrete_laplace(theirs.clone())
            } else {
                sample_discrete_gaussian(theirs.clone())
            };
            std::hint::black_box(drawn.expect("the peer draws"));
        });
        println!(
            "| {} | {scale} | {:.1} | {:.1} | {:.0} | {:.1} | {:.2} | {prepare:.0} |",
            row.name,
            row.rate / 1e6,
            row.peer_rate / 1e3,
            row.rate / row.peer_rate,
            row.bytes,
            row.of_raw
        );
        met &= row.meets_targets();
    }
    println!();
    println!(
        "targets (>= {:.0} M/s, >= {LEAST_RATIO:.0} x opendp, <= {MOST_OF_RAW} x raw bytes): {}",
        LEAST_RATE / 1e6,
        if met { "all met" } else { "MISSED" }
    );
    if met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
