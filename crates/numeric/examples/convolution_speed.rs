//! How long convolutions take, and how wide their bounds are.
//!
//! `cargo run --release -p throng-numeric --example convolution_speed`
#![allow(clippy::disallowed_methods, reason = "any input will do")]

use std::time::Instant;

use throng_numeric::NumericError;
use throng_numeric::convolution::{Composition, Factor, Window, convolve};

fn bell(length: u32) -> Vec<f64> {
    let middle = f64::from(length) / 2.0;
    let masses: Vec<f64> =
        (0..length).map(|j| (-18.0 * (f64::from(j) / middle - 1.0).powi(2)).exp()).collect();
    let total: f64 = masses.iter().sum();
    masses.iter().map(|mass| mass / total).collect()
}

/// The fastest of a few runs, in milliseconds.
fn fastest<T>(mut run: impl FnMut() -> Result<T, NumericError>) -> Result<(f64, T), NumericError> {
    let mut best = (f64::INFINITY, run()?);
    for _ in 0..5 {
        let start = Instant::now();
        let result = run()?;
        let taken = start.elapsed().as_secs_f64() * 1e3;
        if taken < best.0 {
            best = (taken, result);
        }
    }
    Ok(best)
}

fn main() -> Result<(), NumericError> {
    println!("two sequences of n entries: the crossover from the plain sum to the transform");
    for n in [100, 200, 300, 400, 500, 600, 800, 1200] {
        let a = bell(n);
        let pair = Composition::new(vec![Factor::new(&a, 1)?, Factor::new(&a, 1)?])?;
        // A window takes the transform whatever the length.
        let forced = pair.within(Window::Covering { outside: 1e-300 })?;
        let (chosen, _) = fastest(|| convolve(&a, &a))?;
        let (transform, _) = fastest(|| forced.convolve())?;
        println!("  n = {n:5}: as chosen {chosen:8.3} ms, by transform {transform:8.3} ms");
    }
    println!("transforms of N entries");
    for bits in [16, 20] {
        let a = bell(1 << (bits - 1));
        let (taken, law) = fastest(|| convolve(&a, &a))?;
        println!("  two sequences, N = 2^{bits}: {taken:.1} ms, error {:.1e}", law.error().0);
        let narrow = bell(1 << (bits - 10));
        let many = Composition::new(vec![Factor::new(&narrow, 1000)?])?;
        let index = 600 << (bits - 10);
        let (taken, law) = fastest(|| many.tilted(many.saddle(index)?)?.convolve())?;
        let (asked, tail) = fastest(|| Ok(law.tail_from(index)))?;
        println!("  1000-fold, tilted, N = 2^{bits}: {taken:.1} ms, error {:.1e}", law.error().0);
        let (lower, upper) = (tail.lower(), tail.upper());
        println!("    tail from {index} in {asked:.3} ms: [{lower:.11e}, {upper:.11e}]");
    }
    Ok(())
}
