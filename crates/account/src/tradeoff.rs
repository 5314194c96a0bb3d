//! Trade-off curves: what an attacker's test can achieve.
//!
//! An attacker who claims "the unit is there" with false-alarm rate alpha misses it at least at
//! rate f(alpha) = sup over gamma > 0 of 1 - H(gamma) - gamma alpha, where H(gamma) =
//! delta(ln gamma) is the profile. Every line under the sup is a valid bound by itself, so lines
//! at finitely many gamma, with H rounded up, bound f from below. From above: H is convex, so
//! between two knots it lies above the prolonged chords of the neighbouring cells; the sup over
//! a cell of a concave function below these is at the corner where they meet.

use throng_numeric::Enclosure;

use crate::{AccountError, Bracket};

/// A line a - b alpha with a rounded in the direction of its use.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ray {
    height: f64,
    slope: f64,
}

/// A trade-off curve as two sets of lines, whose upper envelopes enclose it.
#[derive(Debug, Clone)]
pub(crate) struct Tradeoff {
    below: Vec<Ray>,
    above: Vec<Ray>,
}

/// One knot: gamma = e^epsilon (as an enclosure) and H there.
#[derive(Debug, Clone, Copy)]
struct Knot {
    gamma: Enclosure,
    height: Enclosure,
}

impl Tradeoff {
    /// The curve of a profile, from its values at increasing epsilon.
    pub(crate) fn of(values: &[(f64, Enclosure)]) -> Result<Self, AccountError> {
        let knots = values
            .iter()
            .map(|(epsilon, height)| {
                Ok(Knot { gamma: Enclosure::point(*epsilon)?.exp(), height: *height })
            })
            .collect::<Result<Vec<_>, AccountError>>()?;
        Ok(Self { below: below(&knots), above: above(&knots) })
    }

    /// The lines below the curve, as bounds on power: 1 - f(alpha) <= slope alpha + intercept.
    pub(crate) fn power_lines(&self) -> Vec<(f64, f64)> {
        self.below.iter().map(|ray| (ray.slope, (1.0 - ray.height).next_up())).collect()
    }

    /// f(alpha), from below and above.
    pub(crate) fn miss_rate(&self, alpha: f64) -> Bracket {
        let height = |rays: &[Ray], round: fn(f64) -> f64| {
            rays.iter()
                .map(|ray| round(ray.height - round_product(ray.slope * alpha, round)))
                .fold(0.0, f64::max)
        };
        let lower = height(&self.below, f64::next_down).min(1.0 - alpha);
        let upper = height(&self.above, f64::next_up).min(1.0 - alpha);
        Bracket { lower: lower.max(0.0), upper: upper.max(lower).max(0.0) }
    }
}

/// The product is rounded against the direction of the difference.
fn round_product(product: f64, round: fn(f64) -> f64) -> f64 {
    -round(-product)
}

/// 1 - H - gamma alpha with H and gamma rounded up.
fn below(knots: &[Knot]) -> Vec<Ray> {
    knots
        .iter()
        .map(|knot| Ray {
            height: (1.0 - knot.height.upper()).next_down(),
            slope: knot.gamma.upper(),
        })
        .collect()
}

/// The corners of a polygon below H, as lines. Left of the first knot H >= 1 - gamma, so a line
/// is at most gamma (1 - alpha); right of the last knot H >= 0.
fn above(knots: &[Knot]) -> Vec<Ray> {
    let mut rays: Vec<Ray> =
        knots.iter().map(|knot| ray(knot.gamma.lower(), knot.height.lower())).collect();
    for i in 0..knots.len().saturating_sub(1) {
        let chord = |i: usize| chord(knots.get(i)?, knots.get(i + 1)?);
        let (before, after) = (i.checked_sub(1).and_then(chord), chord(i + 1));
        if let (Some(left), Some(right)) = (knots.get(i), knots.get(i + 1)) {
            rays.push(corner(left, right, before, after));
        }
    }
    if let (Some(first), Some(last)) = (knots.first(), knots.last()) {
        let gamma = first.gamma.upper();
        rays.push(Ray { height: gamma, slope: gamma });
        rays.push(Ray { height: 1.0, slope: last.gamma.lower() });
    }
    rays
}

/// The slope of H over a cell.
fn chord(a: &Knot, b: &Knot) -> Option<Enclosure> {
    let slope = (b.height - a.height) / (b.gamma - a.gamma);
    slope.lower().is_finite().then_some(slope)
}

/// H is at least `height` near `gamma`: the slack covers that both were computed in ordinary
/// arithmetic, with errors of a few units in the last place of 1 and of gamma.
fn ray(gamma: f64, height: f64) -> Ray {
    Ray { height: 1.0 - height + 1e-13, slope: gamma * (1.0 - 1e-13) }
}

/// Where the prolonged chords of the neighbouring cells meet: on a cell the convex H is at least
/// h_l + s_l (gamma - g_l), s_l the slope before it, and at least h_r - s_r (g_r - gamma), s_r the
/// slope after it. Without a neighbour the other line, or the end itself, has to do.
fn corner(left: &Knot, right: &Knot, before: Option<Enclosure>, after: Option<Enclosure>) -> Ray {
    let (g_l, g_r) = (left.gamma.lower(), right.gamma.upper());
    let (h_l, h_r) = (left.height.lower(), right.height.lower());
    let width = g_r - g_l;
    match (before.map(Enclosure::lower), after.map(Enclosure::upper)) {
        (Some(s_l), Some(s_r)) if s_r > s_l => {
            let run = ((h_r - s_r * width - h_l) / (s_l - s_r)).clamp(0.0, width);
            ray(g_l + run, (h_l + s_l * run).max(h_r - s_r * (width - run)))
        }
        // H does not increase, so it is nowhere on the cell below its right end.
        _ => ray(g_l, h_r),
    }
}
