//! A claim against laws.

use std::cell::RefCell;
use std::collections::BTreeMap;

use throng_account::{Direction, PrivacyLoss};

use super::divergence::{corners, event, hockey_stick};
use super::{ExactLaw, Law, Pair};
use crate::error::unless_given_up;
use crate::{AuditError, Orientation, World};

/// An event that breaks a claim, for sure.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactWitness<T> {
    /// At this ε.
    pub epsilon: f64,
    /// The event has at least this much more chance than e^ε times that in the other world.
    pub delta: f64,
    /// At most this was claimed.
    pub claimed: f64,
    /// The world in which the event is too likely.
    pub likelier_in: World,
    /// The event.
    pub event: Vec<T>,
}

/// A pair of neighbours that breaks a claim, with the event.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<D, T> {
    /// The neighbouring inputs.
    pub pair: [D; 2],
    /// The event.
    pub witness: ExactWitness<T>,
}

/// The curve of a claim, each of whose points is computed once.
pub struct Curve<'a> {
    loss: &'a PrivacyLoss,
    known: RefCell<BTreeMap<(u64, bool), f64>>,
}

impl<'a> Curve<'a> {
    /// The curve of a claim.
    #[must_use]
    pub const fn of(loss: &'a PrivacyLoss) -> Self {
        Self { loss, known: RefCell::new(BTreeMap::new()) }
    }

    /// At most this δ is claimed at ε for an event that is likelier with the unit, or without it.
    ///
    /// # Errors
    /// If ε is NaN, or the accountant gives up.
    pub fn delta(&self, direction: Direction, epsilon: f64) -> Result<f64, AuditError> {
        let key = (epsilon.to_bits(), direction == Direction::Remove);
        if let Some(delta) = self.known.borrow().get(&key) {
            return Ok(*delta);
        }
        let delta = self.loss.delta_in(direction, epsilon)?.upper;
        self.known.borrow_mut().insert(key, delta);
        Ok(delta)
    }

    fn allowed(&self, direction: Option<Direction>, epsilon: f64) -> Result<f64, AuditError> {
        match direction {
            Some(direction) => self.delta(direction, epsilon),
            None => {
                let both = Direction::BOTH.map(|direction| self.delta(direction, epsilon));
                let [remove, add] = both;
                Ok(remove?.max(add?))
            }
        }
    }
}

/// Looks for an ε at which the divergence of two laws is certainly above what is claimed.
///
/// # Guarantee
/// If there is a witness, the claim is false: the lower end of the divergence is above the upper
/// end of what is claimed. If there is none, the claim held at all places looked at: the corners of
/// the profile of the laws, between them and towards the largest, and a grid.
///
/// # Errors
/// If the accountant gives up.
pub fn refute<T: Ord + Clone>(
    claim: &Curve<'_>,
    laws: [&Law<T>; 2],
    orientation: Orientation,
) -> Result<Option<ExactWitness<T>>, AuditError> {
    let [zero, one] = laws;
    for (p, q, likelier_in) in [(zero, one, World::Zero), (one, zero, World::One)] {
        let direction = match orientation {
            Orientation::Either => None,
            Orientation::UnitIn(world) if world == likelier_in => Some(Direction::Remove),
            Orientation::UnitIn(_) => Some(Direction::Add),
        };
        let found = one_way(claim, p, q, direction)?;
        if let Some((epsilon, delta, claimed)) = found {
            let event = event(p, q, epsilon);
            return Ok(Some(ExactWitness { epsilon, delta, claimed, likelier_in, event }));
        }
    }
    Ok(None)
}

type Violation = (f64, f64, f64);

