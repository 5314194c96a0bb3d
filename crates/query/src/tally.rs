//! Exact totals of what each unit has in each group, and their bounded sums.
//!
//! Integers only: a row becomes steps of a grid before anything is added, sums are exact and do not
//! depend on the order of rows. Nothing here is noisy and nothing here may leave: totals are wrapped in
//! [`throng_mechanism::Sensitive`] and seen by the mechanism of [`crate::release`] alone.

mod bound;
mod cells;
mod column;
mod dictionary;
mod hash;
mod index;
mod keys;
mod lists;
mod plan;
mod rows;
mod shard;
mod steps;
mod stream;
#[cfg(test)]
mod tests;
mod totals;
mod unit;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use throng_mechanism::Clamp;

use crate::QueryError;
use crate::question::{Key, Unit};
use dictionary::{Dictionary, UNLISTED};
use hash::HashKey;
use keys::Keys;
use plan::{Contributions, Plan};
use rows::RowTotals;
use shard::{NULL_UNIT, ROW_HEAD, SHARDS, Shard, shard_of};
use totals::{Block, Body};
use unit::Units;

pub use cells::{Bounding, Cells, Order, RowBound};
pub use stream::{tally_projected, tally_streams};
pub use totals::{Totals, UnitTotals};

/// What is to be totalled over the rows of one question.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Whose rows they are; the first column, unless each row is a unit.
    pub unit: Unit,
    /// What they are grouped by: the next columns.
    pub keys: Vec<Key>,
    /// How many input columns follow.
    pub inputs: usize,
    /// What is totalled for each (unit, key).
    pub measures: Vec<Measure>,
}

/// One exact number (or list) per (unit, key). Inputs are indices of input columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// The rows.
    Rows,
    /// The rows where the input is not NULL.
    Present {
        /// The input.
        input: usize,
    },
    /// The sum of clamp(x) - centre, in steps, over rows where x is not NULL.
    Sum {
        /// The input.
        input: usize,
        /// How a number becomes steps; at most 2^30 steps from the centre on either side.
        clamp: Clamp,
        /// What is subtracted, in steps.
        centre: i64,
    },
    /// The sum of clamp(x), in steps, over rows where x is not NULL; bounded by itself, not by the
    /// number of its rows.
    Clipped {
        /// The input.
        input: usize,
        /// How a number becomes steps; at most 2^30 steps from 0 on either side.
        clamp: Clamp,
        /// What the sum of one unit in one group is clamped to, in size, in steps; at most 2^61.
        most: u64,
    },
    /// The sum of (clamp(x) - centre)^2 - offset, in squared steps, over rows where x is not NULL.
    Squares {
        /// The input.
        input: usize,
        /// How a number becomes steps; at most 2^15 steps from the centre on either side.
        clamp: Clamp,
        /// What is subtracted before squaring, in steps.
        centre: i64,
        /// What is subtracted after squaring, in squared steps.
        offset: i64,
    },
    /// The distinct values that are not NULL: as a set.
    Distinct {
        /// The input.
        input: usize,
    },
    /// The values that are not NULL, in steps: as a list.
    Values {
        /// The input.
        input: usize,
        /// How a number becomes steps.
        clamp: Clamp,
    },
}

/// Keyed hashes of rows that are given as bytes.
pub(crate) fn row_hashes(key: [u64; 2], rows: impl Iterator<Item = Vec<u8>>) -> Vec<u64> {
    let hash = HashKey::new(key);
    rows.map(|row| hash.bytes(&row)).collect()
}

impl Measure {
    /// The largest |contribution| of one row: 1 for counts, else in steps (or squared steps). For
    /// values, which are not added up, the largest |value|.
    ///
    /// For clipped sums too: what one unit contributes is their `most`.
    #[must_use]
    pub fn reach(&self) -> u64 {
        let far = |clamp: &Clamp, centre: i64| {
            let lower = (i128::from(clamp.lower()) - i128::from(centre)).unsigned_abs();
            lower.max((i128::from(clamp.upper()) - i128::from(centre)).unsigned_abs())
        };
        let reach = match self {
            Self::Rows | Self::Present { .. } | Self::Distinct { .. } => 1,
            Self::Sum { clamp, centre, .. } => far(clamp, *centre),
            Self::Squares { clamp, centre, offset, .. } => {
                // Squares are in [0, far^2]; the centre may lie outside the clamp, which only makes
                // this larger than need be.
                let square = far(clamp, *centre).saturating_pow(2);
                let offset = i128::from(*offset);
                let square = i128::try_from(square).unwrap_or(i128::MAX);
                offset.unsigned_abs().max(square.saturating_sub(offset).unsigned_abs())
            }
            Self::Clipped { clamp, .. } | Self::Values { clamp, .. } => far(clamp, 0),
        };
        u64::try_from(reach).unwrap_or(u64::MAX)
    }

