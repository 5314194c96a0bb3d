//! Balls: a double-word centre and a radius, so that a formula carries its own rounding error.
//!
//! # Guarantee
//! If x lies in X and y in Y, then x + y lies in X + Y, and so on. A ball that overflowed has a
//! radius that is NaN or infinite, and becomes [`Enclosure::REAL`]: nothing is known.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::Enclosure;
use crate::rounding::two_sum;
use crate::wide::{UNIT, Wide, exp2i, power_of_two};

/// Covers what underflows in one operation (at most 2^-1060, see [`Wide`]).
const FLOOR: f64 = f64::from_bits(1 << 19); // 2^-1055

/// The radius is a sum of at most eight positive products, each rounded at most eight times,
/// of magnitudes known to 2^-52: this factor outweighs all those roundings.
const INFLATE: f64 = 1.0 + exp2i(-46);

/// All real numbers within `rad` of `mid`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ball {
    pub(crate) mid: Wide,
    pub(crate) rad: f64,
}

/// The number ball 2^exponent: balls stay near 1 while values under- or overflow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scaled {
    pub(crate) ball: Ball,
    pub(crate) exponent: i64,
}

impl Ball {
    pub(crate) const ZERO: Self = Self::exact(Wide::of(0.0));
    pub(crate) const ONE: Self = Self::exact(Wide::ONE);

    /// A number known exactly.
    #[inline]
    pub(crate) const fn exact(mid: Wide) -> Self {
        Self { mid, rad: 0.0 }
    }

    /// An `f64`.
    #[inline]
    pub(crate) const fn point(x: f64) -> Self {
        Self::exact(Wide::of(x))
    }

    /// A number known to within `relative` of its centre.
    #[inline]
    pub(crate) fn near(mid: Wide, relative: f64) -> Self {
        Self { mid, rad: mid.hi.abs() * relative * INFLATE + FLOOR }
    }

    /// One of the constants of this crate, which are within 2^-105 of the truth.
    #[inline]
    pub(crate) fn constant(mid: Wide) -> Self {
        Self::near(mid, UNIT)
    }

    /// The ball around the interval between two `f64`.
    pub(crate) fn between(lower: f64, upper: f64) -> Self {
        let mid = 0.5 * lower + 0.5 * upper;
        let reach = (upper - mid).max(mid - lower) * INFLATE + FLOOR;
        // `max` would hide a NaN, so ask again.
        let rad = if mid.is_finite() && reach.is_finite() { reach } else { f64::INFINITY };
        Self { mid: Wide::of(mid), rad }
    }

    /// The same with a larger radius.
    #[inline]
    pub(crate) fn widened(self, extra: f64) -> Self {
        Self { mid: self.mid, rad: (self.rad + extra.abs()) * INFLATE }
    }

    /// This times a power of two, exactly up to underflow, which the floor covers.
    #[inline]
    pub(crate) fn times_power(self, power: f64) -> Self {
        Self { mid: self.mid.times_power(power), rad: self.rad * power + FLOOR }
    }

    /// The square.
    #[inline]
    pub(crate) fn square(self) -> Self {
        self * self
    }

    /// At most every |x| in the ball, and not NaN.
    #[inline]
    pub(crate) fn magnitude_below(self) -> f64 {
        let m = self.mid.hi.abs() * (1.0 - exp2i(-50)) - self.rad * INFLATE;
        if m > 0.0 { m } else { 0.0 }
    }

    /// At least every |x| in the ball (NaN if nothing is known).
    #[inline]
    pub(crate) fn magnitude_above(self) -> f64 {
        (self.mid.hi.abs() + self.rad) * INFLATE
    }

    /// Whether every number in the ball is above 0.
    #[inline]
    pub(crate) fn is_positive(self) -> bool {
        self.mid.hi > 0.0 && self.magnitude_below() > 0.0
    }

