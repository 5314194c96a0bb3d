//! The Poisson mechanism.

use throng_numeric::{Enclosure, Rational};

use super::discrete::{Atom, DiscretePair, Lattice, Step};
use super::noise::MOST_ATOMS;
use super::polygon::ln_rational;
use super::{one_minus_exp, real, whole};
use crate::AccountError;

/// Counts of rate `mu1` in world P and `mu2` in world Q; of each world at most `tail` is cut off.
///
/// P is the world with the unit: a unit that raises the count has mu1 > mu2. The loss of count k is
/// mu2 - mu1 - k ln(mu2/mu1).
///
/// # Guarantee
/// See `law` for the chances. A rate of 0 makes every count above 0 impossible in its world.
///
/// # Errors
/// If a rate is negative, the tail not in (0, 1), or the counts are too many.
pub fn poisson(mu1: &Rational, mu2: &Rational, tail: f64) -> Result<DiscretePair, AccountError> {
    if !(tail > 0.0 && tail < 1.0) {
        return Err(AccountError::invalid("tail", tail, "in (0, 1)"));
    }
    for (name, rate) in [("mu1", mu1), ("mu2", mu2)] {
        if rate.is_negative() {
            return Err(AccountError::invalid(name, rate, "at least 0"));
        }
    }
    if mu1 == mu2 {
        return Ok(DiscretePair::trivial());
    }
    if mu1.is_zero() {
        return Ok(never(mu2));
    }
    if mu2.is_zero() || mu1 > mu2 {
        return Ok(poisson(mu2, mu1, tail)?.swapped());
    }
    between(mu1, mu2, tail)
}

/// P never counts anything: one common outcome.
fn never(rate: &Rational) -> DiscretePair {
    let rate = real(rate);
    let atoms = vec![Atom { loss: rate, p: Enclosure::ONE, q: (-rate).exp() }];
    let q_only = one_minus_exp(-rate);
    DiscretePair { atoms, p_only: Enclosure::ZERO, q_only, lattice: None }
}

/// 0 < mu1 < mu2.
fn between(mu1: &Rational, mu2: &Rational, tail: f64) -> Result<DiscretePair, AccountError> {
    let (low, high) = (Reach::of(mu1, tail)?, Reach::of(mu2, tail)?);
    let (first, last) = (low.first.min(high.first), low.last.max(high.last));
    let (p, q) = (law(mu1, first, last)?, law(mu2, first, last)?);
    let ratio = mu2.checked_div(mu1)?;
    let (step, offset) = (ln_rational(&ratio)?, real(&(mu2 - mu1)));
    let mut atoms: Vec<Atom> = (first..=last)
        .zip(p.iter().zip(&q))
        .map(|(k, (p, q))| Atom { loss: offset - whole(k) * step, p: *p, q: *q })
        .collect();
    atoms.reverse();
    let indices = (first..=last).rev().map(|k| i64::try_from(k).map_or(i64::MIN, |k| -k)).collect();
    Ok(DiscretePair {
        atoms,
        p_only: Enclosure::new(0.0, low.cut)?,
        q_only: Enclosure::new(0.0, high.cut)?,
        lattice: Some(Lattice { step: Step::Log(ratio), offset, indices }),
    })
}

/// Counts that leave out little of a Poisson law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub(super) first: u64,
    pub(super) last: u64,
    /// At least the chance of what is left out.
    pub(super) cut: f64,
}

impl Reach {
    /// The weights μ^k/k!, relative to that of the mode m = ⌊μ⌋, grow up to m and then fall. Past
    /// k > m each is at most μ/(k+1) < 1 times the one before, below k < m at most k/μ <= 1 times
    /// the one after, so what is beyond k is at most a geometric sum; the mode alone has weight
    /// 1, so such a sum bounds a chance.
    pub(super) fn of(rate: &Rational, tail: f64) -> Result<Self, AccountError> {
        let mode = u64::try_from(rate.floor()).unwrap_or(u64::MAX);
        if mode > 1 << 50 {
            return Err(too_large());
        }
        let mu = real(rate);
        let half = tail / 2.0;
        let (last, above) =
            reach_from(mode, half, |k| k.checked_add(1).map(|next| (next, mu / whole(next))))?;
        let (first, below) =
            reach_from(mode, half, |k| k.checked_sub(1).map(|next| (next, whole(k) / mu)))?;
        let cut = (Enclosure::new(0.0, above)? + Enclosure::new(0.0, below)?).upper();
        Ok(Self { first, last, cut })
    }
}

/// Walks from the mode until the weights beyond sum to at most `most`; `next` gives the next
/// count and the factor of its weight, which shrinks on the way.
pub(super) fn reach_from(
    mode: u64,
    most: f64,
    next: impl Fn(u64) -> Option<(u64, Enclosure)>,
) -> Result<(u64, f64), AccountError> {
    let (mut at, mut weight) = (mode, Enclosure::ONE);
    for _ in 0..MOST_ATOMS {
        let Some((beyond, factor)) = next(at) else { return Ok((at, 0.0)) };
        weight = weight * factor;
        let rest = if factor.upper() < 1.0 {
            (weight / (Enclosure::ONE - factor)).upper()
        } else {
            f64::INFINITY
        };
        if rest <= most {
            return Ok((at, rest));
        }
        at = beyond;
    }
    Err(too_large())
}

fn too_large() -> AccountError {
    AccountError::TooLarge { what: "a rate".into(), limit: format!("{MOST_ATOMS} counts") }
}

/// The chances of the counts `first..=last`, which must contain the mode or lie beyond it.
///
/// # Guarantee
/// Weights w_k = μ^k/k! relative to the mode are products of ratios, each rounded outward, so
/// they are accurate relative to themselves; their sum over a reach that leaves out a chance of
/// at most 1e-18 encloses the normaliser to that accuracy.
pub(super) fn law(rate: &Rational, first: u64, last: u64) -> Result<Vec<Enclosure>, AccountError> {
    let mu = real(rate);
    let own = Reach::of(rate, 1e-18)?;
    let (low, high) = (first.min(own.first), last.max(own.last));
    let mode = u64::try_from(rate.floor()).unwrap_or(u64::MAX);
    let mut weights = vec![Enclosure::ONE];
    for k in (low..mode).rev() {
        weights.push(weights.last().copied().unwrap_or(Enclosure::ZERO) * whole(k + 1) / mu);
    }
    weights.reverse();
    for k in mode + 1..=high {
        weights.push(weights.last().copied().unwrap_or(Enclosure::ZERO) * mu / whole(k));
    }
    let sum = weights.iter().fold(Enclosure::ZERO, |sum, w| sum + *w);
    let kept = Enclosure::new((Enclosure::ONE - Enclosure::new(0.0, own.cut)?).lower(), 1.0)?;
    let skip = usize::try_from(first - low).unwrap_or(usize::MAX);
    let take = usize::try_from(last - first + 1).unwrap_or(usize::MAX);
    Ok(weights.iter().skip(skip).take(take).map(|w| *w * kept / sum).collect())
}
