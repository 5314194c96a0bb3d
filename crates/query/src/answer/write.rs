//! Ways to hand an answer over.

use std::io::{self, Write};

use datafusion::arrow::array::Array;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::parquet::arrow::ArrowWriter;

use super::table::Table;

/// A way to hand an answer over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Aligned columns for people.
    #[default]
    Table,
    /// Comma-separated values with a header (RFC 4180).
    Csv,
    /// One JSON object: see [`Table::to_json`].
    Json,
    /// An Arrow IPC file.
    Arrow,
    /// A Parquet file.
    Parquet,
    /// A Markdown table.
    Markdown,
}

impl Format {
    /// The format of a name or of a file ending, e.g. `csv`, `md`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "table" | "text" | "txt" => Self::Table,
            "csv" => Self::Csv,
            "json" => Self::Json,
            "arrow" | "ipc" | "feather" => Self::Arrow,
            "parquet" => Self::Parquet,
            "markdown" | "md" => Self::Markdown,
            _ => return None,
        })
    }

    /// Whether the bytes are nothing for a terminal.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Arrow | Self::Parquet)
    }
}

impl Table {
    /// Writes the answer, with the ends of intervals if `intervals`.
    ///
    /// Control characters in names and keys are shown as escapes in tables and Markdown, so that
    /// what was in the data cannot steer a terminal; CSV, Arrow and Parquet keep every byte.
    ///
    /// # Errors
    /// [`io::Error`] if `to` fails, or if the format cannot hold a column's type.
    pub fn write(&self, format: Format, intervals: bool, to: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Table => to.write_all(self.to_text(intervals).as_bytes()),
            Format::Markdown => to.write_all(self.to_markdown(intervals).as_bytes()),
            Format::Csv => self.write_csv(intervals, to),
            Format::Json => {
                serde_json::to_writer_pretty(&mut *to, &self.to_json(intervals))?;
                writeln!(to)
            }
            Format::Arrow => self.write_arrow(intervals, to),
            Format::Parquet => self.write_parquet(intervals, to),
        }
    }

    fn write_csv(&self, intervals: bool, to: &mut dyn Write) -> io::Result<()> {
        let batch = self.with_ends(intervals).map_err(io::Error::other)?;
        let schema = batch.schema();
        let names = schema.fields().iter().map(|field| quoted(field.name()));
        writeln!(to, "{}", names.collect::<Vec<_>>().join(","))?;
        let columns: Vec<_> = batch.columns().iter().map(|array| Cells::of(array)).collect();
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| quoted(&column.at(row).unwrap_or_default()));
            writeln!(to, "{}", cells.collect::<Vec<_>>().join(","))?;
        }
        Ok(())
    }

    fn write_arrow(&self, intervals: bool, to: &mut dyn Write) -> io::Result<()> {
        let batch = self.with_ends(intervals).map_err(io::Error::other)?;
        let mut writer = FileWriter::try_new(to, &batch.schema()).map_err(io::Error::other)?;
        writer.write(&batch).and_then(|()| writer.finish()).map_err(io::Error::other)
    }

    fn write_parquet(&self, intervals: bool, to: &mut dyn Write) -> io::Result<()> {
        let batch = self.with_ends(intervals).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None)?;
        writer.write(&batch)?;
        writer.close()?;
        to.write_all(&bytes)
    }
}

/// The cells of a column as text.
pub(super) struct Cells<'a> {
    array: &'a dyn Array,
    formatter: Option<ArrayFormatter<'a>>,
}

impl<'a> Cells<'a> {
    pub(super) fn of(array: &'a dyn Array) -> Self {
        let options = FormatOptions::default().with_display_error(false);
        Self { array, formatter: ArrayFormatter::try_new(array, &options).ok() }
    }

    /// The text of a cell; `None` for NULL and what has no text.
    pub(super) fn at(&self, row: usize) -> Option<String> {
        if row >= self.array.len() || self.array.is_null(row) {
            return None;
        }
        self.formatter.as_ref()?.value(row).try_to_string().ok()
    }
}

/// A field of CSV: in quotes if anything in it could be taken for structure.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
