//! Rows of a table: CSV, JSON, Arrow or Parquet, a few columns by name.
//!
//! Whatever is in a row, it is a row: cells that are missing or of another type are missing or text, and
//! what becomes of them is said by the schema. Only the form of the file as a whole can be wrong.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::ipc::reader::FileReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use throng_learn::schema::Cell;

use crate::failure::Failure;
use crate::progress::Waiting;
use crate::records::reader::{Reader, Row};
use crate::records::{named, shown};

/// What is done with the cells of one row, in the order of the names.
type Take<'a> = &'a mut dyn FnMut(&[Cell<'_>]);

/// Hands the cells of the named columns to `take`, row by row; `-` reads CSV from stdin.
///
/// A name that ends in `?` may be missing from the table.
pub(super) fn read(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    match super::ending(path).as_str() {
        "parquet" => parquet(path, names, take),
        "arrow" | "feather" | "ipc" => arrow(path, names, take),
        "json" => document(path, names, take),
        "jsonl" | "ndjson" => lines(path, names, take),
        _ if path == Path::new("-") => csv(path, Box::new(io::stdin().lock()), names, take),
        _ => csv(path, Box::new(BufReader::with_capacity(1 << 16, open(path)?)), names, take),
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(
        format!("{} cannot be read: {error}", path.display()),
        "give a table: csv with a header, json, jsonl, arrow or parquet",
    )
}

/// A name, and whether the column may be missing.
fn optional(name: &str) -> (&str, bool) {
    name.strip_suffix('?').map_or((name, false), |name| (name, true))
}

fn csv(
    path: &Path,
    input: Box<dyn BufRead>,
    names: &[&str],
    take: Take<'_>,
) -> Result<(), Failure> {
    let delimiter = if super::ending(path) == "tsv" { b'\t' } else { b',' };
    let broken = |error: io::Error| unreadable(path, &error);
    let mut reader = Reader::new(input, delimiter).map_err(broken)?;
    let mut row = Row::default();
    reader.read(&mut row).map_err(broken)?;
    let find = |name: &&str| match optional(name) {
        (name, false) => named(&row, name),
        (name, true) => Ok(named(&row, name).unwrap_or(usize::MAX)),
    };
    let columns = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let waiting = Waiting::new("reading");
    while reader.read(&mut row).map_err(broken)? {
        let cells: Vec<Cell<'_>> = columns.iter().map(|column| text(row.cell(*column))).collect();
        take(&cells);
        waiting.tick();
    }
    Ok(())
}

/// A cell of text: empty, and bytes that are no text, is missing.
fn text(cell: &[u8]) -> Cell<'_> {
    match std::str::from_utf8(cell.trim_ascii()) {
        Ok("") | Err(_) => Cell::Missing,
        Ok(text) => Cell::Text(text),
    }
}

/// One JSON object a line; a line that is none is a row without cells.
fn lines(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let mut known = names.iter().map(|name| optional(name).1).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for line in BufReader::new(open(path)?).split(b'\n') {
        let line = line.map_err(|error| unreadable(path, &error))?;
        if !line.trim_ascii().is_empty() {
            rows.push(serde_json::from_slice(&line).unwrap_or(Value::Null));
        }
    }
    objects(path, &rows, names, &mut known, take)
}

/// A JSON array of objects, or one object a line.
fn document(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let text = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    match serde_json::from_slice(&text) {
        Ok(Value::Array(rows)) => {
            let mut known = names.iter().map(|name| optional(name).1).collect::<Vec<_>>();
            objects(path, &rows, names, &mut known, take)
        }
        Ok(_) | Err(_) => lines(path, names, take),
    }
}

/// Rows by name. That no row at all has a column is a mistake in the names.
fn objects(
    path: &Path,
    rows: &[Value],
    names: &[&str],
    known: &mut [bool],
    take: Take<'_>,
) -> Result<(), Failure> {
    for row in rows {
        for (name, known) in names.iter().zip(&mut *known) {
            *known |= row.get(optional(name).0).is_some();
        }
    }
    if let Some((name, _)) = names.iter().zip(known).find(|(_, known)| !**known && !rows.is_empty())
    {
        return Err(Failure::usage(
            format!("no object in {} has a member `{name}`", path.display()),
            "check the names in the file of bounds",
        ));
    }
    for row in rows {
        let cells: Vec<Cell<'_>> = names.iter().map(|name| member(row, optional(name).0)).collect();
        take(&cells);
    }
    Ok(())
}

fn member<'a>(row: &'a Value, name: &str) -> Cell<'a> {
    match row.get(name) {
        Some(Value::Number(number)) => Cell::Number(number.as_f64().unwrap_or(f64::NAN)),
        Some(Value::String(text)) => Cell::Text(text),
        Some(Value::Bool(yes)) => Cell::Text(if *yes { "true" } else { "false" }),
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => Cell::Missing,
    }
}

fn parquet(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(open(path)?);
    let batches = builder.and_then(ParquetRecordBatchReaderBuilder::build);
    batched(path, batches.map_err(|error| unreadable(path, &error))?, names, take)
}

fn arrow(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let batches = FileReader::try_new_buffered(open(path)?, None);
    batched(path, batches.map_err(|error| unreadable(path, &error))?, names, take)
}

fn batched(
    path: &Path,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    names: &[&str],
    take: Take<'_>,
) -> Result<(), Failure> {
    let waiting = Waiting::new("reading");
    for batch in batches {
        let batch = batch.map_err(|error| unreadable(path, &error))?;
        let columns =
            names.iter().map(|name| column(path, &batch, name)).collect::<Result<Vec<_>, _>>()?;
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
            Self::Texts(column) if column.is_valid(row) => {
                Cell::Text(column.as_string::<i32>().value(row))
            }
            Self::Numbers(_) | Self::Texts(_) | Self::Missing => Cell::Missing,
        }
    }
}

fn column(path: &Path, batch: &RecordBatch, name: &str) -> Result<Typed, Failure> {
    let (name, may_miss) = optional(name);
    let Some(found) = batch.column_by_name(name) else {
        if may_miss {
            return Ok(Typed::Missing);
        }
        let schema = batch.schema();
        let names: Vec<_> =
            schema.fields().iter().map(|one| shown(one.name().as_bytes())).collect();
        let hint = format!("the columns are: {}", names.join(", "));
        return Err(Failure::usage(format!("there is no column `{name}`"), hint));
    };
    let other = |error: ArrowError| unreadable(path, &format!("column {name}: {error}"));
    if found.data_type().is_numeric() {
        let numbers = cast(found, &DataType::Float64).map_err(other)?;
        let numbers = numbers.as_any().downcast_ref::<Float64Array>().cloned();
        return Ok(numbers.map_or(Typed::Missing, Typed::Numbers));
    }
    Ok(Typed::Texts(cast(found, &DataType::Utf8).map_err(other)?))
}
