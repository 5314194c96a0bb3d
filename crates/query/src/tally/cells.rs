//! Bounded sums per group.

/// How much of a unit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounding {
    /// The largest number of groups of one unit.
    pub groups: u64,
    /// What its rows may add up to.
    pub rows: RowBound,
    /// The largest number of values of one unit in one group, for `Distinct` and `Values`.
    pub values: u64,
}

/// How the rows of a unit are bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowBound {
    /// In each group: more than this many rows count as this many average ones.
    PerCell {
        /// The number of rows.
        rows: u64,
    },
    /// Over all groups of the unit.
    Norm {
        /// Which norm of the vector of its numbers of rows.
        order: Order,
        /// The largest norm, in units of 2^-10 rows.
        limit: u64,
    },
}

/// Which norm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The sum.
    L1,
    /// The root of the sum of squares.
    L2,
}

/// Bounded sums over units, per group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// The groups, as ids for [`super::Totals::key_batch`], sorted by key. All groups that
    /// have rows; if all keys are public, all listed ones.
    pub keys: Vec<u32>,
    /// For each group, the units that have it (after bounding).
    pub units: Vec<u64>,
    /// For each group, the sum over its units of floor(2^20 / sqrt(groups of the unit)).
    pub scores: Vec<i64>,
    /// For each measure and group, the sum over units, in steps / 2^bits of the measure; for
    /// `Distinct` the size of the union (no bits); for `Values` empty.
    pub sums: Vec<Vec<i128>>,
    /// For each measure and group, the values kept, sorted; empty for all but `Values`.
    pub values: Vec<Vec<Vec<i64>>>,
}
