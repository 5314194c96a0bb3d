//! Exact noise, side by side: Throng's bulk samplers, the exact integer sampler of the opendp
//! crate, and the key stream that both could not do without.
//!
//! One thread. Each figure is the best of several runs, because a shared machine can only make
//! a run slower. Prints a table; exits with 1 if a target is missed.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use dashu::rational::RBig;
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use throng_numeric::Rational;
use throng_sample::{
    BulkNoise, DiscreteGaussian, DiscreteLaplace, Entropy, EntropyError, OsEntropy,
};

const RUNS: usize = 5;
const SAMPLES: usize = 4_000_000;
const DRAWS: usize = 20_000;

/// Targets: samples a second, times the peer's rate, times the cost of the bytes consumed.
const LEAST_RATE: f64 = 40e6;
const LEAST_RATIO: f64 = 100.0;
const MOST_OF_RAW: f64 = 4.0;

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
            black_box(&bytes);
        }
    })
}

/// One law at one scale.
struct Case {
    law: Law,
    numerator: u64,
    denominator: u64,
}

#[derive(Clone, Copy)]
enum Law {
    Laplace,
    Gaussian,
}

impl Case {
    fn all() -> Vec<Self> {
        let scales = [(1, 10), (1, 1), (10, 1), (1000, 1), (1_000_000, 1), (1_000_000_000, 1)];
        [Law::Laplace, Law::Gaussian]
            .into_iter()
            .flat_map(|law| {
                scales.map(|(numerator, denominator)| Self { law, numerator, denominator })
            })
            .collect()
    }

    fn name(&self) -> String {
        let law = match self.law {
            Law::Laplace => "laplace",
            Law::Gaussian => "gaussian",
        };
        match self.denominator {
            1 => format!("{law} {}", self.numerator),
            d => format!("{law} {}/{d}", self.numerator),
        }
    }

    fn scale(&self) -> Rational {
        Rational::new(self.numerator, self.denominator).expect("a scale")
    }

    /// Throng's bulk sampler.
    fn bulk(&self) -> BulkNoise {
        match self.law {
            Law::Laplace => BulkNoise::laplace(&self.scale()),
            Law::Gaussian => BulkNoise::gaussian(&self.scale().square()),
        }
        .expect("a positive scale")
    }

    /// Throng's scalar sampler, one draw.
    fn scalar(&self) -> Box<dyn FnMut()> {
        match self.law {
            Law::Laplace => {
                let law = DiscreteLaplace::new(&self.scale()).expect("a positive scale");
                Box::new(move || drop(black_box(law.draw(&mut OsEntropy).expect("entropy"))))
            }
            Law::Gaussian => {
                let law = DiscreteGaussian::new(&self.scale().square()).expect("positive");
                Box::new(move || drop(black_box(law.draw(&mut OsEntropy).expect("entropy"))))
            }
        }
    }

    /// The peer's exact sampler, one draw.
    fn peer(&self) -> Box<dyn FnMut()> {
        let scale = RBig::from_parts(self.numerator.into(), self.denominator.into());
        let sample = match self.law {
            Law::Laplace => sample_discrete_laplace,
            Law::Gaussian => sample_discrete_gaussian,
        };
        Box::new(move || drop(black_box(sample(scale.clone()).expect("the peer draws"))))
    }
}

/// What was measured: rates are samples a second.
struct Row {
    name: String,
    bulk: f64,
    scalar: f64,
    peer: f64,
    bytes: f64,
    /// Time of a sample over the time of the random bytes it consumes.
    of_raw: f64,
    prepare: f64,
}

impl Row {
    fn measure(case: &Case, raw: f64) -> Self {
        let start = Instant::now();
        let noise = case.bulk();
        let prepare = start.elapsed().as_secs_f64();
        let seconds = bulk_seconds(&noise);
        let bytes = bytes_per_sample(&noise);
        Self {
            name: case.name(),
            bulk: 1.0 / seconds,
            scalar: 1.0 / seconds_per_draw(case.scalar()),
            peer: 1.0 / seconds_per_draw(case.peer()),
            bytes,
            of_raw: seconds / (bytes * raw),
            prepare,
        }
    }

    fn meets_targets(&self) -> bool {
        self.bulk >= LEAST_RATE
            && self.bulk >= LEAST_RATIO * self.peer
            && self.of_raw <= MOST_OF_RAW
    }

    fn print(&self) {
        println!(
            "| {} | {:.1} | {:.0} | {:.2} | {:.1} | {:.1} | {:.0} | {:.1} | {:.0} |",
            self.name,
            self.bulk / 1e6,
            self.bulk / self.peer,
            self.of_raw,
            self.bytes,
            self.scalar / 1e3,
            self.peer / 1e3,
            self.scalar / self.peer,
            self.prepare * 1e6,
        );
    }
}

fn bulk_seconds(noise: &BulkNoise) -> f64 {
    let mut out = vec![0; 1 << 16];
    let rounds = SAMPLES / out.len();
    seconds_per_item(rounds * out.len(), || {
        for _ in 0..rounds {
            noise.fill(&mut OsEntropy, &mut out).expect("entropy");
            black_box(&out);
        }
    })
}

fn bytes_per_sample(noise: &BulkNoise) -> f64 {
    let mut out = vec![0; 1 << 16];
    let mut metered = Metered { bytes: 0 };
    noise.fill(&mut metered, &mut out).expect("entropy");
    metered.bytes as f64 / out.len() as f64
}

fn seconds_per_draw(mut draw: Box<dyn FnMut()>) -> f64 {
    seconds_per_item(DRAWS, || {
        for _ in 0..DRAWS {
            draw();
        }
    })
}

fn main() -> ExitCode {
    let raw = raw_seconds_per_byte();
    println!("raw ChaCha20 key stream: {:.0} M words/s", 1e-6 / (8.0 * raw));
    println!();
    println!(
        "| law | bulk M/s | x opendp | x raw bytes | bytes/sample | scalar k/s | opendp k/s \
         | x opendp | prepare µs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut met = true;
    for case in Case::all() {
        let row = Row::measure(&case, raw);
        row.print();
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
