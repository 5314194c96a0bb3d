//! Which entries are computed, and how much mass may lie outside.
//!
//! A transform of length N computes the *circular* convolution: entry j collects the exact
//! entries j, j ± N, j ± 2N, ... If the window covers the whole result nothing wraps. Otherwise
//! each computed entry may exceed the exact one by wrapped mass, and all excesses together are at
//! most the mass outside the window, bounded here.
//!
//! # Guarantee
//! [`Place::outside`] is at least the mass of the convolution of the given (tilted, rounded)
//! sequences at indices outside the window.
//!
//! *Proof* (Chernoff). For t > 1 the mass at indices j >= b is at most Σ c_j t^{j-b} =
//! t^-b Π A_i(t)^{k_i}, A_i(t) = Σ_j a_ij t^j; for t < 1 the same bounds the mass at j <= b. Every
//! operation is rounded upward. Any t is valid, so the search for a good one needs no proof.

#![expect(
    clippy::disallowed_methods,
    reason = "any t gives a valid bound: only its quality depends on these estimates"
)]

use super::direct::count;
use super::tilt::Tilted;
use super::{MAX_LENGTH, Window, too_large};
use crate::NumericError;
use crate::rounding::{add_up, mul_up};
use crate::scaled::{Quotient, Scaled, Towards};

/// A window in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The first index.
    pub(super) start: u64,
    /// The length of the transform, a power of two.
    pub(super) length: usize,
    /// How many entries are in the window.
    entries: usize,
    /// An upper bound of the mass outside.
    pub(super) outside: f64,
}

impl Place {
    /// Where the entries of the window lie in the circular convolution.
    pub(super) fn indices(self) -> impl Iterator<Item = usize> {
        let length = u64::try_from(self.length).unwrap_or(u64::MAX);
        let first = usize::try_from(self.start % length).unwrap_or(0);
        (first..first + self.entries).map(move |i| i & (self.length - 1))
    }
}

/// Places the window over a result whose last index is `last`.
pub(super) fn place(factors: &[Tilted], window: Window, last: u64) -> Result<Place, NumericError> {
    match window {
        Window::Whole => whole(last),
        Window::From { length, .. } if u64::try_from(length).is_ok_and(|n| n > last) => whole(last),
        Window::From { start, length } => at(factors, start, length, last),
        Window::Covering { outside } => covering(factors, outside, last),
    }
}

fn whole(last: u64) -> Result<Place, NumericError> {
    let entries = usize::try_from(last + 1)
        .ok()
        .filter(|entries| *entries <= MAX_LENGTH)
        .ok_or_else(|| too_large("the result", MAX_LENGTH))?;
    let length = entries.next_power_of_two().max(2);
    Ok(Place { start: 0, length, entries, outside: 0.0 })
}

fn at(factors: &[Tilted], start: u64, length: usize, last: u64) -> Result<Place, NumericError> {
    let longest = factors.iter().map(|f| f.masses.len()).max().unwrap_or(2);
    if length > MAX_LENGTH {
        return Err(too_large("the window", MAX_LENGTH));
    }
    let length = length.next_power_of_two().max(2);
    if length < longest {
        return Err(NumericError::domain(
            "the length of the window",
            length,
            "at least that of the longest sequence",
        ));
    }
    let start = start.min(last);
    let end = start.saturating_add(u64::try_from(length).unwrap_or(u64::MAX)).min(last + 1);
    let entries = usize::try_from(end - start).unwrap_or(length);
    let outside = add_up(below(factors, start), above(factors, end, last));
    Ok(Place { start, length, entries, outside })
}

