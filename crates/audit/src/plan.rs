//! What is going to be tested, fixed before the outcomes that certify are looked at.

use crate::World;
use crate::claim::Claim;
use crate::gauge::Tally;
use crate::region::{Line, Region};
use crate::test::binomial::real;
use crate::test::curve::{Bet, quantile};
use crate::test::exact::Rate;

/// An event of a gauge and a weighted sum of its events, with their shares of the false-alarm chance.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// The threshold of the event.
    pub(crate) cell: usize,
    /// The world the event speaks for: it is too likely there.
    pub(crate) speaks_for: World,
    pub(crate) event_share: f64,
    /// The sum of events, and the tilt of its test.
    pub(crate) bet: Option<(Bet, f64)>,
    pub(crate) bet_share: f64,
    /// By how many standard deviations the better of both is expected to exceed the claim.
    pub(crate) promise: f64,
}

/// Chances of the events "cell k or beyond", k = 1, 2, ..., in both worlds, smoothed.
struct Chances {
    zero: Vec<f64>,
    one: Vec<f64>,
    runs: f64,
}

impl Chances {
    fn of(tally: &Tally) -> Self {
        let in_world = |world: World| -> Vec<f64> {
            let counts = tally.in_world(world);
            let runs = tally.runs(world);
            let mut hits = runs;
            counts
                .iter()
                .take(counts.len().saturating_sub(1))
                .map(|count| {
                    hits -= count;
                    Rate { hits, runs }.smoothed()
                })
                .collect()
        };
        let runs = real(tally.runs(World::Zero).min(tally.runs(World::One)));
        Self { zero: in_world(World::Zero), one: in_world(World::One), runs }
    }
}

/// How far a chance lies above what a region allows, in standard deviations of a single run.
pub(crate) fn excess(region: &Region, p: f64, q: f64) -> f64 {
    let line = region.tangent(p);
    let variance = q * (1.0 - q) + line.slope * line.slope * p * (1.0 - p);
    (q - region.power(p)) / variance.sqrt().max(1e-12)
}

/// A region of so few lines is that of a statement about points: only the best events matter.
const POINTS: usize = 5;

/// What two events found by looking at all of them are expected to lose together.
const ENDS_CURSE: f64 = 2.0;

/// What weights that were fitted to what was seen are expected to lose.
const FOUND_CURSE: f64 = 3.0;

/// Excesses that differ by less, in standard deviations, are as good as equal.
const NOISE: f64 = 1.5;

/// From this many standard deviations on an excess is no noise.
const CLEAR: f64 = 4.0;

/// How often an event, and its opposite, must have been seen to be part of a sum.
const FREQUENT: f64 = 10.0;

/// What an event found by looking at all of them is expected to lose, in standard deviations.
const WINNERS_CURSE: f64 = 1.5;

impl Plan {
    /// The plan for a claim, from what was seen before, for so many pairs and a false-alarm chance.
    pub(crate) fn of(claim: &Claim, seen: &Tally, pairs: u64, level: f64) -> Self {
        let chances = Chances::of(seen);
        let all = candidates(claim, &chances);
        let best = best_event(&all, &chances);
        let (cell, speaks_for, excess) =
            best.map_or((1, World::One, -1.0), |one| (one.cell, one.speaks_for, one.excess));
        let growth = (real(pairs) / chances.runs.max(1.0)).sqrt();
        let event = (excess * chances.runs.sqrt() - WINNERS_CURSE) * growth;
        let mut plan =
            Self { cell, speaks_for, event_share: 1.0, bet: None, bet_share: 0.0, promise: event };
        let points = claim.region(World::Zero).corners().count() <= POINTS;
        let sum = if points { None } else { best_bet(claim, seen, &chances) };
        // Where the whole curve is claimed, few events must be clearly better than all of them.
        let handicap = if sum.is_some() { 1.0 } else { 0.0 };
        let ends = both_ends(&all, seen, &chances).map(|(bet, promise)| (bet, promise - handicap));
        if let Some((bet, promise)) =
            [ends, sum].into_iter().flatten().max_by(|a, b| a.1.total_cmp(&b.1))
        {
            let promise = promise * growth;
            plan.bet_share = if promise > event - handicap * growth { 0.95 } else { 0.05 };
            plan.event_share = 1.0 - plan.bet_share;
            let tilt = bet.tilt(seen, pairs, level * plan.bet_share);
            plan.bet = Some((bet, tilt));
            plan.promise = event.max(promise);
        }
        plan
    }
}

/// An event of a gauge, and what is known about it.
struct Candidate {
    cell: usize,
    speaks_for: World,
    /// How far it was seen to exceed the claim, in standard deviations of a single run.
    excess: f64,
    /// How fast the excess grows with epsilon if the target is a little worse than claimed.
    potential: f64,
    /// Its chance as a false alarm.
    alarm: f64,
    /// The line of the claim it is held against.
    line: Line,
}

impl Candidate {
    fn of(claim: &Claim, cell: usize, speaks_for: World, p: f64, q: f64) -> Self {
        let region = claim.region(speaks_for.other());
        let line = region.tangent(p);
        let deviation = (q * (1.0 - q) + line.slope * line.slope * p * (1.0 - p)).sqrt().max(1e-12);
        let potential = (line.slope * p).min(1.0 - region.power(p)).max(0.0) / deviation;
        Self { cell, speaks_for, excess: excess(region, p, q), potential, alarm: p, line }
    }
}

/// All events of a gauge.
fn candidates(claim: &Claim, chances: &Chances) -> Vec<Candidate> {
    let both = chances.zero.iter().zip(&chances.one);
    (1..)
        .zip(both)
        .flat_map(|(k, (p, q))| {
            [
                Candidate::of(claim, k, World::One, *p, *q),
                Candidate::of(claim, k, World::Zero, 1.0 - q, 1.0 - p),
            ]
        })
        .collect()
}

