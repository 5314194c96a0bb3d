//! Φ^-1 by Newton's method and a certificate.
//!
//! Newton's method runs without any guarantee. What it finds is then certified by monotonicity
//! alone: the quantile of p lies between any a and b with Φ(a) <= p <= Φ(b), and these two
//! comparisons are decided by the enclosures of Φ. No bound on a derivative is needed.
#![expect(clippy::disallowed_methods, reason = "a guess, which is certified afterwards")]

use std::cmp::Ordering;

use super::kernel;
use crate::ball::Ball;
use crate::elementary::{increasing, ln_scaled, logarithm};
use crate::wide::{Wide, exp2i};
use crate::{Enclosure, NumericError};

/// Φ^-1(p), the x with Φ(x) = p, for the part of the interval inside [0, 1].
///
/// # Guarantee
/// Encloses the quantile of every p in the interval; for a point strictly between 0 and 1 it is
/// one or two ulps wide, also for subnormal p and next to 1/2 and 1.
///
/// # Errors
/// If the interval holds no number strictly between 0 and 1.
///
/// ```
/// use throng_numeric::{Enclosure, normal};
/// let x = normal::quantile(Enclosure::point(0.975)?)?;
/// assert!(x.contains(1.959_963_984_540_053_9));
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
pub fn quantile(p: Enclosure) -> Result<Enclosure, NumericError> {
    if p.upper() <= 0.0 || p.lower() >= 1.0 {
        return Err(NumericError::domain("p", p, "strictly between 0 and 1"));
    }
    Ok(increasing(p, quantile_at))
}

fn quantile_at(p: f64) -> Enclosure {
    if p <= 0.0 {
        Enclosure::outward(f64::NEG_INFINITY, f64::NEG_INFINITY)
    } else if p >= 1.0 {
        Enclosure::outward(f64::INFINITY, f64::INFINITY)
    } else if p <= 0.5 {
        -upper_quantile(p)
    } else {
        upper_quantile(1.0 - p) // exact
    }
}

/// The x >= 0 with 1 - Φ(x) = t, for 0 < t <= 1/2.
fn upper_quantile(t: f64) -> Enclosure {
    if t == 0.5 {
        return Enclosure::ZERO;
    }
    let x = approximate(t);
    let lower = step_until(x, 0.0, f64::next_down, |x| compare(x, t) == Some(Ordering::Less));
    let upper = step_until(x, 40.0, f64::next_up, |x| compare(x, t) == Some(Ordering::Greater));
    Enclosure::outward(lower, upper)
}

/// Steps from `start` until `certified`; after a few steps in vain, `resort` is certain anyway.
fn step_until(
    start: f64,
    resort: f64,
    step: fn(f64) -> f64,
    certified: impl Fn(f64) -> bool,
) -> f64 {
    let mut x = start;
    for _ in 0..16 {
        if certified(x) {
            return x;
        }
        x = step(x);
    }
    resort
}

/// How x >= 0 compares with the exact quantile, if that can be decided.
fn compare(x: f64, t: f64) -> Option<Ordering> {
    let excess = if t <= 0.25 {
        let tail = kernel::upper_tail(x.clamp(0.0, 100.0));
        kernel::in_units(t, tail.exponent) - tail.ball
    } else {
        let centre = kernel::central(x.clamp(0.0, 6.0));
        centre.ball - kernel::in_units(0.5 - t, centre.exponent)
    };
    if excess.magnitude_below() > 0.0 { excess.mid.hi.partial_cmp(&0.0) } else { None }
}

/// An estimate of the quantile, usually right to the last bit or next to it; no guarantee.
fn approximate(t: f64) -> f64 {
    let (start, step): (f64, fn(f64, f64) -> f64) = if t <= 0.25 {
        let s = (-2.0 * t.ln()).sqrt();
        (s - (s.ln() + 0.92) / s, tail_step)
    } else {
        ((0.5 - t) * 2.506_628_274_631, central_step)
    };
    let mut x = start;
    for _ in 0..12 {
        let change = step(x, t);
        let next = (x + change).clamp(0.0, 39.0);
        let settled = change.abs() <= exp2i(-30) * x;
        x = next;
        if settled {
            break;
        }
    }
    if x.is_finite() { x } else { 0.0 }
}

/// Newton's step for ln(1 - Φ(x)) = ln t, whose slope is -φ/(1 - Φ) = -(2/π)^(1/2) / erfcx(x/√2).
fn tail_step(x: f64, t: f64) -> f64 {
    let (z, _) = kernel::over_sqrt_2(x);
    let excess = ln_scaled(kernel::upper_tail(x)) - logarithm::ln(Wide::of(t));
    excess.mid.hi * kernel::erfcx(z).ball.mid.hi * 1.253_314_137_315_5
}

/// Newton's step for Φ(x) - 1/2 = 1/2 - t.
fn central_step(x: f64, t: f64) -> f64 {
    let missing = Ball::point(0.5 - t) - kernel::central(x).ball();
    missing.mid.hi * (0.5 * x * x).exp() * 2.506_628_274_631
}
