//! What (epsilon, delta)-privacy means for two laws: a pure part and a rest.
//!
//! Everything here is exact: chances and γ = e^ε are rationals.
//!
//! # Reference
//! P. Kairouz, S. Oh, P. Viswanath (2015), J. Murtagh, S. Vadhan (2016) for the existence; the
//! construction below is written out so that it can be checked.

use throng_numeric::Rational;

use crate::AccountError;
use crate::conversion::duality::check_pair;

/// A law on finitely many outcomes.
type Law = Vec<Rational>;

/// P = (1-δ)P' + δP'' and Q = (1-δ)Q' + δQ'', with P' and Q' within a factor γ of each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decomposition {
    /// The larger of H_γ(P||Q) and H_γ(Q||P).
    pub delta: Rational,
    /// The parts within γ of each other; absent if δ = 1.
    pub near: Option<Near>,
    /// The rest; absent if δ = 0.
    pub far: Option<Far>,
}

/// P' and Q', and the two laws of which both are mixtures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// P' = (γA + B)/(γ + 1).
    pub p: Law,
    /// Q' = (A + γB)/(γ + 1).
    pub q: Law,
    /// A: randomised response draws from it when it answers truthfully for P.
    pub a: Law,
    /// B: the same for Q.
    pub b: Law,
}

/// P'' and Q''.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Far {
    /// P''.
    pub p: Law,
    /// Q''.
    pub q: Law,
}

/// H_γ(P||Q) = Σ (p - γq)_+.
fn hockey_stick(p: &[Rational], q: &[Rational], gamma: &Rational) -> Rational {
    let gaps = p.iter().zip(q).map(|(p, q)| p - &(gamma * q));
    gaps.filter(Rational::is_positive).fold(Rational::ZERO, |sum, gap| &sum + &gap)
}

/// min(p, γq), outcome by outcome.
fn capped(p: &[Rational], q: &[Rational], gamma: &Rational) -> Law {
    p.iter().zip(q).map(|(p, q)| p.clone().min(gamma * q)).collect()
}

/// Lowers `x` by `total`, in proportion to how far it exceeds `floor`; it stays above `floor`.
fn lowered(x: &[Rational], floor: &[Rational], total: &Rational) -> Result<Law, AccountError> {
    let surplus: Law =
        x.iter().zip(floor).map(|(x, floor)| (x - floor).max(Rational::ZERO)).collect();
    let sum = surplus.iter().fold(Rational::ZERO, |sum, s| &sum + s);
    let share = total.checked_div(&sum)?;
    Ok(x.iter().zip(&surplus).map(|(x, s)| x - &(&share * s)).collect())
}

fn divided(x: &[Rational], by: &Rational) -> Result<Law, AccountError> {
    Ok(x.iter().map(|x| x.checked_div(by)).collect::<Result<_, _>>()?)
}

/// The basic decomposition of a pair at a likelihood ratio γ >= 1.
///
/// p̂ = min(p, γq) and q̂ = min(q, γp) are within γ of each other and have masses 1-δ1 and 1-δ2. The
/// heavier one is lowered towards the lighter where it exceeds it, which keeps it above the
/// lighter there and so within γ; the excess is at least the difference of the masses.
///
/// # Guarantee
/// All identities of [`Decomposition`] and [`Near`] hold exactly, and P' <= γQ', Q' <= γP'.
///
/// # Errors
/// If p and q are not laws on the same outcomes, or γ is below 1.
pub fn decompose(
    p: &[Rational],
    q: &[Rational],
    gamma: &Rational,
) -> Result<Decomposition, AccountError> {
    check(p, q, gamma)?;
    let (forward, backward) = (hockey_stick(p, q, gamma), hockey_stick(q, p, gamma));
    let (mut low_p, mut low_q) = (capped(p, q, gamma), capped(q, p, gamma));
    if forward > backward {
        low_q = lowered(&low_q, &low_p, &(&forward - &backward))?;
    } else if backward > forward {
        low_p = lowered(&low_p, &low_q, &(&backward - &forward))?;
    }
    let delta = forward.max(backward);
    let kept = &Rational::ONE - &delta;
    let near = if kept.is_zero() { None } else { Some(near(&low_p, &low_q, &kept, gamma)?) };
    let rest = |whole: &[Rational], low: &[Rational]| {
        let rest: Law = whole.iter().zip(low).map(|(x, low)| x - low).collect();
        divided(&rest, &delta)
    };
    let far =
        if delta.is_zero() { None } else { Some(Far { p: rest(p, &low_p)?, q: rest(q, &low_q)? }) };
    Ok(Decomposition { delta, near, far })
}

