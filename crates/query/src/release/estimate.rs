//! From noisy bases to aggregates with intervals: post-processing, in ordinary numbers.
//!
//! # Intervals
//! They cover the bounded totals, up to the noise: what bounding leaves out is estimated beside them
//! ([`super::Clipping`]).
//!
//! * One noise: the quantile of its law.
//! * Two noises: Gaussian, that of the normal law of the summed variance; Laplace of scales a > b, by
//!   P(|X + Y| > x) = (a² e^(-x/a) - b² e^(-x/b))/(a² - b²).
//! * More Laplace noises: the quantile of one Laplace law of the summed variance, which from one
//!   deviation on has the heavier tail.
//! * A mean s/n: all θ for which s - θ n is within the interval of its noise (Fieller's construction, which
//!   does not linearise), within the range of the numbers.
//! * A variance: by its linear part, within its range.
//! * A quantile: two more draws, each on its side of the quantile with half of the confidence that is left.

use super::contribution::normal_half_width;
use super::family::Family;
use super::measure::Scaled;
use super::plan::Recipe;
use super::{NoisyColumn, price};

/// Noisy values of one base.
#[derive(Debug, Clone)]
pub(super) struct NoisyBase {
    pub(super) values: Vec<f64>,
    /// The standard deviation of each.
    pub(super) deviation: f64,
    /// The half width of the interval of each.
    pub(super) half_width: f64,
    pub(super) centre: f64,
    pub(super) offset: f64,
    pub(super) ends: (f64, f64),
    /// Whether the numbers are whole, for quantiles.
    pub(super) whole: bool,
}

impl NoisyBase {
    pub(super) fn new(values: Vec<f64>, deviation: f64, half_width: f64) -> Self {
        let (centre, offset, ends) = (0.0, 0.0, (0.0, 0.0));
        Self { values, deviation, half_width, centre, offset, ends, whole: false }
    }

    pub(super) fn scaled(self, by: &Scaled) -> Self {
        Self { centre: by.centre, offset: by.offset, ends: by.ends, ..self }
    }

    fn at(&self, cell: usize) -> f64 {
        self.values.get(cell).copied().unwrap_or(0.0)
    }
}

/// How wide intervals are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Precision {
    pub(super) family: Family,
    pub(super) confidence: f64,
}

/// A value and its interval.
type Cell = (Option<f64>, Option<f64>, Option<f64>);

const NOTHING: Cell = (None, None, None);

impl Precision {
    /// The half width of the interval of a sum of independent noises of these deviations.
    pub(super) fn half_width(self, deviations: &[f64]) -> f64 {
        let variance: f64 = deviations.iter().map(|d| d * d).sum();
        match (self.family, deviations) {
            (Family::Gaussian, _) => normal_half_width(self.confidence) * variance.sqrt(),
            (Family::Laplace, [one]) => laplace_width(scale(*one), 0.0, self.confidence),
            (Family::Laplace, [one, other]) => {
                laplace_width(scale(*one), scale(*other), self.confidence)
            }
            (Family::Laplace, _) => laplace_width(scale(variance.sqrt()), 0.0, self.confidence),
        }
    }

    /// The column of an aggregate.
    pub(super) fn column(self, recipe: Recipe, bases: &[NoisyBase], cells: usize) -> NoisyColumn {
        let mut column = NoisyColumn {
            values: Vec::with_capacity(cells),
            low: Vec::with_capacity(cells),
            high: Vec::with_capacity(cells),
            whole: is_whole(recipe, bases),
        };
        for cell in 0..cells {
            let (value, low, high) = self.cell(recipe, bases, cell);
            column.values.push(value);
            column.low.push(low);
            column.high.push(high);
        }
        column
    }

    fn cell(self, recipe: Recipe, bases: &[NoisyBase], cell: usize) -> Cell {
        let base = |i: usize| bases.get(i);
        match recipe {
            Recipe::Count { count } => base(count).map_or(NOTHING, |n| {
                let (x, w) = (n.at(cell), n.half_width);
                (Some(x.round()), Some((x - w).floor()), Some((x + w).ceil()))
            }),
            Recipe::Direct { sum } => {
                base(sum).map_or(NOTHING, |s| around(s.at(cell), s.half_width))
            }
            Recipe::Shifted { sum, count } => match (base(sum), base(count)) {
                (Some(s), Some(n)) => {
                    let width = self.half_width(&[s.deviation, s.centre.abs() * n.deviation]);
                    around(s.at(cell) + s.centre * n.at(cell), width)
                }
                _ => NOTHING,
            },
            Recipe::Mean { sum, count } => match (base(sum), base(count)) {
                (Some(s), Some(n)) => self.mean(s, n, cell),
                _ => NOTHING,
            },
            Recipe::Variance { sum, squares, count, sample, root } => {
                match (base(sum), base(squares), base(count)) {
                    (Some(s), Some(q), Some(n)) => self.variance([s, q, n], cell, sample, root),
                    _ => NOTHING,
                }
            }
            Recipe::Quantile { place, low, high } => base(place).map_or(NOTHING, |x| {
                let end =
                    |i: Option<usize>, edge| i.and_then(base).map_or(edge, |end| end.at(cell));
                let value = x.at(cell);
                // An interval that is too wide still covers.
                let (low, high) = (end(low, x.ends.0), end(high, x.ends.1));
                (Some(value), Some(low.min(value)), Some(high.max(value)))
            }),
        }
    }

