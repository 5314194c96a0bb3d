//! The variances that go with a box of statistics, in units of the squared width.

/// The numbers from low to high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Range {
    /// Anything a variance can be.
    const ALL: Self = Self { low: 0.0, high: 0.25 };

    pub(super) fn around(x: f64, half: f64) -> Self {
        Self { low: x - half, high: x + half }
    }

    fn at_least_zero(self) -> Self {
        Self { low: self.low.max(0.0), high: self.high.max(0.0) }
    }

    fn over(self, count: f64) -> Self {
        Self { low: self.low / count, high: self.high / count }
    }

    fn clamped(self, low: f64, high: f64) -> Self {
        Self { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }
}

/// The range of f = (4ac - b²)/(4(a+b+c)²) over a box of shares, all of which are at least 0.
///
/// # Guarantee
/// f falls in b wherever it is above 0. Its derivative in a has the sign of
/// c (b + c - a) + b²/2, which falls in a: along a, f rises, then falls (and along c, by
/// symmetry). So its least value is at a corner, and 0 will do if that is below; its largest is, at
/// the least b, either where both derivatives vanish, which implies b = 0 and a = c and so
/// happens on an edge too, or on an edge: there at a = b + c + b²/(2c), if that is inside, else at an
/// end.
pub(super) fn of_shares(a: Range, b: Range, c: Range) -> Range {
    let [a, b, c] = [a, b, c].map(Range::at_least_zero);
    if a.high + b.high + c.high <= 0.0 || !(a.high + b.high + c.high).is_finite() {
        return Range::ALL;
    }
    if a.low + b.low + c.low <= 0.0 {
        // Nothing is certain, not even that there are records.
        return Range::ALL;
    }
    let corners = [(a.low, c.low), (a.low, c.high), (a.high, c.low), (a.high, c.high)];
    let least = corners.map(|(a, c)| spread(a, b.high, c)).into_iter().fold(0.25, f64::min);
    let best = |other: f64, along: Range| {
        let top = b.low + other + b.low * b.low / (2.0 * other);
        // Where `other` is 0 so is f, wherever one stands.
        if top.is_nan() { along.high } else { top.clamp(along.low, along.high) }
    };
    let edges = [
        spread(best(c.low, a), b.low, c.low),
        spread(best(c.high, a), b.low, c.high),
        spread(a.low, b.low, best(a.low, c)),
        spread(a.high, b.low, best(a.high, c)),
    ];
    let most = edges.into_iter().fold(0.0, f64::max);
    Range { low: least, high: most }.clamped(0.0, 0.25)
}

/// f, or 0 if there is nothing.
fn spread(a: f64, b: f64, c: f64) -> f64 {
    let total = a + b + c;
    if total <= 0.0 {
        return 0.0;
    }
    let (a, b, c) = (a / total, b / total, c / total);
    a * c - b * b / 4.0
}

/// The range of (s/n - (m/n)²)/4, for sums m of v and s of v², n public and |v| <= 1.
pub(super) fn of_moments(m: Range, s: Range, count: f64) -> Range {
    if count <= 0.0 || !(m.high - m.low + s.high - s.low).is_finite() {
        return Range::ALL;
    }
    let m = m.over(count).clamped(-1.0, 1.0);
    let s = s.over(count).clamped(0.0, 1.0);
    let (near, far) = (0.0_f64.clamp(m.low, m.high), m.low.abs().max(m.high.abs()));
    let range = Range { low: (s.low - far * far) / 4.0, high: (s.high - near * near) / 4.0 };
    range.clamped(0.0, 0.25)
}
