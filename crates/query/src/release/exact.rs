//! The exact numbers behind a release, for tests: what one unit may change, and by how much.
//!
//! Written down as the mechanism runs, for every cell there is, whether it is shown or not: what is
//! shown depends on noise, what is claimed does not.

use std::cell::RefCell;

use datafusion::common::ScalarValue;
use throng_numeric::Rational;

use super::Family;
use crate::tally::Totals;

/// Exact cells on their way to one primitive.
#[derive(Debug, Clone)]
pub struct Exact {
    /// What they are: equal texts in two runs are the same part, bounded in the same way.
    pub part: String,
    /// Which cells, by key.
    pub keys: Vec<String>,
    /// What is in them.
    pub content: Content,
}

/// What is in cells, and what is claimed of it.
#[derive(Debug, Clone)]
pub enum Content {
    /// Numbers that get noise: a unit contributes at most `reach` in the norm of the family.
    Totals {
        /// Which norm.
        family: Family,
        /// How far a unit reaches.
        reach: Rational,
        /// One for each key.
        values: Vec<i128>,
    },
    /// Scores that decide about keys of which at most `groups` are a unit's own.
    Scores {
        /// Which norm.
        family: Family,
        /// How far a unit reaches.
        reach: Rational,
        /// The most keys of one unit.
        groups: u64,
        /// The score of a unit that has one key.
        one: i64,
        /// One for each key.
        values: Vec<i128>,
    },
    /// Lists that a value is selected from: a unit has at most `most` values, in at most `groups`.
    Lists {
        /// The most values of one unit in one cell.
        most: u64,
        /// The most cells of one unit.
        groups: u64,
        /// One list for each key.
        values: Vec<Vec<i64>>,
    },
}

thread_local! {
    static SEEN: RefCell<Vec<Exact>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn note(part: String, keys: Vec<String>, content: Content) {
    SEEN.with_borrow_mut(|seen| seen.push(Exact { part, keys, content }));
}

/// What this thread's mechanisms have seen since the last time.
#[must_use]
pub fn taken() -> Vec<Exact> {
    SEEN.take()
}

/// Numbers as names of cells.
pub(super) fn numbered(cells: usize) -> Vec<String> {
    (0..cells).map(|i| i.to_string()).collect()
}

/// Keys as names of cells.
pub(super) fn named(totals: &Totals, ids: &[u32]) -> Vec<String> {
    let Ok(batch) = totals.key_batch(ids) else { return Vec::new() };
    let value = |column, row| ScalarValue::try_from_array(column, row).map(|v| format!("{v:?}"));
    let name = |row| {
        let values = batch.columns().iter().map(|column| value(column, row));
        values.map(Result::unwrap_or_default).collect::<Vec<_>>().join(" ")
    };
    (0..ids.len()).map(name).collect()
}