    fn mean(self, s: &NoisyBase, n: &NoisyBase, cell: usize) -> Cell {
        let (sum, count) = (s.at(cell), n.at(cell));
        if count <= 0.0 {
            return NOTHING;
        }
        let (least, most) = (s.ends.0 - s.centre, s.ends.1 - s.centre);
        let middle = (sum / count).clamp(least, most);
        let beyond = |theta: f64| {
            (sum - theta * count).abs() - self.half_width(&[s.deviation, theta.abs() * n.deviation])
        };
        let low = outermost(middle, least, beyond);
        let high = outermost(middle, most, beyond);
        (Some(s.centre + middle), Some(s.centre + low), Some(s.centre + high))
    }

    fn variance(self, [s, q, n]: [&NoisyBase; 3], cell: usize, sample: bool, root: bool) -> Cell {
        let (sum, square, count) = (s.at(cell), q.at(cell), n.at(cell));
        let least = if sample { 1.0 } else { 0.0 };
        if count <= least + 0.5 {
            return NOTHING;
        }
        let mean = sum / count;
        let most = (s.ends.1 - s.ends.0) * (s.ends.1 - s.ends.0) / 4.0;
        let correction = if sample { count / (count - 1.0) } else { 1.0 };
        let value = (square / count + q.offset - mean * mean) * correction;
        let slopes = [
            q.deviation / count,
            2.0 * mean * s.deviation / count,
            (2.0 * mean * mean - square / count) * n.deviation / count,
        ];
        let width = self.half_width(&slopes) * correction;
        let most = most * correction;
        let end = |x: f64| x.clamp(0.0, most);
        let shown = |x: f64| Some(if root { end(x).sqrt() } else { end(x) });
        (shown(value), shown(value - width), shown(value + width))
    }
}

fn around(x: f64, width: f64) -> Cell {
    (Some(x), Some(x - width), Some(x + width))
}

fn is_whole(recipe: Recipe, bases: &[NoisyBase]) -> bool {
    match recipe {
        Recipe::Count { .. } => true,
        Recipe::Quantile { place, .. } => bases.get(place).is_some_and(|base| base.whole),
        Recipe::Direct { .. }
        | Recipe::Shifted { .. }
        | Recipe::Mean { .. }
        | Recipe::Variance { .. } => false,
    }
}

/// The last θ from `start` towards `end` where `beyond` is at most 0, which is so on an interval: by
/// false position, halving the side that stays twice (the Illinois rule), so that a few steps are enough.
fn outermost(start: f64, end: f64, beyond: impl Fn(f64) -> f64) -> f64 {
    let (mut inside, mut outside) = ((start, beyond(start)), (end, beyond(end)));
    if outside.1 <= 0.0 {
        return end;
    }
    if inside.1 > 0.0 {
        return start;
    }
    let near = (end - start).abs() * 1e-10;
    let mut last = None;
    for _ in 0..60 {
        if (outside.0 - inside.0).abs() <= near {
            break;
        }
        let next = (inside.0 * outside.1 - outside.0 * inside.1) / (outside.1 - inside.1);
        let gap = beyond(next);
        let within = gap <= 0.0;
        let again = last.replace(within) == Some(within);
        let (moved, stays) =
            if within { (&mut inside, &mut outside) } else { (&mut outside, &mut inside) };
        *moved = (next, gap);
        if again {
            stays.1 /= 2.0;
        }
        if gap == 0.0 {
            return next;
        }
    }
    outside.0
}

fn scale(deviation: f64) -> f64 {
    deviation / std::f64::consts::SQRT_2
}

/// x with P(|X + Y| > x) = 1 - confidence, for Laplace noise of scales a and b.
#[expect(clippy::disallowed_methods, reason = "an interval, not a guarantee of privacy")]
fn laplace_width(a: f64, b: f64, confidence: f64) -> f64 {
    let (a, b) = (a.max(b), a.min(b));
    if a <= 0.0 {
        return 0.0;
    }
    // P(|X + Y| > x), and how fast it falls.
    let beyond = |x: f64| {
        let one = (-x / a).exp();
        if b < a * 1e-9 {
            (one, one / a)
        } else if a - b < a * 1e-4 {
            ((1.0 + x / (2.0 * a)) * one, (1.0 + x / a) * one / (2.0 * a))
        } else {
            let other = (-x / b).exp();
            let over = a * a - b * b;
            ((a * a * one - b * b * other) / over, (a * one - b * other) / over)
        }
    };
    // ln P is concave and falls, so a tangent lies above it and each of Newton's steps ends at or beyond
    // the width: never too small, and a few are enough.
    let wanted = (1.0 - confidence).ln();
    let mut x = -a * wanted;
    for _ in 0..30 {
        let (chance, slope) = beyond(x);
        if chance <= 0.0 || slope <= 0.0 {
            break;
        }
        let step = (chance.ln() - wanted) * chance / slope;
        x += step;
        if step.abs() <= 1e-13 * x {
            break;
        }
    }
    x
}

/// Steps as a number.
pub(super) fn from_steps(steps: i64, unit: f64) -> f64 {
    let size = price::number(steps.unsigned_abs()) * unit;
    if steps < 0 { -size } else { size }
}
