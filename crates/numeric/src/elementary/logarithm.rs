//! The kernel of ln x in double-word arithmetic.
//!
//! x = 2^k m with m around 1; a table gives a short r with f = m r - 1 small, and
//! ln x = k ln 2 - ln r + ln(1 + f).

use crate::ball::Ball;
use crate::constants::{LN_2_PARTS, ONE_THIRD, RECIPROCALS};
use crate::wide::{UNIT, Wide, exp2i};

/// From this 256th part of [1, 2) on (it is the one that holds sqrt 2), m is halved.
const FIRST_HALVED: u64 = 106;

/// Relative error of [`ln`]. Where r = 1 and k = 0 the result is ln(1 + f), which
/// [`ln_1p_reduced`] gives to 2^-75.6 of f. Elsewhere |ln x| > 2^-9.01, for x is outside
/// [1 - 2^-9, 1 + 2^-8], while the absolute errors are 2^-83.6 from the series, 2^-104 from the
/// table and the product m.lo r, and 2^-100 |ln x| from k ln 2 and the additions (which do not
/// cancel: k = 0 unless |ln x| > 0.34).
const LN_ERROR: f64 = exp2i(-74);

/// ln x for positive finite x.
#[inline]
pub(crate) fn ln(x: Wide) -> Ball {
    let (m, k) = x.normalised();
    let part = (m.hi.to_bits() >> 44) & 0xff;
    let (m, k) = if part >= FIRST_HALVED { (m.times_power(0.5), k + 1) } else { (m, k) };
    let (r, ln_r) = RECIPROCALS[table_index(part)];
    let near_one = ln_1p_reduced(residue(m, r));
    let sum = if k == 0 { ln_r + near_one } else { multiple_of_ln_2(k) + (ln_r + near_one) };
    Ball::near(sum, LN_ERROR)
}

/// m r - 1, where r has at most 11 bits: exact but for the rounding of m.lo r (2^-106), and
/// quite exact for r = 1.
#[inline]
fn residue(m: Wide, r: f64) -> Wide {
    const LOW_BITS: u64 = (1 << 27) - 1;
    let head = f64::from_bits(m.hi.to_bits() & !LOW_BITS);
    // Both products have at most 38 bits, and the difference with 1 cancels at the top.
    let f = Wide::sum(head * r - 1.0, (m.hi - head) * r);
    if m.lo == 0.0 { f } else { f + m.lo * r }
}

/// Where [`ln_1p_small`] applies.
pub(crate) const REDUCED: f64 = exp2i(-8);

/// ln(1 + x) for |x| <= [`REDUCED`], with the relative error of the series (2^-75.6).
#[inline]
pub(crate) fn ln_1p_small(x: Wide) -> Ball {
    Ball::near(ln_1p_reduced(x), LN_ERROR)
}

/// k ln 2; unknown for |k| >= 2^20, where the products would no longer be exact.
pub(crate) fn times_ln_2(k: i64) -> Ball {
    if k.unsigned_abs() >= 1 << 20 {
        return Ball { mid: Wide::of(0.0), rad: f64::INFINITY };
    }
    Ball::near(multiple_of_ln_2(k), UNIT)
}

#[inline]
fn table_index(part: u64) -> usize {
    usize::try_from(part & 0xff).unwrap_or(0)
}

/// k ln 2, to 2^-103 for |k| < 2^20.
#[inline]
fn multiple_of_ln_2(k: i64) -> Wide {
    let [head, middle, tail] = LN_2_PARTS;
    let k = exponent_as_f64(k);
    Wide::sum(k * head, k * middle) + k * tail
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "an exponent is a few thousand at most")]
fn exponent_as_f64(k: i64) -> f64 {
    k as f64
}

/// ln(1 + f) for |f| <= 2^-8 + 2^-52.
///
/// f - f²/2 + f³/3 is wide. The rest, -f⁴ (1/4 - f/5 + ...), is plain with a relative error below
/// 10 · 2^-53 (four for using the head of f, four products, a sum, a rounded constant, and the
/// deeper terms damped by 2^-8): f⁴/4 · 10 · 2^-53 < 2^-83.6 absolutely and f³/4 · 10 · 2^-53 <
/// 2^-75.6 relative to f. The series is cut after f^11: the next term is below f · 2^-88 / 12.
#[inline]
fn ln_1p_reduced(f: Wide) -> Wide {
    let t = f.hi;
    let high = 1.0 / 7.0 - t * (1.0 / 8.0 - t * (1.0 / 9.0 - t * (1.0 / 10.0 - t * (1.0 / 11.0))));
    let quartic = (t * t) * (t * t) * (1.0 / 4.0 - t * (1.0 / 5.0 - t * (1.0 / 6.0 - t * high)));
    let square = f.square();
    let cubic = square * (ONE_THIRD * f + -0.5);
    f + (cubic + -quartic)
}
