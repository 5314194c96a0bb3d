//! From the law of a sum to a pair of a few thousand outcomes.

use std::ops::Range;

use throng_numeric::convolution::Convolved;
use throng_numeric::{Enclosure, NumericError};

use super::whole;
use crate::AccountError;
use crate::pair::discrete::{Atom, DiscretePair};
use crate::pair::probability;

/// Outcomes of even distance around the mean, and of even ratio beyond.
const BODY: u64 = 3000;

/// By how much outcomes grow beyond the body.
const RATIO: f64 = 1.002;

/// How many deviations the body reaches.
const DEVIATIONS: f64 = 12.0;

/// The largest integer not above x, if there is one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to [0, 2^52]")]
pub(super) fn floor(x: f64) -> u64 {
    x.clamp(0.0, 4_503_599_627_370_496.0).floor() as u64
}

/// The law of a sum as terms, each with the number of its ways.
type Terms = [(Enclosure, Convolved)];

/// The weighted sum over a range, of what is within the windows; the rest is cut off.
fn within(
    terms: &Terms,
    range: Range<u64>,
    weight: impl Fn(u64) -> Enclosure,
) -> Result<Enclosure, NumericError> {
    let mut sum = Enclosure::ZERO;
    for (ways, law) in terms {
        let window = law.window();
        let part = range.start.max(window.start)..range.end.min(window.end);
        if !part.is_empty() {
            sum = sum + *ways * law.sum(part, &weight)?;
        }
    }
    Ok(sum)
}

/// Which indices to keep, in increasing order. An estimate; any are sound.
fn kept(terms: &Terms, spread: Enclosure) -> Vec<u64> {
    let Some((_, law)) = terms.first() else { return Vec::new() };
    let window = law.window();
    let end = terms.iter().map(|(_, law)| law.window().end).max().unwrap_or(window.end);
    let last = end.saturating_sub(1);
    // The mean of the sum is 1 over the spread; its deviation from the mass near it.
    let mean = floor((Enclosure::ONE / spread).lower()).clamp(window.start, last);
    // Of nine neighbours, since single points may be empty.
    let near = mean.saturating_sub(4)..=mean.saturating_add(4).min(last);
    let peak = (near.map(|j| law.mass(j).lower()).sum::<f64>() / 9.0).max(1e-9);
    let deviation = (0.4 / peak).max(1.0);
    let reach = floor(DEVIATIONS * deviation).max(1);
    let (from, to) =
        (mean.saturating_sub(reach).max(window.start), mean.saturating_add(reach).min(last));
    let step = ((to - from) / BODY).max(1);
    let mut kept = vec![window.start];
    let mut at = from;
    while at < to {
        kept.push(at);
        at = at.saturating_add(step);
    }
    while at < last {
        kept.push(at);
        let next = floor(whole(at).upper() * RATIO).max(at + step);
        at = next;
    }
    kept.push(last);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// (j - from)/(to - from).
fn share(from: u64, j: u64, to: u64) -> Enclosure {
    probability(whole(j - from) / whole(to - from))
}

/// An outcome of likelihood ratio `index` times `spread`.
fn outcome(index: u64, q: Enclosure, spread: Enclosure) -> Result<Option<Atom>, AccountError> {
    if index == 0 || q.upper() <= 0.0 {
        return Ok(None);
    }
    let ratio = whole(index) * spread;
    Ok(Some(Atom { loss: ratio.ln()?, p: ratio * q, q }))
}

/// The pair above: each outcome split between the two kept around it, with the same mean.
///
/// Outcomes outside the window, the far tail and what rounding left out are what is missing to
/// a total of 1 in either world.
pub(super) fn split(terms: &Terms, spread: Enclosure) -> Result<DiscretePair, AccountError> {
    let kept = kept(terms, spread);
    let mut masses = vec![Enclosure::ZERO; kept.len()];
    for (i, ends) in kept.windows(2).enumerate() {
        let &[from, to] = ends else { continue };
        let rising = within(terms, from + 1..to, |j| share(from, j, to))?;
        let falling = within(terms, from..to, |j| share(from, to - (j - from), to))?;
        for (place, part) in [(i, falling), (i + 1, rising)] {
            if let Some(mass) = masses.get_mut(place) {
                *mass = *mass + part;
            }
        }
    }
    if let (Some(mass), Some(last)) = (masses.last_mut(), kept.last()) {
        *mass = *mass + within(terms, *last..*last + 1, |_| Enclosure::ONE)?;
    }
    let mut atoms = Vec::with_capacity(kept.len());
    for (index, q) in kept.iter().zip(masses) {
        atoms.extend(outcome(*index, q, spread)?);
    }
    Ok(complete(atoms))
}

/// The pair below: all outcomes between two kept ones merged.
pub(super) fn merge(terms: &Terms, spread: Enclosure) -> Result<DiscretePair, AccountError> {
    let kept = kept(terms, spread);
    let end = kept.last().map_or(0, |last| last + 1);
    let mut atoms = Vec::with_capacity(kept.len());
    for (from, to) in kept.iter().zip(kept.iter().skip(1).chain([&end])) {
        let q = within(terms, *from..*to, |_| Enclosure::ONE)?;
        let mean = within(terms, *from..*to, |j| probability(whole(j) / whole(*to)))?;
        let p = mean * whole(*to) * spread;
        if p.lower() > 0.0 && q.lower() > 0.0 {
            // Between the ratios of the ends, too.
            let ends = Enclosure::new(
                (whole((*from).max(1)) * spread).ln()?.lower(),
                (whole(*to) * spread).ln()?.upper(),
            )?;
            let ratio = p.ln()? - q.ln()?;
            atoms.push(Atom { loss: ratio.intersect(ends).unwrap_or(ratio), p, q });
        }
    }
    let pair = complete(atoms);
    let missing = |x: Enclosure| Enclosure::new(0.0, x.upper());
    Ok(DiscretePair { p_only: missing(pair.p_only)?, q_only: missing(pair.q_only)?, ..pair })
}

/// What P and Q have left of 1 is told apart.
fn complete(atoms: Vec<Atom>) -> DiscretePair {
    let left = |chance: fn(&Atom) -> Enclosure| {
        let sum = atoms.iter().fold(Enclosure::ZERO, |sum, atom| sum + chance(atom));
        probability(Enclosure::ONE - sum)
    };
    let (p_only, q_only) = (left(|atom| atom.p), left(|atom| atom.q));
    DiscretePair { atoms, p_only, q_only, lattice: None }
}
