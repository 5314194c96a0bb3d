//! The delta of a pair, four times.

use throng_numeric::Rational;

use crate::AccountError;
use crate::conversion::duality::check_pair;

/// Four expressions for the same δ(ε), Z = ln(p/q) the privacy loss (with its mass at +∞), and
/// a bound on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FourWays {
    /// sup over sets S of P(S) - γ Q(S), by trying all sets.
    pub over_sets: Rational,
    /// P(Z > ε) - γ Q(Z > ε).
    pub by_tails: Rational,
    /// E_P (1 - e^(ε-Z))_+.
    pub by_mean: Rational,
    /// ∫ e^(ε-z) P(Z > z) dz over z > ε.
    pub by_integral: Rational,
    /// P(Z > ε), which is at least all of them.
    pub tail: Rational,
}

/// The most outcomes for which all sets are tried.
const MOST_OUTCOMES: usize = 16;

/// The four ways for a pair at γ = e^ε > 0, exactly.
///
/// # Errors
/// If p and q are not laws on the same outcomes, there are more than 16, or γ is not above 0.
pub fn four_ways(
    p: &[Rational],
    q: &[Rational],
    gamma: &Rational,
) -> Result<FourWays, AccountError> {
    check_pair(p, q)?;
    if !gamma.is_positive() {
        return Err(AccountError::invalid("gamma", gamma, "above 0"));
    }
    if p.len() > MOST_OUTCOMES {
        return Err(AccountError::invalid("the outcomes", p.len(), "at most 16"));
    }
    let beyond = || p.iter().zip(q).filter(|(p, q)| **p > gamma * *q);
    let sum =
        |terms: &mut dyn Iterator<Item = Rational>| terms.fold(Rational::ZERO, |s, x| &s + &x);
    let tail = sum(&mut beyond().map(|(p, _)| p.clone()));
    let under_q = sum(&mut beyond().map(|(_, q)| q.clone()));
    let mut by_mean = Rational::ZERO;
    for (p, q) in beyond() {
        let kept = &Rational::ONE - &(gamma * q).checked_div(p)?;
        by_mean = &by_mean + &(p * &kept);
    }
    Ok(FourWays {
        over_sets: over_sets(p, q, gamma),
        by_tails: &tail - &(gamma * &under_q),
        by_mean,
        by_integral: by_integral(p, q, gamma)?,
        tail,
    })
}

fn over_sets(p: &[Rational], q: &[Rational], gamma: &Rational) -> Rational {
    let mut best = Rational::ZERO;
    for set in 0_u32..1 << p.len() {
        let inside = p.iter().zip(q).enumerate().filter(|(i, _)| set >> i & 1 == 1);
        let value = inside.fold(Rational::ZERO, |sum, (_, (p, q))| &sum + &(p - &(gamma * q)));
        best = best.max(value);
    }
    best
}

/// P(Z > z) is a staircase in z; between two losses ln r < ln r' the integral of e^(ε-z) is
/// γ/r - γ/r', and beyond the last it ends at 0, with the mass at +∞ still there.
fn by_integral(p: &[Rational], q: &[Rational], gamma: &Rational) -> Result<Rational, AccountError> {
    let mut ratios = vec![gamma.clone()];
    for (p, q) in p.iter().zip(q).filter(|(_, q)| q.is_positive()) {
        let ratio = p.checked_div(q)?;
        if ratio > *gamma {
            ratios.push(ratio);
        }
    }
    ratios.sort();
    let mut total = Rational::ZERO;
    for (i, ratio) in ratios.iter().enumerate() {
        let above = p.iter().zip(q).filter(|(p, q)| **p > ratio * *q);
        let tail = above.fold(Rational::ZERO, |sum, (p, _)| &sum + p);
        let from = gamma.checked_div(ratio)?;
        let to = match ratios.get(i + 1) {
            Some(next) => gamma.checked_div(next)?,
            None => Rational::ZERO,
        };
        total = &total + &(&tail * &(&from - &to));
    }
    Ok(total)
}
