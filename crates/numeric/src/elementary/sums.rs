//! Sums and differences of numbers known by their logarithms.

use super::{exp_ball, exponential, ln_ball, logarithm};
use crate::ball::Ball;
use crate::wide::{Wide, exp2i};
use crate::{Enclosure, NumericError};

/// e^-800 < 2^-1150 is far below the floor of every ball.
const NEGLIGIBLE: f64 = -800.0;

/// More than e^-800, for each term left out.
const LEFT_OUT: f64 = exp2i(-1000);

/// ln(Σ e^x) over a slice of logarithms.
///
/// # Guarantee
/// Encloses the result for every choice of numbers in the terms; nothing overflows on the way.
///
/// # Errors
/// If the slice is empty: the logarithm of an empty sum is not a number.
///
/// ```
/// use throng_numeric::{Enclosure, elementary::log_sum_exp};
/// let x = Enclosure::point(-5000.0)?; // e^-5000 is no f64, its logarithm is
/// let sum = log_sum_exp(&[x, x])?;
/// assert!(sum.contains(-5000.0 + std::f64::consts::LN_2));
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
pub fn log_sum_exp(terms: &[Enclosure]) -> Result<Enclosure, NumericError> {
    if terms.is_empty() {
        return Err(NumericError::domain("terms", "empty", "at least one"));
    }
    let below = log_sum_at(terms.iter().map(|x| x.lower()));
    if terms.iter().all(|x| x.is_exact()) {
        return Ok(below);
    }
    let above = log_sum_at(terms.iter().map(|x| x.upper()));
    Ok(Enclosure::outward(below.lower(), above.upper()))
}

/// ln(e^x + e^y).
///
/// ```
/// use throng_numeric::{Enclosure, elementary::log_add_exp};
/// assert!(log_add_exp(Enclosure::ZERO, Enclosure::ZERO).contains(std::f64::consts::LN_2));
/// ```
#[must_use]
pub fn log_add_exp(x: Enclosure, y: Enclosure) -> Enclosure {
    let below = log_sum_at([x.lower(), y.lower()].into_iter());
    if x.is_exact() && y.is_exact() {
        return below;
    }
    let above = log_sum_at([x.upper(), y.upper()].into_iter());
    Enclosure::outward(below.lower(), above.upper())
}

/// ln(e^x - e^y) for those x and y with x > y; its lower end is -∞ when x may equal y.
///
/// # Errors
/// If no x exceeds any y.
///
/// ```
/// use throng_numeric::{Enclosure, elementary::log_sub_exp};
/// let (x, y) = (Enclosure::point(2000.0)?, Enclosure::point(1000.0)?);
/// assert!(log_sub_exp(x, y)?.contains(2000.0));
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
pub fn log_sub_exp(x: Enclosure, y: Enclosure) -> Result<Enclosure, NumericError> {
    if x.upper() <= y.lower() {
        return Err(NumericError::domain("x", x, "above y"));
    }
    let below = log_difference_at(x.lower(), y.upper());
    if x.is_exact() && y.is_exact() {
        return Ok(below);
    }
    let above = log_difference_at(x.upper(), y.lower());
    Ok(Enclosure::outward(below.lower(), above.upper()))
}

/// ln(Σ e^t) of points or infinite ends: m + ln Σ e^(t - m) with m the largest.
fn log_sum_at(terms: impl Iterator<Item = f64> + Clone) -> Enclosure {
    let largest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return Enclosure::outward(largest, largest);
    }
    let sum = terms.fold(Ball::ZERO, |sum, t| {
        if t - largest < NEGLIGIBLE {
            return sum.widened(if t == f64::NEG_INFINITY { 0.0 } else { LEFT_OUT });
        }
        sum + exp_ball(Ball::exact(Wide::sum(t, -largest))).ball()
    });
    (Ball::point(largest) + ln_ball(sum)).enclosure()
}

/// ln(e^x - e^y) of points or infinite ends: x + ln(1 - e^(y - x)).
fn log_difference_at(x: f64, y: f64) -> Enclosure {
    if x <= y {
        return Enclosure::outward(f64::NEG_INFINITY, f64::NEG_INFINITY);
    }
    if x == f64::INFINITY || y == f64::NEG_INFINITY {
        return Enclosure::outward(x, x);
    }
    if y - x < NEGLIGIBLE {
        return Ball::point(x).widened(LEFT_OUT).enclosure();
    }
    let gap = Wide::sum(x, -y);
    let log = if gap.hi < exp2i(-60) {
        // 1 - e^-g is between g (1 - g) and g, and ln(1 - g) > -2g.
        logarithm::ln(gap).widened(exp2i(-59))
    } else {
        ln_ball(-exponential::expm1(-gap).ball())
    };
    (Ball::point(x) + log).enclosure()
}
