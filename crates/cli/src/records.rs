//! Rows of a CSV file or stream, a few columns at a time.

pub(crate) mod reader;

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use clap::Args;

use crate::failure::Failure;
use crate::progress::Waiting;
use reader::{Reader, Row};

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

    /// The column to release.
    #[arg(long, value_name = "NAME")]
    column: String,
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
    reader: Reader<Box<dyn BufRead>>,
    columns: Vec<usize>,
}

impl Source {
    /// The column to release.
    pub(crate) fn column(&self) -> &str {
        &self.column
    }

    /// The delimiter, for output in the same style.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Opens the source and finds the columns.
    pub(crate) fn open(&self, names: &[&str]) -> Result<Rows, Failure> {
        let input: Box<dyn BufRead> = if self.file == "-" {
            Box::new(io::stdin().lock())
        } else {
            let file = File::open(&self.file).map_err(|error| self.unreadable(&error))?;
            Box::new(BufReader::with_capacity(1 << 16, file))
        };
        let unreadable = |error: io::Error| self.unreadable(&error);
        let mut reader = Reader::new(input, self.delimiter).map_err(unreadable)?;
        let columns = if self.no_header {
            names.iter().map(|name| numbered(name)).collect::<Result<_, _>>()?
        } else {
            let mut header = Row::default();
            reader.read(&mut header).map_err(unreadable)?;
            names.iter().map(|name| named(&header, name)).collect::<Result<_, _>>()?
        };
        Ok(Rows { reader, columns })
    }

    fn unreadable(&self, error: &dyn std::fmt::Display) -> Failure {
        let name = if self.file == "-" { "stdin" } else { &self.file };
        let hint = "give a CSV file, or `-` for stdin";
        Failure::usage(format!("{name} cannot be read: {error}"), hint)
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
pub(crate) fn named(header: &Row, name: &str) -> Result<usize, Failure> {
    let found = header.cells().position(|cell| cell.trim_ascii() == name.trim().as_bytes());
    found.ok_or_else(|| {
        let names: Vec<_> = header.cells().map(shown).collect();
        let hint = if names.is_empty() {
            "the input is empty; the first line must name the columns".to_owned()
        } else {
            format!("the columns are: {}", names.join(", "))
        };
        Failure::usage(format!("there is no column `{name}`"), hint)
    })
}

impl Rows {
    /// The places of the columns, in the order asked for.
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Hands each row's cells of the chosen columns, in the order asked for, to `take`. A missing
    /// cell is empty; bytes that are no text are handed over as they are.
    pub(crate) fn for_each(mut self, mut take: impl FnMut(&[&[u8]])) -> Result<(), Failure> {
        let waiting = Waiting::new("reading");
        let mut row = Row::default();
        let broken = |error: io::Error| {
            Failure::usage(format!("reading stopped: {error}"), "nothing was released")
        };
        while self.reader.read(&mut row).map_err(broken)? {
            let cells: Vec<&[u8]> = self.columns.iter().map(|column| row.cell(*column)).collect();
            take(&cells);
            waiting.tick();
        }
        Ok(())
    }
}

/// A cell for people: what is no text is replaced, what would move the cursor is written out.
pub(crate) fn shown(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}
