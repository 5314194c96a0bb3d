//! The exact test of one event: is it more likely in one world than the claim allows?
//!
//! In the first world the event has the unknown chance p and happened a times in n runs; the claim
//! allows it the chance R(p) at most in the second world, where it happened b times in m runs. The runs
//! are ordered by how many standard deviations b lies above what a allows; the p-value is the largest
//! chance, over all p, that the order of the outcome is at least that of (a, b). This is Barnard's
//! unconditional test, for a curved hypothesis: it wastes none of the false-alarm chance on two separate
//! intervals.
//!
//! # Why it is valid
//! * At each p the chance is largest where the second world has exactly the chance R(p): the set of
//!   (A, B) that are at least as extreme is of the form B >= b(A), and grows with B.
//! * b(A) does not decrease (made so by lowering it, which enlarges the set). So over a cell [p, p']
//!   the chance is at most that for A ~ Bin(n, p), B ~ Bin(m, R(p')): A is smallest there, B largest.
//!   Finitely many cells cover all p.
//! * Only p in an interval of confidence 1 - c (Chernoff) are looked at, and c is added (Berger and Boos,
//!   1994).
//! * Chances are computed from above, see [`super::binomial`].
//!
//! # Reference
//! Barnard (1947), "Significance tests for 2 x 2 tables"; Berger and Boos (1994), "P values maximized over a
//! confidence set for the nuisance parameter".

use throng_numeric::{Enclosure, tails};

use super::binomial::{LEFT_OUT, MOST_RUNS, Window, floor, real};
use crate::AuditError;
use crate::error::unless_given_up;
use crate::region::Region;

/// How often an event happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How often it happened,
    pub hits: u64,
    /// in how many runs.
    pub runs: u64,
}

impl Rate {
    /// The frequency, pulled a little to the middle.
    pub(crate) fn smoothed(self) -> f64 {
        (real(self.hits) + 0.5) / (real(self.runs) + 1.0)
    }
}

/// What share of the false-alarm chance goes to the interval for p.
const INTERVAL: f64 = 1.0 / 500.0;

/// Cells at the start, and at most.
const CELLS: u32 = 8;
const MOST_CELLS: usize = 384;

/// A test of "an event of chance p in the first world has at most the chance R(p) in the second".
pub struct EventTest<'a> {
    region: &'a Region,
    from: Rate,
    to: Rate,
}

impl<'a> EventTest<'a> {
    /// A test on counts.
    ///
    /// # Errors
    /// If there are no runs, more hits than runs, or more than 2^32 runs.
    pub fn new(region: &'a Region, from: Rate, to: Rate) -> Result<Self, AuditError> {
        for rate in [from, to] {
            if rate.runs == 0 || rate.hits > rate.runs || rate.runs > MOST_RUNS {
                let given = format!("{} hits in {} runs", rate.hits, rate.runs);
                return Err(AuditError::invalid(
                    "a rate",
                    given,
                    "of at most 2^32 runs, at least 1",
                ));
            }
        }
        Ok(Self { region, from, to })
    }

    /// How many standard deviations the second rate lies above what the first allows, about.
    #[must_use]
    pub fn deviations(&self) -> f64 {
        let (allowed, deviation) = self.allowed(self.from.hits);
        (real(self.to.hits) / real(self.to.runs) - allowed) / deviation
    }

    /// What the claim allows if the first rate is `hits`, and the standard deviation of the difference.
    fn allowed(&self, hits: u64) -> (f64, f64) {
        let p = Rate { hits, runs: self.from.runs }.smoothed();
        let line = self.region.tangent(p);
        let q = self.region.power(p);
        let settled = q.clamp(0.25 / real(self.to.runs), 1.0 - 0.25 / real(self.to.runs));
        let variance = settled * (1.0 - settled) / real(self.to.runs)
            + line.slope * line.slope * p * (1.0 - p) / real(self.from.runs);
        (q, variance.sqrt())
    }

