//! Outcomes in files: text, JSON, Arrow, Parquet.

mod columns;
mod text;

use std::fs::{self, File};
use std::path::Path;

use throng_audit::{Outcome, Outcomes, json};

use super::ending;
use crate::failure::Failure;
use crate::output;
use text::Text;
pub(super) use text::number;

/// The outcomes of both worlds. They are read alike: what is a vector or a header in the one file
/// is so in the other.
pub(super) fn read(paths: [&Path; 2]) -> Result<[Outcomes; 2], Failure> {
    let [zero, one] = paths.map(read_one);
    let worlds = [zero?, one?];
    let header = match &worlds {
        [Content::Text(zero), Content::Text(one)] => text::same_header(zero, one),
        [Content::Text(_) | Content::Typed(_), _] => false,
    };
    if header {
        output::talk("note: the first line of both files is a header and no outcome\n");
    }
    let vectors = worlds.iter().any(Content::has_vectors);
    let [zero, one] = worlds.map(|content| content.outcomes(header, vectors));
    for (path, outcomes) in paths.iter().zip([&zero, &one]) {
        if outcomes.is_empty() {
            let what = format!("{} has no outcomes", path.display());
            return Err(Failure::usage(what, "write one outcome a line"));
        }
    }
    Ok([zero, one])
}

/// What is in a file.
enum Content {
    /// Lines, of which it is not decided yet whether they are vectors.
    Text(Text),
    /// Outcomes that say themselves what they are.
    Typed(Outcomes),
}

impl Content {
    fn has_vectors(&self) -> bool {
        match self {
            Self::Text(text) => text.has_vectors(),
            Self::Typed(Outcomes::Mixed(mixed)) => {
                mixed.iter().any(|outcome| matches!(outcome, Outcome::List(_)))
            }
            Self::Typed(Outcomes::Integers(_) | Outcomes::Numbers(_)) => false,
        }
    }

    fn outcomes(self, header: bool, vectors: bool) -> Outcomes {
        match self {
            Self::Typed(outcomes) => outcomes,
            Self::Text(text) => text.outcomes(header, vectors),
        }
    }
}

fn read_one(path: &Path) -> Result<Content, Failure> {
    match ending(path).as_str() {
        "arrow" | "feather" | "ipc" => columns::arrow(path, open(path)?).map(Content::Typed),
        "parquet" => columns::parquet(path, open(path)?).map(Content::Typed),
        "jsonl" | "ndjson" => lines(path, &utf8(path)?).map(Content::Typed),
        "json" => document(path, &utf8(path)?).map(Content::Typed),
        _ => text::read(path, open(path)?).map(Content::Text),
    }
}

/// A JSON file: an array, `{"outcomes": [...]}`, or one value a line.
fn document(path: &Path, text: &str) -> Result<Outcomes, Failure> {
    match json::line(text) {
        Ok(json::Line::All(items) | json::Line::One(Outcome::List(items))) => {
            Ok(items.into_iter().collect())
        }
        Ok(json::Line::One(outcome)) => Ok(std::iter::once(outcome).collect()),
        Err(_) => lines(path, text),
    }
}

/// One JSON value a line; blank lines are none.
fn lines(path: &Path, text: &str) -> Result<Outcomes, Failure> {
    let mut outcomes = Outcomes::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let outcome = json::outcome(line).map_err(|what| {
            Failure::usage(
                format!("{} line {} {what}", path.display(), number + 1),
                "write one JSON value a line, or one array",
            )
        })?;
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn utf8(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

pub(super) fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(
        format!("{} cannot be read: {error}", path.display()),
        "give files of outcomes: text with one outcome a line, json, jsonl, arrow or parquet",
    )
}
