//! The exact composition of equal (epsilon, delta) mechanisms.
//!
//! Leaky randomised response dominates. Of k runs, the number of lies is binomial, and all sets that
//! matter are "at most l lies": with F(l; x) the binomial cdf for lies of chance x,
//!
//! ```text
//! δ(ε') = 1 - (1-δ)^k (1 - S),  S = max over l of F(l; 1/(1+e^ε)) - e^ε' F(l; e^ε/(1+e^ε)),
//! ```
//!
//! the maximum being at the largest l with (k-2l)ε > ε'.

use throng_numeric::search::{Tolerance, Verdict, boundary};
use throng_numeric::{Enclosure, tails};

use crate::conversion::arithmetic::{exactly, not_negative, open_chance, probability, whole};
use crate::{AccountError, Bracket};

/// δ(ε') of k equal (epsilon, delta) mechanisms.
///
/// # Guarantee
/// Encloses the exact value; where rounding leaves open which l is best, the best of the candidates
/// is taken.
///
/// # Errors
/// If epsilon or epsilon' may be negative, or delta is outside [0, 1).
///
/// # Reference
/// P. Kairouz, S. Oh, P. Viswanath (2015), theorem 3.3.
pub fn homogeneous_delta(
    times: u64,
    epsilon: Enclosure,
    delta: Enclosure,
    at: Enclosure,
) -> Result<Enclosure, AccountError> {
    let (epsilon, at) = (not_negative("epsilon", epsilon)?, not_negative("epsilon'", at)?);
    if delta.lower() < 0.0 || delta.upper() >= 1.0 {
        return Err(AccountError::invalid("delta", delta, "at least 0 and below 1"));
    }
    let leaked = -(whole(times) * (-delta).ln_1p()?).expm1();
    let excess = most_excess(times, epsilon, at)?;
    Ok(probability(leaked + (Enclosure::ONE - leaked) * excess))
}

fn most_excess(times: u64, epsilon: Enclosure, at: Enclosure) -> Result<Enclosure, AccountError> {
    if times == 0 || epsilon.upper() == 0.0 {
        return Ok(Enclosure::ZERO);
    }
    let odds = (-epsilon).exp();
    let lie = odds / (Enclosure::ONE + odds);
    let truth = Enclosure::ONE / (Enclosure::ONE + odds);
    // l < (k - ε'/ε)/2.
    let edge = (whole(times) - at / epsilon) / whole(2);
    let (first, last) = (floor(edge.lower()), floor(edge.upper()));
    let Some(last) = last else { return Ok(Enclosure::ZERO) };
    let first = first.unwrap_or(0).saturating_sub(1);
    if last - first > MOST_CANDIDATES {
        return Ok(Enclosure::UNIT);
    }
    let mut most = Enclosure::ZERO;
    for lies in first..=last.min(times) {
        let under_p = tails::binomial_cdf(lies, times, lie)?;
        let under_q = tails::binomial_cdf(lies, times, truth)?;
        most = most.max(under_p - at.exp() * under_q);
    }
    Ok(probability(most))
}

/// More candidates mean an epsilon known too roughly to be of use.
const MOST_CANDIDATES: u64 = 1000;

/// The largest whole number not above x, if x is at least 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates; x >= 0")]
fn floor(x: f64) -> Option<u64> {
    (x >= 0.0).then(|| x.floor() as u64)
}

/// The least ε' with δ(ε') at most `at`, or `None` if the leaks alone exceed it.
///
/// # Guarantee
/// At the upper end the claim was evaluated and holds.
///
/// # Errors
/// As for [`homogeneous_delta`], or if `at` is not above 0 and below 1.
pub fn homogeneous_epsilon(
    times: u64,
    epsilon: Enclosure,
    delta: Enclosure,
    at: f64,
) -> Result<Option<Bracket>, AccountError> {
    open_chance("delta", at)?;
    let claim = |e: f64| {
        Ok::<_, AccountError>(Verdict::at_most(
            homogeneous_delta(times, epsilon, delta, exactly(e)?)?,
            at,
        ))
    };
    if claim(0.0)? == Verdict::Holds {
        return Ok(Some(Bracket { lower: 0.0, upper: 0.0 }));
    }
    let far = (whole(times) * epsilon).upper();
    if !far.is_finite() || claim(far)? != Verdict::Holds {
        return Ok(None);
    }
    let found = boundary(0.0, far, Tolerance::relative(1e-13), claim)?;
    let lower = if found.verdict == Verdict::Fails { found.not_shown } else { 0.0 };
    Ok(Some(Bracket { lower, upper: found.holds }))
}
