//! The plain sum, for short inputs.
//!
//! # Guarantee
//! c_k is a sum of at most n = min(|a|, |b|) products of non-negative numbers. In floating point
//! each product is rounded once and takes part in at most n - 1 additions, the first of which
//! (to zero) is exact, so the computed sum is Σ aᵢ b_{k-i} (1 + θᵢ) with
//! |θᵢ| <= γ_n = n u / (1 - n u), u = 2^-53 (Higham, *Accuracy and Stability of Numerical
//! Algorithms*, 2nd ed., §3.1). Nothing cancels, so γ_n bounds the *relative* error of every
//! entry. A product below 2^-1022 may moreover be off by 2^-1075, and these errors pass through
//! the same additions: together less than n 2^-1074. Additions never underflow inexactly.

use super::{Convolved, Factor, too_large};
use crate::NumericError;
use crate::rounding::{add_up, div_up, mul_up, sub_down};
use crate::scaled::Scaled;

/// Products of lengths up to which the plain sum is used. Measured with
/// `examples/convolution_speed.rs`: the two take equally long near n = m = 180; up to 300 the plain
/// sum takes half as long again (some 10 µs), well spent on an error relative to every entry.
const CHEAP: usize = 90_000;

/// The largest total of a result.
const LARGEST: f64 = f64::MAX / 4.0;

pub(super) fn is_cheaper(n: usize, m: usize) -> bool {
    n.saturating_mul(m) <= CHEAP || n.min(m) <= 16
}

/// The convolution of two sequences once each.
pub(super) fn convolve(a: Factor, b: Factor) -> Result<Convolved, NumericError> {
    let total = a.total * b.total;
    // Rounding must not carry an entry to infinity, from where no lower end comes back.
    if total.upper() > LARGEST {
        return Err(too_large("the product of the sums of the masses", LARGEST));
    }
    let (short, long) =
        if a.masses.len() < b.masses.len() { (a.masses, b.masses) } else { (b.masses, a.masses) };
    let mut values = vec![0.0; short.len() + long.len() - 1];
    for (shift, &x) in short.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        for (sum, &y) in values[shift..].iter_mut().zip(long) {
            *sum += x * y;
        }
    }
    let terms = count(short.len());
    Ok(Convolved::plain(values, mul_up(terms, f64::from_bits(1)), relative(terms), total))
}

/// γ_n / (1 - γ_n) = n u / (1 - 2 n u), so that dividing by 1 ± γ_n is multiplying by 1 ± this.
fn relative(terms: f64) -> f64 {
    let nu = mul_up(terms, f64::EPSILON / 2.0);
    div_up(nu, sub_down(1.0, add_up(nu, nu)))
}

#[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^53")]
pub(super) fn count(n: usize) -> f64 {
    n as f64
}

/// Never used by a plain convolution, but part of what it returns.
pub(super) const UNSCALED: (Scaled, Scaled) = (Scaled::ONE, Scaled::ONE);
