//! Exact totals by unit.

use datafusion::arrow::record_batch::RecordBatch;

use super::dictionary::Dictionary;
use super::hash::HashKey;
use super::keys::Groups;
use super::lists::Lists;
use super::plan::{Place, Plan};
use super::rows::RowTotals;
use super::shard::{NULL_UNIT, Shard};
use super::unit::Units;
use super::{Bounding, Cells};
use crate::QueryError;

/// Exact totals of each (unit, group).
pub struct Totals {
    pub(super) plan: Plan,
    pub(super) hash: HashKey,
    pub(super) groups: Groups,
    /// The keyed hashes of the distinct values, by code, for each input whose values are told
    /// apart.
    pub(super) contents: Vec<Vec<u64>>,
    pub(super) body: Body,
}

/// Whose totals they are.
pub(super) enum Body {
    /// Each row is a unit.
    Rows(RowTotals),
    /// Units in no particular order.
    Units(Vec<Block>),
}

/// The totals of some units; entries of one unit follow each other.
#[derive(Default)]
pub(super) struct Block {
    /// Where the entries of each unit end.
    ends: Vec<u32>,
    seeds: Vec<u64>,
    cells: Vec<u32>,
    rows: Vec<u32>,
    /// Entry by entry.
    sums: Vec<i64>,
    /// By entry, or empty.
    missing: Vec<Vec<u32>>,
    values: Vec<Lists<i64>>,
    distinct: Vec<Lists<u32>>,
}

impl Block {
    /// The entries of a shard, gathered by unit.
    pub(super) fn new(mut shard: Shard, units: &Units, hash: HashKey) -> Self {
        // The unit, whether it is NULL, and the entry: entries are fewer than 2^31.
        let mut order: Vec<(u64, u32)> = (0..u32::try_from(shard.len()).unwrap_or(0))
            .map(|slot| {
                let entry = shard.entry(slot as usize);
                (entry.unit(), entry.group() & NULL_UNIT | slot)
            })
            .collect();
        order.sort_unstable();
        let mut block = Self::default();
        let mut end = 0;
        for same in order.chunk_by(|a, b| a.0 == b.0 && (a.1 ^ b.1) & NULL_UNIT == 0) {
            end += u32::try_from(same.len()).unwrap_or(0);
            block.ends.push(end);
            let (word, slot) = same.first().copied().unwrap_or_default();
            block.seeds.push(if slot & NULL_UNIT == 0 { units.seed(word) } else { hash.null() });
        }
        let order: Vec<u32> = order.into_iter().map(|(_, slot)| slot & !NULL_UNIT).collect();
        block.cells.reserve_exact(order.len());
        block.rows.reserve_exact(order.len());
        block.sums.reserve_exact(order.len() * shard.sums());
        for slot in &order {
            let entry = shard.entry(*slot as usize);
            block.cells.push(entry.group() & !NULL_UNIT);
            block.rows.push(entry.rows());
            block.sums.extend(entry.sums());
        }
        block.gather(&mut shard, &order);
        block
    }

    fn gather(&mut self, shard: &mut Shard, order: &[u32]) {
        for which in 0..shard.missing.len() {
            let any = shard.missing.get(which).is_some_and(|missing| !missing.is_empty());
            let of = |slot: &u32| shard.missing_rows(which, *slot as usize);
            self.missing.push(if any { order.iter().map(of).collect() } else { Vec::new() });
        }
        if shard.values.is_empty() && shard.distinct.is_empty() {
            return;
        }
        let mut places = vec![0_u32; order.len()];
        for (place, slot) in (0_u32..).zip(order) {
            places[*slot as usize] = place;
        }
        for log in &shard.values {
            let items = log.iter().map(|(slot, value)| (places[slot as usize], value));
            self.values.push(Lists::gather(order.len(), items));
        }
        for set in &mut shard.distinct {
            let items = set.sorted().iter().map(|(slot, code)| (places[*slot as usize], *code));
            self.distinct.push(Lists::gather(order.len(), items));
        }
    }

    fn units<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = UnitTotals<'a>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).zip(&self.seeds).map(move |((start, end), seed)| UnitTotals {
            block: self,
            plan,
            start: start as usize,
            cells: &self.cells[start as usize..*end as usize],
            seed: *seed,
        })
    }
}

