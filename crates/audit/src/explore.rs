//! Exploring: which score tells the worlds apart best, and at which thresholds.
//!
//! Outcomes are split into three parts: one fits scores, one chooses among them, one certifies. Nothing
//! here can make a verdict wrong; it can only make it blind.

use throng_numeric::patience::given_up;

use crate::claim::Claim;
use crate::gauge::{Gauge, Tally};
use crate::plan::{Plan, excess};
use crate::probe::{Probe, probes};
use crate::score::{Score, fit_forest, fit_integers, fit_linear, fit_steps, fit_table};
use crate::test::binomial::real;
use crate::test::exact::Rate;
use crate::{Outcomes, World};

/// What exploring found: a gauge, and how outcomes that did not fit it fall into its cells.
#[derive(Debug, Clone)]
pub(crate) struct Explored {
    pub(crate) gauge: Gauge,
    pub(crate) seen: Tally,
}

/// The outcomes that fit scores and those that choose among them.
pub(crate) struct Parts<'a> {
    pub(crate) fit: [&'a Outcomes; 2],
    pub(crate) choose: [&'a Outcomes; 2],
}

/// How many scores are looked at closely.
const CLOSELY: usize = 5;
/// On how many outcomes of each world all scores are compared first.
const GLANCE: usize = 4_000;
/// On how many outcomes of each world trees are grown.
const FOREST: usize = 20_000;

/// Finds the most promising gauge for a claim that is to be certified by so many pairs; any, if it is given up.
pub(crate) fn explore(
    claim: &Claim,
    parts: &Parts<'_>,
    pairs: u64,
    level: f64,
) -> Option<Explored> {
    let scores = candidates(parts.fit);
    let glance = parts.choose.map(|outcomes| first(outcomes, GLANCE));
    let mut ranked: Vec<(f64, Score)> = scores
        .into_iter()
        .take_while(|_| !given_up())
        .map(|score| {
            let found = weigh(claim, score.clone(), [&glance[0], &glance[1]], pairs, level);
            (found.map_or(f64::NEG_INFINITY, |(promise, _)| promise), score)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    // A glance may miss what is rare; scores that know all outcomes are always looked at closely.
    let all_outcomes = |score: &Score| match score {
        Score::Table { .. } | Score::Integers { .. } | Score::Forest { .. } => true,
        Score::Monotone { .. } | Score::Steps { .. } | Score::Linear { .. } => false,
    };
    let mut best: Option<(f64, Explored)> = None;
    let close =
        ranked.into_iter().enumerate().filter(|(i, (_, s))| *i < CLOSELY || all_outcomes(s));
    for (_, (_, score)) in close.take_while(|_| !given_up()) {
        if let Some((promise, found)) = weigh(claim, score, parts.choose, pairs, level)
            && best.as_ref().is_none_or(|(known, _)| promise > *known)
        {
            best = Some((promise, found));
        }
    }
    best.map(|(_, found)| found)
}

fn first(outcomes: &Outcomes, most: usize) -> Outcomes {
    let places: Vec<usize> = (0..outcomes.len().min(most)).collect();
    outcomes.select(&places)
}

/// Scores worth a look, fitted.
fn candidates(fit: [&Outcomes; 2]) -> Vec<Score> {
    let mut both = first(fit[0], GLANCE);
    both.append(&first(fit[1], GLANCE));
    let probes = probes(&both);
    let columns = |world: usize| -> Vec<Vec<f64>> {
        probes.iter().map(|probe| probe.read_all(fit[world])).collect()
    };
    let (zero, one) = (columns(0), columns(1));
    let mut scores = Vec::new();
    for ((probe, a), b) in probes.iter().zip(&zero).zip(&one).take_while(|_| !given_up()) {
        scores
            .extend([false, true].map(|falling| Score::Monotone { probe: probe.clone(), falling }));
        let most = steps(a.len() + b.len());
        scores.extend(fit_steps(probe, a, b, most));
        scores.extend(fit_steps(probe, a, b, most / 4));
    }
    match fit {
        [Outcomes::Integers(a), Outcomes::Integers(b)] => scores.extend(fit_integers(a, b)),
        _ => scores.extend(fit_table(fit)),
    }
    let long = long_vectors(&both, &probes);
    if !long.is_empty() {
        let read = |world: usize| -> Vec<Vec<f64>> {
            long.iter().map(|probe| probe.read_all(fit[world])).collect()
        };
        scores.extend(fit_linear(&long, &read(0), &read(1)));
    }
    if probes.len() > 1 {
        scores.extend(fit_forest(&probes, &short(&zero), &short(&one)));
    }
    scores
}

/// All places of lists of numbers, for weighted sums.
fn long_vectors(outcomes: &Outcomes, probes: &[Probe]) -> Vec<Probe> {
    let has_numbers = probes.contains(&Probe::Sum);
    if !has_numbers {
        return Vec::new();
    }
    let longest = Probe::Length.read_all(outcomes).into_iter().fold(0.0, f64::max);
    (0..512u32)
        .take_while(|i| f64::from(*i) < longest)
        .filter_map(|i| Some(Probe::At(usize::try_from(i).ok()?, Box::new(Probe::Value))))
        .collect()
}

fn short(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    columns.iter().map(|column| column.iter().copied().take(FOREST).collect()).collect()
}

/// How many steps a histogram of so many outcomes has: about the cube root.
fn steps(n: usize) -> usize {
    let mut k: usize = 8;
    while k * k * k < n && k < 64 {
        k += 4;
    }
    k
}

/// Thresholds for a score, and what they promise.
fn weigh(
    claim: &Claim,
    score: Score,
    choose: [&Outcomes; 2],
    pairs: u64,
    level: f64,
) -> Option<(f64, Explored)> {
    let scores = choose.map(|outcomes| score.read_all(outcomes));
    let cuts = cuts(claim, &scores);
    if cuts.is_empty() {
        return None;
    }
    let gauge = Gauge { score, cuts };
    let cells = scores.map(|column| -> Vec<u8> {
        let cell = |x: &f64| gauge.cuts.partition_point(|cut| cut <= x);
        column.iter().map(|x| u8::try_from(cell(x)).unwrap_or(u8::MAX)).collect()
    });
    let mut seen = Tally::new(gauge.cells());
    seen.count([&cells[0], &cells[1]]);
    let runs = real(seen.paired()).max(1.0);
    let curse = curse(&gauge.score) * (real(pairs) / runs).sqrt();
    let promise = Plan::of(claim, &seen, pairs, level).promise - curse;
    Some((promise, Explored { gauge, seen }))
}

/// How much more a score with many parameters must promise, in standard deviations, to be preferred.
fn curse(score: &Score) -> f64 {
    match score {
        Score::Monotone { .. } => 0.0,
        Score::Steps { .. } | Score::Integers { .. } | Score::Table { .. } => 0.7,
        Score::Linear { .. } => 0.7,
        Score::Forest { .. } => 1.2,
    }
}

/// Ranks at which cuts are put: equal parts in the middle, ever smaller ones at both ends.
const RANKS: [f64; 27] = [
    0.002, 0.005, 0.01, 0.02, 0.035, 0.06, 0.09, 0.13, 0.18, 0.23, 0.29, 0.35, 0.42, 0.5, 0.58,
    0.65, 0.71, 0.77, 0.82, 0.87, 0.91, 0.94, 0.965, 0.98, 0.99, 0.995, 0.998,
];

/// Cuts of scores of both worlds: at those ranks, and at the best single thresholds both ways round.
fn cuts(claim: &Claim, scores: &[Vec<f64>; 2]) -> Vec<f64> {
    let mut all: Vec<(f64, World)> = scores
        .iter()
        .zip(World::BOTH)
        .flat_map(|(column, world)| column.iter().map(move |x| (*x, world)))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut cuts = best_thresholds(claim, &all, scores);
    for rank in RANKS {
        cuts.extend(at_rank(&all, rank));
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let lowest = all.first().map_or(f64::NEG_INFINITY, |(x, _)| *x);
    cuts.retain(|cut| *cut > lowest);
    cuts
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list, from a rank between 0 and 1"
)]
fn at_rank(all: &[(f64, World)], rank: f64) -> Option<f64> {
    all.get((rank * all.len() as f64) as usize).map(|(x, _)| *x)
}

/// The thresholds that exceed the claim most, one for each direction.
fn best_thresholds(claim: &Claim, all: &[(f64, World)], scores: &[Vec<f64>; 2]) -> Vec<f64> {
    let runs = [0, 1].map(|i| u64::try_from(scores[i].len()).unwrap_or(0));
    // Hits of "at least this score", from the top.
    let mut hits = [0u64; 2];
    let mut best = [(f64::NEG_INFINITY, None); 2];
    let mut at = all.len();
    while at > 0 {
        let value = all[at - 1].0;
        while at > 0 && all[at - 1].0.total_cmp(&value).is_eq() {
            hits[all[at - 1].1.index()] += 1;
            at -= 1;
        }
        let rate = |i: usize| Rate { hits: hits[i], runs: runs[i] }.smoothed();
        let (p, q) = (rate(0), rate(1));
        let found = [
            excess(claim.region(World::Zero), p, q),
            excess(claim.region(World::One), 1.0 - q, 1.0 - p),
        ];
        for (best, found) in best.iter_mut().zip(found) {
            if found > best.0 {
                *best = (found, Some(value));
            }
        }
    }
    best.iter().filter_map(|(_, value)| *value).collect()
}
