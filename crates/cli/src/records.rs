//! Rows of a CSV file or stream, one column or two at a time.

use std::fs::File;
use std::io::{self, Read};

use clap::Args;
use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

use crate::failure::Failure;

/// Where rows come from, and how they are written.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// A CSV file with a header; `-` or nothing reads stdin.
    #[arg(value_name = "FILE", default_value = "-")]
    file: String,

    /// What separates cells; `tab` for a tabulator.
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = delimiter)]
    delimiter: u8,

    /// The first row is data; columns are called 1, 2, ...
    #[arg(long)]
    no_header: bool,
}

/// One byte, or the word `tab`.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("must be one character such as `,` or `;`, or `tab`".to_owned()),
    }
}

/// An open source with its columns found.
pub(crate) struct Rows {
    reader: Reader<Box<dyn Read>>,
    columns: Vec<usize>,
}

impl Source {
    /// The delimiter, for output in the same style.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Opens the source and finds the columns.
    pub(crate) fn open(&self, names: &[&str]) -> Result<Rows, Failure> {
        let input: Box<dyn Read> = if self.file == "-" {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(&self.file).map_err(|error| self.unreadable(&error))?)
        };
        // A row with too few or too many cells is data like any other: no error may depend on it.
        let mut reader = ReaderBuilder::new()
            .has_headers(!self.no_header)
            .delimiter(self.delimiter)
            .flexible(true)
            .trim(Trim::All)
            .from_reader(input);
        let columns = if self.no_header {
            names.iter().map(|name| numbered(name)).collect::<Result<_, _>>()?
        } else {
            let header = reader.byte_headers().map_err(|error| self.unreadable(&error))?.clone();
            names.iter().map(|name| named(&header, name)).collect::<Result<_, _>>()?
        };
        Ok(Rows { reader, columns })
    }

    fn unreadable(&self, error: &dyn std::fmt::Display) -> Failure {
        let name = if self.file == "-" { "stdin" } else { &self.file };
        Failure::usage(
            format!("{name} cannot be read: {error}"),
            "give a CSV file, or `-` for stdin",
        )
    }
}

/// A column by its place, from 1.
fn numbered(name: &str) -> Result<usize, Failure> {
    let place = name.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
    place.ok_or_else(|| {
        Failure::usage(
            format!("there is no column `{name}` without a header"),
            "with --no-header columns are called 1, 2, ...",
        )
    })
}

/// A column by its name. The header is public, so it may be shown.
fn named(header: &ByteRecord, name: &str) -> Result<usize, Failure> {
    header.iter().position(|cell| cell == name.as_bytes()).ok_or_else(|| {
        let names: Vec<_> = header.iter().map(String::from_utf8_lossy).collect();
        Failure::usage(
            format!("there is no column `{name}`"),
            format!("the columns are: {}", names.join(", ")),
        )
    })
}

impl Rows {
    /// Hands each row's cells of the chosen columns, in the order asked for, to `take`. A missing
    /// cell is empty; bytes that are no text are handed over as they are.
    pub(crate) fn for_each(mut self, mut take: impl FnMut(&[&[u8]])) -> Result<(), Failure> {
        let mut record = ByteRecord::new();
        let broken = |error: csv::Error| match error.into_kind() {
            csv::ErrorKind::Io(error) => {
                Failure::usage(format!("reading stopped: {error}"), "nothing was released")
            }
            // No row is an error: they are flexible, and bytes need not be text.
            other => Failure::bug(format!("reading stopped: {other:?}")),
        };
        while self.reader.read_byte_record(&mut record).map_err(broken)? {
            let cell = |column: &usize| record.get(*column).unwrap_or_default();
            let cells: Vec<&[u8]> = self.columns.iter().map(cell).collect();
            take(&cells);
        }
        Ok(())
    }
}

/// A cell as a number; whatever is none is NaN, so that no error depends on the data.
pub(crate) fn number(cell: &[u8]) -> f64 {
    std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}
