//! The normal distribution and the error function, enclosed.
//!
//! # Guarantee
//! Every result encloses the function of every number in the argument. At a point the width
//! is a few ulps, relative to the value, into the farthest tail; [`crate::widths`] is the table
//! and `crates/oracle` holds it against MPFR.
//!
//! # Reference
//! All series and their remainders are derived beside the kernels. The integral
//! erfcx(x) = π^(-1/2) ∫ e^(-xt - t²/4) dt over t > 0 is DLMF 7.7.1 in other letters.
//!
//! ```
//! use throng_numeric::{Enclosure, normal};
//! let p = normal::cdf(Enclosure::point(-1.0)?);
//! assert!(p.contains(0.158_655_253_931_457_05) && p.width() < 1e-16);
//! let x = normal::quantile(p)?;
//! assert!(x.contains(-1.0));
//! # Ok::<(), throng_numeric::NumericError>(())
//! ```

mod kernel;
mod quantile;

pub use quantile::quantile;

use crate::Enclosure;
use crate::ball::{Ball, Scaled};
use crate::constants::{FRAC_1_SQRT_2, FRAC_1_SQRT_TAU};
use crate::elementary::{VANISHING, decreasing, exponential, increasing, ln_complement, ln_scaled};
use crate::rounding::{mul_down, mul_up, sub_down};
use crate::wide::{Wide, exp2i};

/// Beyond it 1 - Φ(x) < e^-800 is no `f64` but 0 or the smallest.
const TAIL_END: f64 = 40.0;

/// Beyond it e^(-x²) is no `f64` but 0 or the smallest, or its inverse infinite.
const SQUARE_END: f64 = 28.0;

/// Beyond it x² is near the end of the range of `f64`.
const HUGE: f64 = exp2i(480);

/// The error function, 2 π^(-1/2) ∫ e^(-t²) dt from 0 to x.
#[must_use]
pub fn erf(x: Enclosure) -> Enclosure {
    increasing(x, erf_at).clamp_to(-1.0, 1.0)
}

/// The complementary error function, 1 - erf(x), accurate into the far tail.
#[must_use]
pub fn erfc(x: Enclosure) -> Enclosure {
    decreasing(x, erfc_at).clamp_to(0.0, 2.0)
}

/// The scaled complementary error function, e^(x²) erfc(x).
#[must_use]
pub fn erfcx(x: Enclosure) -> Enclosure {
    decreasing(x, erfcx_at).clamp_to(0.0, f64::INFINITY)
}

/// Φ(x), the probability that a standard normal variable is at most x.
#[must_use]
pub fn cdf(x: Enclosure) -> Enclosure {
    increasing(x, cdf_at).clamp_to(0.0, 1.0)
}

/// 1 - Φ(x), the probability that a standard normal variable exceeds x.
#[must_use]
pub fn survival(x: Enclosure) -> Enclosure {
    cdf(-x)
}

/// ln Φ(x), finite and accurate as far as x² is.
///
/// ```
/// use throng_numeric::{Enclosure, normal};
/// let far = normal::ln_cdf(Enclosure::point(-1e8)?);
/// assert!(far.contains(-5.000_000_000_000_019e15) && far.width() <= 1.0);
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
#[must_use]
pub fn ln_cdf(x: Enclosure) -> Enclosure {
    increasing(x, ln_cdf_at).clamp_to(f64::NEG_INFINITY, 0.0)
}

/// The density of the standard normal distribution, e^(-x²/2)/sqrt(2π).
#[must_use]
pub fn density(x: Enclosure) -> Enclosure {
    decreasing(x.abs(), density_at)
}

fn erf_at(x: f64) -> Enclosure {
    let z = x.abs();
    let magnitude = if z == 0.0 || z.is_infinite() {
        Enclosure::outward(z.min(1.0), z.min(1.0))
    } else if z < kernel::SMALL {
        kernel::erf_small(Wide::of(z), Wide::product(z, z)).enclosure()
    } else {
        (Ball::ONE - erfc_tail(z).ball()).enclosure()
    };
    if x < 0.0 { -magnitude } else { magnitude }
}

