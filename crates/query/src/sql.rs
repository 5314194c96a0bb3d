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

mod ask;
mod canonical;
mod constant;
mod context;
mod domain;
mod expr;
mod fan_out;
mod inner;
mod join;
mod measure;
mod names;
mod order;
mod outer;
mod public;
mod rows;
mod scan;
mod settled;
mod simple;
mod text;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::LogicalPlan;

pub use names::Named;
pub use text::{MAX_COLUMNS, MAX_DEPTH, MAX_OPERATORS, MAX_STATEMENTS, MAX_TEXT, MAX_TOKENS};

use crate::QueryError;
use crate::catalog::Catalog;
use crate::policy::Policy;
use crate::question::Question;
use context::Scope;
pub(crate) use order::keyed;
use text::Parsed;
use walk::Walk;

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
    /// of the table [`Node::table`] under a projection that gives the same columns.
    pub outer: LogicalPlan,
    /// What columns are called that are aggregates: where an analyst may mean one by its name.
    pub names: Vec<Named>,
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
    /// The columns of the table, in the types that the plan above expects; all but the grouping id
    /// may be NULL.
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

/// The stack for planning: deep expressions are planned by recursion.
const STACK: usize = 256 << 20;

impl Batch {
    /// Reads statements, separated by `;`, and takes them apart. No row is read.
    ///
    /// # Guarantee
    /// Each row of a question's [`Question::rows`] is computed from rows of the unit in its first
    /// column and from public tables alone, by expressions that cannot fail on data; the outer plan
    /// reads answers and public tables alone. Whatever is not known to keep this is refused.
    ///
    /// # Errors
    /// If the text is not SQL, too large, not a query, or names what is not there; and if it would
    /// show rows, or mix the rows of units.
    pub fn plan(text: &str, policy: &Policy, catalog: &Catalog) -> Result<Self, QueryError> {
        let scope = scope(policy, catalog)?;
        std::thread::scope(|threads| {
            let planner = std::thread::Builder::new().stack_size(STACK);
            let planner = planner
                .spawn_scoped(threads, || plan_text(text, &scope))
                .map_err(|_| QueryError::engine("starting to plan the query"))?;
            planner.join().unwrap_or_else(|_| Err(QueryError::engine("planning the query")))
        })
    }
}

impl Batch {
    /// All that is asked of private rows, statement by statement.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.statements.iter().flat_map(|statement| &statement.questions)
    }
}

fn scope<'p>(policy: &'p Policy, catalog: &Catalog) -> Result<Scope<'p>, QueryError> {
    let mut sources = BTreeMap::new();
    let mut keys = BTreeMap::new();
    for table in &policy.tables {
        sources.insert(table.name.clone(), provider_as_source(catalog.provider(&table.name)?));
        for column in table.columns.keys() {
            if let Some(values) = catalog.keys(&table.name, column) {
                keys.insert((table.name.clone(), column.clone()), values.to_vec());
            }
        }
    }
    Ok(Scope { policy, sources, keys, options: ConfigOptions::default() })
}

fn plan_text(text: &str, scope: &Scope<'_>) -> Result<Batch, QueryError> {
    let parsed = text::parse(text)?.into_iter();
    let statements = parsed.map(|parsed| plan_one(parsed, scope)).collect::<Result<_, _>>()?;
    Ok(Batch { statements })
}

fn plan_one(parsed: Parsed, scope: &Scope<'_>) -> Result<Statement, QueryError> {
    let plan = scope.plan(parsed.syntax)?;
    let mut walk = Walk::new(scope);
    let outer = walk.statement(&plan)?;
    outer::check(&outer, scope)?;
    let canonical = canonical::canonical(&walk.questions, &outer)?;
    let Walk { questions, nodes, tables, .. } = walk;
    let names = names::names(&outer, &nodes);
    Ok(Statement { text: parsed.text, questions, nodes, outer, names, canonical, tables })
}

impl Statement {
    /// The tables that are read, public ones too: their versions are the version of the answer.
    #[must_use]
    pub fn tables(&self) -> &BTreeSet<String> {
        &self.tables
    }
}