    /// A p-value: under the claim it is at most x with a chance of at most x. It is never much smaller
    /// than 1/500 of the level it is wanted for, which fixes how the interval for p is made.
    ///
    /// # Errors
    /// If a certified computation fails.
    pub fn p_value(&self, level: f64) -> Result<f64, AuditError> {
        self.bounded(level * INTERVAL, None)
    }

    /// Whether the claim is refuted at a false-alarm chance.
    ///
    /// # Errors
    /// If a certified computation fails.
    pub fn refutes(&self, level: f64) -> Result<bool, AuditError> {
        Ok(self.bounded(level * INTERVAL, Some(level))? <= level)
    }

    /// An upper bound on the p-value with an interval of confidence 1 - c, as sharp as it gets; or, given
    /// a level, just sharp enough to know on which side of the level it is.
    fn bounded(&self, c: f64, level: Option<f64>) -> Result<f64, AuditError> {
        let deviations = self.deviations();
        // No p-value of use is this large; 1 is a bound on any.
        if deviations.is_nan() || deviations <= 0.5 {
            return Ok(1.0);
        }
        let (low, high) = interval(self.from, c)?;
        let least = Least::new(self, deviations, low, high);
        // If the most likely p alone settles it, that is all there is to do.
        let likely = self.from.smoothed().clamp(low, high);
        if level.is_some_and(|level| least.cell(likely, likely).2 > level) {
            return Ok(1.0);
        }
        let mut cells: Vec<(f64, f64, f64)> = Vec::new();
        let width = (high - low) / f64::from(CELLS);
        let edge = |i: u32| if i == CELLS { high } else { low + f64::from(i) * width };
        for i in 0..CELLS {
            unless_given_up()?;
            cells.push(least.cell(edge(i), edge(i + 1)));
        }
        let mut budget = MOST_CELLS;
        loop {
            unless_given_up()?;
            let Some((at, &(p, q, bound))) =
                cells.iter().enumerate().max_by(|a, b| a.1.2.total_cmp(&b.1.2))
            else {
                return Ok(1.0);
            };
            let total = (bound + c).min(1.0);
            if level.is_some_and(|level| total <= level) {
                return Ok(total);
            }
            let middle = f64::midpoint(p, q);
            let inside = least.cell(middle, middle).2;
            let known = level.is_some_and(|level| inside > level);
            let sharp = bound <= 1.03 * inside || q - p <= 0.0;
            if budget == 0 || known || (level.is_none() && sharp) {
                return Ok(total);
            }
            budget -= 1;
            cells.swap_remove(at);
            cells.push(least.cell(p, middle));
            cells.push(least.cell(middle, q));
        }
    }
}

/// For each number of hits in the first world, the least in the second that is as extreme.
struct Least<'a> {
    test: &'a EventTest<'a>,
    first: u64,
    hits: Vec<u64>,
}

impl<'a> Least<'a> {
    /// For chances of the first world between two values; others have numbers of hits whose chance is
    /// negligible, and are treated as extreme.
    fn new(test: &'a EventTest<'a>, deviations: f64, low: f64, high: f64) -> Self {
        let first = Window::of(test.from.runs, low).first;
        let top = Window::of(test.from.runs, high);
        let last = top.first + u64::try_from(top.mass.len()).unwrap_or(0);
        let runs = real(test.to.runs);
        let mut hits: Vec<u64> = (first..=last.min(test.from.runs))
            .map(|a| {
                let (allowed, deviation) = test.allowed(a);
                let least = runs * (allowed + deviations * deviation);
                // Whatever rounding did, (a, b) itself is as extreme as itself.
                floor((least - 1e-4).max(0.0)) + u64::from(least > 1e-4)
            })
            .collect();
        let mut lowest = u64::MAX;
        for least in hits.iter_mut().rev() {
            lowest = lowest.min(*least);
            *least = lowest;
        }
        Self { test, first, hits }
    }

