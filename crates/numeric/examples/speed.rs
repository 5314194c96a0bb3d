//! Nanoseconds per call of the special functions: `cargo run --release --example speed`.

use std::hint::black_box;
use std::time::Instant;

use throng_numeric::{Enclosure, NumericError, normal};

/// Times `f` over points spread evenly between two ends.
fn time(
    name: &str,
    from: f64,
    to: f64,
    f: impl Fn(Enclosure) -> Enclosure,
) -> Result<(), NumericError> {
    const CALLS: u32 = 200_000;
    let points = (0..CALLS)
        .map(|i| Enclosure::point(from + (to - from) * f64::from(i) / f64::from(CALLS)))
        .collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    for &x in &points {
        black_box(f(black_box(x)));
    }
    let each = start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS);
    println!("{name:<24} [{from:>8}, {to:>8}]  {each:>8.0} ns");
    Ok(())
}

fn main() -> Result<(), NumericError> {
    let real = Enclosure::REAL;
    time("exp", -700.0, 700.0, Enclosure::exp)?;
    time("expm1", -1.0, 1.0, Enclosure::expm1)?;
    time("ln", 0.01, 100.0, |x| x.ln().unwrap_or(real))?;
    time("ln_1p", -0.5, 0.5, |x| x.ln_1p().unwrap_or(real))?;
    time("erf", -3.0, 3.0, normal::erf)?;
    time("erfc", -5.0, 25.0, normal::erfc)?;
    time("erfcx", -5.0, 25.0, normal::erfcx)?;
    time("normal cdf", -8.0, 8.0, normal::cdf)?;
    time("normal ln_cdf", -100.0, 8.0, normal::ln_cdf)?;
    time("normal density", -8.0, 8.0, normal::density)?;
    time("normal quantile", 1e-9, 1.0, |p| normal::quantile(p).unwrap_or(real))?;
    Ok(())
}
