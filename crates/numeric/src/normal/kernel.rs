//! Kernels of the error function family, for arguments at or above 0.

use crate::ball::{Ball, Scaled};
use crate::constants::{ERFCX, FRAC_1_SQRT_2, FRAC_1_SQRT_PI, ONE_TENTH, ONE_THIRD};
use crate::elementary::exponential;
use crate::wide::{Wide, exp2i, mantissa_and_exponent};

/// From here on [`erfcx`] uses its asymptotic series instead of the nodes.
const ASYMPTOTIC: f64 = 16.0;

/// From here on one term of it is enough.
const REMOTE: f64 = exp2i(40);

/// Relative error of [`erfcx`]; see [`erfcx_by_node`] and [`erfcx_asymptotic`].
const ERFCX_ERROR: f64 = exp2i(-68);

/// Up to here [`erf_small`] is used.
pub(super) const SMALL: f64 = 0.25;

/// Relative error of the series in [`erf_small`], shown there.
const ERF_SMALL_ERROR: f64 = exp2i(-66);

/// erfcx(z) = e^(z²) erfc(z) for z >= 0.
///
/// An argument with a relative error e changes the result by at most e, relatively: z erfcx(z)
/// increases and erfcx decreases, so |z erfcx'(z)| <= erfcx(z). The 2^-101 by which x/sqrt 2 may
/// be off thus drowns in the error stated here.
#[inline]
pub(super) fn erfcx(z: Wide) -> Scaled {
    if z.hi < ASYMPTOTIC {
        Scaled { ball: Ball::near(erfcx_by_node(z), ERFCX_ERROR), exponent: 0 }
    } else if z.hi < REMOTE {
        Scaled { ball: Ball::near(erfcx_asymptotic(z), ERFCX_ERROR), exponent: 0 }
    } else {
        // 1/(z sqrt pi) (1 - w) with 0 < w < 1/(2 z²) <= 2^-81.
        let (m, k) = z.normalised();
        Scaled { ball: Ball::near(FRAC_1_SQRT_PI / m, ERFCX_ERROR), exponent: -k }
    }
}

/// Taylor's series around the node of the cell that holds z, for 0 <= z < 16.
///
/// erfcx(x) = π^(-1/2) ∫ e^(-xt - t²/4) dt over t > 0, so the n-th coefficient is (-1)^n / n! times
/// π^(-1/2) ∫ t^n e^(-xt - t²/4) dt, and its magnitude C(n, x) decreases in x. Hence the remainder
/// after 15 terms is at most C(15, l) h^15 for the left end l and the half-width h of the cell.
/// Dropping e^(-t²/4) gives C(n, l) <= π^(-1/2) l^(-n-1); dropping e^(-xt) gives C(n, x) <=
/// 1/Γ(n/2 + 1) <= 1.13; and erfcx(x) >= π^(-1/2) (1/x - 1/(2x³)) >= π^(-1/2)/(2x) for x >= 1 (as
/// e^-s >= 1 - s). For z >= 1, h <= l/32 and x <= 17 l/16, so C(n, l) h^n <= 2.2 · 2^(-5n) erfcx(x). For
/// z < 1, h = 1/32 and erfcx(x) > 0.42, so C(n, x) h^n <= 2.7 · 2^(-5n) erfcx(x), and for n >= 4, where
/// 1/Γ(n/2 + 1) <= 1/2, even 1.2 · 2^(-5n) erfcx(x).
///
/// The cut thus leaves 2^-73. The plain tail, from the fourth power on, has a relative error
/// below 8 · 2^-53 (the heads of d, a sum, a product, a constant; the deeper terms damped by
/// 1/16), which leaves 2.2 · 2^-20 · 2^-50 < 2^-68.8. Together they stay below 2^-68.
#[inline]
fn erfcx_by_node(z: Wide) -> Wide {
    let (index, centre) = node(z.hi);
    let d = Wide::sum(z.hi, -centre) + z.lo;
    let node = &ERFCX[index.min(ERFCX.len() - 1)];
    let tail = node.tail.iter().rev().fold(0.0, |sum, c| sum * d.hi + c);
    let [c0, c1, c2, c3] = node.head;
    (((c3 + tail * d.hi) * d + c2) * d + c1) * d + c0
}

/// The index of the cell that holds z in [0, 16), and its node.
#[inline]
fn node(z: f64) -> (usize, f64) {
    if z < 1.0 {
        let shifted = z + 1.0; // may round up to the next cell, whose neighbour z then is
        let index = (shifted.to_bits() >> 48) & 0xf;
        let index = if shifted >= 2.0 { 15 } else { index };
        return (small(index), (small_f64(index) + 0.5) / 16.0);
    }
    let index = (z.to_bits() >> 48) - (1023 << 4);
    // The cell's left end has the same leading bits; its node is half a cell further.
    let centre = f64::from_bits((z.to_bits() >> 48 << 48) | 1 << 47);
    (small(index + 16), centre)
}

