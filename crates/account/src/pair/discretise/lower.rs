//! The pair below a profile.
//!
//! Beyond a cell, H is above the secant of the cell (convexity). So between knots i and i+1 it
//! is above the secant of the cell before, continued to the right from (γ_i, low_i), and above
//! that of the cell after, continued to the left from (γ_{i+1}, low_{i+1}); each is drawn with
//! those ends of the enclosures that make it lower. Before the first knots 1 - γ takes the place
//! of the secant, after the last the level does, since H does not increase.
//!
//! # Guarantee
//! Let v_i be any place between knots i and i+1, and L a convex function with L <= low_i at all
//! knots and L(v_i) at most *both* lines of its cell there. Then L <= H: between knot i and v_i
//! the convex L is at most the first line at both ends, hence throughout; between v_i and knot
//! i+1 the same holds with the second. Beyond the last knot L is at most the continued secant
//! there and at the place v where it ends at level 0. Before v_0 the curve is the larger of
//! 1 - γ and its first side, continued; see [`finish`].
//!
//! The places v_i are the intersections of the two lines, roughly. The curve is the lower hull of
//! the points found there, scaled down by what rounding made it too high anywhere.

use throng_numeric::Enclosure;
use throng_numeric::rounding::{div_down, mul_down};

use super::knots::part;
use super::{Knot, Walk, atom, share};
use crate::AccountError;
use crate::pair::discrete::{Atom, DiscretePair};
use crate::pair::one_minus_exp;

/// A place and a level that the curve must not exceed there.
#[derive(Debug, Clone, Copy)]
struct Limit {
    epsilon: f64,
    level: f64,
    /// Whether the curve may have a corner here.
    corner: bool,
}

/// A line below H on one side of `epsilon`.
#[derive(Debug, Clone, Copy)]
struct Line {
    epsilon: f64,
    level: Enclosure,
    /// e^epsilon times how fast it falls in γ.
    fall: Enclosure,
}

impl Line {
    /// 1 - γ, seen from a place.
    fn complement(epsilon: f64) -> Result<Self, AccountError> {
        let e = Enclosure::point(epsilon)?;
        Ok(Self { epsilon, level: one_minus_exp(e), fall: e.exp() })
    }

    /// Valid to the right of b: the secant from a to b.
    fn after(a: &Knot, b: &Knot) -> Result<Self, AccountError> {
        let drop = Enclosure::point(a.high)? - Enclosure::point(b.low)?;
        let fall = drop.max(Enclosure::ZERO) / share(a.epsilon, b.epsilon)?;
        Ok(Self { epsilon: b.epsilon, level: Enclosure::point(b.low)?, fall })
    }

    /// Valid to the left of a: the secant from a to b.
    fn before(a: &Knot, b: Option<&Knot>) -> Result<Self, AccountError> {
        let level = Enclosure::point(a.low)?;
        let fall = match b {
            None => Enclosure::ZERO,
            Some(b) => {
                let drop = level - Enclosure::point(b.high)?;
                let share = share(a.epsilon, b.epsilon)?;
                // In units of γ_a: γ_b - γ_a = γ_a (1/(1 - share) - 1).
                drop.max(Enclosure::ZERO) * (Enclosure::ONE - share).max(Enclosure::ZERO) / share
            }
        };
        Ok(Self { epsilon: a.epsilon, level, fall })
    }

    /// At most the line at a place.
    fn at(&self, epsilon: f64) -> Result<f64, AccountError> {
        let run = Enclosure::point(epsilon)? - Enclosure::point(self.epsilon)?;
        Ok((self.level - self.fall * run.expm1()).lower())
    }
}

