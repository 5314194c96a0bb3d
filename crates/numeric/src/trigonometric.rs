//! Cosine and sine, certified: what a Fourier or contour integral turns its nodes by.
//!
//! x = k π/64 + r with |r| < 0.02455 < 2^-5.34; cos and sin of k π/64 come from a table, those
//! of r from their Taylor series, and the addition theorems put them together.
//!
//! # Guarantee
//! For a point the enclosure is as a rule the two `f64` around the true value; it is never wider
//! than two ulps plus 2^-71 ([`crate::widths`]). Where |x| < π/128 the sine is known relatively.
//! Beyond |x| = 2^30 nothing is promised but that a cosine and a sine lie in [-1, 1].
//!
//! ```
//! use throng_numeric::trigonometric::cos_sin;
//! let (cos, sin) = cos_sin(std::f64::consts::FRAC_PI_6);
//! assert!(sin.contains(0.5) && sin.width() < 1e-15);
//! assert!((cos.square() + sin.square()).contains(1.0));
//! ```

use crate::Enclosure;
use crate::ball::Ball;
use crate::constants::{FRAC_PI_64, SINES};
use crate::wide::{Wide, exp2i};

/// Arguments are reduced up to here: then k has fewer than 35 bits.
const RANGE: f64 = exp2i(30);

/// Adding it rounds a number below 2^51 to an integer, which then is in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 2^52

/// Half the distance from 1 to the next `f64`.
const HALF_ULP: f64 = exp2i(-53);

/// All that is known of a cosine.
const UNIT_INTERVAL: (f64, f64) = (-1.0, 1.0);

/// cos x and sin x.
///
/// # Guarantee
/// Each encloses the true value, for |x| <= 2^30 within two ulps plus 2^-71. For larger |x|, an
/// infinity or NaN, both are [-1, 1].
#[must_use]
pub fn cos_sin(x: f64) -> (Enclosure, Enclosure) {
    if x == 0.0 {
        return (Enclosure::ONE, Enclosure::ZERO);
    }
    if is_out_of_range(x) {
        let unknown = Enclosure::outward(UNIT_INTERVAL.0, UNIT_INTERVAL.1);
        return (unknown, unknown);
    }
    let (cos, sin) = balls(x);
    (within_unit(cos), within_unit(sin))
}

/// Estimates of cos x - 1 and sin x, and a bound on the error of each.
///
/// # Guarantee
/// |cos x - 1 - first| <= third and |sin x - second| <= third, where the third is below
/// 3.3 · 2^-53 min(2, |x|) + 2^-1022: it vanishes with x, as a characteristic function minus 1
/// needs it. For |x| > 2^30, an infinity or NaN, the answer is (-1, 0, 1).
///
/// # Derivation
/// With h = x/2, cos x - 1 = -2 sin² h and sin x = 2 sin h cos h. Write u = 2^-53 and
/// m = min(1, |h|). The table value of the sine in `balls` is at most 2.01 m and |r| at most
/// 1.01 m, so sin h is known to 2^-59.5 m and its head is off by less than 1.02 u m; likewise
/// the head of cos h by less than 1.02 u. Therefore -2 sin² h is off by at most 4 m · 1.02 u m
/// from its factors and 2 u m² from rounding; 2 sin h cos h by 2 · 1.02 u m twice and 2 u m from
/// rounding (products of errors are below 3 u² m). Both are below 6.1 u m = 3.05 u min(2, |x|).
/// What underflows (in x/2 and in the products) is far below 2^-1022.
#[must_use]
pub fn cos_minus_one_sin(x: f64) -> (f64, f64, f64) {
    if x == 0.0 {
        return (0.0, x, 0.0);
    }
    if is_out_of_range(x) {
        return (-1.0, 0.0, 1.0);
    }
    let (cos, sin) = balls(0.5 * x);
    let (cos, sin) = (cos.mid.hi, sin.mid.hi);
    let error = 3.2 * HALF_ULP * x.abs().min(2.0) + f64::MIN_POSITIVE;
    (-2.0 * sin * sin, 2.0 * sin * cos, error)
}

/// NaN counts as out of range.
#[inline]
fn is_out_of_range(x: f64) -> bool {
    x.is_nan() || x.abs() > RANGE
}

#[inline]
fn within_unit(ball: Ball) -> Enclosure {
    let wide = ball.enclosure();
    Enclosure::outward(wide.lower().max(UNIT_INTERVAL.0), wide.upper().min(UNIT_INTERVAL.1))
}

/// cos x and sin x for |x| <= [`RANGE`], each with a radius of at most
/// 2^-61 |table value| + 2^-62 |r| + 2^-108 |k|, where the table value of the sine is sin(k π/64).
#[inline]
fn balls(x: f64) -> (Ball, Ball) {
    let (k, index, r) = reduce(x);
    let (cos, sin) = (SINES[index.wrapping_add(32) & 127], SINES[index & 127]);
    let (turned, bent) = (cosine_rest(r.hi), sine_rest(r.hi));
    let reach = r.hi.abs() * exp2i(-62) + k.abs() * exp2i(-108);
    let ball = |table: Wide, mid| Ball { mid, rad: table.hi.abs() * exp2i(-61) + reach };
    (ball(cos, rotate(cos, -sin, r, turned, bent)), ball(sin, rotate(sin, cos, r, turned, bent)))
}

