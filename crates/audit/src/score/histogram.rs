//! Scores from counts: how often an outcome, or a range of a probe, was seen in each world.

use std::collections::HashMap;

use crate::probe::{Probe, key};
use crate::score::Score;
use crate::{Outcome, Outcomes};

/// ln of the ratio of two smoothed frequencies.
#[expect(clippy::disallowed_methods, reason = "a score: no guarantee rests on it")]
pub(crate) fn log_ratio(zero: f64, one: f64) -> f64 {
    ((one + 0.5) / (zero + 0.5)).ln()
}

/// Outcomes one by one, if enough of them were seen more than once.
pub(crate) fn fit_table(worlds: [&Outcomes; 2]) -> Option<Score> {
    let mut seen: HashMap<String, (Outcome, [f64; 2])> = HashMap::new();
    let mut total: usize = 0;
    for (world, outcomes) in worlds.into_iter().enumerate() {
        for i in 0..outcomes.len() {
            let one = outcomes.get(i)?;
            let entry = seen.entry(key(&one)).or_insert_with(|| (one, [0.0; 2]));
            if let Some(count) = entry.1.get_mut(world) {
                *count += 1.0;
            }
            total += 1;
        }
    }
    // Outcomes that were seen once say nothing about the next.
    let repeated: Vec<(Outcome, [f64; 2])> =
        seen.into_values().filter(|(_, [a, b])| a + b >= 3.0).collect();
    let covered: f64 = repeated.iter().map(|(_, [a, b])| a + b).sum();
    let few = u32::try_from(total).map_or(f64::MAX, f64::from) * 0.01;
    if repeated.is_empty() || covered < few {
        return None;
    }
    let mut entries: Vec<(Outcome, f64)> =
        repeated.into_iter().map(|(one, [a, b])| (one, log_ratio(a, b))).collect();
    entries.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| key(&a.0).cmp(&key(&b.0))));
    Some(Score::Table { entries, other: 0.0 })
}

/// The widest range of whole numbers that are listed one by one.
const WIDEST: i64 = 1 << 16;

/// Whole numbers one by one; where there are few of one, it is scored together with its neighbours.
pub(crate) fn fit_integers(zero: &[i64], one: &[i64]) -> Option<Score> {
    let first = *zero.iter().chain(one).min()?;
    let last = *zero.iter().chain(one).max()?;
    let width = last.checked_sub(first).filter(|width| *width < WIDEST)?;
    let mut counts = vec![[0.0f64; 2]; usize::try_from(width).ok()? + 1];
    for (world, column) in [zero, one].into_iter().enumerate() {
        for i in column {
            let place = usize::try_from(i - first).ok()?;
            *counts.get_mut(place)?.get_mut(world)? += 1.0;
        }
    }
    let heights = smoothed(&counts);
    let outside = (*heights.first()?, *heights.last()?);
    Some(Score::Integers { first, heights, outside })
}

/// Numbers seen more often than this stand for themselves.
const ENOUGH: f64 = 12.0;

/// Log-ratios of counts, each with as many neighbours as it takes to have seen enough.
fn smoothed(counts: &[[f64; 2]]) -> Vec<f64> {
    let mut sums = vec![[0.0; 2]];
    for [a, b] in counts {
        let [s, t] = sums.last().copied().unwrap_or_default();
        sums.push([s + a, t + b]);
    }
    let between = |from: usize, to: usize| -> [f64; 2] {
        let (low, high) = (
            sums.get(from).copied().unwrap_or_default(),
            sums.get(to).copied().unwrap_or_default(),
        );
        [high[0] - low[0], high[1] - low[1]]
    };
    (0..counts.len())
        .map(|i| {
            let mut reach = 0;
            loop {
                let [a, b] = between(i.saturating_sub(reach), (i + reach + 1).min(counts.len()));
                if a + b >= ENOUGH || reach >= counts.len() {
                    return log_ratio(a, b);
                }
                reach = 2 * reach + 1;
            }
        })
        .collect()
}

/// A probe in steps of about equally many outcomes.
pub(crate) fn fit_steps(probe: &Probe, zero: &[f64], one: &[f64], most: usize) -> Option<Score> {
    let cuts = quantile_cuts(zero, one, most);
    if cuts.is_empty() {
        return None;
    }
    let mut counts = vec![[0.0f64; 2]; cuts.len() + 1];
    let mut missing = [0.0f64; 2];
    for (world, column) in [zero, one].into_iter().enumerate() {
        for x in column {
            let cell = if x.is_nan() {
                Some(&mut missing)
            } else {
                counts.get_mut(cuts.partition_point(|cut| *cut <= *x))
            };
            *cell?.get_mut(world)? += 1.0;
        }
    }
    let heights = counts.iter().map(|[a, b]| log_ratio(*a, *b)).collect();
    let missing = log_ratio(missing[0], missing[1]);
    Some(Score::Steps { probe: probe.clone(), cuts, heights, missing })
}

/// Places that cut both columns together into about `most` parts of equal size; fewer where values
/// repeat. A part [cut, next cut) that is a single value stands for itself.
pub(crate) fn quantile_cuts(zero: &[f64], one: &[f64], most: usize) -> Vec<f64> {
    let mut all: Vec<f64> = zero.iter().chain(one).copied().filter(|x| !x.is_nan()).collect();
    all.sort_by(f64::total_cmp);
    let mut cuts: Vec<f64> = Vec::new();
    let parts = most.max(2);
    for k in 1..parts {
        let place = k * all.len() / parts;
        if let (Some(at), Some(lowest)) = (all.get(place), all.first())
            && at > lowest
            && cuts.last().is_none_or(|last| at > last)
        {
            cuts.push(*at);
            // A value that fills a part by itself gets a step of its own.
            let next = all.partition_point(|x| x <= at);
            if next - all.partition_point(|x| x < at) >= all.len() / parts
                && let Some(after) = all.get(next)
            {
                cuts.push(*after);
            }
        }
    }
    cuts.dedup();
    cuts
}