/// Roughly where two lines meet, between their places.
#[expect(clippy::disallowed_methods, reason = "any place between is sound")]
fn meeting(first: &Line, second: &Line) -> f64 {
    let run = (second.epsilon - first.epsilon).exp_m1();
    let (f, g) = (first.fall.upper(), second.fall.lower() / (1.0 + run));
    // first.level - f x = second.level + g (run - x), in units of γ at the first place.
    let x = (first.level.lower() - second.level.lower() - g * run) / (f - g);
    let place = first.epsilon + x.clamp(0.0, run).ln_1p();
    if place.is_finite() {
        place.clamp(first.epsilon, second.epsilon)
    } else {
        0.5 * first.epsilon + 0.5 * second.epsilon
    }
}

/// Roughly where a line ends at 0, but certainly not beyond.
#[expect(clippy::disallowed_methods, reason = "the place is checked")]
fn end(line: &Line) -> Result<f64, AccountError> {
    let x = line.level.lower() / line.fall.upper();
    for slack in [1e-15, 1e-14, 1e-12, 1e-9] {
        let place = line.epsilon + (x * (1.0 - slack)).ln_1p() * (1.0 - slack);
        if place.is_finite() && place >= line.epsilon && line.at(place)? >= 0.0 {
            return Ok(place);
        }
    }
    Ok(line.epsilon)
}

/// All limits in increasing order, and the level after the last.
fn limits(knots: &[Knot]) -> Result<(Vec<Limit>, f64), AccountError> {
    let mut limits = Vec::new();
    let mut before: Option<&Knot> = None;
    for (i, knot) in knots.iter().enumerate() {
        let arriving = match before {
            None => Line::complement(knot.epsilon)?,
            Some(a) => Line::after(a, knot)?,
        };
        limits.push(Limit { epsilon: knot.epsilon, level: knot.low, corner: false });
        let next = knots.get(i + 1);
        let vertex = match next {
            None => None,
            Some(b) => {
                let leaving = Line::before(b, knots.get(i + 2))?;
                let epsilon = meeting(&arriving, &leaving);
                let level = arriving.at(epsilon)?.min(leaving.at(epsilon)?);
                Some(Limit { epsilon, level, corner: true })
            }
        };
        match vertex {
            Some(vertex) if vertex.level > 0.0 => limits.push(vertex),
            // H is below every f64 soon, or these were all knots: level or down to 0.
            Some(_) | None => {
                let level = arriving.fall.upper() <= 0.0;
                let level = if level { knot.low } else { 0.0 };
                let epsilon = if level > 0.0 { knot.epsilon } else { end(&arriving)? };
                limits.push(Limit { epsilon, level, corner: true });
                return Ok((limits, level));
            }
        }
        before = Some(knot);
    }
    Ok((limits, 0.0))
}

/// The corners on the lower hull.
fn hull(limits: &[Limit]) -> Vec<Limit> {
    let mut hull: Vec<Limit> = Vec::new();
    for c in limits.iter().filter(|limit| limit.corner) {
        if hull.last().is_some_and(|last| last.epsilon >= c.epsilon) {
            hull.pop();
        }
        while let [.., a, b] = hull.as_slice() {
            let part = part(a.epsilon, b.epsilon, c.epsilon);
            if b.level < a.level * (1.0 - part) + c.level * part {
                break;
            }
            hull.pop();
        }
        hull.push(*c);
    }
    hull
}

/// Chances of the corners but the first, roughly those of the polygon through them.
fn chances(hull: &[Limit], level: f64) -> Result<Vec<(f64, f64)>, AccountError> {
    let mut chances = Vec::new();
    let Some((last, rest)) = hull.split_last() else { return Ok(chances) };
    let mut walk = Walk::from(last.epsilon, level)?;
    let centre = |x: Enclosure| 0.5 * (x.lower() + x.upper());
    for corner in rest.iter().rev() {
        let share = centre(share(corner.epsilon, walk.epsilon)?);
        let p = (corner.level - centre(walk.height)) / share - centre(walk.slope);
        let p = if p > 0.0 && p.is_finite() { p } else { 0.0 };
        chances.push((walk.epsilon, p));
        walk = walk.with(p)?.to(corner.epsilon)?;
    }
    chances.reverse();
    Ok(chances)
}

