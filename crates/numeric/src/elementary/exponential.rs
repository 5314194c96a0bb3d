//! The kernel of e^x in double-word arithmetic.
//!
//! x = (32 e + j) (ln 2)/32 + r with |r| <= (ln 2)/64 + 2^-30 < 2^-6.52, and
//! e^x = 2^e 2^(j/32) e^r with 2^(j/32) from a table and e^r from its Taylor series.

use crate::ball::{Ball, Scaled};
use crate::constants::{EXP2, LN_2_PARTS};
use crate::wide::{Wide, exp2i, power_of_two};

/// The kernel takes |x| up to here: then 32 e + j has fewer than 20 bits.
pub(crate) const RANGE: f64 = 16_384.0;

/// Relative error of [`exp`]; derived there.
const EXP_ERROR: f64 = exp2i(-70);

/// Relative error of [`expm1_reduced`]; derived there.
const EXPM1_REDUCED_ERROR: f64 = exp2i(-64);

/// Adding it rounds a number below 2^51 to an integer, which then is in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 2^52

/// e^x for |x| <= [`RANGE`].
///
/// With T from the table (to 2^-105) and e^r - 1 = a + b (to 2^-71.3, see [`expm1_reduced`]),
/// e^x = 2^e (T + T a + T b). T.hi a is exact as a pair; the low parts are summed plainly, the
/// largest of them T.hi b < 2^-20.9, in five roundings of at most 2^-74 each, which is 2^-71.6.
/// With e^r > 0.98 all this is below 2^-70.
#[inline]
pub(crate) fn exp(x: Wide) -> Scaled {
    let (index, r) = reduce(x);
    let Wide { hi: a, lo: b } = expm1_reduced(r);
    let power = EXP2[table_index(index)];
    let product = Wide::product(power.hi, a);
    let sum = Wide::sum_of_ordered(power.hi, product.hi);
    let low = (power.hi * b + power.lo * a) + (power.lo + product.lo);
    let mid = Wide::sum_of_ordered(sum.hi, sum.lo + low);
    Scaled { ball: Ball::near(mid, EXP_ERROR), exponent: index >> 5 }
}

#[inline]
fn table_index(index: i64) -> usize {
    usize::try_from(index & 31).unwrap_or(0)
}

/// e^x - 1 for |x| <= [`RANGE`]. The relative error is 2^-64 in the innermost interval, where
/// the series gives the value itself; outside it |e^x - 1| > 2^-7 while e^x is known to 2^-70 of
/// itself, and the ball accounts for it. (2^-e may underflow: it then is below 2^-1022.)
#[inline]
pub(crate) fn expm1(x: Wide) -> Scaled {
    let (index, r) = reduce(x);
    if index == 0 {
        let Wide { hi, lo } = expm1_reduced(r);
        let ball = Ball::near(Wide::sum(hi, lo), EXPM1_REDUCED_ERROR);
        return Scaled { ball, exponent: 0 };
    }
    let Scaled { ball, exponent } = exp(x);
    let one = Ball::point(power_of_two(-exponent)).widened(f64::MIN_POSITIVE);
    Scaled { ball: ball - one, exponent }
}

/// The nearest multiple of (ln 2)/32 and the rest, as a sum whose low part need not be small
/// against the high part but is below 2^-39.
///
/// The multiplier has at most 20 bits, so its products with the first two parts of ln 2 are
/// exact. So is the first difference s: for a multiplier 0 trivially; otherwise |x| > 2^-7, so
/// that s is a multiple of 2^-59 (the head times a 32nd is one of 2^-37), and |s| < 2^-6. The
/// second difference is exact as a pair. Its error part (below 2^-59), the tail of x (below
/// 2^-40) and the third product (below 2^-44, rounded to 2^-97) are added with an error of 2^-92.
/// For a multiplier 0 the result is x itself.
#[inline]
fn reduce(x: Wide) -> (i64, Wide) {
    const INVERSE: f64 = 46.166_241_308_446_83; // 32 / ln 2; need not be exact
    let shifted = x.hi * INVERSE + ROUNDER;
    let multiple = (shifted - ROUNDER) * (1.0 / 32.0);
    let index = shifted.to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed();
    let [head, middle, tail] = LN_2_PARTS;
    let s = x.hi - multiple * head;
    let r = Wide::sum(s, -multiple * middle);
    (index, Wide { hi: r.hi, lo: r.lo + (x.lo - multiple * tail) })
}

/// e^r - 1 = a + b for |r| < 2^-6.52 and |r.lo| < 2^-39, as a pair with |b| < 2^-21.9.
///
/// r.hi + r.hi²/2 is exact as a pair a + b' plus the low part of the square. To it are added, in
/// plain arithmetic, r.lo, r.hi r.lo and r³ (1/6 + r/24 + ...). Left out is r.lo²/2 < 2^-79 (or,
/// where r.lo is but the tail of r.hi, 2^-107 r²). The cubic has a relative error below 8 · 2^-53
/// (three for the rounding of r, three products, a sum, a constant; the deeper terms are damped
/// by |r|), the sums have four roundings at most 2^-53 of |r|³/6 + 2^-39 each. As |r|³/6 < 2^-22.1,
/// together they leave 12 · 2^-75.1 < 2^-71.5 absolutely. For a multiplier 0 in [`reduce`], r.lo
/// is below 2^-53 |r|, and relative to |r| they leave 12 · 2^-53 (r²/6 + 2^-52) < 2^-65. The
/// series is cut after r^10: the next term is below |r| · 2^-65 / 11! < 2^-90 |r|.
#[inline]
fn expm1_reduced(r: Wide) -> Wide {
    let t = r.hi + r.lo;
    let square = Wide::product(r.hi, 0.5 * r.hi);
    let sum = Wide::sum_of_ordered(r.hi, square.hi);
    let cubic = (t * t * t) * (1.0 / 6.0 + t * (1.0 / 24.0 + t * high_terms(t)));
    let low = (sum.lo + square.lo) + (r.lo + r.hi * r.lo);
    Wide { hi: sum.hi, lo: low + cubic }
}

/// 1/5! + t/6! + ... + t^5/10!.
#[inline]
fn high_terms(t: f64) -> f64 {
    const COEFFICIENTS: [f64; 6] =
        [1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362_880.0, 1.0 / 3_628_800.0];
    COEFFICIENTS.iter().rev().fold(0.0, |sum, c| sum * t + c)
}