/// Begins with the width a normal law would need and doubles until it is enough.
fn covering(factors: &[Tilted], outside: f64, last: u64) -> Result<Place, NumericError> {
    let (mean, variance) = moments(factors);
    let half = (2.0 * variance * (2.0 / outside.min(0.5)).ln()).sqrt();
    let longest = factors.iter().map(|f| f.masses.len()).max().unwrap_or(2);
    let mut length = near(2.0 * half).clamp(longest, MAX_LENGTH).next_power_of_two().max(2);
    loop {
        if u64::try_from(length).is_ok_and(|length| length > last) {
            return whole(last);
        }
        let start = near((mean - count(length / 2)).max(0.0));
        let place = at(factors, u64::try_from(start).unwrap_or(last), length, last)?;
        if place.outside <= outside {
            return Ok(place);
        }
        length *= 2;
    }
}

/// A float as a count; beyond the range, the nearest there is.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and this only chooses where to look"
)]
fn near(x: f64) -> usize {
    x as usize
}

/// At least the mass below `start`.
fn below(factors: &[Tilted], start: u64) -> f64 {
    if start == 0 { 0.0 } else { chernoff(factors, start - 1, Side::Below) }
}

/// At least the mass from `end` on.
fn above(factors: &[Tilted], end: u64, last: u64) -> f64 {
    if end > last { 0.0 } else { chernoff(factors, end, Side::Above) }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Below,
    Above,
}

/// The best Chernoff bound found of the mass at `index` and beyond.
fn chernoff(factors: &[Tilted], index: u64, side: Side) -> f64 {
    let everything = bound(factors, 1.0, 0);
    let (mean, variance) = moments(factors);
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let distance = index as f64 - mean;
    let beyond = if side == Side::Above { distance > 0.0 } else { distance < 0.0 };
    if !beyond {
        return everything;
    }
    let guess = distance / variance.max(1e-9);
    let theta = valley(guess, |theta| estimate(factors, theta, mean + distance));
    let t = theta.clamp(-700.0, 700.0).exp();
    let valid = if side == Side::Above { t >= 1.0 } else { t <= 1.0 };
    if valid { bound(factors, t, index).min(everything) } else { everything }
}

/// At least t^-index Π A_i(t)^{k_i}.
fn bound(factors: &[Tilted], t: f64, index: u64) -> f64 {
    let mut product = Scaled::ONE;
    for factor in factors {
        // Horner, upward.
        let value = factor.masses.iter().rev().fold(0.0, |h, &a| add_up(mul_up(h, t), a));
        let Some(value) = Scaled::of(value) else { return f64::INFINITY };
        product = product.times(value.power(factor.times, Towards::Above), Towards::Above);
    }
    let Some(t) = Scaled::of(t) else { return f64::INFINITY };
    let down = (t.power(index, Towards::Below), t.power(index, Towards::Above));
    Quotient::of((product, product), down).upper()
}

/// The logarithm of the bound, roughly.
fn estimate(factors: &[Tilted], theta: f64, index: f64) -> f64 {
    let t = theta.exp();
    let log = |factor: &Tilted| {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let times = factor.times as f64;
        times * factor.masses.iter().rev().fold(0.0, |h, &a| h * t + a).ln()
    };
    factors.iter().map(log).sum::<f64>() - theta * index
}

/// Near the lowest point of a convex function on [guess/16, 4 guess], by golden sections of the
/// logarithm.
fn valley(guess: f64, height: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let at = |log: f64| guess * log.exp();
    let (mut low, mut high) = (-2.8, 1.4);
    for _ in 0..12 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        // An infinite or undefined height on the right counts as high.
        if height(at(left)) < height(at(right)) || !height(at(right)).is_finite() {
            high = right;
        } else {
            low = left;
        }
    }
    at(f64::midpoint(low, high))
}

/// Mean and variance of the convolution, roughly.
fn moments(factors: &[Tilted]) -> (f64, f64) {
    factors.iter().fold((0.0, 0.0), |(mean, variance), factor| {
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for (j, &a) in factor.masses.iter().enumerate() {
            let j = count(j);
            (mass, first, second) = (mass + a, first + a * j, second + a * j * j);
        }
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let times = factor.times as f64;
        let centre = first / mass;
        (mean + times * centre, variance + times * (second / mass - centre * centre).max(0.0))
    })
}