/// The nearest multiple k of π/64, k modulo 128 in the low bits, and the rest r.
///
/// k head is exact as a pair, and so are the two differences. To them are added k times the
/// tail of π/64 (below 2^-58 k, with an error of 2^-111 k) and the low parts of the differences
/// (the sum is below 2^-57 k, its roundings below 2^-110 k). The constant itself is right to
/// 2^-105 π/64 < 2^-109.3. Together r is off by less than 2^-108 |k|: not at all for k = 0, and
/// below 2^-73 always.
#[inline]
fn reduce(x: f64) -> (f64, usize, Wide) {
    const INVERSE: f64 = 20.371_832_715_762_603; // 64 / π; need not be exact
    let shifted = x * INVERSE + ROUNDER;
    let k = shifted - ROUNDER;
    let index = usize::try_from(shifted.to_bits() & 127).unwrap_or(0);
    let multiple = Wide::product(k, FRAC_PI_64.hi);
    let first = Wide::sum(x, -multiple.hi);
    let second = Wide::sum(first.hi, -multiple.lo);
    let low = (first.lo + second.lo) - k * FRAC_PI_64.lo;
    (k, index, Wide::sum(second.hi, low))
}

/// a cos r + b sin r for a and b out of the table, given cos r - 1 and sin r - r.
///
/// = a + b r + a (cos r - 1) + b (sin r - r). The head of b r is exact as a pair, and so is its
/// sum with the head of a (which is 0 or above 0.049 > |b r|). All else is summed plainly; with
/// u = 2^-53 the errors are
/// * in a (cos r - 1): 6 u r²/2 |a| < 2^-62 |a|, see [`cosine_rest`], and the product;
/// * in b (sin r - r): 9 u r²/6 |r| < 2^-63 |r|, see [`sine_rest`], and the product;
/// * in the sums: two roundings of at most u (|a| r²/2 + |r|³/6), that is, 2^-63.6 |a| +
///   2^-65.2 |r|, and others of tails only;
/// * from tails of a, b, r that are left out or rounded: 2^-100 (|a| + |r|).
///
/// Together below 2^-61.5 |a| + 2^-62.6 |r|. The last sum is exact, for a + b r outweighs the
/// rest a thousandfold, unless all of it is 0.
#[inline]
fn rotate(a: Wide, b: Wide, r: Wide, cosine_rest: f64, sine_rest: f64) -> Wide {
    let product = Wide::product(b.hi, r.hi);
    let sum = Wide::sum_of_ordered(a.hi, product.hi);
    let tails = (b.hi * r.lo + b.lo * r.hi) + (a.lo + (sum.lo + product.lo));
    Wide::sum_of_ordered(sum.hi, (a.hi * cosine_rest + b.hi * sine_rest) + tails)
}

/// cos r - 1 for |r| < 0.02456 from the head t of r, to a relative 5 · 2^-53: one each for the
/// square, a sum and a product, two for t in place of r. The series is cut after t^8: the next
/// term is below 2^-63 of the whole.
#[inline]
fn cosine_rest(t: f64) -> f64 {
    let s = t * t;
    s * (-0.5 + s * (1.0 / 24.0 - s * (1.0 / 720.0 - s * (1.0 / 40320.0))))
}

/// sin r - r for |r| < 0.02456 from the head t of r, to a relative 8 · 2^-53: one each for three
/// products, a sum and a rounded constant, three for t in place of r. The series is cut after
/// t^9: the next term is below 2^-65 of the whole.
#[inline]
fn sine_rest(t: f64) -> f64 {
    let s = t * t;
    t * s * (-1.0 / 6.0 + s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s * (1.0 / 362_880.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_exact() {
        assert_eq!(cos_sin(0.0), (Enclosure::ONE, Enclosure::ZERO));
        assert_eq!(cos_minus_one_sin(0.0), (0.0, 0.0, 0.0));
    }

    #[test]
    fn nothing_is_promised_far_out() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, RANGE.next_up()] {
            let (cos, sin) = cos_sin(x);
            assert_eq!((cos.lower(), cos.upper()), UNIT_INTERVAL);
            assert_eq!(cos, sin);
            assert_eq!(cos_minus_one_sin(x), (-1.0, 0.0, 1.0));
        }
    }

    #[test]
    fn the_rest_of_the_reduction_is_small() {
        for i in 0..200_000_u32 {
            let x = RANGE * f64::from(i) / 200_000.0;
            let (_, _, r) = reduce(x);
            assert!(r.hi.abs() < 0.02456, "{x}: {}", r.hi);
        }
    }
}
