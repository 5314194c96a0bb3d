//! Histograms over public keys, unknown keys, too many keys, and selection of keys: their exact laws on
//! small data, and the tests that stand on them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "tests may fail"
)]

mod bounding;
mod public;
mod selection;
mod sparse;
mod threshold;

use std::collections::BTreeMap;

use super::support::audit;
use super::support::exact::Law;
use super::support::free;
use throng_mechanism::{Mechanism, NoiseLaw, Sensitive};
use throng_numeric::Enclosure;
use throng_sample::SeededEntropy;

/// Counts by key.
pub type Counts = BTreeMap<u8, i64>;

/// One answer for a vector.
pub fn run<M, T>(mechanism: &M, rows: &[T], entropy: &mut SeededEntropy) -> M::Output
where
    M: Mechanism<Input = [T]>,
    T: Clone,
{
    let rows = Sensitive::new(rows.to_vec());
    mechanism.run_on(&rows, free(mechanism), entropy).unwrap().into_parts().0
}

/// Rows with these counts, each a unit.
pub fn rows(counts: &Counts) -> Vec<u8> {
    counts.iter().flat_map(|(key, n)| (0..*n).map(|_| *key)).collect()
}

/// The chance of noise k: differences of the certified tails.
pub fn mass(law: &NoiseLaw, k: i64) -> Enclosure {
    let far = |t: i64| law.beyond(&u64::try_from(t).unwrap().into()).unwrap();
    if k == 0 {
        return Enclosure::ONE - far(1);
    }
    let half = Enclosure::point(0.5).unwrap();
    (half * (far(k.abs()) - far(k.abs() + 1))).max(Enclosure::ZERO)
}

/// The chance of noise of at least t.
pub fn at_least(law: &NoiseLaw, t: i64) -> Enclosure {
    let half = Enclosure::point(0.5).unwrap();
    let beyond = |t: i64| half * law.beyond(&u64::try_from(t).unwrap().into()).unwrap();
    if t >= 1 { beyond(t) } else { Enclosure::ONE - beyond(1 - t) }
}

/// How many values above the threshold are told apart.
pub const WINDOW: i64 = 6;

/// What is shown of a count, with its chance.
pub type Cell = Vec<(Option<i64>, Enclosure)>;

/// The law of one noisy count that is shown from a threshold on and seen up to a window.
pub fn cell(law: &NoiseLaw, count: i64, threshold: i64) -> Cell {
    let hidden = Enclosure::ONE - at_least(law, threshold - count);
    let last = threshold + WINDOW;
    let mut cell = vec![(None, hidden), (Some(last), at_least(law, last - count))];
    cell.extend((threshold..last).map(|k| (Some(k), mass(law, k - count))));
    cell
}

/// The law of all shown counts, if each key has the cell given.
pub fn product(cells: &[(u8, Cell)]) -> Law<Vec<(u8, i64)>> {
    let mut law = Law::from([(Vec::new(), Enclosure::ONE)]);
    for (key, cell) in cells {
        let mut longer = Law::new();
        for (shown, p) in &law {
            for (value, q) in cell {
                let mut shown = shown.clone();
                shown.extend(value.map(|value| (*key, value)));
                longer.insert(shown, *p * *q);
            }
        }
        law = longer;
    }
    law
}

/// The law of a threshold histogram: keys that occur, with noise, if large.
pub fn thresholded(law: &NoiseLaw, counts: &Counts, threshold: i64) -> Law<Vec<(u8, i64)>> {
    let present = counts.iter().filter(|(_, n)| **n > 0);
    let cells: Vec<_> = present.map(|(key, n)| (*key, cell(law, *n, threshold))).collect();
    product(&cells)
}

/// A mixture of laws with equal chances.
pub fn mixture<T: Ord + Clone>(laws: &[Law<T>]) -> Law<T> {
    let share = Enclosure::ONE / Enclosure::point(laws.len() as f64).unwrap();
    let mut mixed = Law::new();
    for law in laws {
        for (outcome, p) in law {
            let sum = mixed.entry(outcome.clone()).or_insert(Enclosure::ZERO);
            *sum = *sum + share * *p;
        }
    }
    mixed
}

/// Whether draws fit a law: every outcome's frequency, by exact bounds, with a false alarm below
/// 1e-9.
pub fn fits<T: Ord + Clone>(law: &Law<T>, runs: u64, mut draw: impl FnMut() -> T) -> bool {
    let mut seen: BTreeMap<T, u64> = BTreeMap::new();
    for _ in 0..runs {
        *seen.entry(draw()).or_default() += 1;
    }
    let level = 1e-9 / (2.0 * law.len() as f64);
    let known = seen.keys().all(|outcome| law.contains_key(outcome));
    known
        && law.iter().all(|(outcome, p)| {
            let hits = seen.get(outcome).copied().unwrap_or(0);
            audit::lower_bound(hits, runs, level) <= p.upper()
                && audit::upper_bound(hits, runs, level) >= p.lower()
        })
}

/// All counts in 0..=most for keys 0, 1, 2.
pub fn small_data(most: i64) -> Vec<Counts> {
    let mut data = vec![Counts::new()];
    for key in 0..3 {
        let longer = data.iter().flat_map(|counts| {
            (0..=most).map(move |n| {
                let mut counts = counts.clone();
                counts.insert(key, n);
                counts
            })
        });
        data = longer.collect();
    }
    data
}

/// The counts with one more or less of a key.
pub fn moved(counts: &Counts, key: u8, by: i64) -> Counts {
    let mut counts = counts.clone();
    *counts.entry(key).or_default() += by;
    counts
}
