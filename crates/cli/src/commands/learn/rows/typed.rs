//! Columns with types: Arrow and Parquet.

use std::path::Path;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::ipc::reader::FileReader;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use throng_learn::schema::Cell;

use super::{Take, open, unreadable};
use crate::failure::Failure;
use crate::progress::Waiting;
use crate::records::shown;

/// Only the columns that are named are read.
pub(super) fn parquet(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(open(path)?)
        .map_err(|_| damaged(path, "parquet"))?;
    let places = found(builder.schema(), names)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), places);
    let batches = builder.with_projection(mask).build().map_err(|_| damaged(path, "parquet"))?;
    batched(path, batches, names, take)
}

pub(super) fn arrow(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let batches =
        FileReader::try_new_buffered(open(path)?, None).map_err(|_| damaged(path, "arrow"))?;
    found(&batches.schema(), names)?;
    batched(path, batches, names, take)
}

/// What is wrong inside a file may be wrong inside a record, so no more is said.
fn damaged(path: &Path, format: &str) -> Failure {
    unreadable(path, &format!("it is no {format} file, or is damaged"))
}

/// Where the columns are; names and types are public, and are looked at before any value.
fn found(schema: &Schema, names: &[&str]) -> Result<Vec<usize>, Failure> {
    let one = |name: &&str| {
        let (place, field) = schema.column_with_name(name).ok_or_else(|| missing(schema, name))?;
        match kind(field.data_type()) {
            Some(_) => Ok(place),
            None => Err(Failure::usage(
                format!("column `{name}` holds {}", field.data_type()),
                "columns must hold numbers, texts or booleans: convert it, or leave it out",
            )),
        }
    };
    names.iter().map(one).collect()
}

fn missing(schema: &Schema, name: &str) -> Failure {
    let names: Vec<_> = schema.fields().iter().map(|one| shown(one.name().as_bytes())).collect();
    let hint = format!("the columns are: {}", names.join(", "));
    Failure::usage(format!("there is no column `{name}`"), hint)
}

/// What a column is read as.
#[derive(Clone, Copy)]
enum Kind {
    Numbers,
    Texts,
}

/// What columns of a type are read as; of other types the text would depend on how it is formatted.
fn kind(found: &DataType) -> Option<Kind> {
    if let DataType::Dictionary(_, values) = found {
        return kind(values).filter(|_| !matches!(**values, DataType::Dictionary(..)));
    }
    if found.is_numeric() {
        return Some(Kind::Numbers);
    }
    let is_text = matches!(
        found,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::Boolean
            | DataType::Null
    );
    is_text.then_some(Kind::Texts)
}

fn batched(
    path: &Path,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    names: &[&str],
    take: Take<'_>,
) -> Result<(), Failure> {
    let waiting = Waiting::new("reading");
    for batch in batches {
        let batch = batch.map_err(|_| damaged(path, "whole"))?;
        let columns: Vec<Typed> = names.iter().map(|name| column(&batch, name)).collect();
        for row in 0..batch.num_rows() {
            let cells: Vec<Cell<'_>> = columns.iter().map(|column| column.cell(row)).collect();
            take(&cells);
            waiting.tick();
        }
    }
    Ok(())
}

/// A column of a batch.
enum Typed {
    Numbers(Float64Array),
    Texts(ArrayRef),
    Missing,
}

impl Typed {
    fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Numbers(column) if column.is_valid(row) => Cell::Number(column.value(row)),
            Self::Texts(column) if column.is_valid(row) => column
                .as_string_opt::<i64>()
                .map_or(Cell::Missing, |texts| Cell::Text(texts.value(row))),
            Self::Numbers(_) | Self::Texts(_) | Self::Missing => Cell::Missing,
        }
    }
}

/// A column by name. Casts turn a value that does not fit into none, so they do not fail; if one did,
/// its column would count as missing rather than tell.
fn column(batch: &RecordBatch, name: &str) -> Typed {
    let Some(found) = batch.column_by_name(name) else { return Typed::Missing };
    match kind(found.data_type()) {
        Some(Kind::Numbers) => {
            let numbers = cast(found, &DataType::Float64).ok();
            let numbers = numbers.and_then(|n| n.as_any().downcast_ref::<Float64Array>().cloned());
            numbers.map_or(Typed::Missing, Typed::Numbers)
        }
        Some(Kind::Texts) => cast(found, &DataType::LargeUtf8).map_or(Typed::Missing, Typed::Texts),
        None => Typed::Missing,
    }
}