    const fn input(&self) -> Option<usize> {
        match self {
            Self::Rows => None,
            Self::Present { input }
            | Self::Sum { input, .. }
            | Self::Clipped { input, .. }
            | Self::Squares { input, .. }
            | Self::Distinct { input }
            | Self::Values { input, .. } => Some(*input),
        }
    }

    /// Whether contributions are added up in the table of totals.
    const fn is_sum(&self) -> bool {
        matches!(self, Self::Sum { .. } | Self::Clipped { .. } | Self::Squares { .. })
    }
}

/// Totals in the making: batches of rows go in, in any order.
///
/// # Guarantee
/// Exact: the totals are a function of the multiset of rows (as long as no unit has more than 2^32
/// rows in one group; what is beyond is left out, and all bounds hold even then). Total: no value of
/// any row makes it fail.
pub struct Tally {
    layout: Layout,
    plan: Plan,
    hash: HashKey,
    keys: Keys,
    /// One for each input whose values are told apart, from the first batch on.
    dictionaries: Vec<Dictionary>,
    body: Making,
}

enum Making {
    Rows(RowTotals),
    Units { units: Units, shards: Vec<Shard> },
}

impl Tally {
    /// Nothing counted yet. The hash key is fresh for each query.
    ///
    /// # Errors
    /// If a clamp reaches too far, an input does not exist, or a public key is not of its column.
    pub fn new(layout: &Layout, hash_key: [u64; 2]) -> Result<Self, QueryError> {
        let plan = Plan::new(layout)?;
        let hash = HashKey::new(hash_key);
        let keys = Keys::new(&layout.keys, hash)?;
        let body = match &layout.unit {
            Unit::Row => Making::Rows(RowTotals::new(&plan)),
            Unit::Column { kind, .. } => Making::Units {
                units: Units::new(kind, hash)?,
                shards: (0..SHARDS).map(|_| Shard::new(&plan, hash)).collect(),
            },
        };
        Ok(Self { layout: layout.clone(), plan, hash, keys, dictionaries: Vec::new(), body })
    }

    /// Counts the rows of a batch: the unit (unless each row is one), the keys, the inputs.
    ///
    /// # Errors
    /// If the columns are not those of the layout.
    pub fn update(&mut self, batch: &RecordBatch) -> Result<(), QueryError> {
        let named = usize::from(matches!(self.layout.unit, Unit::Column { .. }));
        let (keys, inputs) = (self.layout.keys.len(), self.layout.inputs);
        let columns = batch.columns();
        if columns.len() != named + keys + inputs {
            return Err(QueryError::engine("reading rows: columns are missing"));
        }
        let (unit, columns) = columns.split_at(named);
        let (keys, inputs) = columns.split_at(keys);
        let groups = self.keys.encode(keys, batch.num_rows())?;
        let contributions = self.plan.contributions(inputs, &mut self.dictionaries, self.hash)?;
        match (&mut self.body, unit) {
            (Making::Rows(totals), _) => {
                totals.reserve(self.keys.len());
                totals.add(&groups, &contributions);
                Ok(())
            }
            (Making::Units { units, shards }, [unit]) => {
                scatter(self.hash, units, shards, unit, groups, &contributions)
            }
            (Making::Units { .. }, _) => Err(QueryError::engine("reading units")),
        }
    }

    /// Adds what another tally of the same layout and hash key has counted.
    ///
    /// # Errors
    /// If the layouts or hash keys differ.
    pub fn merge(&mut self, mut other: Self) -> Result<(), QueryError> {
        if self.plan != other.plan
            || self.hash != other.hash
            || self.layout.unit != other.layout.unit
            || self.layout.keys != other.layout.keys
        {
            return Err(QueryError::engine("merging tallies of different layouts"));
        }
        let groups = self.keys.absorb(&other.keys)?;
        let codes = self.absorb_values(&mut other.dictionaries)?;
        match (&mut self.body, other.body) {
            (Making::Rows(ours), Making::Rows(theirs)) => {
                ours.reserve(self.keys.len());
                ours.merge(theirs, &groups, &codes);
                Ok(())
            }
            (Making::Units { units, shards }, Making::Units { units: others, shards: theirs }) => {
                let numbers = units.absorb(&others)?;
                for shard in theirs {
                    add_shard(self.hash, shards, shard, &groups, numbers.as_deref(), &codes)?;
                }
                Ok(())
            }
            (Making::Rows(_) | Making::Units { .. }, _) => {
                Err(QueryError::engine("merging tallies of different layouts"))
            }
        }
    }

