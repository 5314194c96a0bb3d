//! Nanoseconds per call of the special functions: `cargo run --release --example speed`.

use std::hint::black_box;
use std::time::Instant;

use throng_numeric::{
    Enclosure, NumericError, Rational, beta, gamma, normal, tails, trigonometric,
};

/// Times `f` over points spread evenly between two ends; the best of some rounds, for a busy
/// machine can only make it slower.
fn time(
    name: &str,
    from: f64,
    to: f64,
    f: impl Fn(Enclosure) -> Enclosure,
) -> Result<(), NumericError> {
    const CALLS: u32 = 5_000;
    const ROUNDS: u32 = 40;
    let points = (0..CALLS)
        .map(|i| Enclosure::point(from + (to - from) * f64::from(i) / f64::from(CALLS)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for &x in &points {
            black_box(f(black_box(x)));
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    println!("{name:<24} [{from:>8}, {to:>8}]  {best:>8.0} ns");
    Ok(())
}

fn main() -> Result<(), NumericError> {
    let real = Enclosure::REAL;
    time("exp", -700.0, 700.0, Enclosure::exp)?;
    time("expm1", -1.0, 1.0, Enclosure::expm1)?;
    time("ln", 0.01, 100.0, |x| x.ln().unwrap_or(real))?;
    time("ln_1p", -0.5, 0.5, |x| x.ln_1p().unwrap_or(real))?;
    time("cos and sin", -100.0, 100.0, |x| {
        let (cos, sin) = trigonometric::cos_sin(x.lower());
        black_box(cos);
        sin
    })?;
    time("cos - 1 and sin", -100.0, 100.0, |x| {
        black_box(trigonometric::cos_minus_one_sin(x.lower()));
        x
    })?;
    time("erf", -3.0, 3.0, normal::erf)?;
    time("erfc", -5.0, 25.0, normal::erfc)?;
    time("erfcx", -5.0, 25.0, normal::erfcx)?;
    time("normal cdf", -8.0, 8.0, normal::cdf)?;
    time("normal ln_cdf", -100.0, 8.0, normal::ln_cdf)?;
    time("normal density", -8.0, 8.0, normal::density)?;
    time("normal quantile", 1e-9, 1.0, |p| normal::quantile(p).unwrap_or(real))?;
    time("ln_gamma", 0.1, 100.0, |x| gamma::ln_gamma(x).unwrap_or(real))?;
    let shape = Enclosure::point(50.0)?;
    time("gamma P, a = 50", 10.0, 100.0, |x| gamma::regularised_lower(shape, x).unwrap_or(real))?;
    let (a, b) = (Enclosure::point(30.0)?, Enclosure::point(70.0)?);
    time("beta, a = 30, b = 70", 0.01, 0.99, |x| beta::regularised(a, b, x).unwrap_or(real))?;
    for n in [1000, 1_000_000, 1_000_000_000] {
        let start = Instant::now();
        let p = tails::binomial_cdf(black_box(n / 2 - 10), n, Enclosure::point(0.5)?)?;
        println!("binomial_cdf, n = {n}: {p} in {:?}", start.elapsed());
        let start = Instant::now();
        let mean = Enclosure::point(Rational::new(n, 1_u8)?.to_f64_nearest())?;
        let p = tails::poisson_cdf(black_box(n - 10), mean)?;
        println!("poisson_cdf, mean {n}: {p} in {:?}", start.elapsed());
    }
    Ok(())
}
