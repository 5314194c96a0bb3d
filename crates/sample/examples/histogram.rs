//! Draws exact noise and prints a histogram of it against its exact law.
//!
//! ```console
//! $ cargo run --release -p throng-sample --example histogram -- gaussian 4
//! ```
#![expect(clippy::float_arithmetic, reason = "for the eye only: bars and percentages")]
#![expect(clippy::cast_precision_loss, reason = "as above")]

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use throng_numeric::{Natural, Rational, fixed};
use throng_sample::{BulkNoise, OsEntropy};

const SAMPLES: usize = 1_000_000;
/// Width of the longest bar, in characters.
const WIDTH: f64 = 44.0;

const USAGE: &str = "\
usage: histogram [laplace|gaussian] [SCALE]

Draws a million exact samples and compares them with their law.
SCALE is the scale b of P(k) ~ e^(-|k|/b), or the σ of P(k) ~ e^(-k²/2σ²): any positive number,
such as 4, 0.8, 10/3 (default: gaussian 4)";

#[derive(Clone, Copy)]
enum Law {
    Laplace,
    Gaussian,
}

impl Law {
    fn noise(self, scale: &Rational) -> Result<BulkNoise, Box<dyn Error>> {
        Ok(match self {
            Self::Laplace => BulkNoise::laplace(scale)?,
            Self::Gaussian => BulkNoise::gaussian(&scale.square())?,
        })
    }

    /// e^-E(k), as an integer over 2^128.
    fn weight(self, scale: &Rational, k: i64) -> Result<Natural, Box<dyn Error>> {
        let units = Rational::from(k).abs().checked_div(scale)?;
        let energy = match self {
            Self::Laplace => units,
            Self::Gaussian => units.square().checked_div(&Rational::from(2))?,
        };
        Ok(fixed::exp_neg(&energy, 128)?.lower)
    }

    /// How far out e^-E is still above 2^-128.
    fn reach(self, scale: &Rational) -> i64 {
        let steps = match self {
            Self::Laplace => 90,
            Self::Gaussian => 14,
        };
        let reach = (scale * &Rational::from(steps)).ceil();
        i64::try_from(reach).unwrap_or(i64::MAX).max(3)
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (law, scale) = match words[..] {
        [] => (Law::Gaussian, "4"),
        ["laplace"] => (Law::Laplace, "4"),
        ["gaussian"] => (Law::Gaussian, "4"),
        ["laplace", scale] => (Law::Laplace, scale),
        ["gaussian", scale] => (Law::Gaussian, scale),
        ["-h" | "--help"] => {
            println!("{USAGE}");
            return Ok(());
        }
        _ => return Err(USAGE.into()),
    };
    print_histogram(law, &scale.parse()?)
}

fn print_histogram(law: Law, scale: &Rational) -> Result<(), Box<dyn Error>> {
    let reach = law.reach(scale);
    if reach > 1_000_000 {
        return Err("the scale is too large for a histogram: at most about 10000".into());
    }
    let noise = law.noise(scale)?;
    let mut samples = vec![0; SAMPLES];
    let start = Instant::now();
    noise.fill(&mut OsEntropy, &mut samples)?;
    let seconds = start.elapsed().as_secs_f64();

    let cells = cells(law, scale, reach, &samples)?;
    let peak = cells.iter().map(|cell| cell.law).fold(0.0, f64::max);
    println!("{:>6}  {:>9} {:>9} {:>6}", "k", "drawn", "law", "z");
    for Cell { first, drawn, law, z } in &cells {
        let bar = bar(*drawn, *law, peak);
        println!("{first:>6}  {:>8.4}% {:>8.4}% {z:>+6.2}  {bar}", 100.0 * drawn, 100.0 * law);
    }
    let worst = cells.iter().map(|cell| cell.z.abs()).fold(0.0, f64::max);
    eprintln!(
        "\n{SAMPLES} exact samples in {:.1} ms ({:.0} million a second); '#' drawn, '|' the law.",
        1e3 * seconds,
        1e-6 * SAMPLES as f64 / seconds,
    );
    eprintln!("Largest of {} deviations: {worst:.1} standard errors.", cells.len());
    Ok(())
}

/// A row: the share of samples in `first..first + width` and what the law says.
struct Cell {
    first: i64,
    drawn: f64,
    law: f64,
    z: f64,
}

/// Cells of one width, with 0 in the middle of its cell, that hold all but the far tails.
fn cells(
    law: Law,
    scale: &Rational,
    reach: i64,
    samples: &[i64],
) -> Result<Vec<Cell>, Box<dyn Error>> {
    let mut counts = BTreeMap::new();
    for sample in samples {
        *counts.entry(*sample).or_insert(0_u64) += 1;
    }
    let weights: Vec<Natural> =
        (-reach..=reach).map(|k| law.weight(scale, k)).collect::<Result<_, _>>()?;
    let total = weights.iter().fold(Natural::ZERO, |sum, weight| sum + weight);
    // About forty rows over four scales on either side.
    let width = (i64::try_from((scale * &Rational::from(8)).ceil())? / 40).max(1) | 1;
    let half = (reach - width / 2) / width;
    let mut cells = Vec::new();
    for cell in -half..=half {
        let first = cell * width - width / 2;
        let inside = usize::try_from(first + reach)?..usize::try_from(first + reach + width)?;
        let mass = weights[inside].iter().fold(Natural::ZERO, |sum, weight| sum + weight);
        let law = ratio(&mass, &total);
        let count: u64 = counts.range(first..first + width).map(|(_, count)| count).sum();
        let drawn = count as f64 / SAMPLES as f64;
        let z = (drawn - law) / (law * (1.0 - law) / SAMPLES as f64).sqrt();
        if law >= 2e-4 {
            cells.push(Cell { first, drawn, law, z });
        }
    }
    Ok(cells)
}

/// A bar of `drawn` with a mark at `law`.
fn bar(drawn: f64, law: f64, peak: f64) -> String {
    let place = |mass: f64| (mass / peak * WIDTH).round();
    let (filled, mark) = (place(drawn), place(law));
    let mut bar = String::new();
    let mut at = 0.0;
    while at <= filled.max(mark) {
        bar.push(if at == mark {
            '|'
        } else if at < filled {
            '#'
        } else {
            ' '
        });
        at += 1.0;
    }
    bar
}

/// part / whole as a float.
fn ratio(part: &Natural, whole: &Natural) -> f64 {
    Rational::new(part.clone(), whole.clone()).map_or(0.0, |ratio| ratio.to_f64_nearest())
}
