//! The region a claim allows: how likely an event may be in one world, given its chance in the other.

/// An upper bound on a chance: `slope` p + `intercept`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// e^epsilon.
    pub slope: f64,
    /// delta.
    pub intercept: f64,
}

impl Line {
    /// The same line seen from the other world, rounded up: if 1 - p <= s (1 - q) + d, then
    /// q <= p/s + 1 - (1 - d)/s. None for a line that says nothing.
    #[must_use]
    pub fn turned(self) -> Option<Self> {
        if self.slope <= 0.0 {
            return None;
        }
        let kept = ((1.0 - self.intercept).next_down() / self.slope).next_down();
        let slope = (1.0 / self.slope).next_up();
        slope.is_finite().then(|| Self { slope, intercept: (1.0 - kept).next_up() })
    }

    /// The bound at p, rounded up.
    #[must_use]
    pub fn at(self, p: f64) -> f64 {
        ((self.slope * p).next_up() + self.intercept).next_up()
    }
}

/// All that a claim says in one orientation: an event of chance p has at most the chance
/// [`Region::power`] in the other world. A concave polygon, the lower envelope of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The envelope from left to right: slopes decrease, intercepts increase.
    lines: Vec<Line>,
    /// Where the envelope goes over from line i to line i + 1.
    breaks: Vec<f64>,
}

impl Region {
    /// The lower envelope of lines and of the trivial bound 1.
    ///
    /// # Guarantee
    /// At every p the envelope is one of the lines given, so it never allows less than all of
    /// them do together: leaving a line out, or breaking between two lines a little off the place
    /// where they cross, only allows more.
    #[must_use]
    pub fn of_lines(lines: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let trivial = Line { slope: 0.0, intercept: 1.0 };
        let mut all: Vec<Line> = lines
            .into_iter()
            .map(|(slope, intercept)| Line { slope, intercept })
            .filter(|line| line.slope >= 0.0 && line.slope.is_finite() && line.intercept < 1.0)
            .collect();
        all.push(trivial);
        all.sort_by(|a, b| b.slope.total_cmp(&a.slope).then(a.intercept.total_cmp(&b.intercept)));
        let mut hull: Vec<Line> = Vec::new();
        for line in all {
            if hull.last().is_some_and(|last| last.slope == line.slope) {
                continue;
            }
            while let Some(last) = hull.last() {
                let useless = match hull.len().checked_sub(2).and_then(|i| hull.get(i)) {
                    // Lines through one corner, but for rounding, are one corner.
                    Some(before) => {
                        let x = cross(*before, line);
                        last.at(x) >= before.at(x) * (1.0 - 1e-7)
                    }
                    // The steepest line is of use only if it is below at p = 0.
                    None => line.intercept <= last.intercept,
                };
                if !useless {
                    break;
                }
                hull.pop();
            }
            hull.push(line);
        }
        let breaks =
            hull.windows(2).filter_map(|pair| Some(cross(*pair.first()?, *pair.last()?))).collect();
        Self { lines: hull, breaks }
    }

    /// The line that bounds best at p.
    #[must_use]
    pub fn tangent(&self, p: f64) -> Line {
        let i = self.breaks.partition_point(|at| *at < p);
        self.lines.get(i).copied().unwrap_or(Line { slope: 0.0, intercept: 1.0 })
    }

    /// The largest chance allowed to an event whose chance is p in the other world.
    #[must_use]
    pub fn power(&self, p: f64) -> f64 {
        self.tangent(p).at(p).min(1.0)
    }

    /// The corners of the polygon, from p = 0 to p = 1.
    pub fn corners(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let inner = self.breaks.iter().copied().filter(|p| (0.0..1.0).contains(p));
        std::iter::once(0.0).chain(inner).chain([1.0]).map(|p| (p, self.power(p)))
    }
}

/// Where a flatter line crosses a steeper one.
fn cross(steep: Line, flat: Line) -> f64 {
    (flat.intercept - steep.intercept) / (steep.slope - flat.slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_is_the_smallest_line() {
        let lines: Vec<(f64, f64)> =
            (0..60).map(|k| (f64::from(k) * 0.1, 1.0 / (1.0 + f64::from(k)))).collect();
        let region = Region::of_lines(lines.clone());
        for k in 0..=1000 {
            let p = f64::from(k) / 1000.0;
            let best = lines.iter().map(|(s, c)| s * p + c).fold(1.0, f64::min);
            assert!(region.power(p) >= best);
            assert!(region.power(p) <= best + 1e-12, "{p}: {} {best}", region.power(p));
        }
    }

    #[test]
    fn nothing_claimed_allows_everything() {
        let region = Region::of_lines([]);
        assert!(region.power(0.0) >= 1.0 && region.power(1.0) >= 1.0);
    }
}
