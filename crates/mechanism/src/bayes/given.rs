//! Posteriors, given released sums and the laws of their noise.
//!
//! For those who keep released numbers and ask later. A sum is released with noise of a known law, in
//! steps of 1; the number of records is public, or released the same way.

use super::posterior::{Part, Posterior};
use super::window::{ln_gamma, real, sums};
use crate::NoiseLaw;
use crate::grid::MOST_STEPS;

/// A released sum and the law of its noise.
pub type Released<'a> = (&'a NoiseLaw, i64);

/// The chance of a yes, with a Beta(a, b) prior, given the number of yeses among `records`: exactly
/// Σ_s w_s Beta(a+s, b+n-s), w_s ∝ BetaBin(s; n, a, b) P(s̃ - s).
#[must_use]
pub fn chance((law, yes): Released<'_>, records: i64, (a, b): (f64, f64)) -> Posterior {
    let part = |(s, noise): (i64, f64)| {
        let (s, f) = (real(s), real(records) - real(s));
        let yes = ln_gamma(a + s) - ln_gamma(s + 1.0);
        let no = ln_gamma(b + f) - ln_gamma(f + 1.0);
        (noise + yes + no, Part::Beta { a: a + s, b: b + f })
    };
    Posterior::mixture(sums(law, yes, records, 64).into_iter().map(part))
}

/// The same, given the numbers of yeses and of noes: the mixture over yeses s and noes f, with weights
/// C(s+f, s) B(a+s, b+f) and those of the noise. All numbers of records are equally likely
/// beforehand.
#[must_use]
pub fn chance_of_both(yes: Released<'_>, no: Released<'_>, (a, b): (f64, f64)) -> Posterior {
    let side = |(law, noisy): Released<'_>, prior: f64| -> Vec<(i64, f64)> {
        let own = |s: i64| ln_gamma(prior + real(s)) - ln_gamma(real(s) + 1.0);
        sums(law, noisy, MOST_STEPS, 6).into_iter().map(|(s, w)| (s, w + own(s))).collect()
    };
    let (yes, no) = (side(yes, a), side(no, b));
    let both = |s: i64, f: i64| {
        let n = real(s) + real(f);
        ln_gamma(n + 1.0) - ln_gamma(n + a + b)
    };
    Posterior::mixture(yes.iter().flat_map(|(s, v)| {
        no.iter().map(move |(f, w)| {
            (v + w + both(*s, *f), Part::Beta { a: a + real(*s), b: b + real(*f) })
        })
    }))
}

/// A rate, with a Gamma(shape, rate) prior, given the sum of Poisson counts of `records`: exactly
/// Σ_s w_s Gamma(shape + s, rate + n), w_s ∝ NegBin(s) P(s̃ - s).
#[must_use]
pub fn rate((law, sum): Released<'_>, records: i64, prior: (f64, f64)) -> Posterior {
    let most = if records == 0 { 0 } else { MOST_STEPS };
    let weigh = |(s, noise): (i64, f64)| count_part(s, records, noise, prior);
    Posterior::mixture(sums(law, sum, most, 64).into_iter().map(weigh))
}

/// The same, given the sum and the number of records, all of which are equally likely beforehand.
#[must_use]
pub fn rate_of_both(sum: Released<'_>, records: Released<'_>, prior: (f64, f64)) -> Posterior {
    let possible = sums(sum.0, sum.1, MOST_STEPS, 6);
    let numbers = sums(records.0, records.1, MOST_STEPS, 6);
    Posterior::mixture(numbers.iter().flat_map(|(n, v)| {
        let possible = possible.iter().filter(|(s, _)| *n > 0 || *s == 0);
        possible.map(move |(s, w)| count_part(*s, *n, v + w, prior))
    }))
}

