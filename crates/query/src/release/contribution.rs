//! How much units contribute: a private histogram, the bound that it suggests, the bias of a bound.
//!
//! # What is released
//! Each unit is put into one of a few hundred public bins by its number of rows n and by how they
//! are spread: for a norm, n²/|r|² (the number of groups it would have if all had the same), else
//! the share of its rows that the bounds leave out. The noisy counts of all bins are released; the
//! rest is post-processing.
//!
//! # Guarantee
//! That of the noise: a unit is in at most one bin, chosen by its own rows alone, so adding or
//! removing it moves one count by 1, and replacing it moves two by 1 each: contributions of
//! norm 1 that are not negative.

use throng_numeric::Enclosure;
use throng_numeric::normal;

use super::Clipping;
use super::family::Family;
use super::price::number;
use crate::tally::{Order, UnitTotals};

/// Below this each number of rows has a bin of its own, above it each half octave.
const SMALL: u64 = 8;

/// Bins by rows: 1 to 7, then two for each octave from 2^3 to 2^21, where the last one ends.
const BY_ROWS: usize = 7 + 2 * 18;

/// Bins by spread.
const BY_SPREAD: usize = 9;

/// How many bins there are.
pub(super) const BINS: usize = BY_ROWS * BY_SPREAD;

/// Noisy counts below this many deviations are taken for 0: an empty bin of many rows that passed
/// would outweigh all others. One of all bins does with a chance of about 1e-4.
const fn significant(family: Family) -> f64 {
    match family {
        Family::Gaussian => 5.0,
        // P(Z > 10.3 σ) = e^(-10.3 √2)/2.
        Family::Laplace => 10.3,
    }
}

/// If nothing is known: this many rows.
const FALLBACK: u64 = 16;

/// What the second coordinate of a bin is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Second {
    /// The number of groups it would have if all had the same number of rows, by octaves.
    Spread,
    /// Nothing: all are in the first.
    None,
    /// The share of rows left out by at most `groups` groups with at most `rows` rows each.
    Lost { groups: u64, rows: u64 },
}

impl Second {
    /// For a norm.
    pub(super) const fn of(order: Order) -> Self {
        match order {
            Order::L1 => Self::None,
            Order::L2 => Self::Spread,
        }
    }

    /// The bin of a unit.
    pub(super) fn bin(self, unit: &UnitTotals<'_>) -> usize {
        self.bin_of((0..unit.cells().len()).map(|i| unit.rows(i)))
    }

    /// The bin of a unit with these rows in its groups.
    pub(super) fn bin_of(self, rows: impl Iterator<Item = u64> + Clone) -> usize {
        // More rows than 2^40 are as good as 2^40.
        let rows = rows.map(|n| u128::from(n.min(1 << 40)));
        let all: u128 = rows.clone().sum::<u128>().max(1);
        let second = match self {
            Self::None => 0,
            Self::Spread => {
                let squares = rows.map(|n| n * n).sum::<u128>().max(1);
                spread_bin(all * all / squares)
            }
            Self::Lost { groups, rows: most } => {
                let cells = u128::try_from(rows.clone().count()).unwrap_or(1).max(1);
                let kept = rows.map(|n| n.min(u128::from(most))).sum::<u128>();
                // Of more groups than allowed, each survives with the same chance.
                let kept = kept * u128::from(groups).min(cells) / cells;
                lost_bin(all - kept.min(all), all)
            }
        };
        row_bin(u64::try_from(all).unwrap_or(u64::MAX)) * BY_SPREAD + second
    }

    /// The share of rows lost in a bin, under a norm of at most `limit` rows if that is how
    /// they are bounded.
    fn lost(self, bin: usize, limit: Option<f64>) -> f64 {
        let (rows, second) = (rows_of(bin / BY_SPREAD), number_of(bin % BY_SPREAD));
        match self {
            Self::Lost { .. } => {
                if second == 0.0 {
                    0.0
                } else {
                    (second - 0.5) / 8.0
                }
            }
            Self::None => limit.map_or(0.0, |limit| (1.0 - limit / rows).max(0.0)),
            Self::Spread => {
                // 2^(second/2): the root of the number of groups.
                let norm = rows / exp2(second / 2.0);
                limit.map_or(0.0, |limit| (1.0 - limit / norm).max(0.0))
            }
        }
    }
}

