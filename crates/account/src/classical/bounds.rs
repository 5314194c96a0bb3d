//! The formulas.
//!
//! Each takes terms and the total delta, and returns `None` when what the terms leak already uses
//! up that delta: δ' must be above 0, and is what remains *after* the deltas of the terms.

use throng_numeric::Enclosure;

use super::Term;
use crate::AccountError;
use crate::conversion::arithmetic::{half, open_chance, small, tanh_half, whole};
use crate::conversion::zcdp;

fn sum(terms: &[Term], f: impl Fn(&Term) -> Enclosure) -> Enclosure {
    terms.iter().fold(Enclosure::ZERO, |sum, term| sum + whole(term.times) * f(term))
}

/// Σε.
fn total(terms: &[Term]) -> Enclosure {
    sum(terms, |term| term.epsilon)
}

/// Σε².
fn squares(terms: &[Term]) -> Enclosure {
    sum(terms, |term| term.epsilon.square())
}

/// Σ ε tanh(ε/2), the mean loss of randomised response.
fn mean_loss(terms: &[Term]) -> Enclosure {
    sum(terms, |term| term.epsilon * tanh_half(term.epsilon))
}

/// δ' = δ - Σδ_j, if certainly above 0.
fn rest(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let left = open_chance("delta", delta)? - sum(terms, |term| term.delta);
    Ok(Enclosure::point(left.lower()).ok().filter(|rest| rest.lower() > 0.0))
}

/// δ' = 1 - (1-δ)/Π(1-δ_j), if certainly above 0.
fn optimal_rest(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let kept = (-open_chance("delta", delta)?).ln_1p()?;
    let mut leaked = Enclosure::ZERO;
    for term in terms {
        if term.delta.upper() >= 1.0 {
            return Ok(None);
        }
        leaked = leaked + whole(term.times) * (-term.delta).ln_1p()?;
    }
    let left = -(kept - leaked).expm1();
    Ok(Enclosure::point(left.lower()).ok().filter(|rest| rest.lower() > 0.0))
}

/// (2 Σε² x)^(1/2).
fn deviation(terms: &[Term], x: Enclosure) -> Result<Enclosure, AccountError> {
    Ok((small(2) * squares(terms) * x).sqrt()?)
}

/// Σε at Σδ.
///
/// # Errors
/// If delta is not above 0 and below 1.
pub fn basic(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let leaks = sum(terms, |term| term.delta);
    open_chance("delta", delta)?;
    Ok((leaks.upper() <= delta).then(|| total(terms)))
}

/// (2 Σε² ln(1/δ'))^(1/2) + Σ ε (e^ε - 1), at Σδ + δ'.
///
/// # Errors
/// If delta is not above 0 and below 1.
///
/// # Reference
/// C. Dwork, G. Rothblum, S. Vadhan, "Boosting and differential privacy" (2010).
pub fn advanced(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let Some(rest) = rest(terms, delta)? else { return Ok(None) };
    let drift = sum(terms, |term| term.epsilon * term.epsilon.expm1());
    Ok(Some(deviation(terms, -rest.ln()?)? + drift))
}

/// Σ ε tanh(ε/2) + (2 Σε² ln(1/δ'))^(1/2), at 1 - (1-δ') Π(1-δ_j).
///
/// # Errors
/// If delta is not above 0 and below 1.
///
/// # Reference
/// P. Kairouz, S. Oh, P. Viswanath, "The composition theorem for differential privacy" (2015).
pub fn kov_hoeffding(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let Some(rest) = optimal_rest(terms, delta)? else { return Ok(None) };
    Ok(Some(mean_loss(terms) + deviation(terms, -rest.ln()?)?))
}

/// Σ ε tanh(ε/2) + (2 Σε² ln(e + (Σε²)^(1/2)/δ'))^(1/2), at 1 - (1-δ') Π(1-δ_j).
///
/// # Errors
/// If delta is not above 0 and below 1.
///
/// # Reference
/// As for [`kov_hoeffding`].
pub fn kov_logarithmic(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let Some(rest) = optimal_rest(terms, delta)? else { return Ok(None) };
    let inside = (Enclosure::ONE.exp() + squares(terms).sqrt()? / rest).ln()?;
    Ok(Some(mean_loss(terms) + deviation(terms, inside)?))
}

/// min{Σε, ½Σε² + (2 ln(1/δ') Σε²)^(1/2)}, δ' = δ - Σδ_j > 0.
///
/// # Errors
/// If delta is not above 0 and below 1.
pub fn heterogeneous(terms: &[Term], delta: f64) -> Result<Option<Enclosure>, AccountError> {
    let Some(rest) = rest(terms, delta)? else { return Ok(None) };
    let second = squares(terms) * half() + deviation(terms, -rest.ln()?)?;
    Ok(Some(total(terms).min(second)))
}

/// min{Σε, ρ + 2 (ρ ln(1/δ'))^(1/2)} with ρ = Σ ε tanh(ε/2), δ' = δ - Σδ_j > 0.
///
/// # Errors
/// If delta is not above 0 and below 1.
pub fn heterogeneous_concentrated(
    terms: &[Term],
    delta: f64,
) -> Result<Option<Enclosure>, AccountError> {
    let Some(rest) = rest(terms, delta)? else { return Ok(None) };
    let second = zcdp::classical_epsilon(mean_loss(terms), rest.lower())?;
    Ok(Some(total(terms).min(second)))
}
