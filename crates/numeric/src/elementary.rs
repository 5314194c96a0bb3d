//! Exponentials and logarithms of enclosures.
//!
//! # Guarantee
//! Every result encloses the function of every number in the argument. For a point the
//! enclosure is as a rule the two `f64` around the true value, never more than two ulps wide;
//! [`crate::widths`] is the table and `crates/oracle` holds it against MPFR.
//!
//! ```
//! use throng_numeric::Enclosure;
//! let e = Enclosure::ONE.exp();
//! assert!(e.contains(std::f64::consts::E) && e.width() < 1e-15);
//! assert!(Enclosure::new(-1.0, 0.0)?.ln().is_err()); // ln 0 is no number
//! # Ok::<(), throng_numeric::NumericError>(())
//! ```

pub(crate) mod exponential;
pub(crate) mod logarithm;
mod sums;

pub use sums::{log_add_exp, log_sub_exp, log_sum_exp};

use crate::ball::{Ball, Scaled};
use crate::wide::{Wide, exp2i, power_of_two};
use crate::{Enclosure, NumericError};

/// The image of an interval under an increasing function, from enclosures at its ends.
#[inline]
pub(crate) fn increasing(x: Enclosure, at: impl Fn(f64) -> Enclosure) -> Enclosure {
    if x.is_exact() {
        return at(x.lower());
    }
    Enclosure::outward(at(x.lower()).lower(), at(x.upper()).upper())
}

/// The image of an interval under a decreasing function.
#[inline]
pub(crate) fn decreasing(x: Enclosure, at: impl Fn(f64) -> Enclosure) -> Enclosure {
    if x.is_exact() {
        return at(x.lower());
    }
    Enclosure::outward(at(x.upper()).lower(), at(x.lower()).upper())
}

/// A number above 0 too small for an `f64`.
pub(crate) const VANISHING: (f64, f64) = (0.0, f64::from_bits(1));

/// A number too large for an `f64`.
const ENORMOUS: (f64, f64) = (f64::MAX, f64::INFINITY);

/// Below this |x|, e^x - 1 and ln(1 + x) differ from x by less than x^2 < 2^-60 |x|: less than
/// one step between neighbouring `f64`, and towards a known side.
const TINY: f64 = exp2i(-60);

impl Enclosure {
    /// e^x.
    #[must_use]
    pub fn exp(self) -> Self {
        increasing(self, exp_at)
    }

    /// e^x - 1, accurate also for small x.
    #[must_use]
    pub fn expm1(self) -> Self {
        increasing(self, expm1_at)
    }

    /// The natural logarithm of the part of the interval above 0.
    ///
    /// # Errors
    /// If no number of the interval is above 0.
    pub fn ln(self) -> Result<Self, NumericError> {
        if self.upper() <= 0.0 {
            return Err(NumericError::domain("x", self, "above 0"));
        }
        Ok(increasing(self, ln_at))
    }

    /// ln(1 + x) for the part of the interval above -1, accurate also for small x.
    ///
    /// # Errors
    /// If no number of the interval is above -1.
    pub fn ln_1p(self) -> Result<Self, NumericError> {
        if self.upper() <= -1.0 {
            return Err(NumericError::domain("x", self, "above -1"));
        }
        Ok(increasing(self, ln_1p_at))
    }
}

/// e^x at a point or at an infinite end.
fn exp_at(x: f64) -> Enclosure {
    if x == 0.0 {
        return Enclosure::ONE;
    }
    if x > 710.0 {
        return Enclosure::outward(ENORMOUS.0, ENORMOUS.1);
    }
    if x < -746.0 {
        let upper = if x == f64::NEG_INFINITY { 0.0 } else { VANISHING.1 };
        return Enclosure::outward(VANISHING.0, upper);
    }
    exponential::exp(Wide::of(x)).enclosure()
}

/// e^x - 1 at a point or at an infinite end.
fn expm1_at(x: f64) -> Enclosure {
    if x.abs() < TINY {
        // x <= e^x - 1 < x + x^2.
        return Enclosure::outward(x, if x == 0.0 { x } else { x.next_up() });
    }
    if x > 710.0 {
        return Enclosure::outward(ENORMOUS.0, ENORMOUS.1);
    }
    if x < -60.0 {
        // 0 < e^x < 2^-80.
        return Enclosure::outward(
            -1.0,
            if x == f64::NEG_INFINITY { -1.0 } else { (-1.0_f64).next_up() },
        );
    }
    exponential::expm1(Wide::of(x)).enclosure()
}

