//! An audit by sampling: tries to refute a claim on one pair of neighbours.
//!
//! Half of the runs choose the event, the other half judge it. The judge's bounds are exact
//! (Clopper-Pearson, through the certified incomplete beta function), each at level 1e-9 over the
//! number of comparisons, so a true claim is refuted with a chance below 1e-9.

use std::collections::BTreeMap;

use throng_account::PrivacyLoss;
use throng_numeric::{Enclosure, beta};
use throng_sample::SeededEntropy;

use super::exact::EPSILONS;

/// The chance of refuting a true claim.
pub const FALSE_ALARM: f64 = 1e-9;

/// A refutation: at this epsilon, delta is at least this with confidence 1 - 1e-9.
#[derive(Debug, Clone, Copy)]
pub struct Refutation {
    pub epsilon: f64,
    pub delta: f64,
    pub claimed: f64,
}

/// Runs both worlds `runs` times each and looks for a violation of the claim. Outcomes must be
/// few (bin them first); a bin is post-processing, so binning never refutes a true claim.
pub fn refute<T: Ord>(
    runs: u64,
    seed: u64,
    claim: &PrivacyLoss,
    world: impl FnMut(bool, &mut SeededEntropy) -> T,
) -> Option<Refutation> {
    let samples = Samples::draw(runs, seed, world);
    samples.refute(EPSILONS.map(|epsilon| (epsilon, claim.delta(epsilon).unwrap().upper)))
}

/// Outcomes of both worlds, counted: one half to choose the event, one to judge it.
pub struct Samples<T> {
    runs: u64,
    choose: [BTreeMap<T, u64>; 2],
    judge: [BTreeMap<T, u64>; 2],
}

impl<T: Ord> Samples<T> {
    /// Runs both worlds `runs` times each.
    pub fn draw(
        runs: u64,
        seed: u64,
        mut world: impl FnMut(bool, &mut SeededEntropy) -> T,
    ) -> Self {
        let mut entropy = SeededEntropy::new(seed);
        let mut tally = |which: bool| {
            let mut counts: BTreeMap<T, u64> = BTreeMap::new();
            for _ in 0..runs / 2 {
                *counts.entry(world(which, &mut entropy)).or_default() += 1;
            }
            counts
        };
        let choose = [tally(false), tally(true)];
        Self { runs, choose, judge: [tally(false), tally(true)] }
    }

    /// Looks for a violation of a claim, given by pairs (epsilon, delta).
    pub fn refute<const N: usize>(&self, claim: [(f64, f64); N]) -> Option<Refutation> {
        let (choose, judge, half) = (&self.choose, &self.judge, self.runs / 2);
        let level = FALSE_ALARM / (4.0 * N as f64);
        for (epsilon, claimed) in claim {
            for (a, b) in [(0, 1), (1, 0)] {
                let event: Vec<&T> = event(&choose[a], &choose[b], epsilon);
                let hits = |counts: &BTreeMap<T, u64>| -> u64 {
                    event.iter().map(|t| counts.get(*t).copied().unwrap_or(0)).sum()
                };
                let low = lower_bound(hits(&judge[a]), half, level);
                let high = upper_bound(hits(&judge[b]), half, level);
                let delta = low - epsilon.exp() * high;
                if delta > claimed {
                    return Some(Refutation { epsilon, delta, claimed });
                }
            }
        }
        None
    }
}

/// The outcomes whose frequency ratio is above e^epsilon.
fn event<'a, T: Ord>(p: &'a BTreeMap<T, u64>, q: &BTreeMap<T, u64>, epsilon: f64) -> Vec<&'a T> {
    let above = |(t, n): &(&'a T, &u64)| {
        **n as f64 > epsilon.exp() * q.get(*t).copied().unwrap_or(0) as f64
    };
    p.iter().filter(above).map(|(t, _)| t).collect()
}

/// A lower bound on a chance after `hits` of `runs`, wrong with a chance of at most `level`.
pub fn lower_bound(hits: u64, runs: u64, level: f64) -> f64 {
    // P(Bin(n, p) >= k) = I_p(k, n - k + 1): the largest p at which that is at most the level.
    if hits == 0 { 0.0 } else { 1.0 - upper_bound(runs - hits, runs, level) }
}

/// An upper bound on a chance after `hits` of `runs`, wrong with a chance of at most `level`.
pub fn upper_bound(hits: u64, runs: u64, level: f64) -> f64 {
    if hits == runs {
        return 1.0;
    }
    let point = |x: f64| Enclosure::point(x).unwrap();
    // P(Bin(n, p) <= k) = 1 - I_p(k + 1, n - k) falls in p.
    let (mut low, mut high) = (hits as f64 / runs as f64, 1.0);
    for _ in 0..60 {
        let p = f64::midpoint(low, high);
        let (a, b) = (point(hits as f64 + 1.0), point((runs - hits) as f64));
        let tail = beta::complement(a, b, point(p)).unwrap();
        if tail.upper() <= level { high = p } else { low = p }
    }
    high
}
