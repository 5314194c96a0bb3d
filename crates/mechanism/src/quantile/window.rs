//! The data around a rank, found without sorting all of it.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::Clamp;
use crate::parts::length;

/// How much data is simply sorted.
const FEW: usize = 1 << 12;

/// How much of more data is looked at first.
const SAMPLE: usize = 1 << 15;

/// How many rows are passed at a time.
const CHUNK: usize = 256;

/// How many rows lie below a point, and how many not above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) below: u64,
    pub(super) upto: u64,
}

/// All rows between two grid points, in order, and how many lie below.
pub(super) struct Window<'a> {
    /// The rows within from..=to, ascending, in steps.
    points: Cow<'a, [i64]>,
    /// The number of rows below `from`.
    before: u64,
    from: i64,
    to: i64,
}

impl<'a> Window<'a> {
    /// All rows, which are sorted and lie within from..=to.
    pub(super) const fn of_sorted(points: &'a [i64], from: i64, to: i64) -> Self {
        Window { points: Cow::Borrowed(points), before: 0, from, to }
    }

    /// A window on f64 rows that holds at least those of these ranks.
    pub(super) fn around(rows: &[&[f64]], clamp: Clamp, ranks: RangeInclusive<u64>) -> Self {
        let all = length(rows);
        let found = (all > FEW).then(|| Unsorted::sampled(rows, clamp, &ranks)).flatten();
        let found = found.unwrap_or_else(|| Unsorted {
            points: rows.iter().copied().flatten().map(|x| clamp.apply(*x)).collect(),
            before: 0,
        });
        found.narrowed(count(all), clamp, ranks)
    }

    /// The counts at a point of the window.
    pub(super) fn counts(&self, y: i64) -> Option<Counts> {
        let at = |end: usize| self.before + count(end);
        (self.from <= y && y <= self.to).then(|| Counts {
            below: at(self.points.partition_point(|x| *x < y)),
            upto: at(self.points.partition_point(|x| *x <= y)),
        })
    }

    /// The rows at every so many ranks, and the last; each value once, ascending.
    pub(super) fn every(&self, stride: usize, ranks: RangeInclusive<u64>) -> Vec<i64> {
        let place = |rank: &u64| index(rank.saturating_sub(self.before));
        let end = place(ranks.end()).saturating_add(1).min(self.points.len());
        let within = self.points.get(place(ranks.start())..end).unwrap_or(&[]);
        let mut found: Vec<i64> = within.iter().step_by(stride).copied().collect();
        found.extend(within.last());
        found.dedup();
        found
    }
}

/// The counts at any point, by a pass over all rows.
pub(super) fn counted(rows: &[&[f64]], clamp: Clamp, y: i64) -> Counts {
    let matching = |test: fn(&i64, &i64) -> bool| {
        let part = |part: &&[f64]| part.iter().filter(|x| test(&clamp.apply(**x), &y)).count();
        count(rows.iter().map(part).sum())
    };
    Counts { below: matching(i64::lt), upto: matching(i64::le) }
}

/// All rows within some interval, in any order, and how many lie below.
struct Unsorted {
    points: Vec<i64>,
    before: u64,
}

impl Unsorted {
    /// The rows between two bounds that a sample suggests, if those hold the wanted ranks.
    ///
    /// The share of a sample of m that lies below a quantile is off by 6 standard deviations of at
    /// most 1/(2 √m) once in 10^9 times, if rows come in random order; in no case is it trusted.
    fn sampled(rows: &[&[f64]], clamp: Clamp, ranks: &RangeInclusive<u64>) -> Option<Self> {
        let all = length(rows);
        let size = SAMPLE.min(all / 8).max(1);
        let mut sample = Vec::with_capacity(size);
        // Multiples of the golden ratio are spread evenly and follow no period of the rows.
        let mut turn = 0_u64;
        for _ in 0..size {
            turn = turn.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let place = (u128::from(turn) * u128::from(count(all))) >> 64;
            sample.push(clamp.apply(at(rows, usize::try_from(place).ok()?)?));
        }
        sample.sort_unstable();
        let slack = 3 * size.isqrt() + 1;
        let place = |rank: u64| {
            let share = u128::from(rank) * u128::from(count(size)) / u128::from(count(all));
            usize::try_from(share).unwrap_or(usize::MAX)
        };
        let low = place(*ranks.start()).checked_sub(slack).and_then(|i| sample.get(i));
        let high = sample.get(place(*ranks.end()).saturating_add(slack));
        let (low, high) = (low.copied(), high.copied());
        let from = low.unwrap_or(clamp.lower());
        let to = high.unwrap_or(clamp.upper());
        let found = Self::within(rows, clamp, from, to);
        let end = found.before + count(found.points.len());
        let holds = found.before <= *ranks.start() && *ranks.end() < end;
        holds.then_some(found)
    }

