//! Exact totals by unit.

use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::record_batch::RecordBatch;

use super::{Bounding, Cells};
use crate::QueryError;

/// Exact totals of each (unit, group).
pub struct Totals {}

/// What one unit has in its groups.
#[derive(Clone, Copy)]
pub struct UnitTotals<'a> {
    cells: &'a [u32],
}

impl Totals {
    /// The units one by one; none where each row is a unit.
    pub fn units(&self) -> impl Iterator<Item = UnitTotals<'_>> {
        std::iter::empty()
    }

    /// The number of units.
    #[must_use]
    pub fn unit_count(&self) -> u64 {
        0
    }

    /// The number of rows counted.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        0
    }

    /// Whether all keys are public, so that all cells are always there.
    #[must_use]
    pub fn is_public(&self) -> bool {
        false
    }

    /// Bounded sums: sums of measure i are multiplied by 2^`fraction_bits[i]`.
    ///
    /// # Errors
    /// If there is not one number of bits, at most 24, for each measure.
    pub fn bounded(
        &self,
        _bounding: &Bounding,
        _fraction_bits: &[u32],
    ) -> Result<Cells, QueryError> {
        Err(QueryError::engine("bounding"))
    }

    /// The key columns of these groups, in the order given.
    ///
    /// # Errors
    /// If an id is not of these totals.
    pub fn key_batch(&self, _ids: &[u32]) -> Result<RecordBatch, QueryError> {
        Ok(RecordBatch::new_empty(std::sync::Arc::new(Schema::empty())))
    }
}

impl<'a> UnitTotals<'a> {
    /// Its groups, as key ids, each once, in no particular order.
    #[must_use]
    pub fn cells(&self) -> &'a [u32] {
        self.cells
    }

    /// The rows in its i-th group; 0 beyond the last.
    #[must_use]
    pub fn rows(&self, _i: usize) -> u64 {
        0
    }

    /// The total of a measure in its i-th group; 0 for lists and beyond the last.
    #[must_use]
    pub fn total(&self, _i: usize, _measure: usize) -> i64 {
        0
    }

    /// A keyed hash of the unit's value: the same wherever its rows stand.
    #[must_use]
    pub fn seed(&self) -> u64 {
        0
    }
}