#[inline]
fn small(index: u64) -> usize {
    usize::try_from(index).unwrap_or(0)
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "below 16")]
fn small_f64(index: u64) -> f64 {
    index as f64
}

/// The asymptotic series for z >= 16: with w = 1/(2z²) <= 2^-9,
/// z sqrt(π) erfcx(z) = 1 - w + 3w² - 15w³ + ..., where the error of a partial sum is below the first
/// term left out (substitute s = zt in the integral: e^(-s²/(4z²)) lies between successive partial
/// sums of its alternating series, and ∫ s^2n e^-s ds / (n! (4z²)^n) = (2n - 1)!! w^n).
/// Left out: 25!! w^13 < 2^-74. The plain terms from 15w³ <= 2^-23 on have a relative error below
/// 8 · 2^-53 and leave 2^-73.
#[inline]
fn erfcx_asymptotic(z: Wide) -> Wide {
    const FACTORIALS: [f64; 10] = [
        15.0,
        105.0,
        945.0,
        10_395.0,
        135_135.0,
        2_027_025.0,
        34_459_425.0,
        654_729_075.0,
        13_749_310_575.0,
        316_234_143_225.0,
    ];
    let w = Wide::of(0.5) / z.square();
    let alternating = FACTORIALS.iter().rev().fold(0.0, |sum, c| c - sum * w.hi);
    let cubic = alternating * w.hi * w.hi * w.hi;
    let series = (w * ((w * 3.0) + -1.0) + -cubic) + 1.0;
    FRAC_1_SQRT_PI / z * series
}

/// erf(z) for |z| <= [`SMALL`] + 2^-40, z given with its square.
///
/// erf z = 2z/sqrt(π) (1 - w/3 + w²/10 - w³/42 + ...), w = z² <= 2^-4, terms w^n / (n! (2n + 1)). They
/// alternate and decrease, so cutting after n = 11 leaves less than w^12/(12! 25) < 2^-81. The
/// plain terms from w³/42 < 2^-17.3 on have a relative error below 10 · 2^-53 and leave 2^-67;
/// the sum is above 0.97.
pub(super) fn erf_small(z: Wide, square: Wide) -> Scaled {
    const PLAIN: [f64; 9] = [
        1.0 / 42.0,
        1.0 / 216.0,
        1.0 / 1320.0,
        1.0 / 9360.0,
        1.0 / 75_600.0,
        1.0 / 685_440.0,
        1.0 / 6_894_720.0,
        1.0 / 76_204_800.0,
        1.0 / 918_086_400.0,
    ];
    let w = square.hi;
    let alternating = PLAIN.iter().rev().fold(0.0, |sum, c| c - sum * w);
    let series = ((square * ONE_TENTH - ONE_THIRD) * square + -(w * w * w * alternating)) + 1.0;
    if z.hi == 0.0 {
        return Scaled { ball: Ball::ZERO, exponent: 0 };
    }
    let (m, k) = if z.hi > 0.0 { z.normalised() } else { (-z).normalised() };
    let m = if z.hi > 0.0 { m } else { -m };
    let ball = Ball::near(series, ERF_SMALL_ERROR) * Ball::constant(FRAC_1_SQRT_PI * m);
    Scaled { ball, exponent: k + 1 }
}

/// e^-s erfcx(z), where s is the square of z, both at or above 0 and s below 8192.
#[inline]
pub(super) fn decay(z: Wide, square: Wide) -> Scaled {
    let exp = exponential::exp(-square);
    let factor = erfcx(z);
    Scaled { ball: exp.ball * factor.ball, exponent: exp.exponent + factor.exponent }
}

/// x/sqrt 2 and its square, x²/2 (exact unless it underflows, when it is next to nothing).
#[inline]
pub(super) fn over_sqrt_2(x: f64) -> (Wide, Wide) {
    (FRAC_1_SQRT_2 * x, Wide::product(x, x).times_power(0.5))
}

/// 1 - Φ(x) for 0 <= x <= 100.
#[inline]
pub(super) fn upper_tail(x: f64) -> Scaled {
    let (z, square) = over_sqrt_2(x);
    let twice = decay(z, square);
    Scaled { ball: twice.ball, exponent: twice.exponent - 1 }
}

/// Φ(x) - 1/2 for 0 <= x <= 6, to a relative accuracy.
pub(super) fn central(x: f64) -> Scaled {
    let (z, square) = over_sqrt_2(x);
    if z.hi < SMALL {
        let erf = erf_small(z, square);
        return Scaled { ball: erf.ball, exponent: erf.exponent - 1 };
    }
    Scaled { ball: Ball::point(0.5) - upper_tail(x).ball(), exponent: 0 }
}

/// t as an exact ball in units of 2^exponent; unknown if it is far from 1 in that unit.
pub(super) fn in_units(t: f64, exponent: i64) -> Ball {
    let (m, k) = mantissa_and_exponent(t);
    if (k - exponent).unsigned_abs() > 900 {
        return Ball { mid: Wide::of(0.0), rad: f64::INFINITY };
    }
    Ball::point(m).times_power(crate::wide::power_of_two(k - exponent))
}
