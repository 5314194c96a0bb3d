//! The data around a rank, found without sorting all of it.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::Clamp;

/// How much data is simply sorted.
const FEW: usize = 1 << 12;

/// How much of more data is looked at first.
const SAMPLE: usize = 1 << 16;

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
    pub(super) fn around(rows: &[f64], clamp: Clamp, ranks: RangeInclusive<u64>) -> Self {
        let found = (rows.len() > FEW).then(|| Unsorted::sampled(rows, clamp, &ranks)).flatten();
        let found = found.unwrap_or_else(|| Unsorted {
            points: rows.iter().map(|x| clamp.apply(*x)).collect(),
            before: 0,
        });
        found.narrowed(count(rows.len()), clamp, ranks)
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
pub(super) fn counted(rows: &[f64], clamp: Clamp, y: i64) -> Counts {
    let matching = |test: fn(&i64, &i64) -> bool| {
        count(rows.iter().filter(|x| test(&clamp.apply(**x), &y)).count())
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
    fn sampled(rows: &[f64], clamp: Clamp, ranks: &RangeInclusive<u64>) -> Option<Self> {
        let size = SAMPLE.min(rows.len() / 8).max(1);
        let mut sample = Vec::with_capacity(size);
        // Multiples of the golden ratio are spread evenly and follow no period of the rows.
        let mut turn = 0_u64;
        for _ in 0..size {
            turn = turn.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let place = (u128::from(turn) * u128::from(count(rows.len()))) >> 64;
            sample.push(clamp.apply(*rows.get(usize::try_from(place).ok()?)?));
        }
        sample.sort_unstable();
        let slack = 3 * size.isqrt() + 1;
        let place = |rank: u64| {
            let share = u128::from(rank) * u128::from(count(size)) / u128::from(count(rows.len()));
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
    fn within(rows: &[f64], clamp: Clamp, from: i64, to: i64) -> Self {
        let (low, high) = (least(clamp, from), most(clamp, to));
        let (mut before, mut unknown) = (0_usize, 0_usize);
        let mut points = Vec::new();
        for chunk in rows.chunks(CHUNK) {
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
