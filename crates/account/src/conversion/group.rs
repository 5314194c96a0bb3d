//! What a guarantee for one unit says about several units changed together.

use throng_numeric::Enclosure;

use super::arithmetic::{not_negative, probability, whole};
use crate::AccountError;

/// (epsilon, delta) for `size` units: (kε, δ (e^(kε) - 1)/(e^ε - 1)), and (0, kδ) for ε = 0.
///
/// # Guarantee
/// H at γ^k along a chain of k neighbours is at most δ (1 + γ + ... + γ^(k-1)). The delta *grows*:
/// no mechanism keeps the same delta at every distance unless it is 0.
///
/// # Errors
/// If epsilon or delta may be negative.
pub fn approximate(
    size: u64,
    epsilon: Enclosure,
    delta: Enclosure,
) -> Result<(Enclosure, Enclosure), AccountError> {
    let epsilon = not_negative("epsilon", epsilon)?;
    let delta = not_negative("delta", delta)?;
    let k = whole(size);
    let total = k * epsilon;
    if size == 0 || delta.upper() == 0.0 {
        return Ok((total, Enclosure::ZERO));
    }
    // (e^(kε) - 1)/(e^ε - 1) = 1 + e^ε + ... rises in ε, so each end is taken by itself.
    let growth = |e: f64| {
        let Ok(e) = Enclosure::point(e) else { return Enclosure::REAL.max(k) };
        if e.upper() == 0.0 { k } else { (k * e).expm1() / e.expm1() }
    };
    let growth = growth(epsilon.lower()).hull(growth(epsilon.upper())).max(k);
    Ok((total, probability(delta * growth)))
}

/// mu for `size` units of a mu-GDP mechanism: kμ.
///
/// # Errors
/// If mu may be negative.
pub fn gdp(size: u64, mu: Enclosure) -> Result<Enclosure, AccountError> {
    Ok(whole(size) * not_negative("mu", mu)?)
}

/// ρ for `size` units of a ρ-zCDP mechanism: k²ρ.
///
/// # Errors
/// If rho may be negative.
pub fn zcdp(size: u64, rho: Enclosure) -> Result<Enclosure, AccountError> {
    Ok(whole(size).square() * not_negative("rho", rho)?)
}