    /// Whether something is known.
    #[inline]
    pub(crate) fn is_known(self) -> bool {
        self.rad.is_finite() && self.mid.hi.is_finite() && self.mid.lo.is_finite()
    }

    /// The tightest enclosure.
    #[inline]
    pub(crate) fn enclosure(self) -> Enclosure {
        if !self.is_known() {
            return Enclosure::REAL;
        }
        let Wide { hi, lo } = self.mid;
        let upper = -end_below(-hi, (-lo - self.rad).next_down());
        Enclosure::outward(end_below(hi, (lo - self.rad).next_down()), upper)
    }
}

/// At most hi + low.
#[inline]
fn end_below(hi: f64, low: f64) -> f64 {
    let (s, error) = two_sum(hi, low);
    // An infinite s (from a huge hi) has a NaN for its error and steps down, too.
    if error >= 0.0 { s } else { s.next_down() }
}

impl Scaled {
    /// The enclosure of ball 2^exponent, rounded outward once.
    pub(crate) fn enclosure(self) -> Enclosure {
        let ends = self.ball.enclosure();
        if self.exponent == 0 {
            return ends;
        }
        if self.exponent.unsigned_abs() < 960
            && exp2i(-60) < ends.lower()
            && ends.upper() < exp2i(60)
        {
            let power = power_of_two(self.exponent); // neither product rounds
            return Enclosure::outward(ends.lower() * power, ends.upper() * power);
        }
        let upper = -scale_down(-ends.upper(), self.exponent);
        Enclosure::outward(scale_down(ends.lower(), self.exponent), upper)
    }

    /// The ball with its exponent multiplied out; a value below the range of ordinary `f64` is
    /// somewhere around 0.
    pub(crate) fn ball(self) -> Ball {
        if self.exponent < -1000 {
            return Ball::ZERO.widened(self.ball.magnitude_above() * exp2i(-1000));
        }
        self.ball.times_power(power_of_two(self.exponent))
    }
}

/// At most x 2^k. The ends of a scaled ball are near 1, so the first of the two products is
/// exact unless the result is far out of range, and only the second rounds.
fn scale_down(x: f64, k: i64) -> f64 {
    let (first, second) = (power_of_two(k / 2), power_of_two(k - k / 2));
    let halfway = x * first;
    let y = halfway * second;
    let exact_halfway = halfway / first == x; // false when NaN, too
    // y / second is exact (it only undoes the loss of low bits), so it tells the direction.
    if exact_halfway && y / second <= halfway && y < f64::INFINITY {
        y
    } else if x > 0.0 {
        y.next_down().max(0.0)
    } else {
        y.next_down()
    }
}

impl Neg for Ball {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { mid: -self.mid, rad: self.rad }
    }
}

impl Add for Ball {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let mid = self.mid + other.mid;
        Self { mid, rad: (self.rad + other.rad + mid.hi.abs() * UNIT) * INFLATE + FLOOR }
    }
}

impl Sub for Ball {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Ball {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let mid = self.mid * other.mid;
        let crossed = self.mid.hi.abs() * other.rad + other.mid.hi.abs() * self.rad;
        let rad = crossed + self.rad * other.rad + mid.hi.abs() * UNIT;
        Self { mid, rad: rad * INFLATE + FLOOR }
    }
}

/// For a within ra of A and b within rb of B, |a/b - A/B| <= (ra + |A/B| rb) / (|B| - rb), since
/// a/b - A/B = ((a - A) - (A/B)(b - B)) / b and |b| >= |B| - rb.
impl Div for Ball {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let mid = self.mid / other.mid;
        let least = other.magnitude_below();
        if least <= 0.0 {
            return Self { mid: Wide::of(0.0), rad: f64::INFINITY };
        }
        let reach = (self.rad + mid.hi.abs() * other.rad * INFLATE + FLOOR) / least;
        Self { mid, rad: (reach + mid.hi.abs() * UNIT) * INFLATE + FLOOR }
    }
}