/// ln of Γ(α+s)/(s! Γ(α)) (β/(β+n))^α (n/(β+n))^s times the noise, and Gamma(α+s, β+n).
fn count_part(s: i64, n: i64, noise: f64, (shape, rate): (f64, f64)) -> (f64, Part) {
    let (s, n) = (real(s), real(n));
    let none = shape * (ln(rate) - ln(rate + n));
    let some = if s > 0.0 { -s * ln_1p(rate / n) } else { 0.0 };
    let weight = ln_gamma(shape + s) - ln_gamma(s + 1.0) + none + some;
    (noise + weight, Part::Gamma { shape: shape + s, rate: rate + n })
}

/// What is known about normal numbers before they are seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normal {
    /// Mean and variance of the prior of their mean.
    pub prior: (f64, f64),
    /// Their variance.
    pub variance: f64,
}

/// The mean of normal numbers, given their sum with noise and their number: normal with
/// v = 1/(1/v₀ + n²/(nσ² + τ²)) and mean v (m₀/v₀ + n s̃/(nσ² + τ²)).
///
/// The noise is normal with variance τ², or a mixture of such: pairs (ln weight, τ²); see
/// [`normal_scales`].
#[must_use]
pub fn mean(sum: f64, noise: &[(f64, f64)], records: i64, known: Normal) -> Posterior {
    Posterior::mixture(noise.iter().map(|(w, tau)| mean_part(sum, *tau, records, *w, known)))
}

/// The same, given the number of records with noise, all of which are equally likely beforehand.
#[must_use]
pub fn mean_of_both(
    sum: f64,
    noise: &[(f64, f64)],
    records: Released<'_>,
    known: Normal,
) -> Posterior {
    let numbers = sums(records.0, records.1, MOST_STEPS, 16);
    Posterior::mixture(numbers.iter().flat_map(|(n, v)| {
        noise.iter().map(move |(w, tau)| mean_part(sum, *tau, *n, v + w, known))
    }))
}

/// The chance of the sum, which has mean n m₀ and variance n²v₀ + nσ² + τ², in logarithms; and
/// the posterior.
fn mean_part(sum: f64, tau: f64, n: i64, weight: f64, known: Normal) -> (f64, Part) {
    let ((m0, v0), n) = (known.prior, real(n));
    let spread = n * known.variance + tau;
    let (off, total) = (sum - n * m0, n * n * v0 + spread);
    let likely = -(off * off / total + ln(total)) / 2.0;
    let variance = 1.0 / (1.0 / v0 + n * n / spread);
    let mean = variance * (m0 / v0 + n * sum / spread);
    (weight + likely, Part::Normal { mean, variance })
}

/// Noise as a mixture of normal laws, pairs (ln weight, variance), for noise of a standard deviation
/// that is Gaussian, or Laplace: then its variance is exponentially distributed.
#[must_use]
pub fn normal_scales(standard_deviation: f64, is_laplace: bool) -> Vec<(f64, f64)> {
    let square = standard_deviation * standard_deviation;
    if !is_laplace {
        return vec![(0.0, square)];
    }
    // Lap(b) = N(0, 2b²T), T exponential, and 2b² is the variance: T in cells that grow.
    let edge = |k: u32| 40.0 * f64::from(k * k) / f64::from(CELLS * CELLS);
    let cell = |k: u32| {
        let (from, to) = (edge(k), edge(k + 1));
        let mass = exp(-from) - exp(-to);
        let mean = ((from + 1.0) * exp(-from) - (to + 1.0) * exp(-to)) / mass;
        (ln(mass), square * mean)
    };
    (0..CELLS).map(cell).collect()
}

const CELLS: u32 = 48;

#[expect(clippy::disallowed_methods, reason = "after the noise: only accuracy depends on it")]
fn ln(x: f64) -> f64 {
    x.ln()
}

#[expect(clippy::disallowed_methods, reason = "after the noise: only accuracy depends on it")]
fn ln_1p(x: f64) -> f64 {
    x.ln_1p()
}

#[expect(clippy::disallowed_methods, reason = "after the noise: only accuracy depends on it")]
fn exp(x: f64) -> f64 {
    x.exp()
}
