//! Cumulative probabilities of the Poisson and binomial distributions, enclosed.
//!
//! # Guarantee
//! As for [`crate::gamma`] and [`crate::beta`], on which they stand: the smaller tail is accurate
//! relative to itself. Counts beyond 2^53 are enclosed by their neighbouring `f64`.
//!
//! ```
//! use throng_numeric::{Enclosure, tails};
//! let half = Enclosure::point(0.5)?;
//! let p = tails::binomial_cdf(1, 3, half)?; // 4/8
//! assert!(p.contains(0.5) && p.width() < 1e-15);
//! # Ok::<(), throng_numeric::NumericError>(())
//! ```

use crate::{Enclosure, NumericError, beta, gamma};

/// An integer as an enclosure: exact up to 2^53, rounded outward beyond.
#[expect(clippy::cast_precision_loss, reason = "the loss is enclosed")]
fn count(n: u64) -> Enclosure {
    let nearest = n as f64;
    if n <= 1 << 53 {
        Enclosure::outward(nearest, nearest)
    } else {
        Enclosure::outward(nearest.next_down(), nearest.next_up())
    }
}

/// n + 1 as an enclosure.
fn successor(n: u64) -> Enclosure {
    n.checked_add(1).map_or_else(|| count(n) + Enclosure::ONE, count)
}

/// The probability that a Poisson variable is at most k.
///
/// # Errors
/// If no mean in the interval is at least 0.
pub fn poisson_cdf(k: u64, mean: Enclosure) -> Result<Enclosure, NumericError> {
    gamma::regularised_upper(successor(k), mean)
}

/// The probability that a Poisson variable exceeds k.
///
/// # Errors
/// If no mean in the interval is at least 0.
///
/// ```
/// use throng_numeric::{Enclosure, tails};
/// let p = tails::poisson_survival(0, Enclosure::point(1e-20)?)?; // 1 - e^-λ
/// assert!(p.contains(1e-20) && p.width() < 1e-35);
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
pub fn poisson_survival(k: u64, mean: Enclosure) -> Result<Enclosure, NumericError> {
    gamma::regularised_lower(successor(k), mean)
}

/// The logarithm of [`poisson_cdf`].
///
/// # Errors
/// If no mean in the interval is at least 0.
pub fn ln_poisson_cdf(k: u64, mean: Enclosure) -> Result<Enclosure, NumericError> {
    gamma::ln_regularised_upper(successor(k), mean)
}

/// The logarithm of [`poisson_survival`].
///
/// # Errors
/// If no mean in the interval is at least 0.
pub fn ln_poisson_survival(k: u64, mean: Enclosure) -> Result<Enclosure, NumericError> {
    gamma::ln_regularised_lower(successor(k), mean)
}

/// The probability that at most k of n trials succeed, each with probability p.
///
/// # Errors
/// If no p in the interval is in [0, 1].
pub fn binomial_cdf(k: u64, n: u64, p: Enclosure) -> Result<Enclosure, NumericError> {
    on_trials(k, n, p, Enclosure::ONE, beta::complement)
}

/// The probability that more than k of n trials succeed, each with probability p.
///
/// # Errors
/// If no p in the interval is in [0, 1].
pub fn binomial_survival(k: u64, n: u64, p: Enclosure) -> Result<Enclosure, NumericError> {
    on_trials(k, n, p, Enclosure::ZERO, beta::regularised)
}

/// The logarithm of [`binomial_cdf`].
///
/// # Errors
/// If no p in the interval is in [0, 1].
pub fn ln_binomial_cdf(k: u64, n: u64, p: Enclosure) -> Result<Enclosure, NumericError> {
    on_trials(k, n, p, Enclosure::ZERO, beta::ln_complement)
}

/// The logarithm of [`binomial_survival`]; for k >= n, where that is 0, it is -∞.
///
/// # Errors
/// If no p in the interval is in [0, 1].
pub fn ln_binomial_survival(k: u64, n: u64, p: Enclosure) -> Result<Enclosure, NumericError> {
    let never = Enclosure::outward(f64::NEG_INFINITY, f64::NEG_INFINITY);
    on_trials(k, n, p, never, beta::ln_regularised)
}

/// A function of Iₚ(k + 1, n - k), the probability of more than k successes, or its value
/// `beyond` when k >= n.
fn on_trials(
    k: u64,
    n: u64,
    p: Enclosure,
    beyond: Enclosure,
    f: fn(Enclosure, Enclosure, Enclosure) -> Result<Enclosure, NumericError>,
) -> Result<Enclosure, NumericError> {
    if p.upper() < 0.0 || p.lower() > 1.0 {
        return Err(NumericError::domain("p", p, "in [0, 1]"));
    }
    if k >= n {
        return Ok(beyond);
    }
    f(successor(k), count(n - k), p)
}
