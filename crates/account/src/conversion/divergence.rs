//! The Renyi divergence of named pairs, in closed form.
//!
//! The order is any a > 1. Where a pair is not symmetric, the direction is in the name or in the
//! order of the arguments: D_a(first||second).

use throng_numeric::{Enclosure, Rational, elementary, gamma};

use super::arithmetic::{exactly, half, not_negative, order_above_one, small, tanh_half, whole};
use crate::AccountError;

/// What no number bounds.
fn unbounded() -> Enclosure {
    Enclosure::new(f64::MAX, f64::INFINITY).unwrap_or(Enclosure::REAL)
}

/// A divergence is never negative.
fn at_least_zero(x: Enclosure) -> Enclosure {
    x.max(Enclosure::ZERO)
}

/// Two normal laws of unit variance, `mu` apart: aμ²/2.
///
/// # Errors
/// If the order is not above 1 or mu may be negative.
pub fn gaussian(order: Enclosure, mu: Enclosure) -> Result<Enclosure, AccountError> {
    Ok(order_above_one(order)? * not_negative("mu", mu)?.square() * half())
}

/// Two Laplace laws of unit scale, `shift` apart, or any vector of them whose shifts sum to it:
/// ln(a/(2a-1) e^((a-1)t) + (a-1)/(2a-1) e^(-at))/(a-1).
///
/// As a function of t this is a logarithm of a sum of exponentials of linear functions, hence
/// convex, and 0 at 0: so one coordinate with the whole shift is the worst case.
///
/// # Errors
/// If the order is not above 1 or the shift may be negative.
pub fn laplace(order: Enclosure, shift: Enclosure) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let t = not_negative("the shift", shift)?;
    let above = a - Enclosure::ONE;
    let total = small(2) * a - Enclosure::ONE;
    let up = (a / total).ln()? + above * t;
    let down = (above / total).ln()? - a * t;
    let value = elementary::log_add_exp(up, down) / above;
    // The first-order terms cancel for small t; the bound for any t-private pair does not.
    Ok(at_least_zero(value.min(a * t * tanh_half(t))))
}

/// Randomised response at epsilon, which dominates every epsilon-private pair:
/// ln(cosh((a-½)ε)/cosh(ε/2))/(a-1).
///
/// # Errors
/// If the order is not above 1 or epsilon may be negative.
pub fn randomised_response(
    order: Enclosure,
    epsilon: Enclosure,
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let epsilon = not_negative("epsilon", epsilon)?;
    let ln_cosh = |x: Enclosure| {
        // ln cosh x = x + ln((1 + e^-2x)/2).
        let fold = (-(small(2) * x)).exp();
        Ok::<_, AccountError>(x + (fold * half() + half()).ln()?)
    };
    let far = ln_cosh((a - half()) * epsilon)?;
    let near = ln_cosh(epsilon * half())?;
    let value = (far - near) / (a - Enclosure::ONE);
    Ok(at_least_zero(value.min(a * epsilon * tanh_half(epsilon)).min(epsilon)))
}

/// k-ary randomised response: ln((e^(aε) + e^((1-a)ε) + k - 2)/(e^ε + k - 1))/(a-1).
///
/// # Errors
/// If the order is not above 1, epsilon may be negative, or k is 0.
pub fn kary_response(
    order: Enclosure,
    k: u64,
    epsilon: Enclosure,
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let epsilon = not_negative("epsilon", epsilon)?;
    match k {
        0 => return Err(AccountError::invalid("k", k, "at least 1")),
        1 => return Ok(Enclosure::ZERO),
        2 => return randomised_response(order, epsilon),
        3.. => {}
    }
    let others = whole(k - 2).ln()?;
    let above = a - Enclosure::ONE;
    let sum = elementary::log_sum_exp(&[a * epsilon, -(above * epsilon), others])?;
    let total = elementary::log_add_exp(epsilon, whole(k - 1).ln()?);
    Ok(at_least_zero((sum - total) / above).min(randomised_response(order, epsilon)?))
}

/// Poisson laws of rates s and t: D_a(Poi s||Poi t) = (s^a t^(1-a) - a s - (1-a) t)/(a-1).
///
/// # Errors
/// If the order is not above 1 or a rate is negative.
pub fn poisson(order: Enclosure, s: &Rational, t: &Rational) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    for rate in [s, t] {
        if rate.is_negative() {
            return Err(AccountError::invalid("a rate", rate, "at least 0"));
        }
    }
    if s == t {
        return Ok(Enclosure::ZERO);
    }
    if t.is_zero() {
        return Ok(unbounded());
    }
    if s.is_zero() {
        return Ok(Enclosure::of_rational(t)); // -(1-a) t/(a-1)
    }
    // t (r^a - 1 - a (r - 1))/(a - 1) with r = s/t, kept apart from 1 exactly.
    let excess = &s.checked_div(t)? - &Rational::ONE;
    let excess = Enclosure::of_rational(&excess);
    let power = (a * excess.ln_1p()?).expm1();
    Ok(at_least_zero(Enclosure::of_rational(t) * (power - a * excess) / (a - Enclosure::ONE)))
}

/// An infinitely divisible pair, D_a(Q||P): a Gaussian part of variance s² and event streams of
/// rates (a_j, b_j) under (P, Q). Exchange the rates for the other direction.
///
/// # Errors
/// If the order is not above 1 or a parameter is negative.
pub fn infinitely_divisible(
    order: Enclosure,
    s2: &Rational,
    jumps: &[(Rational, Rational)],
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let variance = not_negative("s2", Enclosure::of_rational(s2))?;
    let mut total = a * variance * half();
    for (under_p, under_q) in jumps {
        total = total + poisson(order, under_q, under_p)?;
    }
    Ok(total)
}

