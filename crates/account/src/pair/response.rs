//! Pairs with a handful of outcomes: responses, leaks, and noise of few likelihood ratios.

use throng_numeric::{Enclosure, Rational};

use super::discrete::{Atom, DiscretePair, Lattice, Step};
use super::noise::positive;
use super::polygon::discrete;
use super::{one_minus_exp, real, whole};
use crate::AccountError;

fn within_unit(name: &str, x: &Rational) -> Result<(), AccountError> {
    if x.is_negative() || x > &Rational::ONE {
        return Err(AccountError::invalid(name, x, "in [0, 1]"));
    }
    Ok(())
}

fn at_least_zero(name: &str, x: &Rational) -> Result<(), AccountError> {
    if x.is_negative() { Err(AccountError::invalid(name, x, "at least 0")) } else { Ok(()) }
}

/// One bit: a 0 is reported as 1 with chance `p`, a 1 as 0 with chance `q`.
///
/// P is the world in which the truth is 1, Q the one in which it is 0. The other direction is
/// the swapped pair.
///
/// # Errors
/// If a chance is not in [0, 1].
pub fn randomised_response(p: &Rational, q: &Rational) -> Result<DiscretePair, AccountError> {
    within_unit("p", p)?;
    within_unit("q", q)?;
    let truth_one = [q.clone(), &Rational::ONE - q];
    let truth_zero = [&Rational::ONE - p, p.clone()];
    discrete(&truth_one, &truth_zero)
}

/// Losses -epsilon, 0, epsilon: with chance `most` the largest loss, with e^-epsilon `most` the
/// smallest, else none, and the reverse under Q; and `only` for each world apart.
fn three_losses(
    epsilon: &Rational,
    most: Enclosure,
    middle: Option<Enclosure>,
    only: Enclosure,
) -> DiscretePair {
    let loss = real(epsilon);
    let least = most * (-loss).exp();
    let mut atoms = vec![Atom { loss: -loss, p: least, q: most }];
    atoms.extend(middle.map(|mass| Atom { loss: Enclosure::ZERO, p: mass, q: mass }));
    atoms.push(Atom { loss, p: most, q: least });
    let lattice = if middle.is_some() {
        let step = Step::Rational(epsilon.clone());
        Lattice { step, offset: Enclosure::ZERO, indices: vec![-1, 0, 1] }
    } else {
        let step = Step::Rational(epsilon + epsilon);
        Lattice { step, offset: -loss, indices: vec![0, 1] }
    };
    DiscretePair { atoms, p_only: only, q_only: only, lattice: Some(lattice) }
}

/// One of `k` answers: the true one with chance e^eps/(e^eps + k - 1), else any other.
///
/// # Errors
/// If there are fewer than 2 answers, or epsilon is negative.
pub fn kary_response(k: u64, epsilon: &Rational) -> Result<DiscretePair, AccountError> {
    at_least_zero("epsilon", epsilon)?;
    if k < 2 {
        return Err(AccountError::invalid("k", k, "at least 2"));
    }
    if epsilon.is_zero() {
        return Ok(DiscretePair::trivial());
    }
    let decay = (-real(epsilon)).exp();
    let most = Enclosure::ONE / (Enclosure::ONE + whole(k - 1) * decay);
    let middle = (k > 2).then(|| whole(k - 2) * decay * most);
    Ok(three_losses(epsilon, most, middle, Enclosure::ZERO))
}

/// The pair that dominates every (epsilon, delta)-private mechanism: leaky randomised response.
///
/// # Errors
/// If epsilon is negative or delta not in [0, 1].
///
/// # Reference
/// P. Kairouz, S. Oh, P. Viswanath, "The composition theorem for differential privacy", 2015.
pub fn approx_dp(epsilon: &Rational, delta: &Rational) -> Result<DiscretePair, AccountError> {
    at_least_zero("epsilon", epsilon)?;
    within_unit("delta", delta)?;
    if epsilon.is_zero() {
        return tv(delta);
    }
    let kept = &Rational::ONE - delta;
    if kept.is_zero() {
        return Ok(nonprivate());
    }
    let most = real(&kept) / (Enclosure::ONE + (-real(epsilon)).exp());
    Ok(three_losses(epsilon, most, None, real(delta)))
}

