//! How long a sample of bulk noise takes, and how many random bytes it consumes.
//!
//! ```console
//! $ cargo run --release -p throng-sample --features test-util --example speed
//! ```
#![expect(clippy::float_arithmetic, reason = "for the eye only: nanoseconds")]
#![expect(clippy::cast_precision_loss, reason = "as above")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use throng_numeric::Rational;
use throng_sample::{BulkNoise, Entropy, EntropyError, OsEntropy, SampleError};

/// Samples in a round: what a step of private gradient descent may ask for.
const SAMPLES: usize = 100_000;
/// A shared machine can only make a round slower: the best one counts.
const ROUNDS: usize = 1000;
/// The buffer of [`BulkNoise`].
const BATCH: usize = 8192;

/// The best time of a round, in nanoseconds per item.
fn best<E>(items: usize, mut round: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        round()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best * 1e9 / items as f64)
}

/// Counts what it hands out.
struct Metered(usize);

impl Entropy for Metered {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.0 += bytes.len();
        OsEntropy.fill(bytes)
    }
}

fn report(name: &str, noise: &BulkNoise) -> Result<(), SampleError> {
    let mut out = vec![0; SAMPLES];
    let many = best(SAMPLES, || {
        noise.fill(&mut OsEntropy, &mut out)?;
        black_box(&out);
        Ok::<_, SampleError>(())
    })?;
    let mut metered = Metered(0);
    noise.fill(&mut metered, &mut out)?;
    let bytes = metered.0 as f64 / SAMPLES as f64;
    let one = best(100, || {
        for _ in 0..100 {
            black_box(noise.draw(&mut OsEntropy)?);
        }
        Ok::<_, SampleError>(())
    })?;
    println!("| {name} | {many:.2} | {bytes:.2} | {one:.0} |");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut bytes = vec![0; BATCH];
    let raw = best(BATCH, || OsEntropy.fill(&mut bytes))?;
    println!("raw ChaCha20 key stream: {raw:.3} ns a byte\n");
    println!("| law | ns a sample | bytes a sample | ns a single draw |\n|---|---|---|---|");
    if let Some(sigma) = std::env::args().nth(1) {
        let sigma: Rational = sigma.parse()?;
        return Ok(report(&format!("gaussian {sigma}"), &BulkNoise::gaussian(&sigma.square())?)?);
    }
    for sigma in ["10", "1000", "16384", "65536", "262144", "1000000", "1000000000"] {
        let sigma: Rational = sigma.parse()?;
        report(&format!("gaussian {sigma}"), &BulkNoise::gaussian(&sigma.square())?)?;
    }
    for scale in ["10", "1000", "1000000", "10000000000000"] {
        let scale: Rational = scale.parse()?;
        report(&format!("laplace {scale}"), &BulkNoise::laplace(&scale)?)?;
    }
    Ok(())
}