    /// The chance of being as extreme, at most, for all chances of the first world in a cell.
    fn cell(&self, p: f64, q: f64) -> (f64, f64, f64) {
        let from = Window::of(self.test.from.runs, p);
        let to = Window::of(self.test.to.runs, self.test.region.power(q));
        let tails = to.tails();
        let tail = |least: u64| match least.checked_sub(to.first) {
            None | Some(0) => 1.0,
            Some(i) => {
                usize::try_from(i).ok().and_then(|i| tails.get(i)).copied().unwrap_or(LEFT_OUT)
            }
        };
        // What the window leaves out, and numbers of hits beyond all that were looked at.
        let mut sum = 2.0 * LEFT_OUT;
        for (a, mass) in (from.first..).zip(&from.mass) {
            let place = a.checked_sub(self.first).and_then(|i| usize::try_from(i).ok());
            let least = place.and_then(|i| self.hits.get(i)).copied().unwrap_or(0);
            sum += mass * tail(least);
        }
        // Adding up 10^6 terms costs less than 2e-10 of the sum.
        (p, q, sum * (1.0 + 1e-9))
    }
}

/// An interval for a chance, wrong with a chance of at most c: those p for which n KL(hits/n, p) is at most
/// ln(2/c) (Chernoff). A little wider than Clopper and Pearson's, and far quicker; it only says which p
/// have to be looked at.
pub(crate) fn interval(rate: Rate, c: f64) -> Result<(f64, f64), AuditError> {
    let enough = Enclosure::point(2.0 / c)?.ln()?.upper();
    let n = Enclosure::point(real(rate.runs))?;
    let above = |hits: u64| -> Result<f64, AuditError> {
        let a = Enclosure::point(real(hits))? / n;
        let (mut low, mut high) = (a.upper(), 1.0);
        for _ in 0..40 {
            let p = f64::midpoint(low, high);
            if (n * divergence(a, p)?).lower() >= enough { high = p } else { low = p }
        }
        Ok(high)
    };
    let high = if rate.hits == rate.runs { 1.0 } else { above(rate.hits)? };
    let low = if rate.hits == 0 { 0.0 } else { 1.0 - above(rate.runs - rate.hits)? };
    Ok((low.next_down().max(0.0), high))
}

/// The divergence of two coins.
fn divergence(a: Enclosure, p: f64) -> Result<Enclosure, AuditError> {
    let p = Enclosure::point(p)?;
    let part = |a: Enclosure, p: Enclosure| -> Result<Enclosure, AuditError> {
        if a.upper() <= 0.0 { Ok(Enclosure::ZERO) } else { Ok(a * (a / p).ln()?) }
    };
    Ok(part(a, p)? + part(Enclosure::ONE - a, Enclosure::ONE - p)?)
}

/// A chance that the true one is below only with a chance of at most `level`.
pub(crate) fn lower_bound(rate: Rate, level: f64) -> Result<f64, AuditError> {
    if rate.hits == 0 {
        return Ok(0.0);
    }
    let rest = Rate { hits: rate.runs - rate.hits, runs: rate.runs };
    Ok((1.0 - upper_bound(rest, level)?).next_down().max(0.0))
}

