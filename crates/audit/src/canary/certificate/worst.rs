//! What the worst run looks like, roughly: it only tells which lines to use.

use crate::canary::bound::Tail;
use crate::canary::real;
use crate::region::{Line, Region};

/// The largest tail that upper sets T = {i, ..., c} allow: all its mass is at v, and below that as
/// little mass as the constraints r_i <= F(h_{i-1}) demand, with r_i = Σ_{l >= i} (l/m) p_l and
/// h_i = Σ_{l >= i} ((c - l)/m) p_l.
pub(super) struct Worst<'a> {
    tail: &'a Tail,
    region: &'a Region,
    corners: Vec<(f64, f64)>,
}

impl<'a> Worst<'a> {
    pub(super) fn new(tail: &'a Tail, region: &'a Region) -> Self {
        Self { tail, region, corners: region.corners().collect() }
    }

    /// The largest tail for which the masses are at most 1 together.
    pub(super) fn mass(&self) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        // Tails that matter differ by orders of magnitude: first their exponent, then their digits.
        let mut scale = 1.0;
        while self.total(scale) > 1.0 && scale > 1e-300 {
            high = scale;
            scale *= 0.01;
        }
        if scale < 1.0 {
            low = scale;
        }
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if self.total(middle) > 1.0 { high = middle } else { low = middle }
        }
        high
    }

    /// The tangents at h_0, ..., h_{v-1}: one for each count from 1 to v.
    pub(super) fn lines(&self, mass: f64) -> Vec<Line> {
        let mut lines = Vec::with_capacity(self.tail.right);
        self.walk(mass, |wrong, _| lines.push(self.region.tangent(wrong)));
        lines.reverse();
        lines
    }

    /// All masses together.
    fn total(&self, mass: f64) -> f64 {
        let mut total = mass;
        self.walk(mass, |_, more| total += more);
        total
    }

    /// From v down: h_{i-1}, and the mass at i - 1.
    fn walk(&self, mass: f64, mut visit: impl FnMut(f64, f64)) {
        let &Tail { canaries, made, right } = self.tail;
        let all = real(canaries);
        let mut correct = real(right) * mass / all;
        let mut wrong = real(made - right) * mass / all;
        for count in (0..right).rev() {
            let needed = wrong.max(self.inverse(correct));
            let more = (needed - wrong) * all / real(made - count);
            visit(needed, more);
            correct += real(count) * more / all;
            wrong = needed;
        }
    }

    /// The chance at which the region allows this one.
    fn inverse(&self, power: f64) -> f64 {
        let i = self.corners.partition_point(|(_, allowed)| *allowed < power);
        match (i.checked_sub(1).and_then(|i| self.corners.get(i)), self.corners.get(i)) {
            (Some((p, low)), Some((q, high))) => p + (q - p) * (power - low) / (high - low),
            (None, Some(_)) => 0.0,
            (_, None) => 1.0,
        }
    }
}
