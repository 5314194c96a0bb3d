//! Records in JSON: an array of objects, or one object a line.
//!
//! Each record is read by itself, so that an odd one (a number beyond all numbers, half a surrogate pair,
//! brackets nested too deeply, no object at all) is a row without cells, and leaves the others as
//! they are.

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use throng_learn::schema::Cell;

use super::{Take, open, unreadable};
use crate::failure::Failure;
use crate::progress::Waiting;

/// One object a line; blank lines are none.
pub(super) fn lines(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let waiting = Waiting::new("reading");
    for line in BufReader::with_capacity(1 << 16, open(path)?).split(b'\n') {
        let line = line.map_err(|error| unreadable(path, &error))?;
        if !line.trim_ascii().is_empty() {
            record(&String::from_utf8_lossy(&line), names, take);
            waiting.tick();
        }
    }
    Ok(())
}

/// An array of objects if it begins like one, else one object a line.
pub(super) fn document(path: &Path, names: &[&str], take: Take<'_>) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    if bytes.trim_ascii_start().first() != Some(&b'[') {
        return lines(path, names, take);
    }
    // Bytes that are no text become a character that stands for none, inside the record that has them.
    let text = String::from_utf8_lossy(&bytes);
    let records: Vec<&RawValue> = serde_json::from_str(&text)
        .map_err(|_| unreadable(path, &"it begins like an array of records, but is none"))?;
    let waiting = Waiting::new("reading");
    for one in records {
        record(one.get(), names, take);
        waiting.tick();
    }
    Ok(())
}

fn record(text: &str, names: &[&str], take: Take<'_>) {
    let row = serde_json::from_str(text).unwrap_or(Value::Null);
    let cells: Vec<Cell<'_>> = names.iter().map(|name| member(&row, name)).collect();
    take(&cells);
}

fn member<'a>(row: &'a Value, name: &str) -> Cell<'a> {
    match row.get(name) {
        Some(Value::Number(number)) => Cell::Number(number.as_f64().unwrap_or(f64::NAN)),
        Some(Value::String(text)) => Cell::Text(text),
        Some(Value::Bool(yes)) => Cell::Text(if *yes { "true" } else { "false" }),
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => Cell::Missing,
    }
}
