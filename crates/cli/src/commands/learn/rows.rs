//! Rows of a table: CSV, JSON, Arrow or Parquet, a few columns by name.
//!
//! Whatever is in a row, it is a row: cells that are missing or of another type are missing or text, and
//! what becomes of them is said by the schema. Only the form of the file as a whole can be wrong: its
//! header, the types of its columns, the brackets around its records. No message tells what is in a record.

mod json;
mod typed;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use throng_learn::schema::Cell;

use crate::failure::Failure;
use crate::progress::Waiting;
use crate::records::named;
use crate::records::reader::{Reader, Row};

/// What is done with the cells of one row, in the order of the names.
type Take<'a> = &'a mut dyn FnMut(&[Cell<'_>]);

/// Hands the cells of the named columns to `take`, row by row; `-` reads CSV from stdin.
pub(super) fn read(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    match super::ending(path).as_str() {
        "parquet" => typed::parquet(path, names, take),
        "arrow" | "feather" | "ipc" => typed::arrow(path, names, take),
        "json" => json::document(path, names, take),
        "jsonl" | "ndjson" => json::lines(path, names, take),
        _ if path == Path::new("-") => csv(path, Box::new(io::stdin().lock()), names, take),
        _ => csv(path, Box::new(BufReader::with_capacity(1 << 16, open(path)?)), names, take),
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

pub(super) fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(
        format!("{} cannot be read: {error}", path.display()),
        "give a table: csv with a header, json, jsonl, arrow or parquet",
    )
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
    let columns = names.iter().map(|name| named(&row, name)).collect::<Result<Vec<_>, _>>()?;
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
