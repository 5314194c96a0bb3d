//! Pairs whose losses already lie on a common lattice: nothing is split or merged.

use throng_numeric::rounding::{add_down, add_up};
use throng_numeric::{Enclosure, Rational};

use super::End;
use super::grid::{Law, MOST_POINTS, Span};
use crate::AccountError;
use crate::pair::discrete::{DiscretePair, Lattice, Step};

/// The laws of all pairs on one lattice, if they have one, and its step.
///
/// # Guarantee
/// Losses are kept exactly (as indices), chances rounded towards the end asked for.
///
/// # Errors
/// If a logarithm cannot be taken.
pub(super) fn laws(
    pairs: &[&DiscretePair],
    end: End,
) -> Result<Option<(Enclosure, Vec<Law>)>, AccountError> {
    let Some(step) = common_step(pairs) else { return Ok(None) };
    let length = match &step {
        Step::Rational(step) => Enclosure::of_rational(step),
        Step::Log(ratio) => Enclosure::of_rational(ratio).ln()?,
    };
    let laws: Option<Vec<Law>> = pairs.iter().map(|pair| law(pair, &step, end)).collect();
    Ok(laws.map(|laws| (length, laws)))
}

/// The lattices of those pairs that have more than one loss.
fn lattices<'a>(pairs: &[&'a DiscretePair]) -> Option<Vec<&'a Lattice>> {
    pairs.iter().filter(|pair| pair.atoms.len() > 1).map(|pair| pair.lattice.as_ref()).collect()
}

/// The largest step of which all steps are whole multiples, if there is one worth having.
fn common_step(pairs: &[&DiscretePair]) -> Option<Step> {
    let lattices = lattices(pairs)?;
    let mut steps = lattices.iter().map(|lattice| &lattice.step);
    // A pair with one loss, or none, fits on any lattice.
    let Some(first) = steps.next() else { return Some(Step::Rational(Rational::ONE)) };
    steps.try_fold(first.clone(), |step, next| match (&step, next) {
        _ if &step == next => Some(step),
        (Step::Rational(a), Step::Rational(b)) => Some(Step::Rational(common_measure(a, b)?)),
        (Step::Rational(_) | Step::Log(_), Step::Rational(_) | Step::Log(_)) => None,
    })
}

/// Euclid's algorithm, as long as the common measure is not absurdly small.
fn common_measure(a: &Rational, b: &Rational) -> Option<Rational> {
    let least = a.max(b).checked_div(&Rational::from(1_u32 << 22)).ok()?;
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        if b < least {
            return None;
        }
        let times = Rational::from(a.checked_div(&b).ok()?.floor());
        (a, b) = (b.clone(), &a - &(&times * &b));
    }
    Some(a)
}

/// How many of the common steps make one step of a pair.
fn multiple(of: &Step, step: &Step) -> Option<i64> {
    match (of, step) {
        _ if of == step => Some(1),
        (Step::Rational(of), Step::Rational(step)) => {
            let ratio = of.checked_div(step).ok().filter(Rational::is_integer)?;
            i64::try_from(ratio.floor()).ok()
        }
        (Step::Rational(_) | Step::Log(_), Step::Rational(_) | Step::Log(_)) => None,
    }
}

fn law(pair: &DiscretePair, step: &Step, end: End) -> Option<Law> {
    let alone = Lattice {
        step: step.clone(),
        offset: pair.atoms.first().map_or(Enclosure::ZERO, |atom| atom.loss),
        indices: vec![0; pair.atoms.len()],
    };
    let lattice = if pair.atoms.len() > 1 { pair.lattice.as_ref()? } else { &alone };
    let multiple = multiple(&lattice.step, step)?;
    let places: Option<Vec<i64>> =
        lattice.indices.iter().map(|index| index.checked_mul(multiple)).collect();
    let places = places.filter(|places| places.len() == pair.atoms.len())?;
    let first = places.iter().copied().min().unwrap_or(0);
    let last = places.iter().copied().max().unwrap_or(0);
    let length = usize::try_from(last.checked_sub(first)?).ok().filter(|n| *n < MOST_POINTS)? + 1;
    let (infinite, add): (f64, fn(f64, f64) -> f64) = match end {
        End::Pessimistic => (pair.p_only.upper(), add_up),
        End::Optimistic => (pair.p_only.lower(), add_down),
    };
    let mut law = Law::empty(Span { first, last, length }, infinite);
    law.offset = lattice.offset;
    for (atom, place) in pair.atoms.iter().zip(places) {
        law.change(place, |mass| add(mass, end.of(atom.p)));
    }
    Some(law)
}