    /// The rows that become steps within from..=to.
    fn within(rows: &[&[f64]], clamp: Clamp, from: i64, to: i64) -> Self {
        let (low, high) = (least(clamp, from), most(clamp, to));
        let (mut before, mut unknown) = (0_usize, 0_usize);
        let mut points = Vec::new();
        for chunk in rows.iter().flat_map(|part| part.chunks(CHUNK)) {
            before += chunk.iter().filter(|x| **x < low).count();
            unknown += chunk.iter().filter(|x| x.is_nan()).count();
            // Every row is written, and the place moves on only past those that are kept.
            let (mut kept, mut end) = ([0.0; CHUNK], 0);
            for x in chunk {
                kept[end % CHUNK] = *x;
                end += usize::from(*x >= low && *x <= high);
            }
            points.extend(kept.iter().take(end).map(|x| clamp.apply(*x)));
        }
        let place = clamp.apply(f64::NAN);
        if place < from {
            before += unknown;
        } else if place <= to {
            points.extend(std::iter::repeat_n(place, unknown));
        }
        Self { points, before: count(before) }
    }

    /// In order, and no more than needed for these ranks, which it holds.
    fn narrowed(self, rows: u64, clamp: Clamp, ranks: RangeInclusive<u64>) -> Window<'static> {
        let Self { mut points, before } = self;
        let place = |rank: u64| index(rank.saturating_sub(before));
        let (low, high) = (place(*ranks.start()), place(*ranks.end()));
        let (mut from, mut to) = (clamp.lower(), clamp.upper());
        if high < points.len() {
            from = *points.select_nth_unstable(low).1;
            to = *points.select_nth_unstable(high).1;
        }
        let below = points.iter().filter(|x| **x < from).count();
        points.retain(|x| from <= *x && *x <= to);
        points.sort_unstable();
        let before = before + count(below);
        if before == 0 {
            from = clamp.lower();
        }
        if before + count(points.len()) == rows {
            to = clamp.upper();
        }
        Window { points: Cow::Owned(points), before, from, to }
    }
}

/// The row at a place among all parts.
fn at(rows: &[&[f64]], mut place: usize) -> Option<f64> {
    for part in rows {
        match part.get(place) {
            Some(row) => return Some(*row),
            None => place -= part.len(),
        }
    }
    None
}

/// The least f64 that becomes at least `step`, which is within the interval.
fn least(clamp: Clamp, step: i64) -> f64 {
    let (mut low, mut high) = (key(f64::NEG_INFINITY), key(f64::INFINITY));
    while low < high {
        let middle = low.midpoint(high);
        if clamp.apply(from_key(middle)) >= step { high = middle } else { low = middle + 1 }
    }
    from_key(high)
}

/// The largest f64 that becomes at most `step`, which is within the interval.
fn most(clamp: Clamp, step: i64) -> f64 {
    if step >= clamp.upper() { f64::INFINITY } else { least(clamp, step + 1).next_down() }
}