    fn absorb_values(&mut self, others: &mut Vec<Dictionary>) -> Result<Vec<Vec<u32>>, QueryError> {
        if self.dictionaries.is_empty() {
            self.dictionaries.append(others);
            let same = |dictionary: &Dictionary| {
                (0..u32::try_from(dictionary.len()).unwrap_or(0)).collect()
            };
            return Ok(self.dictionaries.iter().map(same).collect());
        }
        self.dictionaries.iter_mut().zip(others).map(|(ours, theirs)| ours.absorb(theirs)).collect()
    }

    /// The totals.
    ///
    /// # Errors
    /// If memory for keys runs out of numbers; never because of what is in the rows.
    pub fn finish(self) -> Result<Totals, QueryError> {
        let body = match self.body {
            Making::Rows(mut totals) => {
                totals.reserve(self.keys.len());
                totals.settle();
                Body::Rows(totals)
            }
            Making::Units { units, mut shards } => {
                for shard in &mut shards {
                    shard.count()?;
                    shard.settle();
                }
                let blocks = shards.into_iter().map(|shard| Block::new(shard, &units, self.hash));
                Body::Units(blocks.collect())
            }
        };
        let contents = totals::contents(&self.dictionaries);
        let groups = self.keys.finish()?;
        Ok(Totals { plan: self.plan, hash: self.hash, groups, contents, body })
    }
}

/// Rows go to the shards of their units, to wait there.
fn scatter(
    hash: HashKey,
    units: &mut Units,
    shards: &mut [Shard],
    unit: &ArrayRef,
    mut groups: Vec<u32>,
    contributions: &Contributions,
) -> Result<(), QueryError> {
    let (words, nulls) = units.encode(unit)?;
    if let Some(nulls) = nulls {
        for (row, group) in groups.iter_mut().enumerate() {
            if nulls.is_null(row) && *group != UNLISTED {
                *group |= NULL_UNIT;
            }
        }
    }
    let width = ROW_HEAD + contributions.scalars.len();
    let mut block = vec![0_u32; width * groups.len()];
    for ((row, word), group) in block.chunks_exact_mut(width).zip(&words).zip(&groups) {
        let halves =
            [word & u64::from(u32::MAX), word >> 32].map(|half| u32::try_from(half).unwrap_or(0));
        row[..2].copy_from_slice(&halves);
        row[2] = *group;
    }
    for (which, column) in contributions.scalars.iter().enumerate() {
        for (row, x) in block.chunks_exact_mut(width).zip(column) {
            row[ROW_HEAD + which] = x.cast_unsigned();
        }
    }
    for ((row, word), group) in block.chunks_exact(width).zip(&words).zip(&groups) {
        if *group != UNLISTED {
            shards[shard_of(hash, *word)].wait(row);
        }
    }
    contributions.events(|row, event| {
        if groups[row] != UNLISTED {
            shards[shard_of(hash, words[row])].wait_event(words[row], groups[row], event);
        }
    });
    shards.iter_mut().try_for_each(Shard::relieve)
}

/// Adds a shard of another tally, whose groups, units and codes have these numbers here.
fn add_shard(
    hash: HashKey,
    shards: &mut [Shard],
    mut other: Shard,
    groups: &[u32],
    units: Option<&[u32]>,
    codes: &[Vec<u32>],
) -> Result<(), QueryError> {
    other.count()?;
    let mut places = Vec::with_capacity(other.len());
    for slot in 0..other.len() {
        let entry = other.entry(slot);
        let null = entry.group() & NULL_UNIT;
        let group = groups[(entry.group() & !NULL_UNIT) as usize] | null;
        let unit = match (units, null) {
            (Some(units), 0) => {
                let number = usize::try_from(entry.unit()).unwrap_or(usize::MAX);
                u64::from(units.get(number).copied().unwrap_or(0))
            }
            (_, _) => entry.unit(),
        };
        let shard = shard_of(hash, unit);
        places.push((shard, shards[shard].add_entry(unit, group, (&other, slot))?));
    }
    for which in 0..other.values.len() {
        for (slot, value) in other.values[which].iter() {
            let (shard, slot) = places[slot as usize];
            shards[shard].values[which].push(slot, value);
        }
    }
    for (which, codes) in codes.iter().enumerate() {
        for (slot, code) in other.distinct[which].sorted() {
            let (shard, slot) = places[*slot as usize];
            shards[shard].distinct[which].insert(slot, codes[*code as usize]);
        }
    }
    Ok(())
}