fn erfc_at(x: f64) -> Enclosure {
    if x.is_infinite() {
        let limit = if x > 0.0 { 0.0 } else { 2.0 };
        return Enclosure::outward(limit, limit);
    }
    if x < 0.0 {
        return (Ball::point(2.0) - erfc_tail(-x).ball()).enclosure();
    }
    erfc_tail(x).enclosure()
}

/// erfc(z) for finite z >= 0.
fn erfc_tail(z: f64) -> Scaled {
    if z > SQUARE_END {
        return vanishing();
    }
    kernel::decay(Wide::of(z), Wide::product(z, z))
}

/// A number between 0 and 2^-1100.
fn vanishing() -> Scaled {
    Scaled { ball: Ball { mid: Wide::of(0.5), rad: 0.5 }, exponent: -1100 }
}

fn erfcx_at(x: f64) -> Enclosure {
    if x.is_infinite() {
        let limit = if x > 0.0 { 0.0 } else { f64::INFINITY };
        return Enclosure::outward(limit, limit);
    }
    if x >= 0.0 {
        return kernel::erfcx(Wide::of(x)).enclosure();
    }
    if x < -SQUARE_END {
        return Enclosure::outward(f64::MAX, f64::INFINITY); // above e^784
    }
    // 2 e^(x²) - erfcx(-x), in units of 2^k.
    let Scaled { ball, exponent } = exponential::exp(Wide::product(x, x));
    let other = kernel::erfcx(Wide::of(-x));
    let other = Scaled { ball: other.ball, exponent: other.exponent - exponent }.ball();
    Scaled { ball: ball.times_power(2.0) - other, exponent }.enclosure()
}

#[inline]
fn cdf_at(x: f64) -> Enclosure {
    if x.is_infinite() {
        let limit = if x > 0.0 { 1.0 } else { 0.0 };
        return Enclosure::outward(limit, limit);
    }
    if x.abs() > TAIL_END {
        return if x < 0.0 {
            Enclosure::outward(VANISHING.0, VANISHING.1)
        } else {
            Enclosure::outward(1.0_f64.next_down(), 1.0)
        };
    }
    if x < 0.0 {
        return kernel::upper_tail(-x).enclosure();
    }
    (Ball::ONE - kernel::upper_tail(x).ball()).enclosure()
}

fn ln_cdf_at(x: f64) -> Enclosure {
    if x.is_infinite() {
        let limit = if x > 0.0 { 0.0 } else { x };
        return Enclosure::outward(limit, limit);
    }
    if x > TAIL_END {
        return Enclosure::outward(-VANISHING.1, 0.0);
    }
    if x >= 0.0 {
        return ln_complement(kernel::upper_tail(x)).enclosure();
    }
    if x < -HUGE {
        // φ(x)/(|x| + 1) < Φ(x) < φ(x) there, and ln(|x| + 1) + (ln 2π)/2 < 720.
        let upper = -mul_down(x, x) * 0.5;
        return Enclosure::outward(sub_down(-mul_up(x, x) * 0.5, 720.0), upper);
    }
    let square = Ball::exact(Wide::product(x, x).times_power(0.5));
    let factor = kernel::erfcx(FRAC_1_SQRT_2 * -x);
    let halved = Scaled { ball: factor.ball, exponent: factor.exponent - 1 };
    (ln_scaled(halved) - square).enclosure()
}

fn density_at(x: f64) -> Enclosure {
    if x == f64::INFINITY {
        return Enclosure::ZERO;
    }
    if x > TAIL_END {
        return Enclosure::outward(VANISHING.0, VANISHING.1);
    }
    let exp = exponential::exp(-Wide::product(x, x).times_power(0.5));
    Scaled { ball: exp.ball * Ball::constant(FRAC_1_SQRT_TAU), exponent: exp.exponent }.enclosure()
}
