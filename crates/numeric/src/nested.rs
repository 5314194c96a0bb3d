//! Sums of products of ratios, 1 + r₁ (1 + r₂ (1 + ...)), with positive ratios.
//!
//! The tails of the Poisson and binomial families are such sums. They are evaluated from the
//! inside out, so that the part cut off only needs to be *bounded*: its bounds enter as the
//! innermost value, weighted by the product of all ratios.

use crate::ball::Ball;
use crate::wide::{Wide, exp2i};

/// At most this many ratios are used; beyond, the enclosure gets wider instead of slower.
const MOST: u32 = 1 << 22;

/// The ratios r₁, r₂, ... of a nested sum.
pub(crate) trait Ratios {
    /// How many there are, if they end (the sum's innermost value then stands after the last).
    fn count(&self) -> u32;
    /// The i-th, roughly.
    fn plain(&self, i: f64) -> f64;
    /// The i-th, with a relative error of at most 2^-99.
    fn wide(&self, i: f64) -> Wide;
    /// The value that stands after i ratios: 1 + rᵢ₊₁ (1 + ...).
    fn rest(&self, i: u32) -> Ball;
}

/// The value of the sum.
///
/// If a value s has the relative error e, then 1 + r s has at most e + 2^-98: one ratio, one
/// product and one sum. After N steps that is N · 2^-98, and what the innermost value is
/// uncertain by counts with the product of the ratios, here rounded N < 2^23 times at 2^-52.
pub(crate) fn nested_sum(ratios: &impl Ratios) -> Ball {
    let terms = enough(ratios);
    let rest = ratios.rest(terms);
    let (mut value, mut weight) = (rest.mid, 1.0);
    for i in (1..=terms).rev() {
        let ratio = ratios.wide(f64::from(i));
        value = ratio * value + 1.0;
        weight *= ratio.hi;
    }
    let inherited = weight * (1.0 + exp2i(-20)) * rest.rad;
    Ball::near(value, f64::from(terms) * exp2i(-97)).widened(inherited)
}

/// How many ratios it takes until the rest no longer matters. Only a matter of width.
fn enough(ratios: &impl Ratios) -> u32 {
    let limit = ratios.count().min(MOST);
    let (mut term, mut sum) = (1.0, 1.0);
    for i in 1..=limit {
        let ratio = ratios.plain(f64::from(i));
        term *= ratio;
        sum += term;
        if ratio < 1.0 && term < exp2i(-74) * sum * (1.0 - ratio) {
            return i;
        }
    }
    limit
}

/// A value in [1, 1/(1 - r)] for a plain ratio r accurate to 2^-50; unknown unless r < 1.
pub(crate) fn geometric_rest(ratio: f64) -> Ball {
    let room = 1.0 - ratio * (1.0 + exp2i(-48));
    if room > 0.0 {
        Ball::between(1.0, (1.0 + exp2i(-48)) / room)
    } else {
        Ball { mid: Wide::ONE, rad: f64::INFINITY }
    }
}
