//! Few runs of pairs with few outcomes, written out: the exact pair of the composition.

use throng_numeric::{Enclosure, Natural, Rational};

use crate::component::Part;
use crate::pair::discrete::{Atom, DiscretePair};

/// No more outcomes are written out.
const MOST_OUTCOMES: usize = 6_000;

/// The pair of a composition of finite pairs, if it has few outcomes.
pub(crate) fn expand(parts: &[Part]) -> Option<DiscretePair> {
    let mut outcomes = vec![unit()];
    let (mut p_finite, mut q_finite) = (Enclosure::ONE, Enclosure::ONE);
    for Part { component, times } in parts {
        let pair = component.pair()?;
        let times = u32::try_from(*times).ok().filter(|times| *times <= 64)?;
        let runs = runs(&pair.atoms, times)?;
        if outcomes.len().checked_mul(runs.len())? > MOST_OUTCOMES {
            return None;
        }
        outcomes = outcomes.iter().flat_map(|a| runs.iter().map(|b| joint(a, b))).collect();
        let power = i32::try_from(times).ok()?;
        p_finite = p_finite * (Enclosure::ONE - pair.p_only).powi(power);
        q_finite = q_finite * (Enclosure::ONE - pair.q_only).powi(power);
    }
    outcomes.sort_by(|a, b| a.loss.lower().total_cmp(&b.loss.lower()));
    let only = |finite: Enclosure| (Enclosure::ONE - finite).max(Enclosure::ZERO);
    let (p_only, q_only) = (only(p_finite), only(q_finite));
    Some(DiscretePair { atoms: outcomes, p_only, q_only, lattice: None })
}

fn unit() -> Atom {
    Atom { loss: Enclosure::ZERO, p: Enclosure::ONE, q: Enclosure::ONE }
}

fn joint(a: &Atom, b: &Atom) -> Atom {
    Atom { loss: a.loss + b.loss, p: a.p * b.p, q: a.q * b.q }
}

/// Every number of times each outcome can come, with its multinomial chance, unless they are many.
fn runs(atoms: &[Atom], times: u32) -> Option<Vec<Atom>> {
    if times == 1 {
        return (atoms.len() <= MOST_OUTCOMES).then(|| atoms.to_vec());
    }
    // Two runs of n outcomes have more than n²/2: beyond this there are too many, and what is
    // left is shallow enough to recurse through.
    const MOST_ATOMS: usize = 110;
    if atoms.len() > MOST_ATOMS { None } else { tallies(atoms, times) }
}

fn tallies(atoms: &[Atom], times: u32) -> Option<Vec<Atom>> {
    let Some((first, rest)) = atoms.split_first() else {
        return Some(if times == 0 { vec![unit()] } else { Vec::new() });
    };
    let mut all = Vec::new();
    for count in 0..=times {
        let power = i32::try_from(count).ok()?;
        let ways = Enclosure::of_rational(&choose(times, count)?);
        let here = Atom {
            loss: first.loss * Enclosure::of_rational(&Rational::from(count)),
            p: ways * first.p.powi(power),
            q: ways * first.q.powi(power),
        };
        all.extend(tallies(rest, times - count)?.iter().map(|other| joint(&here, other)));
        if all.len() > MOST_OUTCOMES {
            return None;
        }
    }
    Some(all)
}

/// The binomial coefficient.
fn choose(n: u32, k: u32) -> Option<Rational> {
    let product = |from: u32, to: u32| {
        (from..=to).fold(Natural::from(1_u8), |product, x| product * Natural::from(x))
    };
    Rational::new(product(n - k + 1, n), product(1, k)).ok()
}
