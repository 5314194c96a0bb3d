//! Where the text goes: answers to stdout, talk to stderr.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;
use crate::terminal::Paint;

/// What the JSON of queries and ledgers calls itself.
pub(crate) const SCHEMA: &str = "throng/1";

/// Colours for stdout, if it is a terminal.
pub(crate) fn paint() -> Paint {
    Paint::of(&io::stdout())
}

/// Writes an answer.
pub(crate) fn answer(text: &str) -> Result<(), Failure> {
    bytes(text.as_bytes())
}

/// Writes an answer that is not text.
pub(crate) fn bytes(data: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(data)?;
    Ok(stdout.flush()?)
}

/// Writes an answer as JSON.
pub(crate) fn json(answer: &impl Serialize) -> Result<(), Failure> {
    bytes(&[serde_json::to_vec_pretty(answer)?, b"\n".to_vec()].concat())
}

/// Writes rows of cells as CSV; the first is the header.
pub(crate) fn csv(delimiter: u8, rows: &[Vec<Vec<u8>>]) -> Result<(), Failure> {
    let mut table = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    for row in rows {
        table.write_record(row).map_err(|error| Failure::bug(error.to_string()))?;
    }
    bytes(&table.into_inner().map_err(|error| Failure::bug(error.to_string()))?)
}

/// Writes to stderr. Nobody can be told if that fails.
pub(crate) fn talk(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