/// The pair that dominates every epsilon-private mechanism: randomised response.
///
/// # Errors
/// If epsilon is negative.
pub fn pure(epsilon: &Rational) -> Result<DiscretePair, AccountError> {
    approx_dp(epsilon, &Rational::ZERO)
}

/// The pair that dominates every mechanism whose output laws are within `delta` in total
/// variation: all is told with chance `delta`, else nothing.
///
/// H_γ of it is δ for γ >= 1 and 1 - γ(1-δ) below, the largest convex function with H_1 = δ,
/// H_0 = 1 that does not increase.
///
/// # Errors
/// If delta is not in [0, 1].
pub fn tv(delta: &Rational) -> Result<DiscretePair, AccountError> {
    within_unit("delta", delta)?;
    let only = real(delta);
    let kept = &Rational::ONE - delta;
    if kept.is_zero() {
        return Ok(nonprivate());
    }
    let mass = real(&kept);
    let atoms = vec![Atom { loss: Enclosure::ZERO, p: mass, q: mass }];
    Ok(DiscretePair { atoms, p_only: only, q_only: only, lattice: None })
}

/// The pair of worlds that have nothing in common.
#[must_use]
pub fn nonprivate() -> DiscretePair {
    let only = Enclosure::ONE;
    DiscretePair { atoms: Vec::new(), p_only: only, q_only: only, lattice: None }
}

/// The staircase mechanism, whose noise falls by e^-epsilon at gamma, 1 + gamma, 2 + gamma, ...
/// in units of the distance of neighbours.
///
/// # Guarantee
/// Exact, and worst at the full distance. With b = e^-ε the density at x is a b^n(|x|), n(y) =
/// ⌊y + 1 - γ⌋, and ∫ = 1 gives a = (1-b)/(2(γ + b(1-γ))). At a shift d <= 1 the numbers n(|x|)
/// and n(|x-d|) differ by at most 1, so the losses are -ε, 0 and ε only; the law is symmetric,
/// hence P(loss = ε) = TV/(1-b) fixes the pair, and domination is the order of TV. The density
/// is symmetric and unimodal, so TV at shift d is P(|x| <= d/2), which grows with d. At d = 1
/// the loss is ε for all x >= 1, of chance 1/2 under P, and on the part of (0, 1) where
/// n(x) = 1, n(1-x) = 0, of length min(γ, 1-γ) and density a under P. It is 0 on the rest of
/// (0, 1) that is not the mirror image: length 2γ-1 at density a, or 1-2γ at density ab.
///
/// # Errors
/// If epsilon is not positive or gamma not in [0, 1].
///
/// # Reference
/// Q. Geng, P. Viswanath, "The optimal mechanism in differential privacy", 2014.
pub fn staircase(epsilon: &Rational, gamma: &Rational) -> Result<DiscretePair, AccountError> {
    positive("epsilon", epsilon)?;
    within_unit("gamma", gamma)?;
    let b = (-real(epsilon)).exp();
    let rest = &Rational::ONE - gamma;
    let norm = real(gamma) + b * real(&rest);
    let two = whole(2);
    let a = one_minus_exp(-real(epsilon)) / (two * norm);
    let half = Enclosure::ONE / two;
    let most = half + a * real(gamma.min(&rest));
    let middle = gamma - &rest;
    let height = if middle.is_negative() { a * b } else { a };
    let middle = (!middle.is_zero()).then(|| height * real(&middle.abs()));
    Ok(three_losses(epsilon, most, middle, Enclosure::ZERO))
}

/// Uniform noise on an interval of length `width`, moved by `shift`: all is told with chance
/// shift/width, else nothing.
///
/// # Errors
/// If the width is not positive or the shift negative.
pub fn uniform(width: &Rational, shift: &Rational) -> Result<DiscretePair, AccountError> {
    positive("width", width)?;
    at_least_zero("shift", shift)?;
    tv(&shift.checked_div(width)?.min(Rational::ONE))
}