/// Numbers in order as integers in order: NaN apart, -∞ to ∞.
fn key(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn from_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Grid;

    const HOSTILE: [f64; 10] = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        f64::MIN,
        0.5,
        -2.5,
    ];

    fn clamp(lower: &str, upper: &str, exponent: i32) -> Clamp {
        let grid = Grid::new(exponent).unwrap();
        Clamp::new(&lower.parse().unwrap(), &upper.parse().unwrap(), grid).unwrap()
    }

    #[test]
    fn thresholds_in_f64_are_those_in_steps() {
        for clamp in [
            clamp("-3", "5", 0),
            clamp("1/3", "7", -20),
            clamp("-1e9", "-1e3", 4),
            clamp("0", "1", -60),
            clamp("0", "1e100", 280),
        ] {
            let middle = i64::midpoint(clamp.lower(), clamp.upper());
            for step in [clamp.lower(), clamp.lower() + 1, middle, clamp.upper()] {
                let (low, high) = (least(clamp, step), most(clamp, step));
                let near = [low, high, low.next_down(), high.next_up(), 0.0, 1.0, -1e3];
                for x in near.into_iter().chain(HOSTILE).filter(|x| !x.is_nan()) {
                    assert_eq!(x < low, clamp.apply(x) < step, "{x} at {step}");
                    assert_eq!(x > high, clamp.apply(x) > step, "{x} at {step}");
                }
            }
        }
    }

    fn check(rows: &[f64], clamp: Clamp, ranks: RangeInclusive<u64>) {
        check_in_parts(&[rows], rows, clamp, ranks.clone());
        let (one, two) = rows.split_at(rows.len() / 3);
        check_in_parts(&[&[], one, &[], two], rows, clamp, ranks);
    }

    fn check_in_parts(parts: &[&[f64]], rows: &[f64], clamp: Clamp, ranks: RangeInclusive<u64>) {
        let window = Window::around(parts, clamp, ranks.clone());
        let mut sorted: Vec<i64> = rows.iter().map(|x| clamp.apply(*x)).collect();
        sorted.sort_unstable();
        for rank in [*ranks.start(), u64::midpoint(*ranks.start(), *ranks.end()), *ranks.end()] {
            let value = sorted[index(rank)];
            for y in [value - 1, value, value + 1] {
                let truth = Counts {
                    below: count(sorted.partition_point(|x| *x < y)),
                    upto: count(sorted.partition_point(|x| *x <= y)),
                };
                assert!(window.counts(y).is_none_or(|known| known == truth));
            }
            assert!(window.counts(value).is_some(), "rank {rank} is not in the window");
        }
        for y in [clamp.lower(), clamp.upper(), 0] {
            let truth = counted(parts, clamp, y);
            assert!(window.counts(y).is_none_or(|known| known == truth));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn windows_count_as_sorting_does(
            seed: u64,
            spread in prop_oneof![Just(3.0), Just(1e3), Just(1e12)],
            hostile in 0..50_u64,
            sorted: bool,
            start in 0..10_000_u64,
            length in prop_oneof![Just(0), 0..200_u64, Just(10_000)],
        ) {
            // A mixture of uniform numbers, repeated numbers and hostile ones.
            let mut state = seed | 1;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                state >> 33
            };
            let mut rows: Vec<f64> = (0..10_000)
                .map(|_| {
                    let pick = usize::try_from(next() % 10).unwrap();
                    let number = f64::from(u32::try_from(next()).unwrap()) / 2_147_483_648.0;
                    if next() % 100 < hostile { HOSTILE[pick] } else { (number - 0.5) * spread }
                })
                .collect();
            if sorted {
                rows.sort_unstable_by(f64::total_cmp);
            }
            let end = start.saturating_add(length).min(9_999);
            check(&rows, clamp("-400", "1000", 0), start..=end);
            check(&rows, clamp("2", "1000", -10), start..=end);
        }
    }

    #[test]
    fn rows_of_one_value_and_rows_that_mislead_the_sample() {
        let clamp = clamp("-10", "10", 0);
        check(&vec![3.0; 100_000], clamp, 49_990..=50_010);
        check(&vec![f64::NAN; 100_000], clamp, 0..=10);
        // Whatever the sample sees is 5; all else is -5.
        let mut rows = vec![-5.0; 100_000];
        let mut turn = 0_u64;
        for _ in 0..12_500 {
            turn = turn.wrapping_add(0x9E37_79B9_7F4A_7C15);
            rows[index(u64::try_from((u128::from(turn) * 100_000) >> 64).unwrap())] = 5.0;
        }
        check(&rows, clamp, 49_990..=50_010);
    }
}
