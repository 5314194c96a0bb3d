//! Released cells in the place of an Aggregate node.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, UInt64Array, new_null_array,
};
use datafusion::arrow::compute::{cast, concat};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::error::ArrowError;

use super::cell;
use crate::QueryError;
use crate::release::{Answered, NoisyColumn};
use crate::sql::{GroupingSet, Node};

/// What the names of the columns of ends begin with; the number of the aggregate follows.
pub(super) const LOW: &str = "__low";
pub(super) const HIGH: &str = "__high";
/// What the names of columns of intervals begin with, once both ends are in one.
pub(super) const SPAN_COLUMN: &str = "__span";

/// The released cells of a private Aggregate node as the batch that it would have given, with its
/// types, then for each aggregate two columns with the ends of its intervals.
///
/// Columns have the names of [`Node::schema`], then `__low0`, `__high0`, … for aggregate 0, … .
/// Rows come set by set, each sorted as released; keys that a set does not have are NULL there.
/// Numbers whose truth is whole are rounded, and so are their ends, inward but never past the
/// number. All columns may hold NULL.
///
/// # Errors
/// [`QueryError::Invalid`] if the answers are not those of this node.
pub fn fill(node: &Node, answers: &[Answered]) -> Result<RecordBatch, QueryError> {
    let parts: Option<Vec<(&GroupingSet, &Answered)>> =
        node.sets.iter().map(|set| Some((set, answers.get(set.question)?))).collect();
    let parts = parts.filter(|parts| parts.iter().all(|(set, part)| fits(node, set, part)));
    let parts = parts.ok_or_else(misfit)?;
    filled(node, &parts).map_err(|_| misfit())
}

fn misfit() -> QueryError {
    QueryError::invalid(
        "the stored answers are not those of this statement",
        "were they stored by another version? ask again with that version, or check the ledger",
    )
}

/// Whether an answer has as many keys, aggregates and rows as a set asks for.
fn fits(node: &Node, set: &GroupingSet, answer: &Answered) -> bool {
    let rows = answer.keys.num_rows();
    let aggregates = node.schema.fields().len().checked_sub(node.first_aggregate);
    answer.keys.num_columns() == set.keys.len()
        && set.keys.iter().all(|&key| key < node.first_aggregate && Some(key) != node.grouping_id)
        && aggregates == Some(answer.columns.len())
        && answer.columns.iter().all(|column| {
            [&column.values, &column.low, &column.high].iter().all(|list| list.len() == rows)
        })
}

fn filled(node: &Node, parts: &[(&GroupingSet, &Answered)]) -> Result<RecordBatch, ArrowError> {
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for (place, field) in node.schema.fields().iter().enumerate() {
        let kind = field.data_type();
        let pieces = parts.iter().map(|(set, part)| match part_of(node, place) {
            Part::Key => key(set, part, place, kind),
            Part::Id => ids(set, part, kind),
            Part::Aggregate(index) => values(&part.columns, index, kind),
        });
        columns.push((field.name().clone(), joined(pieces, kind)?));
    }
    for index in 0..node.schema.fields().len().saturating_sub(node.first_aggregate) {
        for (name, which) in [(LOW, 0), (HIGH, 1)] {
            let pieces = parts.iter().map(|(_, part)| ends(&part.columns, index, which));
            columns.push((format!("{name}{index}"), joined(pieces, &DataType::Float64)?));
        }
    }
    let rows = parts.iter().map(|(_, part)| part.keys.num_rows()).sum();
    batch(columns, rows)
}

fn batch(columns: Vec<(String, ArrayRef)>, rows: usize) -> Result<RecordBatch, ArrowError> {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
        .into_iter()
        .map(|(name, array)| (Field::new(name, array.data_type().clone(), true), array))
        .unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}

/// What a column of a node is.
enum Part {
    Key,
    Id,
    Aggregate(usize),
}

fn part_of(node: &Node, place: usize) -> Part {
    match place.checked_sub(node.first_aggregate) {
        Some(index) => Part::Aggregate(index),
        None if node.grouping_id == Some(place) => Part::Id,
        None => Part::Key,
    }
}

fn joined(
    pieces: impl Iterator<Item = Result<ArrayRef, ArrowError>>,
    kind: &DataType,
) -> Result<ArrayRef, ArrowError> {
    let pieces: Vec<ArrayRef> = pieces.collect::<Result<_, _>>()?;
    let pieces: Vec<_> = pieces.iter().map(AsRef::as_ref).collect();
    if pieces.is_empty() { Ok(new_null_array(kind, 0)) } else { concat(&pieces) }
}

/// A key column of one set, NULL if the set does not have it.
fn key(
    set: &GroupingSet,
    part: &Answered,
    place: usize,
    kind: &DataType,
) -> Result<ArrayRef, ArrowError> {
    match set.keys.iter().position(|&key| key == place) {
        Some(index) => cast(part.keys.column(index), kind),
        None => Ok(new_null_array(kind, part.keys.num_rows())),
    }
}

fn ids(set: &GroupingSet, part: &Answered, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    let ids: ArrayRef = Arc::new(UInt64Array::from(vec![set.id; part.keys.num_rows()]));
    cast(&ids, kind)
}

fn values(columns: &[NoisyColumn], index: usize, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    let Some(column) = columns.get(index) else { return Ok(new_null_array(kind, 0)) };
    let rounded = column.values.iter().map(|value| value.map(|x| rounded(x, column.whole)));
    cell::typed(&rounded.collect::<Vec<_>>(), kind)
}

fn rounded(x: f64, whole: bool) -> f64 {
    if whole { x.round_ties_even() } else { x }
}

/// One end of the intervals: nothing where there is no value or the end is not finite.
fn ends(columns: &[NoisyColumn], index: usize, which: usize) -> Result<ArrayRef, ArrowError> {
    let Some(column) = columns.get(index) else {
        return Ok(new_null_array(&DataType::Float64, 0));
    };
    let list = if which == 0 { &column.low } else { &column.high };
    let cells = column.values.iter().zip(list).map(|(value, end)| {
        let (value, end) = ((*value)?, (*end)?);
        let end = match (column.whole, which) {
            (false, _) => end,
            (true, 0) => end.ceil().min(rounded(value, true)),
            (true, _) => end.floor().max(rounded(value, true)),
        };
        end.is_finite().then_some(end)
    });
    Ok(Arc::new(cells.collect::<Float64Array>()))
}