/// 0 for below √2, then by octaves.
fn spread_bin(groups: u128) -> usize {
    // Octaves centred at powers of two, on a scale of whole numbers: 1, 2, 3-5, 6-11, 12-22, ...
    const ENDS: [u128; 8] = [2, 3, 6, 12, 23, 46, 91, 182];
    ENDS.iter().position(|end| groups < *end).unwrap_or(BY_SPREAD - 1)
}

/// 0 for nothing lost, then by eighths.
fn lost_bin(lost: u128, all: u128) -> usize {
    usize::try_from((lost * 8).div_ceil(all.max(1))).unwrap_or(8).min(8)
}

fn row_bin(rows: u64) -> usize {
    let rows = rows.clamp(1, (1 << 21) - 1);
    if rows < SMALL {
        return usize::try_from(rows - 1).unwrap_or(0);
    }
    let octave = rows.ilog2();
    let half = (rows >> (octave - 1)) & 1;
    7 + 2 * usize::try_from(octave - 3).unwrap_or(0) + usize::try_from(half).unwrap_or(0)
}

/// A typical number of rows in a bin.
fn rows_of(bin: usize) -> f64 {
    if bin < 7 {
        return number_of(bin) + 1.0;
    }
    let (octave, half) = ((bin - 7) / 2, (bin - 7) % 2);
    // [2^o, 1.5 2^o) and [1.5 2^o, 2^(o+1)): most units are near the lower end.
    let start = exp2(number_of(octave) + 3.0);
    start * if half == 0 { 1.22 } else { 1.73 }
}

fn number_of(n: usize) -> f64 {
    number(u64::try_from(n).unwrap_or(u64::MAX))
}

#[expect(clippy::disallowed_methods, reason = "an estimate from released counts")]
fn exp2(x: f64) -> f64 {
    (x * std::f64::consts::LN_2).exp()
}

/// Released counts of units by contribution.
#[derive(Debug, Clone)]
pub(super) struct Contributions {
    second: Second,
    /// The significant bins: (bin, units).
    bins: Vec<(usize, f64)>,
    deviation: f64,
}

impl Contributions {
    /// From noisy counts.
    pub(super) fn new(second: Second, counts: &[f64], deviation: f64, family: Family) -> Self {
        let least = significant(family) * deviation;
        let bins = counts.iter().copied().enumerate().filter(|(_, count)| *count > least).collect();
        Self { second, bins, deviation }
    }

    /// About how many rows there are.
    pub(super) fn rows(&self) -> f64 {
        self.bins.iter().map(|(bin, units)| units * rows_of(bin / BY_SPREAD)).sum()
    }

    /// The share of rows that a bound leaves out; with an interval that covers the noise.
    pub(super) fn clipping(&self, limit: Option<f64>, confidence: f64) -> Option<Clipping> {
        let all = self.rows();
        if all <= 0.0 {
            return None;
        }
        let rows = |bin: usize| rows_of(bin / BY_SPREAD);
        let lost_rows =
            |(bin, units): &(usize, f64)| units * rows(*bin) * self.second.lost(*bin, limit);
        let lost = self.bins.iter().map(lost_rows).sum::<f64>() / all;
        // lost = Σ n x l / Σ n x: a count that is off by e moves it by e x (l - lost)/all.
        let slope =
            |(bin, _): &(usize, f64)| rows(*bin) * (self.second.lost(*bin, limit) - lost) / all;
        let variance: f64 = self.bins.iter().map(|bin| slope(bin) * slope(bin)).sum();
        let half = normal_half_width(confidence) * self.deviation * variance.sqrt();
        Some(Clipping { lost, low: (lost - half).max(0.0), high: (lost + half).min(1.0) })
    }