impl Totals {
    /// The units one by one, in no particular order; none where each row is a unit.
    pub fn units(&self) -> impl Iterator<Item = UnitTotals<'_>> {
        let blocks = match &self.body {
            Body::Rows(_) => &[],
            Body::Units(blocks) => blocks.as_slice(),
        };
        blocks.iter().flat_map(|block| block.units(&self.plan))
    }

    /// Whether each row is a unit.
    #[must_use]
    pub fn is_by_row(&self) -> bool {
        matches!(self.body, Body::Rows(_))
    }

    /// The number of units that have rows.
    #[must_use]
    pub fn unit_count(&self) -> u64 {
        match &self.body {
            Body::Rows(totals) => totals.rows.iter().sum(),
            Body::Units(blocks) => blocks.iter().map(|block| block.ends.len() as u64).sum(),
        }
    }

    /// The number of rows counted.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        match &self.body {
            Body::Rows(totals) => totals.rows.iter().sum(),
            Body::Units(blocks) => {
                blocks.iter().flat_map(|block| &block.rows).map(|rows| u64::from(*rows)).sum()
            }
        }
    }

    /// Whether all keys are public, so that all groups are always there.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.groups.is_public()
    }

    /// The number of groups known; ids are below it.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Bounded sums: sums of measure i are in units of 2^-`fraction_bits[i]` steps (or rows).
    ///
    /// # Guarantee
    /// That of [`Bounding`].
    ///
    /// # Errors
    /// If there is not one number of bits, at most 24, for each measure.
    pub fn bounded(&self, bounding: &Bounding, fraction_bits: &[u32]) -> Result<Cells, QueryError> {
        Cells::new(self, bounding, fraction_bits)
    }

    /// The key columns of these groups, in the order given (that of [`Cells::keys`] is sorted).
    ///
    /// # Errors
    /// If an id is not of these totals.
    pub fn key_batch(&self, ids: &[u32]) -> Result<RecordBatch, QueryError> {
        self.groups.batch(ids)
    }
}

/// What one unit has in its groups.
#[derive(Clone, Copy)]
pub struct UnitTotals<'a> {
    block: &'a Block,
    plan: &'a Plan,
    /// Its first entry.
    start: usize,
    cells: &'a [u32],
    seed: u64,
}

impl<'a> UnitTotals<'a> {
    /// Its groups, as ids, each once, in no particular order.
    #[must_use]
    pub fn cells(&self) -> &'a [u32] {
        self.cells
    }

    /// The rows in its i-th group; 0 beyond the last.
    #[must_use]
    pub fn rows(&self, i: usize) -> u64 {
        if i >= self.cells.len() {
            return 0;
        }
        u64::from(self.block.rows[self.start + i])
    }

    /// A keyed hash of the unit's value: the same wherever its rows stand.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The total of a measure of the layout in its i-th group; 0 for lists and beyond the last.
    #[must_use]
    pub fn total(&self, i: usize, measure: usize) -> i64 {
        self.plan.places.get(measure).map_or(0, |place| self.at(i, *place))
    }

    pub(super) fn at(&self, i: usize, place: Place) -> i64 {
        if i >= self.cells.len() {
            return 0;
        }
        let rows = i64::from(self.block.rows[self.start + i]);
        match place {
            Place::Rows => rows,
            Place::Present(which) => {
                let missing = self.block.missing.get(which);
                let missing = missing.and_then(|missing| missing.get(self.start + i));
                (rows - i64::from(missing.copied().unwrap_or(0))).max(0)
            }
            Place::Scalar(which) => {
                self.block.sums[(self.start + i) * self.plan.scalars.len() + which]
            }
            Place::Clipped { scalar, most } => self.at(i, Place::Scalar(scalar)).clamp(-most, most),
            Place::Values(_) | Place::Distinct(_) => 0,
        }
    }

    pub(super) fn values(&self, i: usize, which: usize) -> &'a [i64] {
        self.block.values.get(which).map_or(&[], |lists| lists.get(self.start + i))
    }

    pub(super) fn codes(&self, i: usize, which: usize) -> &'a [u32] {
        self.block.distinct.get(which).map_or(&[], |lists| lists.get(self.start + i))
    }
}

/// The hashes of all values, by input.
pub(super) fn contents(dictionaries: &[Dictionary]) -> Vec<Vec<u64>> {
    dictionaries.iter().map(|dictionary| dictionary.hashes().to_vec()).collect()
}
