//! Exact totals of what each unit has in each group, and their bounded sums.
//!
//! Integers only: a row becomes steps of a grid before anything is added, sums are exact and do not
//! depend on the order of rows. Nothing here is noisy and nothing here may leave: totals are wrapped in
//! [`throng_mechanism::Sensitive`] and seen by the mechanism of [`crate::release`] alone.

mod cells;
mod stream;
mod totals;

use datafusion::arrow::record_batch::RecordBatch;
use throng_mechanism::Clamp;

use crate::QueryError;
use crate::question::{Key, Unit};

pub use cells::{Bounding, Cells, Order, RowBound};
pub use stream::tally_streams;
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

impl Measure {
    /// The largest |contribution| of one row, in the unit of the measure.
    #[must_use]
    pub fn reach(&self) -> u64 {
        0
    }
}

/// Totals in the making: batches of rows go in, in any order.
pub struct Tally {}

impl Tally {
    /// Nothing counted yet. The hash key is fresh for each query.
    ///
    /// # Errors
    /// If a clamp reaches too far, an input does not exist, or a public key is not of its column.
    pub fn new(_layout: &Layout, _hash_key: [u64; 2]) -> Result<Self, QueryError> {
        Ok(Self {})
    }

    /// Counts the rows of a batch: the unit (unless each row is one), the keys, the inputs.
    ///
    /// # Errors
    /// If the columns are not those of the layout.
    pub fn update(&mut self, _batch: &RecordBatch) -> Result<(), QueryError> {
        Ok(())
    }

    /// Adds what another tally of the same layout and hash key has counted.
    ///
    /// # Errors
    /// If the layouts differ.
    pub fn merge(&mut self, _other: Self) -> Result<(), QueryError> {
        Ok(())
    }

    /// The totals.
    #[must_use]
    pub fn finish(self) -> Totals {
        Totals {}
    }
}