/// By how much chances (in increasing order) must be scaled down to stay below every limit.
fn scale(chances: &[(f64, f64)], level: f64, limits: &[Limit]) -> Result<f64, AccountError> {
    let Some((last, _)) = chances.last() else { return Ok(0.0) };
    let mut walk = Walk::from(*last, level)?;
    let mut coming = chances.iter().rev().peekable();
    let mut scale = 1.0_f64;
    for limit in limits.iter().rev() {
        while let Some((epsilon, p)) = coming.next_if(|(epsilon, _)| *epsilon >= limit.epsilon) {
            walk = walk.to(*epsilon)?.with(*p)?;
        }
        if limit.epsilon < walk.epsilon {
            walk = walk.to(limit.epsilon)?;
        }
        if walk.height.upper() > limit.level {
            scale = scale.min(div_down(limit.level, walk.height.upper()));
        }
    }
    Ok(scale.max(0.0))
}

/// The pair of scaled chances, completed by one outcome such that both worlds have a total of 1.
///
/// The side of the curve that ends at the first outcome kept, continued to the left, meets 1 - γ
/// where the completing outcome lies: its chances are what P and Q have left. The side is below
/// the whole curve, hence below 1 - γ at the first limit, and above it at the outcome kept: it
/// meets it between. Before the meeting the curve is 1 - γ, which is below H.
fn finish(
    chances: &[(f64, f64)],
    level: f64,
    first_limit: f64,
) -> Result<DiscretePair, AccountError> {
    let Some((last, _)) = chances.last() else { return Ok(DiscretePair::trivial()) };
    let mut walk = Walk::from(*last, level)?;
    let mut best = None;
    for (index, (epsilon, p)) in chances.iter().enumerate().rev() {
        walk = walk.to(*epsilon)?.with(*p)?;
        let place = Enclosure::point(*epsilon)?;
        let p_left = walk.left();
        let q_left = Enclosure::ONE - walk.slope * (-place).exp();
        let above = walk.height.lower() >= one_minus_exp(place).upper();
        if above && p_left.lower() >= 0.0 && q_left.lower() >= 0.0 {
            best = Some((index, p_left, q_left));
        }
    }
    let Some((index, p, q)) = best else { return Ok(DiscretePair::trivial()) };
    let kept = chances.get(index..).unwrap_or(&[]);
    let to = kept.first().map_or(first_limit, |(epsilon, _)| *epsilon);
    let between = Enclosure::new(first_limit.min(to), to)?;
    let loss = if p.lower() > 0.0 && q.lower() > 0.0 { p.ln()? - q.ln()? } else { between };
    let mut atoms = Vec::with_capacity(kept.len() + 1);
    if p.upper() > 0.0 && q.upper() > 0.0 {
        atoms.push(Atom { loss: loss.intersect(between).unwrap_or(between), p, q });
    }
    for (epsilon, p) in kept {
        if *p > 0.0 {
            atoms.push(atom(*epsilon, Enclosure::point(*p)?)?);
        }
    }
    let p_only = Enclosure::point(level)?;
    Ok(DiscretePair { atoms, p_only, q_only: Enclosure::ZERO, lattice: None })
}

/// The pair below all limits.
pub(super) fn pair(knots: &[Knot]) -> Result<DiscretePair, AccountError> {
    let alive = knots.iter().take_while(|knot| knot.low > 0.0).count();
    let (limits, level) = limits(knots.get(..alive).unwrap_or(&[]))?;
    let Some(first) = limits.iter().find(|limit| limit.corner) else {
        return Ok(DiscretePair::trivial());
    };
    let hull = hull(&limits);
    let mut chances = chances(&hull, level)?;
    let scale = scale(&chances, level, &limits)?;
    for (_, p) in &mut chances {
        *p = mul_down(*p, scale);
    }
    finish(&chances, mul_down(level, scale), first.epsilon)
}