/// A pair on finitely many outcomes, D_a(P||Q) = ln Σ p^a q^(1-a)/(a-1).
///
/// # Errors
/// If the order is not above 1, the lengths differ, or a chance is negative.
pub fn discrete(
    order: Enclosure,
    p: &[Rational],
    q: &[Rational],
) -> Result<Enclosure, AccountError> {
    let a = order_above_one(order)?;
    let above = a - Enclosure::ONE;
    if p.len() != q.len() || p.iter().chain(q).any(Rational::is_negative) {
        return Err(AccountError::invalid("p and q", "given", "equally long and not negative"));
    }
    let mut sum = Enclosure::ZERO;
    let mut terms = Vec::new();
    for (p, q) in p.iter().zip(q).filter(|(p, _)| p.is_positive()) {
        if q.is_zero() {
            return Ok(unbounded());
        }
        let loss = (Enclosure::of_rational(&(&p.checked_div(q)? - &Rational::ONE))).ln_1p()?;
        let p = Enclosure::of_rational(p);
        sum = sum + p * (above * loss).expm1();
        terms.push(p.ln()? + above * loss);
    }
    // Near 0 the sum of differences is sharper, far away the logarithm of a sum does not overflow.
    let by_logarithms = elementary::log_sum_exp(&terms)?;
    let ln = if sum.upper().is_finite() {
        sum.ln_1p()?.intersect(by_logarithms)?
    } else {
        by_logarithms
    };
    Ok(at_least_zero(ln / above))
}

/// Poisson-sampled Gaussian at a whole order, the unit present: D_a((1-q)N(0,1) + qN(μ,1)||N(0,1))
/// = ln Σ_k C(a,k) (1-q)^(a-k) q^k e^(k(k-1)μ²/2)/(a-1).
///
/// # Guarantee
/// It bounds the other direction too (Mironov, Talwar, Zhang, theorem 5), under add/remove.
///
/// # Errors
/// If the order is below 2 or above 100 000, or the rate is not in [0, 1].
///
/// # Reference
/// I. Mironov, K. Talwar, L. Zhang, "Renyi differential privacy of the sampled Gaussian
/// mechanism" (2019).
pub fn sampled_gaussian(
    order: u32,
    rate: &Rational,
    mu: Enclosure,
) -> Result<Enclosure, AccountError> {
    if !(2..=100_000).contains(&order) {
        return Err(AccountError::invalid("the order", order, "a whole number from 2 to 100000"));
    }
    if rate.is_negative() || *rate > Rational::ONE {
        return Err(AccountError::invalid("the rate", rate, "in [0, 1]"));
    }
    let a = small(order);
    if *rate == Rational::ONE {
        return gaussian(a, mu);
    }
    if rate.is_zero() {
        return Ok(Enclosure::ZERO);
    }
    let variance = not_negative("mu", mu)?.square() * half();
    let (ln_q, ln_rest) = (
        Enclosure::of_rational(rate).ln()?,
        Enclosure::of_rational(&(&Rational::ONE - rate)).ln()?,
    );
    // The terms without the exponential sum to 1, so what remains is ln(1 + Σ w_k expm1(..)); the
    // terms of k = 0 and k = 1 vanish, and all others are positive.
    let mut terms = Vec::new();
    let mut ln_choose = Enclosure::ZERO;
    for k in 1..=order {
        ln_choose = ln_choose_step(order, k, ln_choose)?;
        let weight = ln_choose + small(order - k) * ln_rest + small(k) * ln_q;
        let exponent = small(k) * small(k - 1) * variance;
        if exponent.lower() > 0.0 {
            terms.push(weight + ln_expm1(exponent)?);
        }
    }
    if terms.is_empty() {
        return Ok(Enclosure::ZERO.hull(gaussian(a, mu)?));
    }
    let ln = elementary::log_add_exp(Enclosure::ZERO, elementary::log_sum_exp(&terms)?);
    let sharp = elementary::log_sum_exp(&terms)?.exp();
    let ln = if sharp.upper() < 1.0 { sharp.ln_1p()? } else { ln };
    Ok(at_least_zero(ln / (a - Enclosure::ONE)))
}

/// ln C(n, k): from the step before for small k, where that is exact enough, else by ln Γ.
fn ln_choose_step(n: u32, k: u32, before: Enclosure) -> Result<Enclosure, AccountError> {
    if k <= 64 {
        return Ok(before + small(n - k + 1).ln()? - small(k).ln()?);
    }
    let ln_factorial = |m: u32| gamma::ln_gamma(small(m) + Enclosure::ONE);
    Ok(ln_factorial(n)? - ln_factorial(k)? - ln_factorial(n - k)?)
}

/// ln(e^x - 1) for x > 0.
fn ln_expm1(x: Enclosure) -> Result<Enclosure, AccountError> {
    if x.upper() < 700.0 {
        return Ok(x.expm1().ln()?);
    }
    Ok(x + (-(-x).exp()).ln_1p()?)
}

/// The approximate divergence of leaky randomised response, the worst (epsilon, delta)-private
/// mechanism: (divergence, leak).
///
/// # Errors
/// If the order is not above 1, epsilon may be negative, or delta is not in [0, 1].
pub fn leaky_randomised_response(
    order: Enclosure,
    epsilon: Enclosure,
    delta: f64,
) -> Result<(Enclosure, Enclosure), AccountError> {
    if !(0.0..=1.0).contains(&delta) {
        return Err(AccountError::invalid("delta", delta, "in [0, 1]"));
    }
    Ok((randomised_response(order, epsilon)?, exactly(delta)?))
}
