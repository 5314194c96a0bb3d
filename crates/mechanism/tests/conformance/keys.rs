//! Counts by key, and selection of keys.

use throng_mechanism::Neighbours;
use throng_mechanism::contribution::{ByUnit, Contributions, Rows as EachRow};
use throng_mechanism::histogram::{
    Histogram, HistogramRelease, KeySelection, SparseHistogram, ThresholdHistogram,
};
use throng_numeric::Rational;

use super::inputs::{MANY, lists};
use super::{Case, Rows, case, inverse, number, of_interval, of_noisy};

type Pairs<T> = Vec<[Vec<T>; 2]>;

const KEYS: [u64; 5] = [0, 1, 7, u64::MAX, 999];

fn each(keys: u64, rows: u64) -> ByUnit<u64> {
    ByUnit::of(Contributions::of(keys, rows).unwrap())
}

/// Units with many rows, rows of many units, every pair many times.
fn by_unit() -> Vec<Vec<(u64, u64)>> {
    let mut all = lists(&[(0, 0), (u64::MAX, 1), (0, u64::MAX)]);
    all.push((0..200).map(|i| (1, i)).collect());
    all.push((0..MANY as u64).map(|i| (i % 977, i % 31)).collect());
    all
}

fn rising<K: Ord>(release: &HistogramRelease<K>) -> Vec<String> {
    let mut faults = of_noisy(release.counts());
    if !release.keys().is_sorted_by(|a, b| a < b) {
        faults.push("keys are not in order".into());
    }
    for (key, count) in release.iter().take(2) {
        let interval = release.interval(key, 0.9).unwrap().unwrap();
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        faults.extend(of_interval(interval, count as f64));
    }
    faults
}

/// The counts of two keys.
fn two(release: &HistogramRelease<u64>) -> i64 {
    let at = |key| release.get(&key).map_or(9, |count| count.clamp(-6, 8));
    100 * at(0) + at(1)
}

/// The sum of the counts of two keys.
fn sum(release: &HistogramRelease<u64>) -> i64 {
    release.iter().map(|(_, count)| count).sum::<i64>().clamp(20, 60)
}

pub fn cases(epsilon: &Rational) -> Vec<Case> {
    [listed(epsilon), thresholds(epsilon), others(epsilon)].into_iter().flatten().collect()
}

fn listed(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let plain = Histogram::pure([0, 1, 2], EachRow, epsilon, add).unwrap();
    let swapped = Histogram::pure([0, 1, 2], EachRow, epsilon, swap).unwrap();
    let sigma = inverse(epsilon);
    let users = Histogram::gaussian([0, 1, 2], each(2, 1), &sigma, Neighbours::ZeroOut).unwrap();
    let added: Pairs<u64> = vec![[vec![0, 1], vec![0, 1, 0]], [vec![], vec![u64::MAX]]];
    let replaced = vec![[vec![0, 1], vec![1, 1]], [vec![0, 1], vec![u64::MAX, 1]]];
    let one = vec![[vec![(5, 1)], vec![(5, 1), (6, 0), (6, 1), (6, 1)]]];
    vec![
        case("Histogram", plain, Rows::of(lists(&KEYS), added), two, rising),
        case("Histogram", swapped, Rows::of(lists(&KEYS), replaced), two, rising).called("replace"),
        case("Histogram", users, Rows::of(by_unit(), one), two, rising).called("Gaussian by unit"),
    ]
}

fn thresholds(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let delta = number("1/50");
    let laplace = ThresholdHistogram::<u64, _>::laplace(each(2, 1), epsilon, &delta, add).unwrap();
    let scale = inverse(epsilon);
    let normal = ThresholdHistogram::<u64, _>::gaussian_at(EachRow, &scale, 3, swap).unwrap();
    // So many that both keys are nearly always shown.
    let shared: Vec<(u64, u64)> = (0..20).map(|i| (i, 0)).chain((0..20).map(|i| (i, 1))).collect();
    let mut with = shared.clone();
    with.extend([(99, 0), (99, 1)]);
    let own = [vec![], vec![(9, 0), (9, 1)]];
    let rows = vec![[shared, with], own];
    let replaced: Pairs<u64> =
        vec![[vec![0, 0, 0, 1, 1, 1], vec![0, 0, 1, 1, 1, 1]], [vec![0], vec![1]]];
    vec![
        case("ThresholdHistogram", laplace, Rows::of(by_unit(), rows), sum, rising),
        case("ThresholdHistogram", normal, Rows::of(lists(&KEYS), replaced), two, rising)
            .called("Gaussian, replace"),
    ]
}

fn others(epsilon: &Rational) -> Vec<Case> {
    let (add, swap) = (Neighbours::AddRemove, Neighbours::Replace);
    let sparse = SparseHistogram::pure(1000, EachRow, epsilon, &2.into(), add).unwrap();
    let by = SparseHistogram::pure(1 << 30, each(2, 3), epsilon, &2.into(), swap).unwrap();
    let delta = number("1/100");
    let select = KeySelection::<u64, _>::each(EachRow, epsilon, &delta, add).unwrap();
    let both = KeySelection::<u64, _>::total(each(2, 1), epsilon, &delta, swap).unwrap();
    // At a count of about the threshold, whether the key is shown tells the most.
    let near = usize::try_from(sparse.threshold()).unwrap();
    let added: Pairs<u64> = vec![[vec![7; near - 1], vec![7; near]], [vec![], vec![u64::MAX]]];
    let replaced = vec![[vec![(1, 0), (1, 1)], vec![(1, 2), (1, 3)]]];
    let shown = |release: &HistogramRelease<u64>| release.get(&7).map_or(-1, |n| n.min(40));
    let five: Pairs<u64> = vec![[vec![7; 3], vec![7; 4]], [vec![], vec![0]]];
    let middle = |n: u64| (0..n).map(|unit| (unit, 0)).chain((0..n).map(|unit| (unit, 1)));
    let swap_pair = {
        let mut a: Vec<(u64, u64)> = middle(6).collect();
        let mut b = a.clone();
        a.extend([(99, 0)]);
        b.extend([(99, 1)]);
        vec![[a, b]]
    };
    let in_order = |keys: &Vec<u64>| {
        if keys.is_sorted_by(|a, b| a < b) { Vec::new() } else { vec!["not in order".into()] }
    };
    let bits = |keys: &Vec<u64>| {
        2 * i64::from(keys.contains(&0)) + i64::from(keys.contains(&1) || keys.contains(&7))
    };
    vec![
        case("SparseHistogram", sparse, Rows::of(lists(&KEYS), added), shown, rising),
        case(
            "SparseHistogram",
            by,
            Rows::of(by_unit(), replaced),
            |x| x.get(&0).unwrap_or(0),
            rising,
        )
        .called("by unit, replace"),
        case("KeySelection", select, Rows::of(lists(&KEYS), five), bits, in_order),
        case("KeySelection", both, Rows::of(by_unit(), swap_pair), bits, in_order)
            .called("by unit, replace"),
    ]
}