fn near(
    low_p: &[Rational],
    low_q: &[Rational],
    kept: &Rational,
    gamma: &Rational,
) -> Result<Near, AccountError> {
    let (p, q) = (divided(low_p, kept)?, divided(low_q, kept)?);
    let steps = gamma - &Rational::ONE;
    if steps.is_zero() {
        return Ok(Near { a: p.clone(), b: q.clone(), p, q }); // then P' = Q'
    }
    let extreme = |x: &[Rational], y: &[Rational]| {
        let law: Law = x.iter().zip(y).map(|(x, y)| &(gamma * x) - y).collect();
        divided(&law, &steps)
    };
    Ok(Near { a: extreme(&p, &q)?, b: extreme(&q, &p)?, p, q })
}

fn check(p: &[Rational], q: &[Rational], gamma: &Rational) -> Result<(), AccountError> {
    check_pair(p, q)?;
    if *gamma < Rational::ONE {
        return Err(AccountError::invalid("gamma", gamma, "at least 1"));
    }
    Ok(())
}

/// The Bayesian reading: with chance E(y) the observer of y learns little.
///
/// # Guarantee
/// For every prior π of P, the posterior chance of "P and E" given y is at most
/// π/(π + (1-π)/γ); E has chance exactly 1-δ under P and at least 1-δ/γ under Q, where
/// δ = H_γ(P||Q).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bayesian {
    /// E(y) = min(1, γq/p), outcome by outcome.
    pub weights: Vec<Rational>,
    /// H_γ(P||Q).
    pub delta: Rational,
    gamma: Rational,
}

impl Bayesian {
    /// The event for a pair and a likelihood ratio γ >= 1.
    ///
    /// # Errors
    /// As for [`decompose`].
    pub fn of(p: &[Rational], q: &[Rational], gamma: &Rational) -> Result<Self, AccountError> {
        check(p, q, gamma)?;
        let weight = |(p, q): (&Rational, &Rational)| {
            let capped = gamma * q;
            if capped >= *p { Ok(Rational::ONE) } else { Ok(capped.checked_div(p)?) }
        };
        let weights = p.iter().zip(q).map(weight).collect::<Result<_, AccountError>>()?;
        Ok(Self { weights, delta: hockey_stick(p, q, gamma), gamma: gamma.clone() })
    }

    /// The most the posterior of "P and E" can be at a prior π in [0, 1] of P.
    ///
    /// # Errors
    /// If the prior is not in [0, 1].
    pub fn posterior_bound(&self, prior: &Rational) -> Result<Rational, AccountError> {
        if prior.is_negative() || *prior > Rational::ONE {
            return Err(AccountError::invalid("the prior", prior, "in [0, 1]"));
        }
        let other = (&Rational::ONE - prior).checked_div(&self.gamma)?;
        Ok(prior.checked_div(&(prior + &other))?)
    }
}

/// The two-sided weights min(1, γq/p, γp/q). Their chance is only known to be at least
/// 1 - (1 + 1/γ)δ with δ the larger divergence: less than for the one-sided event.
///
/// # Errors
/// As for [`decompose`].
pub fn two_sided_weights(
    p: &[Rational],
    q: &[Rational],
    gamma: &Rational,
) -> Result<Vec<Rational>, AccountError> {
    let (forward, backward) = (Bayesian::of(p, q, gamma)?, Bayesian::of(q, p, gamma)?);
    let both = forward.weights.into_iter().zip(backward.weights);
    Ok(both.map(|(a, b)| a.min(b)).collect())
}