/// ln x at a point, 0 or below, or infinity.
fn ln_at(x: f64) -> Enclosure {
    if x <= 0.0 {
        return Enclosure::outward(f64::NEG_INFINITY, f64::NEG_INFINITY);
    }
    if x == f64::INFINITY {
        return Enclosure::outward(x, x);
    }
    if x == 1.0 {
        return Enclosure::ZERO;
    }
    logarithm::ln(Wide::of(x)).enclosure()
}

/// ln(1 + x) at a point, -1 or below, or infinity.
fn ln_1p_at(x: f64) -> Enclosure {
    if x <= -1.0 {
        return Enclosure::outward(f64::NEG_INFINITY, f64::NEG_INFINITY);
    }
    if x.abs() < TINY {
        // x - x^2 < ln(1 + x) <= x.
        return Enclosure::outward(if x == 0.0 { x } else { x.next_down() }, x);
    }
    if x == f64::INFINITY {
        return Enclosure::outward(x, x);
    }
    logarithm::ln(Wide::sum(1.0, x)).enclosure()
}

/// e^x of a ball: the centre's exponential, widened by e^r - 1 <= 2r for a radius r <= 1.
/// Arguments beyond the range of the kernel are clipped to a vanishing or unknown result.
pub(crate) fn exp_ball(x: Ball) -> Scaled {
    let unknown = Scaled { ball: Ball { mid: Wide::ONE, rad: f64::INFINITY }, exponent: 0 };
    if !x.is_known() || x.rad > 1.0 || x.mid.hi > exponential::RANGE {
        return unknown;
    }
    if x.mid.hi < -exponential::RANGE {
        // e^x < e^(1 - 16384) < 2^-20000: somewhere between 0 and that.
        return Scaled { ball: Ball { mid: Wide::of(0.5), rad: 0.5 }, exponent: -20_000 };
    }
    let at_centre = exponential::exp(x.mid);
    let spread = at_centre.ball.magnitude_above() * 2.0 * x.rad;
    Scaled { ball: at_centre.ball.widened(spread), exponent: at_centre.exponent }
}

/// e^x - 1 of a ball with centre and radius of at most 1, to a relative accuracy.
pub(crate) fn expm1_ball(x: Ball) -> Ball {
    if !x.is_known() || x.rad > 1.0 || x.mid.hi.abs() > 1.0 {
        return exp_ball(x).ball() - Ball::ONE;
    }
    // The derivative is at most e^2 < 8 on the ball.
    exponential::expm1(x.mid).ball().widened(8.0 * x.rad)
}

/// ln x of a positive ball; unknown if the ball reaches 0.
pub(crate) fn ln_ball(x: Ball) -> Ball {
    let least = x.magnitude_below();
    if !x.is_known() || !x.is_positive() {
        return Ball { mid: Wide::of(0.0), rad: f64::INFINITY };
    }
    // |ln x - ln mid| <= r / least, by the mean value theorem.
    logarithm::ln(x.mid).widened(x.rad / least)
}

/// ln(1 + x) of a ball above -1, to a relative accuracy near 0; unknown if it reaches -1.
pub(crate) fn ln_1p_ball(x: Ball) -> Ball {
    if x.magnitude_above() < logarithm::REDUCED {
        // The derivative is below 1.01 there.
        return logarithm::ln_1p_small(x.mid).widened(1.01 * x.rad);
    }
    ln_ball(Ball::ONE + x)
}

/// The logarithm of a positive scaled ball.
pub(crate) fn ln_scaled(x: Scaled) -> Ball {
    ln_ball(x.ball) + logarithm::times_ln_2(x.exponent)
}

/// ln(1 - t) for a probability t, to a relative accuracy.
pub(crate) fn ln_complement(t: Scaled) -> Scaled {
    let size = t.ball.magnitude_above();
    if size * power_of_two(t.exponent) < exp2i(-60) {
        // ln(1 - t) is between -t (1 + t) and -t.
        let spread = size * exp2i(-60);
        return Scaled { ball: -t.ball.widened(spread), exponent: t.exponent };
    }
    Scaled { ball: ln_1p_ball(-t.ball()), exponent: 0 }
}
