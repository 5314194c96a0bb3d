//! What survives of one unit.

use super::cells::{Bounding, Order, RowBound};
use super::hash::HashKey;
use super::keys::Groups;
use super::totals::{Totals, UnitTotals};

/// The rule by which parts of a unit are kept.
pub(super) struct Keep<'a> {
    bounding: Bounding,
    hash: HashKey,
    groups: &'a Groups,
    contents: &'a [Vec<u64>],
    /// Room to sort in.
    ranks: Vec<(u64, u32, usize)>,
}

impl<'a> Keep<'a> {
    pub(super) fn new(totals: &'a Totals, bounding: &Bounding) -> Self {
        let (groups, contents) = (&totals.groups, totals.contents.as_slice());
        Self { bounding: *bounding, hash: totals.hash, groups, contents, ranks: Vec::new() }
    }

    /// Which of a unit's groups are kept: those of smallest hash, ties by key.
    pub(super) fn groups(&mut self, unit: &UnitTotals<'_>) -> Vec<usize> {
        let cells = unit.cells();
        let most = usize::try_from(self.bounding.groups).unwrap_or(usize::MAX);
        if cells.len() <= most {
            return (0..cells.len()).collect();
        }
        let Some(last) = most.checked_sub(1) else { return Vec::new() };
        self.ranks.clear();
        let (hash, groups) = (self.hash, self.groups);
        self.ranks.extend(cells.iter().enumerate().map(|(i, group)| {
            (hash.join(unit.seed(), groups.hash(*group)), groups.place(*group), i)
        }));
        // The place of a key among all depends on other units, but which of two comes first does
        // not.
        self.ranks.select_nth_unstable(last);
        self.ranks.iter().take(most).map(|(_, _, i)| *i).collect()
    }

    /// The factor for all kept groups of a unit, if that is how rows are bounded.
    pub(super) fn norm(&self, unit: &UnitTotals<'_>, kept: &[usize]) -> Option<Scaling> {
        match self.bounding.rows {
            RowBound::PerCell { .. } => None,
            RowBound::Norm { order, limit } => {
                let rows = kept.iter().map(|i| u128::from(unit.rows(*i)));
                Some(Scaling::to_norm(order, limit, rows))
            }
        }
    }

    /// The factor for a group of that many rows.
    pub(super) fn cell(&self, rows: u64) -> Scaling {
        match self.bounding.rows {
            RowBound::PerCell { rows: most } => Scaling::ratio(most.into(), rows.into()),
            RowBound::Norm { .. } => Scaling::ratio(1, 1),
        }
    }

    /// Which values of a list are kept.
    pub(super) fn values(&self, seed: u64, group: u32, values: &[i64]) -> Vec<i64> {
        let most = usize::try_from(self.bounding.values).unwrap_or(usize::MAX);
        if values.len() <= most {
            return values.to_vec();
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let cell = self.hash.join(seed, self.groups.hash(group));
        let copies = sorted.chunk_by(|a, b| a == b).flat_map(|same| (0_u64..).zip(same));
        let ranks = copies.map(|(copy, value)| {
            (self.hash.join(self.hash.join(cell, value.cast_unsigned()), copy), *value)
        });
        smallest(ranks.collect(), most)
    }

    /// Which values of a set are kept.
    pub(super) fn codes(&self, seed: u64, group: u32, codes: &[u32], list: usize) -> Vec<u32> {
        let most = usize::try_from(self.bounding.values).unwrap_or(usize::MAX);
        if codes.len() <= most {
            return codes.to_vec();
        }
        let cell = self.hash.join(seed, self.groups.hash(group));
        let content = |code: u32| {
            self.contents.get(list).and_then(|list| list.get(code as usize)).copied().unwrap_or(0)
        };
        let ranks = codes.iter().map(|code| (self.hash.join(cell, content(*code)), *code));
        smallest(ranks.collect(), most)
    }
}

/// The items of the smallest ranks.
fn smallest<T: Copy + Ord>(mut ranks: Vec<(u64, T)>, most: usize) -> Vec<T> {
    let Some(last) = most.checked_sub(1) else { return Vec::new() };
    if last < ranks.len() {
        ranks.select_nth_unstable(last);
    }
    ranks.truncate(most);
    ranks.into_iter().map(|(_, item)| item).collect()
}

/// A factor of at most 1, as a ratio of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scaling {
    part: i64,
    whole: i64,
}

/// The most bits of a ratio's parts, so that 2^62 · 2^24 · 2^40 < 2^127.
const RATIO_BITS: u32 = 40;

impl Scaling {
    const ONE: Self = Self { part: 1, whole: 1 };

    /// min(1, part / whole), or a little less if the numbers are large.
    fn ratio(part: u128, whole: u128) -> Self {
        if part >= whole {
            return Self::ONE;
        }
        // Rounding the part down and the whole up makes the ratio smaller.
        let excess = (128 - whole.leading_zeros()).saturating_sub(RATIO_BITS - 1);
        let whole = (whole >> excess) + u128::from(excess > 0);
        let whole = i64::try_from(whole).unwrap_or(i64::MAX);
        Self { part: i64::try_from(part >> excess).unwrap_or(0), whole: whole.max(1) }
    }

    /// The largest factor, but for rounding down, that brings the norm of these numbers of rows to
    /// the limit, in units of 2^-10.
    ///
    /// # Guarantee
    /// The norm in units of 2^-10 is rounded up, so limit / norm is at most the exact ratio. A
    /// number of rows is below 2^32 and a unit has fewer than 2^31 groups: squares add up to less
    /// than 2^95, and with 20 more bits to less than 2^115.
    fn to_norm(order: Order, limit: u64, rows: impl Iterator<Item = u128>) -> Self {
        let norm = match order {
            Order::L1 => rows.sum::<u128>() << 10,
            Order::L2 => {
                let square = rows.map(|n| n * n).sum::<u128>() << 20;
                let root = square.isqrt();
                root + u128::from(root * root < square)
            }
        };
        Self::ratio(limit.into(), norm)
    }

    /// Whether one row alone passes.
    pub(super) fn whole_row_fits(bound: &RowBound) -> bool {
        match bound {
            RowBound::PerCell { rows } => *rows >= 1,
            RowBound::Norm { limit, .. } => *limit >= 1 << 10,
        }
    }

    /// total · 2^bits · part / whole, rounded towards 0.
    ///
    /// # Guarantee
    /// In absolute value at most the exact product: rounding towards 0 shrinks. No overflow, as
    /// |total| < 2^62, bits <= 24 and the part has at most 40 bits.
    #[inline]
    pub(super) fn apply(self, total: i64, bits: u32) -> i128 {
        let product = (i128::from(total) << bits) * i128::from(self.part);
        if self.whole == 1 {
            return product;
        }
        // Narrow division is much faster, and nearly always enough.
        match i64::try_from(product) {
            Ok(narrow) => i128::from(narrow / self.whole),
            Err(_) => product / i128::from(self.whole),
        }
    }
}
