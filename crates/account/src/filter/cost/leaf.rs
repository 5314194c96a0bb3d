//! Facts about leaves that several currencies use.

use throng_numeric::{Enclosure, Rational, normal};

use crate::conversion::arithmetic::{probability, rational_up};
use crate::conversion::duality::{Polygon, check_pair, polygon_of_pair};
use crate::{AccountError, Neighbours};

/// How far a value can move: by the contribution, or by twice that if it is exchanged.
pub(super) fn shift(sensitivity: &Rational, under: Neighbours) -> Result<Rational, AccountError> {
    let sensitivity = not_negative("the sensitivity", sensitivity)?;
    Ok(match under {
        Neighbours::AddRemove | Neighbours::ZeroOut => sensitivity.clone(),
        Neighbours::Replace => sensitivity + sensitivity,
    })
}

/// The shift in units of the noise; `None` if there is no noise to hide it.
pub(super) fn ratio(
    sensitivity: &Rational,
    noise: &Rational,
    under: Neighbours,
) -> Result<Option<Rational>, AccountError> {
    let shift = shift(sensitivity, under)?;
    let noise = not_negative("the noise", noise)?;
    if shift.is_zero() {
        return Ok(Some(Rational::ZERO));
    }
    if noise.is_zero() {
        return Ok(None);
    }
    Ok(Some(shift.checked_div(noise)?))
}

pub(super) fn not_negative<'a>(
    name: &str,
    value: &'a Rational,
) -> Result<&'a Rational, AccountError> {
    if value.is_negative() {
        return Err(AccountError::invalid(name, value, "at least 0"));
    }
    Ok(value)
}

/// ln x, rounded up, for a ratio x >= 1.
pub(super) fn ln_up(x: &Rational) -> Result<Rational, AccountError> {
    if *x == Rational::ONE {
        return Ok(Rational::ZERO);
    }
    rational_up(Enclosure::of_rational(&(x - &Rational::ONE)).ln_1p()?)
}

/// The two chances of an answer 1 under the two inputs, as a pair (P, Q) on two outcomes.
pub(super) fn response_pair(
    p: &Rational,
    q: &Rational,
) -> Result<(Vec<Rational>, Vec<Rational>), AccountError> {
    let one = Rational::ONE;
    let pair = (vec![&one - p, p.clone()], vec![q.clone(), &one - q]);
    check_pair(&pair.0, &pair.1)?;
    Ok(pair)
}

/// What a polygon says in (ratio, leak): the leak is what shows with certainty, and beyond it the
/// likelihood ratio is at most `ratio`. Both directions.
pub(super) struct Steepness {
    pub(super) ratio: Rational,
    pub(super) leak: Rational,
}

/// The steepest chord from (0, 1 - leak), in both orientations.
///
/// H_γ <= leak in both directions iff 1 - leak <= γα + β and 1 - leak <= α + γβ at every corner.
pub(super) fn steepness(polygon: &Polygon) -> Result<Steepness, AccountError> {
    let mirrored: Vec<_> = polygon.corners().iter().map(|(a, b)| (b.clone(), a.clone())).collect();
    let all = || polygon.corners().iter().chain(&mirrored);
    let shows = all().filter(|(a, _)| a.is_zero()).map(|(_, b)| &Rational::ONE - b);
    let leak = shows.fold(Rational::ZERO, Rational::max);
    let kept = &Rational::ONE - &leak;
    let mut ratio = Rational::ONE;
    for (a, b) in all().filter(|(a, _)| a.is_positive()) {
        ratio = ratio.max((&kept - b).checked_div(a)?);
    }
    Ok(Steepness { ratio, leak })
}

/// The polygon under a stated trade-off curve. Before the first knot a falling curve is at least as
/// high as there; after the last one nothing but 0 is known.
pub(super) fn stated_polygon(knots: &[(Rational, Rational)]) -> Result<Polygon, AccountError> {
    let mut points = knots.to_vec();
    points.sort();
    if let Some((_, beta)) = points.first() {
        points.push((Rational::ZERO, beta.clone()));
    }
    if let Some((alpha, _)) = knots.iter().max_by_key(|(alpha, _)| alpha) {
        points.push((alpha.clone(), Rational::ZERO));
    }
    Polygon::hull(&points)
}

/// The polygon of a pair.
pub(super) fn polygon(p: &[Rational], q: &[Rational]) -> Result<Polygon, AccountError> {
    polygon_of_pair(p, q)
}

/// The mass that truncated Laplace noise has beyond the reach of its shifted self: the chance that
/// |X| <= bound, X > bound - shift.
pub(super) fn truncated_laplace_leak(
    shift: &Rational,
    scale: &Rational,
    bound: &Rational,
) -> Result<Enclosure, AccountError> {
    let tail = |x: &Rational| {
        // P(X > x | |X| <= bound) for 0 <= x <= bound.
        let unit =
            |y: &Rational| Ok::<_, AccountError>(Enclosure::of_rational(&y.checked_div(scale)?));
        let (x, b) = (unit(x)?, unit(bound)?);
        let above = -(x - b).expm1() * (-x).exp();
        Ok::<_, AccountError>(above / (-(-b).expm1() * Enclosure::point(2.0)?))
    };
    beyond(shift, bound, tail)
}

/// The same for truncated normal noise.
pub(super) fn truncated_gaussian_leak(
    shift: &Rational,
    sigma: &Rational,
    bound: &Rational,
) -> Result<Enclosure, AccountError> {
    let tail = |x: &Rational| {
        let unit =
            |y: &Rational| Ok::<_, AccountError>(Enclosure::of_rational(&y.checked_div(sigma)?));
        let (x, b) = (unit(x)?, unit(bound)?);
        let outside = normal::survival(b);
        let inside = Enclosure::ONE - Enclosure::point(2.0)? * outside;
        Ok::<_, AccountError>((normal::survival(x) - outside) / inside)
    };
    beyond(shift, bound, tail)
}

/// P(X > bound - shift) from the tail at non-negative points, by symmetry.
fn beyond(
    shift: &Rational,
    bound: &Rational,
    tail: impl Fn(&Rational) -> Result<Enclosure, AccountError>,
) -> Result<Enclosure, AccountError> {
    if !bound.is_positive() || *shift >= bound + bound {
        return Ok(if shift.is_zero() { Enclosure::ZERO } else { Enclosure::ONE });
    }
    let edge = bound - shift;
    Ok(probability(if edge.is_negative() { Enclosure::ONE - tail(&-edge)? } else { tail(&edge)? }))
}
