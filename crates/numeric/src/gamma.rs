//! The gamma function and its regularised incomplete integrals, enclosed.
//!
//! # Guarantee
//! Every result encloses the function of all numbers in the arguments. At points the width is a
//! few ulps relative to the *smaller* of the two tails, also far below 1e-308 with the `ln_`
//! versions; [`crate::widths`] is the table and `crates/oracle` holds it against MPFR.
//!
//! # Reference
//! DLMF 8.7.1 (the series for P), 8.8.6 (the recurrence for Q), 8.9.2 (the continued fraction).
//!
//! ```
//! use throng_numeric::{Enclosure, gamma};
//! let (a, x) = (Enclosure::point(60.0)?, Enclosure::point(45.786_320_950_007_3)?);
//! let p = gamma::regularised_lower(a, x)?; // the lower end of Garwood's interval for 60 events
//! assert!((p.lower() - 0.025).abs() < 1e-15);
//! # Ok::<(), throng_numeric::NumericError>(())
//! ```

mod incomplete;
pub(crate) mod stirling;

pub(crate) use incomplete::steps_above_zero;

use crate::share::{Share, Side};
use crate::wide::Wide;
use crate::{Enclosure, NumericError};

/// Γ is smallest between these two, where its logarithm is not below [`LEAST_LN`].
const LEAST_AT: (f64, f64) = (1.461_632_144_968_362, 1.461_632_144_968_363);

/// At most the least value of ln Γ, -0.12148629053584960809...
const LEAST_LN: f64 = -0.121_486_290_535_849_62;

/// Beyond it plain interval arithmetic is used.
const REMOTE: f64 = 1e270;

/// ln Γ(x) for the part of the interval above 0.
///
/// # Errors
/// If no number of the interval is above 0.
///
/// ```
/// use throng_numeric::{Enclosure, gamma};
/// let x = gamma::ln_gamma(Enclosure::point(5.0)?)?;
/// assert!(x.contains(24.0_f64.ln()));
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
pub fn ln_gamma(x: Enclosure) -> Result<Enclosure, NumericError> {
    if x.upper() <= 0.0 {
        return Err(NumericError::domain("x", x, "above 0"));
    }
    let left = ln_gamma_at(x.lower());
    if x.is_exact() {
        return Ok(left);
    }
    let right = ln_gamma_at(x.upper());
    let upper = left.upper().max(right.upper());
    let lower = if x.upper() <= LEAST_AT.0 {
        right.lower()
    } else if x.lower() >= LEAST_AT.1 {
        left.lower()
    } else {
        LEAST_LN
    };
    Ok(Enclosure::outward(lower, upper))
}

/// ln Γ at a point, or its limit at 0 (or below) and infinity.
fn ln_gamma_at(x: f64) -> Enclosure {
    if x <= 0.0 || x == f64::INFINITY {
        return Enclosure::outward(f64::INFINITY, f64::INFINITY);
    }
    if x == 1.0 || x == 2.0 {
        return Enclosure::ZERO;
    }
    if x < REMOTE {
        return stirling::ln_gamma(Wide::of(x)).enclosure();
    }
    // x (ln x - 1) - ln x < ln Γ(x) < x (ln x - 1).
    let x = Enclosure::outward(x, x);
    let ln = x.ln().unwrap_or(Enclosure::REAL);
    let main = x * (ln - Enclosure::ONE);
    (main - ln).hull(main)
}

/// P(a, x) = ∫ t^(a-1) e^-t dt / Γ(a) from 0 to x: the probability that a gamma variable of shape a
/// is at most x, and for integer a that a Poisson variable of mean x is at least a.
///
/// # Errors
/// If no a in its interval is above 0, or no x is at least 0.
pub fn regularised_lower(a: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    spread(a, x, |a, x| share(a, x).linear(Side::Lower))
}

/// Q(a, x) = 1 - P(a, x), accurate where it is small.
///
/// # Errors
/// As for [`regularised_lower`].
///
/// ```
/// use throng_numeric::{Enclosure, gamma};
/// let q = gamma::regularised_upper(Enclosure::ONE, Enclosure::point(700.0)?)?; // e^-700
/// assert!(q.contains((-700.0_f64).exp()) && q.width() < 1e-318);
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
pub fn regularised_upper(a: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    Ok(reverse(spread(a, x, |a, x| reverse(share(a, x).linear(Side::Upper)))?))
}

/// ln P(a, x), also where P is no `f64`.
///
/// # Errors
/// As for [`regularised_lower`].
pub fn ln_regularised_lower(a: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    spread(a, x, |a, x| share(a, x).logarithm(Side::Lower))
}

/// ln Q(a, x), also where Q is no `f64`.
///
/// # Errors
/// As for [`regularised_lower`].
pub fn ln_regularised_upper(a: Enclosure, x: Enclosure) -> Result<Enclosure, NumericError> {
    Ok(reverse(spread(a, x, |a, x| reverse(share(a, x).logarithm(Side::Upper)))?))
}

/// Minus, which turns a decreasing function into an increasing one.
fn reverse(x: Enclosure) -> Enclosure {
    -x
}

/// The image of two intervals under a function that decreases in a and increases in x.
fn spread(
    a: Enclosure,
    x: Enclosure,
    at: impl Fn(f64, f64) -> Enclosure,
) -> Result<Enclosure, NumericError> {
    if a.upper() <= 0.0 {
        return Err(NumericError::domain("a", a, "above 0"));
    }
    if x.upper() < 0.0 {
        return Err(NumericError::domain("x", x, "at least 0"));
    }
    if a.is_exact() && x.is_exact() {
        return Ok(at(a.lower(), x.lower()));
    }
    let (a_least, x_least) = (a.lower().max(0.0), x.lower().max(0.0));
    Ok(Enclosure::outward(at(a.upper(), x_least).lower(), at(a_least, x.upper()).upper()))
}

/// The smaller or easier side at a point, or the limits at the ends of the domain.
fn share(a: f64, x: f64) -> Share {
    match (a == 0.0 || x == f64::INFINITY, x == 0.0 || a == f64::INFINITY) {
        (true, true) => Share::UNKNOWN,
        (true, false) => Share { side: Side::Upper, ..Share::NOTHING },
        (false, true) => Share { side: Side::Lower, ..Share::NOTHING },
        (false, false) => incomplete::share(a, x),
    }
}
