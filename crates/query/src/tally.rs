//! Exact totals of what each unit has in each group, and their bounded sums.
//!
//! Integers only: a row becomes steps of a grid before anything is added, sums are exact and do not
//! depend on the order of rows. Nothing here is noisy and nothing here may leave: totals are wrapped in
//! [`throng_mechanism::Sensitive`] and seen by the mechanism of [`crate::release`] alone.

use throng_mechanism::Clamp;

use crate::question::{Key, Unit};

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