    /// The limit on the norm of a unit's rows, in 2^-10 rows, with the least sum of bias and noise for a
    /// typical row: `noise` is the relative noise of a count, and `cells` are the relative
    /// sizes of the cells.
    pub(super) fn best_limit(&self, noise: f64, cells: &[f64]) -> u64 {
        let all = self.rows();
        if all <= 0.0 {
            return FALLBACK << 10;
        }
        let typical = (all * typical_cell(cells)).max(1.0);
        let error = |limit: f64| {
            let lost = self.clipping(Some(limit), 0.95).map_or(0.0, |clipping| clipping.lost);
            lost + noise * limit / typical
        };
        // Quarter octaves from 1 to 2^20 rows.
        let candidates = (0_u32..=80).map(|k| exp2(f64::from(k) / 4.0));
        let best = candidates.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(1.0);
        to_limit(best)
    }
}

/// The share of the cell that a typical row is in: half of all rows are in cells at least as large.
fn typical_cell(cells: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = cells.iter().map(|size| size.max(0.0)).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let all: f64 = sizes.iter().sum();
    let mut sum = 0.0;
    for size in sizes {
        sum += size;
        if sum >= all / 2.0 && all > 0.0 {
            return size / all;
        }
    }
    1.0
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 1 to 2^20, times 2^10"
)]
fn to_limit(rows: f64) -> u64 {
    (rows.clamp(1.0, 1_048_576.0) * 1024.0) as u64
}

/// z such that a normal variable is within ±z with this chance.
pub(super) fn normal_half_width(confidence: f64) -> f64 {
    let tail = ((1.0 - confidence) / 2.0).clamp(1e-12, 0.499_999);
    Enclosure::point(tail).and_then(normal::quantile).map_or(2.0, |z| -z.lower())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_in_one_bin() {
        for second in [Second::Spread, Second::None, Second::Lost { groups: 2, rows: 3 }] {
            for rows in [&[][..], &[1], &[1, 1, 1], &[u64::MAX; 5], &[0, 7, 9], &[1; 500]] {
                assert!(second.bin_of(rows.iter().copied()) < BINS);
            }
        }
    }

    #[test]
    fn bins_hold_what_they_say() {
        for rows in [1_u64, 2, 7, 8, 11, 12, 100, 1 << 20] {
            let typical = rows_of(row_bin(rows));
            let truth = number(rows);
            assert!(typical >= truth * 0.75 && typical <= truth * 1.5, "{rows}: {typical}");
        }
        // 4 of 10 rows lost.
        let bin = Second::Lost { groups: 1, rows: 6 }.bin_of([10].into_iter());
        let lost = Second::Lost { groups: 1, rows: 6 }.lost(bin, None);
        assert!((lost - 0.4).abs() <= 1.0 / 16.0);
        // 16 groups of 4 rows have norm 16.
        let bin = Second::Spread.bin_of([4; 16].into_iter());
        let lost = Second::Spread.lost(bin, Some(8.0));
        assert!((lost - 0.5).abs() < 0.15, "{lost}");
    }

    #[test]
    fn the_best_limit_balances_bias_and_noise() {
        let mut counts = vec![0.0; BINS];
        counts[row_bin(100) * BY_SPREAD] = 1e6;
        let found = Contributions::new(Second::Spread, &counts, 10.0, Family::Gaussian);
        assert!((found.rows() - 1e8).abs() < 3e7);
        // Plenty of data: nothing is clipped.
        assert!(found.best_limit(10.0, &[1.0]) >= 90 << 10);
        // Tiny cells: much is.
        assert!(found.best_limit(1e7, &[1.0]) <= 1 << 10);
        // Nothing significant.
        let none = Contributions::new(Second::Spread, &vec![5.0; BINS], 10.0, Family::Laplace);
        assert_eq!(none.best_limit(1.0, &[1.0]), FALLBACK << 10);
        assert!(none.clipping(None, 0.95).is_none());
    }
}
