//! Claims of one parameter: the largest epsilon, the largest mu that is refuted.

use throng_numeric::{Enclosure, normal};

use super::bound::Tail;
use super::{of_several, real};
use crate::region::Region;
use crate::{AuditError, Claim, World};

/// The largest epsilon that is refuted at a delta; 0 if none is.
pub(super) fn epsilon(tails: &[Tail], delta: f64, false_alarm: f64) -> Result<f64, AuditError> {
    largest(tails, false_alarm, 64.0, |epsilon| approximate(epsilon, delta))
}

/// The largest mu that is refuted; 0 if none is.
pub(super) fn mu(tails: &[Tail], false_alarm: f64) -> Result<f64, AuditError> {
    largest(tails, false_alarm, 32.0, gaussian)
}

/// The largest refuted parameter, from below.
///
/// # Guarantee
/// Wrong with a chance of at most `false_alarm`: a run for which x is the truth is one for which every
/// larger parameter is true as well. Each of those is refuted from some number of right guesses on,
/// and the smallest such number is reached with a chance of at most `false_alarm`. (With several ways
/// to guess, for each of them with its share.) That bounds are monotone is not needed.
fn largest(
    tails: &[Tail],
    false_alarm: f64,
    most: f64,
    claim: impl Fn(f64) -> Result<Region, AuditError>,
) -> Result<f64, AuditError> {
    let refuted = |parameter: f64| -> Result<bool, AuditError> {
        let region = claim(parameter)?;
        let bounds = tails.iter().map(|tail| tail.bound(&region)).collect::<Result<Vec<_>, _>>()?;
        Ok(of_several(bounds.into_iter()) <= false_alarm)
    };
    let (mut low, mut high) = (0.0, 0.125);
    if !refuted(low)? {
        return Ok(0.0);
    }
    while high < most && refuted(high)? {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1e-4 * high {
        let middle = 0.5 * (low + high);
        if refuted(middle)? { low = middle } else { high = middle }
    }
    Ok(low)
}

/// What (ε, δ) allows.
fn approximate(epsilon: f64, delta: f64) -> Result<Region, AuditError> {
    let claim = Claim::of_pairs("approx_dp", &[(epsilon, delta)])?;
    Ok(claim.region(World::Zero).clone())
}

/// What μ allows: the tangents of p -> Φ(Φ^-1(p) + μ), at p = Φ(-s) for s on a grid.
pub(super) fn gaussian(mu: f64) -> Result<Region, AuditError> {
    const STEPS: usize = 160;
    const REACH: f64 = 8.0;
    let mu = Enclosure::point(mu)?;
    let half = mu * mu * Enclosure::point(0.5)?;
    let tangent = |step: usize| -> Result<(f64, f64), AuditError> {
        let s = Enclosure::point(REACH * (2.0 * real(step) / real(STEPS) - 1.0))?;
        let slope = (mu * s - half).exp();
        let intercept = normal::cdf(mu - s) - slope * normal::cdf(-s);
        Ok((slope.upper(), intercept.upper()))
    };
    let lines: Vec<(f64, f64)> = (0..=STEPS).map(tangent).collect::<Result<_, _>>()?;
    Ok(Region::of_lines(lines))
}
