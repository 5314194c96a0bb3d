//! The pair above a profile.

use throng_numeric::Enclosure;

use super::knots::part;
use super::{Knot, Walk, atom, share};
use crate::AccountError;
use crate::pair::discrete::DiscretePair;
use crate::pair::probability;

/// The knots on the lower hull of (0, 1) and all (γ, high), as nearly as estimates tell; knots
/// that are not below the one before are left out, since the level before holds there.
///
/// Leaving out a knot is always sound.
fn hull(knots: &[Knot]) -> Vec<Knot> {
    let start = Knot { epsilon: f64::NEG_INFINITY, low: 1.0, high: 1.0 };
    let mut hull = vec![start];
    for c in knots {
        if hull.last().is_some_and(|last| last.high <= c.high && last.epsilon.is_finite()) {
            continue;
        }
        while let [.., a, b] = hull.as_slice() {
            let part = part(a.epsilon, b.epsilon, c.epsilon);
            if b.high < a.high * (1.0 - part) + c.high * part {
                break;
            }
            hull.pop();
        }
        hull.push(*c);
    }
    hull.remove(0);
    hull
}

/// A chance under P such that the curve, continued from `walk` to the knot, is above it there.
fn lift(walk: Walk, knot: &Knot) -> Result<(f64, Walk), AccountError> {
    let share = share(knot.epsilon, walk.epsilon)?;
    let (height, slope) =
        (Enclosure::point(walk.height.lower())?, Enclosure::point(walk.slope.lower())?);
    for slack in [1e-15, 1e-14, 1e-12, 1e-9] {
        let target = Enclosure::point(knot.high * (1.0 + slack))?;
        let p = ((target - height) / share - slope).upper().max(0.0);
        let next = walk.with(p)?.to(knot.epsilon)?;
        if next.height.lower() >= knot.high {
            return Ok((p, next));
        }
    }
    Err(AccountError::refused("knots too close to be told apart", "ask for fewer cells"))
}

/// The pair whose curve is at least `high` at the knots of the hull, hence above H everywhere.
///
/// From the right, each chance is chosen such that the curve certainly reaches the next knot.
/// The first outcome takes what P has left: then U(0) = 1, and the chord from there is above H
/// too. U(γ) >= H(γ) >= 1 - γ at that outcome means that Q has no more than 1.
pub(super) fn pair(knots: &[Knot]) -> Result<DiscretePair, AccountError> {
    let hull = hull(knots);
    let Some((last, rest)) = hull.split_last() else {
        return Ok(crate::pair::response::nonprivate());
    };
    let mut walk = Walk::from(last.epsilon, last.high)?;
    let mut walks = vec![walk];
    let mut chances = Vec::new();
    for knot in rest.iter().rev() {
        let (p, next) = lift(walk, knot)?;
        chances.push(p);
        walks.push(next);
        walk = next;
    }
    // The leftmost place from which P certainly has something left; at the last, it has.
    let first = walks.iter().rposition(|walk| walk.left().lower() >= 0.0).unwrap_or(0);
    let Some(start) = walks.get(first) else { return Ok(crate::pair::response::nonprivate()) };
    let left = probability(start.left());
    let mut atoms = Vec::with_capacity(first + 1);
    if left.upper() > 0.0 {
        atoms.push(atom(start.epsilon, left)?);
    }
    for (walk, p) in walks.iter().zip(&chances).take(first).rev() {
        if *p > 0.0 {
            atoms.push(atom(walk.epsilon, Enclosure::point(*p)?)?);
        }
    }
    let decay = (-Enclosure::point(start.epsilon)?).exp();
    let q_only = probability(Enclosure::ONE - (Enclosure::ONE - start.height) * decay);
    Ok(DiscretePair { atoms, p_only: Enclosure::point(last.high)?, q_only, lattice: None })
}