/// The best events of both directions together: what each end gives away adds up.
fn both_ends(all: &[Candidate], seen: &Tally, chances: &Chances) -> Option<(Bet, f64)> {
    let end = |world: World| {
        let frequent = |one: &&Candidate| one.alarm * chances.runs >= FREQUENT;
        let mine = all.iter().filter(|one| one.speaks_for == world).filter(frequent);
        best_event(mine, chances)
    };
    let (up, down) = (end(World::One)?, end(World::Zero)?);
    let bet = Bet::on_both_ends(seen.cells(), (up.cell, up.line), (down.cell, down.line));
    let (mean, deviation) = bet.moments(seen);
    let promise = mean / deviation.max(1e-12) * chances.runs.sqrt() - ENDS_CURSE;
    promise.is_finite().then_some((bet, promise))
}

/// The event that exceeds the claim most; of the frequent ones that were not seen to be worse, the one that
/// promises most by itself: the extremes of many estimates are mostly noise.
fn best_event<'a>(
    all: impl IntoIterator<Item = &'a Candidate>,
    chances: &Chances,
) -> Option<&'a Candidate> {
    let all: Vec<&Candidate> = all.into_iter().collect();
    let most = all.iter().max_by(|a, b| a.excess.total_cmp(&b.excess)).copied()?;
    let frequent = |one: &Candidate| one.alarm * chances.runs >= FREQUENT;
    let least = most.excess - NOISE / chances.runs.max(1.0).sqrt();
    let as_good = all.into_iter().filter(|one| one.excess >= least && frequent(one));
    // What stands out clearly is no noise.
    let clear = most.excess * chances.runs.sqrt() > CLEAR;
    if clear || !frequent(most) {
        return Some(most);
    }
    as_good.max_by(|a, b| a.potential.total_cmp(&b.potential)).or(Some(most))
}

/// The weighted sum of events that is expected to exceed the claim most, and by how much.
fn best_bet(claim: &Claim, seen: &Tally, chances: &Chances) -> Option<(Bet, f64)> {
    let region = claim.region(World::Zero);
    let lines: Vec<Line> = chances.zero.iter().map(|p| region.tangent(*p)).collect();
    let covariance = covariance(chances, &lines);
    // Where hardly anything was seen nothing is known about the slope, and a stake may be ruinous.
    let enough = FREQUENT / chances.runs.max(1.0);
    let known = |p: f64, q: f64| p >= enough && 1.0 - q >= enough;
    // What is expected to be found: everywhere a little more than claimed, as if a Gaussian were a
    // little closer; or what was seen, which may be noise.
    let of_events = |excess: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        let both = chances.zero.iter().zip(&chances.one);
        both.map(|(p, q)| if known(*p, *q) { excess(*p, *q) } else { f64::NEG_INFINITY }).collect()
    };
    let model = of_events(&|p, _| sensitivity(region.power(p)));
    let found = of_events(&|p, q| (q - region.power(p)).max(0.0));
    let make = |excess: &[f64]| -> Option<(Bet, f64)> {
        let bet = Bet::new(&weights(&covariance, excess)?, &lines);
        let (mean, deviation) = bet.moments(seen);
        let promise = mean / deviation.max(1e-12) * chances.runs.sqrt();
        Some((bet, promise))
    };
    match (make(&model), make(&found)) {
        (Some(model), Some(found)) if model.1 + FOUND_CURSE >= found.1 => Some(model),
        (_, Some((bet, promise))) => Some((bet, promise - FOUND_CURSE)),
        (model, None) => model,
    }
}

/// How fast the power of a Gaussian grows with its distance: the normal density at the quantile.
fn sensitivity(power: f64) -> f64 {
    let z = quantile(1.0 - power.clamp(1e-9, 1.0 - 1e-9));
    // About e^(-z^2/2), by squaring (1 - z^2/64)^32.
    let mut x = (1.0 - z * z / 64.0).max(0.0);
    for _ in 0..5 {
        x *= x;
    }
    x
}

/// The covariance of what the events contribute to the sum: events are nested.
fn covariance(chances: &Chances, lines: &[Line]) -> Vec<Vec<f64>> {
    let m = lines.len();
    let nested = |p: &[f64], i: usize, j: usize| {
        let (a, b) = (p[i], p[j]);
        a.min(b) - a * b
    };
    (0..m)
        .map(|i| {
            (0..m)
                .map(|j| {
                    nested(&chances.one, i, j)
                        + lines[i].slope * lines[j].slope * nested(&chances.zero, i, j)
                })
                .collect()
        })
        .collect()
}

/// Weights w >= 0 with the largest ratio of excess to standard deviation: they minimise
/// w'Cw / 2 - excess'w, one coordinate at a time.
fn weights(covariance: &[Vec<f64>], excess: &[f64]) -> Option<Vec<f64>> {
    let m = excess.len();
    let mut w = vec![0.0f64; m];
    // An event without an expectation keeps its weight of 0.
    for _ in 0..200 {
        let mut moved = 0.0f64;
        for i in 0..m {
            let diagonal = covariance[i][i] * (1.0 + 1e-6) + 1e-12;
            let dot: f64 = covariance[i].iter().zip(&w).map(|(c, w)| c * w).sum();
            let next = (w[i] + (excess[i] - dot) / diagonal).max(0.0);
            moved = moved.max((next - w[i]).abs());
            w[i] = next;
        }
        if moved < 1e-9 {
            break;
        }
    }
    let most = w.iter().copied().fold(0.0, f64::max);
    if !(most > 0.0 && most.is_finite()) {
        return None;
    }
    w.iter_mut().for_each(|w| *w /= most);
    Some(w)
}
