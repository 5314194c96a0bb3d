//! Ordinary arithmetic of models: nothing here enters a privacy number.
#![expect(
    clippy::disallowed_methods,
    reason = "what a model computes before clipping or after noise; no guarantee rests on it"
)]

use fearless_simd::{Level, dispatch};

/// Runs a loop with the widest instructions that this machine has; results are the same.
///
/// A macro, because whatever is not inlined at the place of the call is compiled for the narrowest machine, and
/// only a closure in a call can be said to be inlined always. What is used is moved into it, so that numbers are seen
/// to stay the same while others are written.
macro_rules! wide {
    ($work:expr) => {
        $crate::math::widest(
            #[inline(always)]
            move || $work,
        )
    };
}
pub(crate) use wide;

/// The function behind [`wide!`].
#[inline]
pub(crate) fn widest<T>(work: impl FnOnce() -> T) -> T {
    dispatch!(Level::new(), _simd => work())
}

/// e^x.
pub(crate) fn exp(x: f64) -> f64 {
    x.exp()
}

/// ln x.
pub(crate) fn ln(x: f64) -> f64 {
    x.ln()
}

/// ln(1 + x).
pub(crate) fn ln_1p(x: f64) -> f64 {
    x.ln_1p()
}

/// x^y.
pub(crate) fn powf(x: f64, y: f64) -> f64 {
    x.powf(y)
}

/// cos x.
pub(crate) fn cos(x: f64) -> f64 {
    x.cos()
}

/// sin x.
pub(crate) fn sin(x: f64) -> f64 {
    x.sin()
}

/// A count as a number; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts of things in memory are below 2^53")]
pub(crate) const fn count(n: usize) -> f64 {
    n as f64
}

/// An integer as a number; exact below 2^53, else the nearest.
#[expect(clippy::cast_precision_loss, reason = "said so")]
pub(crate) const fn number(n: i64) -> f64 {
    n as f64
}

/// The nearest integer; saturates, and NaN is 0.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates and maps NaN to 0")]
pub(crate) const fn nearest(x: f64) -> i64 {
    x.round_ties_even() as i64
}

/// The same real number in single precision, rounded.
#[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
pub(crate) const fn single(x: f64) -> f32 {
    x as f32
}

/// Probabilities proportional to e^(score), in place.
pub(crate) fn softmax(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp(*score - most);
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

/// The place of the largest; the first of equals, 0 if there is none.
pub(crate) fn argmax(values: &[f64]) -> u32 {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, value) in (0..).zip(values) {
        if *value > best.1 {
            best = (place, *value);
        }
    }
    best.0
}
