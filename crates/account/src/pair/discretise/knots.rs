//! Where to look at a profile. Only quality depends on this file, no guarantee does.

#![expect(
    clippy::disallowed_methods,
    reason = "any knots give sound pairs: only their quality depends on these estimates"
)]

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use throng_numeric::patience::given_up;

use super::{Knot, Profile};

/// The profile matters no more where it is below this.
const VANISHED: f64 = 1e-200;

/// The profile is as good as level where it is above its limit by less than this.
const LEVEL: f64 = 1e-13;

/// How far beyond the end of the curve to look at a level that lasts.
const LASTING: [f64; 2] = [1.0, 300.0];

/// The farthest place to look at, as a power of two, and the nearest.
const OCTAVES: (f64, f64) = (-40.0, 20.0);

/// Knots in increasing order, about as many as `cells`; fewer if it was given up.
pub(super) fn place(profile: &dyn Profile, tilt: f64, cells: usize) -> Vec<Knot> {
    let far = Knot::of(profile, OCTAVES.1.exp2()).high;
    let right = nearest(|x| Knot::of(profile, x).high <= VANISHED.max(far * (1.0 + LEVEL)));
    let left = -nearest(|x| {
        let knot = Knot::of(profile, -x);
        knot.high - knot.low.max(-(-x).exp_m1()) <= 0.0 || knot.high + (-x).exp_m1() <= 4e-16
    });
    let [left, centre, right] = [left, 0.0, right].map(|x| Knot::of(profile, x));
    let mut knots = vec![left, centre, right];
    if far > VANISHED {
        // A level that lasts: two looks at it keep the lower pair from ending soon after.
        knots.extend(LASTING.map(|x| Knot::of(profile, right.epsilon + x)));
    }
    let mut queue = BinaryHeap::new();
    for (a, b) in [(left, centre), (centre, right)] {
        split(profile, tilt, a, b, &mut knots, &mut queue);
    }
    while knots.len() <= cells && !given_up() {
        let Some(Cell { a, middle, b, .. }) = queue.pop() else { break };
        split(profile, tilt, a, middle, &mut knots, &mut queue);
        split(profile, tilt, middle, b, &mut knots, &mut queue);
    }
    knots.sort_by(|a, b| a.epsilon.total_cmp(&b.epsilon));
    knots.dedup_by(|a, b| a.epsilon == b.epsilon);
    knots
}

/// About the smallest positive number for which something holds, if it holds from there on.
fn nearest(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut fails, mut at) = OCTAVES;
    for _ in 0..50 {
        let middle = 0.5 * (fails + at);
        if holds(middle.exp2()) {
            at = middle;
        } else {
            fails = middle;
        }
    }
    at.exp2()
}

/// A cell whose middle is a knot already, to be split by priority.
struct Cell {
    a: Knot,
    middle: Knot,
    b: Knot,
    priority: f64,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.total_cmp(&other.priority)
    }
}

/// Looks at the middle of a cell, and queues it if the curve bends there.
///
/// The weighted error of a cell is about gap γ^tilt dε; the priority is its logarithm.
fn split(
    profile: &dyn Profile,
    tilt: f64,
    a: Knot,
    b: Knot,
    knots: &mut Vec<Knot>,
    queue: &mut BinaryHeap<Cell>,
) {
    // Left of 0 a wide cell is, in γ, nearly all at its right end: look there.
    let wide = b.epsilon <= 0.0 && b.epsilon - a.epsilon > 2.0;
    let middle = if wide { b.epsilon - 1.0 } else { 0.5 * a.epsilon + 0.5 * b.epsilon };
    if !(a.epsilon < middle && middle < b.epsilon) {
        return;
    }
    let middle = Knot::of(profile, middle);
    knots.push(middle);
    let part = part(a.epsilon, middle.epsilon, b.epsilon);
    let gap = a.high * (1.0 - part) + b.high * part - middle.high;
    let noise = 4.0 * (middle.high - middle.low) + 1e-15 * middle.high;
    if gap > noise {
        let priority = tilt * middle.epsilon + gap.ln() + (b.epsilon - a.epsilon).ln();
        queue.push(Cell { a, middle, b, priority });
    }
}

/// Where e^b lies between e^a and e^c, as a fraction; a may be minus infinity.
pub(super) fn part(a: f64, b: f64, c: f64) -> f64 {
    (b - c).exp() * (a - b).exp_m1() / (a - c).exp_m1()
}
