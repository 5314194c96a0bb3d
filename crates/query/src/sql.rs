//! From SQL to questions.
//!
//! The engine's parser and planner read the text; nothing is optimised and no row is read. One walk
//! over the plan says of every node what it is:
//!
//! ```text
//! public     reads public tables only: kept as it is
//! rows       private rows that keep their unit: rewritten to carry it, expressions made total
//! released   above a private aggregate: post-processing of noisy cells, anything goes
//! ```
//!
//! An aggregate over rows is where one turns into the other: it becomes one [`Question`] for each
//! grouping set, and its place in the plan is taken by a table of released cells. What would show
//! rows, or mix the rows of units, is refused with the reason and what to write instead.

use std::collections::BTreeSet;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::logical_expr::LogicalPlan;

use crate::question::Question;

/// Statements that are asked, and paid for, together.
#[derive(Debug, Clone)]
pub struct Batch {
    /// In the order of the text.
    pub statements: Vec<Statement>,
}

/// One SELECT, taken apart.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Its text, as written.
    pub text: String,
    /// What is asked of private rows; none if only public tables are read.
    pub questions: Vec<Question>,
    /// Where the answers go: one for each private aggregate of the plan.
    pub nodes: Vec<Node>,
    /// What is computed from the answers: the plan, with each private aggregate replaced by a scan
    /// of the table [`Node::table`] under a projection that gives the very same schema.
    pub outer: LogicalPlan,
    /// What is asked, as a text that does not depend on letter case, white space, comments or the
    /// post-processing: equal texts ask for the same release.
    pub canonical: String,
    tables: BTreeSet<String>,
}

/// The released cells that take the place of one private aggregate.
///
/// Columns of the table: every key of the GROUP BY, then the grouping id if there are grouping sets,
/// then one for each aggregate, in the order of [`Question::aggregates`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The name of the table in [`Statement::outer`]: `__throng_answer_<i>`.
    pub table: String,
    /// The columns of the table, in the types that the plan above expects.
    pub schema: SchemaRef,
    /// The questions that fill it, one for each grouping set.
    pub sets: Vec<GroupingSet>,
    /// The column of the grouping id, if there are grouping sets.
    pub grouping_id: Option<usize>,
    /// The column of the first aggregate.
    pub first_aggregate: usize,
}

/// The part of a table of cells that one question fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupingSet {
    /// Index into [`Statement::questions`].
    pub question: usize,
    /// For each key of the question the column that it fills; other key columns are NULL.
    pub keys: Vec<usize>,
    /// What the grouping id column says.
    pub id: u64,
}

impl Statement {
    /// The tables that are read, public ones too: their versions are the version of the answer.
    #[must_use]
    pub fn tables(&self) -> &BTreeSet<String> {
        &self.tables
    }
}