fn one_way<T: Ord>(
    claim: &Curve<'_>,
    p: &Law<T>,
    q: &Law<T>,
    direction: Option<Direction>,
) -> Result<Option<Violation>, AuditError> {
    let at = |epsilon: f64| -> Result<Violation, AuditError> {
        unless_given_up()?;
        let delta = hockey_stick(p, q, epsilon)?.lower();
        Ok((epsilon, delta, claim.allowed(direction, epsilon)?))
    };
    let places = places(&corners(p, q));
    let mut best: Option<(usize, f64)> = None;
    for (i, epsilon) in places.iter().enumerate() {
        let found = at(*epsilon)?;
        let margin = found.1 - found.2;
        if margin > 0.0 {
            return Ok(Some(found));
        }
        // Where both are 0 there is nothing to be found nearby.
        if found.1 > 0.0 && best.is_none_or(|(_, most)| margin > most) {
            best = Some((i, margin));
        }
    }
    let Some((i, _)) = best else { return Ok(None) };
    let place = |i: Option<usize>| i.and_then(|i| places.get(i)).copied();
    let middle = place(Some(i)).unwrap_or(0.0);
    let low = place(i.checked_sub(1)).unwrap_or(middle);
    climb(&at, low, place(Some(i + 1)).unwrap_or(middle))
}

/// Between two places the divergence is about linear in e^ε and the claim convex, so what is above
/// it has one top: found by thirds.
fn climb(
    at: &impl Fn(f64) -> Result<Violation, AuditError>,
    mut low: f64,
    mut high: f64,
) -> Result<Option<Violation>, AuditError> {
    for _ in 0..48 {
        let third = (high - low) / 3.0;
        let (left, right) = (at(snapped(low + third))?, at(snapped(high - third))?);
        for found in [left, right] {
            if found.1 > found.2 {
                return Ok(Some(found));
            }
        }
        if left.1 - left.2 < right.1 - right.2 { low += third } else { high -= third }
    }
    Ok(None)
}

/// How many corners are looked at, at most.
const CORNERS: usize = 48;

/// Where to look: 0, corners, the middles between them, ever nearer to the largest from below, and a
/// grid.
fn places(corners: &[f64]) -> Vec<f64> {
    let corners: Vec<f64> = corners.iter().copied().filter(|log| *log > 0.0).collect();
    let stride = corners.len().div_ceil(CORNERS).max(1);
    let mut all = vec![0.0];
    all.extend(corners.iter().copied().step_by(stride));
    all.extend(corners.last());
    let top = corners.last().copied().unwrap_or(0.0);
    let below = corners.iter().rev().nth(1).copied().unwrap_or(0.0);
    let between: Vec<f64> = all
        .windows(2)
        .filter_map(|pair| Some(f64::midpoint(*pair.first()?, *pair.last()?)))
        .collect();
    all.extend(between);
    let mut gap = top - below;
    for _ in 0..32 {
        gap /= 2.0;
        all.push(top - gap);
    }
    all.extend([0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
    let mut all: Vec<f64> = all.into_iter().map(snapped).filter(|e| *e >= 0.0).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// To a multiple of 2^-36: so that corners that differ by rounding alone are one place.
fn snapped(epsilon: f64) -> f64 {
    const UNITS: f64 = 68_719_476_736.0;
    if epsilon.abs() < 1e5 { (epsilon * UNITS).round() / UNITS } else { epsilon }
}

/// Looks for a pair of neighbours on which a mechanism breaks a claim.
///
/// # Errors
/// If a law cannot be listed, or the accountant gives up.
pub fn check<M, D>(
    mechanism: &M,
    claim: &PrivacyLoss,
    pairs: &[Pair<D>],
) -> Result<Option<Found<D, M::Outcome>>, AuditError>
where
    M: ExactLaw + ?Sized,
    D: std::borrow::Borrow<M::Input> + Clone,
{
    let claim = Curve::of(claim);
    for pair in pairs {
        unless_given_up()?;
        let [zero, one] = &pair.inputs;
        let (zero, one) = (mechanism.law(zero.borrow())?, mechanism.law(one.borrow())?);
        if let Some(witness) = refute(&claim, [&zero, &one], pair.orientation)? {
            return Ok(Some(Found { pair: pair.inputs.clone(), witness }));
        }
    }
    Ok(None)
}