/// A chance that the true one is above only with a chance of at most `level`: the smallest p found at
/// which P(Bin(n, p) <= hits) is certified to be at most the level.
pub(crate) fn upper_bound(rate: Rate, level: f64) -> Result<f64, AuditError> {
    if rate.hits >= rate.runs {
        return Ok(1.0);
    }
    let n = real(rate.runs);
    let certified = |p: f64| -> Result<bool, AuditError> {
        Ok(tails::binomial_cdf(rate.hits, rate.runs, Enclosure::point(p)?)?.upper() <= level)
    };
    // Chernoff and Bernstein: a guess that is a little too wide, then a search below it.
    let frequency = real(rate.hits) / n;
    let log = Enclosure::point(1.0 / level)?.ln()?.upper().max(0.0);
    let step = (2.0 * frequency * (1.0 - frequency) * log / n).sqrt() + 2.0 * log / n;
    let (mut low, mut high) = (frequency, (frequency + step).min(1.0));
    if !certified(high)? {
        high = 1.0;
    }
    // To a hundredth of a standard deviation: what is left only makes the interval wider.
    let enough = 1e-2 * (high - low) / (1.0 + log);
    while high - low > enough.max(1e-16) {
        let p = f64::midpoint(low, high);
        if p <= low || p >= high {
            break;
        }
        if certified(p)? { high = p } else { low = p }
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(region: &Region, a: u64, n: u64, b: u64, m: u64) -> EventTest<'_> {
        EventTest::new(region, Rate { hits: a, runs: n }, Rate { hits: b, runs: m }).unwrap()
    }

    /// P(p-value <= level) by enumeration, for the second chance at its limit.
    fn size(region: &Region, n: u64, m: u64, p: f64, level: f64) -> f64 {
        let chance = |n: u64, p: f64, k: u64| {
            let window = Window::of(n, p);
            let i = k.checked_sub(window.first).and_then(|i| usize::try_from(i).ok());
            i.and_then(|i| window.mass.get(i)).copied().unwrap_or(0.0)
        };
        let mut size = 0.0;
        for a in 0..=n {
            for b in 0..=m {
                let mass = chance(n, p, a) * chance(m, region.power(p).min(1.0), b);
                if mass > 1e-12 && test(region, a, n, b, m).refutes(level).unwrap() {
                    size += mass;
                }
            }
        }
        size
    }

    #[test]
    fn the_level_is_kept_for_every_chance() {
        let e = std::f64::consts::E;
        let regions = [
            Region::of_lines([(e, 0.0), (1.0 / e, 1.0 - 1.0 / e)]),
            Region::of_lines([(1.0, 0.05)]),
            Region::of_lines([(e, 0.01), (1.5, 0.1), (1.0, 0.2)]),
        ];
        for region in &regions {
            for p in [0.0, 0.01, 0.1, 0.27, 0.5, 0.9] {
                let size = size(region, 40, 30, p, 0.05);
                assert!(size <= 0.05 + 1e-9, "{p}: {size}");
            }
        }
    }

    #[test]
    fn the_level_is_nearly_used_up() {
        let region = Region::of_lines([(1.0, 0.1)]);
        assert!(size(&region, 60, 60, 0.3, 0.05) > 0.03);
    }

    #[test]
    fn p_values_and_decisions_agree() {
        let region = Region::of_lines([(2.0, 0.0), (0.5, 0.5)]);
        for b in [230u64, 240, 250, 260, 280] {
            let test = test(&region, 100, 1000, b, 1000);
            let p = test.p_value(0.01).unwrap();
            assert!(!test.refutes(p * 0.8).unwrap(), "{b}: {p}");
            assert!(test.refutes((p * 1.2).min(1.0)).unwrap() || p > 0.4, "{b}: {p}");
        }
    }

    #[test]
    fn bounds_are_those_of_clopper_and_pearson() {
        let rate = |hits| Rate { hits, runs: 20 };
        // P(Bin(20, p) <= 0) = (1 - p)^20 = 0.05.
        let upper = upper_bound(rate(0), 0.05).unwrap();
        assert!((upper - 0.139_108).abs() < 1e-3 && upper >= 0.139_108);
        let lower = lower_bound(rate(20), 0.05).unwrap();
        assert!((lower - 0.860_892).abs() < 1e-3 && lower <= 0.860_892);
        assert_eq!(upper_bound(rate(20), 0.05).unwrap(), 1.0);
        assert_eq!(lower_bound(rate(0), 0.05).unwrap(), 0.0);
    }
}
