//! One private aggregate, free of SQL.
//!
//! The analysis of a query ends here and everything after it starts here: which rows, whose they
//! are, what they are grouped by, what is asked of each group, and how much one unit may do.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::LogicalPlan;
use throng_account::Neighbours;
use throng_numeric::Rational;

/// One aggregate over private rows: one group-by, with all that is asked of its groups.
#[derive(Debug, Clone)]
pub struct Question {
    /// The rows, made by expressions that cannot fail on data. Its columns, in this order: the unit
    /// (none if each row is a unit), the keys, the inputs.
    pub rows: LogicalPlan,
    /// Whose rows they are.
    pub unit: Unit,
    /// What they are grouped by.
    pub keys: Vec<Key>,
    /// What is summed, ordered or told apart.
    pub inputs: Vec<Input>,
    /// What is asked of each group, in the order of the answer's columns after the keys.
    pub aggregates: Vec<Aggregate>,
    /// How much one unit may contribute.
    pub limits: Limits,
    /// What "differ in one unit" means.
    pub neighbours: Neighbours,
}

/// Whose privacy is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// Each row counts by itself: nothing to bound. One unit changes at most as many rows, all groups
    /// together, as the limit of rows says: one, or more after a join with a fan-out.
    Row,
    /// The first column of the rows names the unit; rows where it is NULL are one unit.
    Column {
        /// As the policy calls it.
        name: String,
        /// Its type.
        kind: DataType,
    },
}

/// A column to group by.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Its name in the answer.
    pub name: String,
    /// Its type.
    pub kind: DataType,
    /// Which values may appear.
    pub domain: Domain,
}

/// Which values of a key may appear in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// These and no others, all of them always; rows with others are dropped.
    Public(Vec<ScalarValue>),
    /// Unknown: a key appears only if enough units have it.
    Private,
}

/// A column that aggregates look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// As the query calls it.
    pub name: String,
    /// Its type, as delivered by the rows.
    pub kind: DataType,
    /// The range it is clamped to; `None` if it is only counted or told apart.
    pub range: Option<Range>,
    /// What the sum of one unit in one group is clamped to, in size, if that is how it is bounded.
    pub unit_sum: Option<Rational>,
}

/// The range of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Range {
    /// Declared by the policy, or derived from what is declared.
    Declared {
        /// The least value.
        lower: Rational,
        /// The largest value.
        upper: Rational,
    },
    /// To be found privately: the column (as `table.column`) whose found bounds are shared by all
    /// queries.
    Auto {
        /// Where the bounds belong.
        column: String,
    },
}

/// What is asked of a group. Inputs are indices into [`Question::inputs`].
#[derive(Debug, Clone, PartialEq)]
pub enum Aggregate {
    /// COUNT(*).
    Rows,
    /// COUNT(x): rows where x is not NULL.
    Present {
        /// The input.
        input: usize,
    },
    /// COUNT(DISTINCT unit).
    Units,
    /// COUNT(DISTINCT x), NULL not counted.
    Distinct {
        /// The input.
        input: usize,
    },
    /// SUM(x) over rows where x is not NULL.
    Sum {
        /// The input.
        input: usize,
    },
    /// AVG(x) over rows where x is not NULL.
    Mean {
        /// The input.
        input: usize,
    },
    /// VAR_POP / VAR_SAMP(x).
    Variance {
        /// The input.
        input: usize,
        /// Whether the sample variance is asked.
        sample: bool,
    },
    /// STDDEV_POP / STDDEV_SAMP(x).
    Deviation {
        /// The input.
        input: usize,
        /// Whether the sample deviation is asked.
        sample: bool,
    },
    /// The value below which a fraction of the rows lies; MEDIAN, MIN and MAX are such.
    Quantile {
        /// The input.
        input: usize,
        /// The fraction, in [0, 1].
        fraction: Rational,
    },
}

/// How much one unit may contribute to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The number of groups.
    pub groups: Limit,
    /// The number of rows in each group.
    pub rows: Limit,
}

/// A bound, or the wish to have it chosen privately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Exactly this.
    Fixed(u64),
    /// Chosen privately.
    Auto,
}
