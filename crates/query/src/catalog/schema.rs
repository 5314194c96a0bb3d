//! The columns of a table, from headers and footers; never from rows or statistics.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{Files, Frame, csv, files, plain};
use crate::QueryError;
use crate::policy::{Format, Table};

/// The schema that all files of a table share; and how many rows they have, as far as footers say.
pub(super) fn of_table(
    table: &Table,
    files: &Files,
) -> Result<(SchemaRef, Option<u64>), QueryError> {
    let mut all = Some(0_u64);
    let mut shared: Option<(&Path, Schema)> = None;
    for path in &files.paths {
        let (schema, rows) = of_file(table, path)?;
        all = all.zip(rows).map(|(all, rows)| all.saturating_add(rows));
        match &shared {
            None => shared = Some((path, schema)),
            Some((first, expected)) => agree(table, (first, expected), (path, &schema))?,
        }
    }
    let Some((path, schema)) = shared else {
        return Err(QueryError::invalid(format!("table {} has no files", table.name), ""));
    };
    check_names(table, &path.display(), &schema)?;
    Ok((Arc::new(schema), all))
}

/// The schema of a table in memory; as for files, how its columns were written does not matter.
pub(super) fn of_frame(table: &Table, frame: &Frame) -> Result<SchemaRef, QueryError> {
    let schema = frame.schema();
    for field in schema.fields() {
        if !plain::can_be(field.data_type(), &plain_type(field.data_type())) {
            let (name, column, kind) = (&table.name, field.name(), field.data_type());
            return Err(QueryError::invalid(
                format!("table {name}: column {column} is {kind}, which the engine cannot read"),
                "leave the column out, or give it as plain text, numbers or dates",
            ));
        }
    }
    let schema = plain_schema(schema);
    check_names(table, &"the frame", &schema)?;
    Ok(Arc::new(schema))
}

fn of_file(table: &Table, path: &Path) -> Result<(Schema, Option<u64>), QueryError> {
    let file = File::open(path).map_err(|e| files::unreadable(table, path, &e))?;
    // What the readers say is dropped: it is about bytes of the file.
    let broken = || {
        let format = table.format.name();
        let what = format!("table {}: {} is not a {format} file", table.name, path.display());
        QueryError::invalid(what, "is the format right, and the file complete?")
    };
    match table.format {
        Format::Parquet => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| broken())?;
            readable(table, path, reader.schema())?;
            let rows = reader.metadata().file_metadata().num_rows();
            Ok((plain_schema(reader.schema()), u64::try_from(rows).ok()))
        }
        Format::Arrow => {
            let reader = FileReader::try_new(BufReader::new(file), None).map_err(|_| broken())?;
            Ok((plain_schema(&reader.schema()), None))
        }
        Format::Csv => Ok((csv::header(table, path, file)?, None)),
        Format::Memory => Err(broken()),
    }
}

/// Columns that the engine's reader of Parquet does not take: dictionaries of views. Said here, before
/// anybody pays.
fn readable(table: &Table, path: &Path, schema: &Schema) -> Result<(), QueryError> {
    let views = |kind: &DataType| matches!(kind, DataType::Utf8View | DataType::BinaryView);
    let is_odd = |field: &&Arc<Field>| matches!(field.data_type(), DataType::Dictionary(_, value) if views(value));
    let Some(field) = schema.fields().iter().find(is_odd) else { return Ok(()) };
    let (name, column, path) = (&table.name, field.name(), path.display());
    Err(QueryError::invalid(
        format!(
            "table {name}: column {column} of {path} is a dictionary of text views, which the engine cannot read"
        ),
        "write the column as plain text; in polars, cast categoricals to pl.String",
    ))
}

/// The schema without what depends on how a file was written: all columns may be NULL, text is
/// Utf8, dictionaries are what they stand for.
fn plain_schema(schema: &Schema) -> Schema {
    let field = |field: &Arc<Field>| Field::new(field.name(), plain_type(field.data_type()), true);
    Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>())
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other types stay as they are")]
fn plain_type(kind: &DataType) -> DataType {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        DataType::Dictionary(_, value) => plain_type(value),
        other => other.clone(),
    }
}

fn agree(
    table: &Table,
    (first, expected): (&Path, &Schema),
    (path, schema): (&Path, &Schema),
) -> Result<(), QueryError> {
    let name = &table.name;
    let differ = |what: String| {
        let (a, b) = (first.display(), path.display());
        let what = format!("table {name}: the files {a} and {b} differ: {what}");
        Err(QueryError::invalid(what, "all files of a table have the same columns"))
    };
    if expected.fields().len() != schema.fields().len() {
        return differ(format!(
            "{} and {} columns",
            expected.fields().len(),
            schema.fields().len()
        ));
    }
    let different = expected.fields().iter().zip(schema.fields()).find(|(a, b)| a != b);
    match different {
        Some((a, b)) => differ(format!(
            "column {} ({}) and column {} ({})",
            a.name(),
            a.data_type(),
            b.name(),
            b.data_type()
        )),
        None => Ok(()),
    }
}

fn check_names(table: &Table, place: &dyn Display, schema: &Schema) -> Result<(), QueryError> {
    let mut seen = BTreeMap::new();
    for field in schema.fields() {
        if field.name().is_empty() || seen.insert(field.name(), ()).is_some() {
            let column = if field.name().is_empty() { "without a name" } else { field.name() };
            let what = format!("table {}: {place}: column {column}", table.name);
            return Err(QueryError::invalid(
                format!("{what} cannot be told apart"),
                "every column needs a name of its own",
            ));
        }
    }
    if seen.is_empty() {
        let what = format!("table {}: {place} has no columns", table.name);
        return Err(QueryError::invalid(what, ""));
    }
    Ok(())
}
