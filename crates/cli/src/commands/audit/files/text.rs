//! Outcomes as lines of text: cells between commas, in quotes where they hold one.
//!
//! A cell is a whole number, a number (all digits count; `nan`, `inf` and `-inf` are numbers too), or
//! else a text. A whole number with leading zeros is a text: it is not the number.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use throng_audit::{Outcome, Outcomes};

use super::unreadable;
use crate::failure::Failure;
use crate::records::reader::{Reader, Row};

/// The lines of a file. Long columns of single outcomes stay columns.
#[derive(Default)]
pub(super) struct Text {
    /// The cells of the first line; it may turn out to be a header.
    first: Option<Vec<Outcome>>,
    rest: Rest,
}

/// The lines below the first.
enum Rest {
    /// Each has one cell, or none: nothing.
    Single(Outcomes),
    /// Any number of cells.
    Many(Vec<Vec<Outcome>>),
}

impl Default for Rest {
    fn default() -> Self {
        Self::Single(Outcomes::new())
    }
}

/// Reads all lines; an empty one has no cells.
pub(super) fn read(path: &Path, file: File) -> Result<Text, Failure> {
    let failed = |error: std::io::Error| unreadable(path, &error);
    let mut reader = Reader::new(BufReader::with_capacity(1 << 16, file), b',').map_err(failed)?;
    let (mut row, mut text, mut line) = (Row::default(), Text::default(), 0u64);
    while reader.read(&mut row).map_err(failed)? {
        line += 1;
        let empty = row.cells().all(<[u8]>::is_empty) && row.cells().count() == 1;
        let cells = if empty { Ok(Vec::new()) } else { row.cells().map(cell).collect() };
        let cells: Result<Vec<Outcome>, _> = cells;
        text.push(cells.map_err(|_| unreadable(path, &format!("line {line} is not UTF-8")))?);
    }
    Ok(text)
}

impl Text {
    fn push(&mut self, mut cells: Vec<Outcome>) {
        if self.first.is_none() {
            self.first = Some(cells);
            return;
        }
        if let (Rest::Single(column), true) = (&self.rest, cells.len() > 1) {
            self.rest = Rest::Many(column.to_mixed().into_iter().map(alone).collect());
        }
        match &mut self.rest {
            Rest::Single(column) => column.push(cells.pop().unwrap_or(Outcome::Nothing)),
            Rest::Many(lines) => lines.push(cells),
        }
    }

    /// Whether any line has several cells.
    pub(super) fn has_vectors(&self) -> bool {
        let first = self.first.as_ref().is_some_and(|cells| cells.len() > 1);
        first || matches!(self.rest, Rest::Many(_))
    }

    /// Every line as a vector of any length, or as a single outcome.
    pub(super) fn outcomes(self, header: bool, vectors: bool) -> Outcomes {
        let first = self.first.filter(|_| !header);
        if vectors {
            let rest = match self.rest {
                Rest::Single(column) => column.to_mixed().into_iter().map(alone).collect(),
                Rest::Many(lines) => lines,
            };
            return first.into_iter().chain(rest).map(Outcome::List).collect();
        }
        let single = |mut cells: Vec<Outcome>| cells.pop().unwrap_or(Outcome::Nothing);
        match (first, self.rest) {
            (None, Rest::Single(column)) => column,
            (first, rest) => {
                let mut outcomes: Outcomes = first.map(single).into_iter().collect();
                match rest {
                    Rest::Single(column) => outcomes.append(&column),
                    Rest::Many(lines) => {
                        lines.into_iter().for_each(|line| outcomes.push(single(line)));
                    }
                }
                outcomes
            }
        }
    }

    /// Whether texts stand above nothing but numbers, as many of them.
    fn has_header(&self) -> bool {
        let numeric = |cell: &Outcome| matches!(cell, Outcome::Integer(_) | Outcome::Number(_));
        let Some(first) = &self.first else { return false };
        let numbers = match &self.rest {
            Rest::Single(Outcomes::Mixed(column)) => first.len() == 1 && column.iter().all(numeric),
            Rest::Single(column) => first.len() == 1 && !column.is_empty(),
            Rest::Many(lines) => {
                lines.iter().all(|line| line.len() == first.len() && line.iter().all(numeric))
            }
        };
        numbers && first.iter().all(|cell| matches!(cell, Outcome::Text(_)))
    }
}

/// The cells of a line with at most one.
fn alone(outcome: Outcome) -> Vec<Outcome> {
    match outcome {
        Outcome::Nothing => Vec::new(),
        cell @ (Outcome::Integer(_)
        | Outcome::Number(_)
        | Outcome::Text(_)
        | Outcome::List(_)
        | Outcome::Set(_)) => vec![cell],
    }
}

/// Whether both files begin with the same header.
///
/// That it must be the same in both keeps an odd first outcome of one world from being dropped.
pub(super) fn same_header(zero: &Text, one: &Text) -> bool {
    zero.first == one.first && zero.has_header() && one.has_header()
}

fn cell(bytes: &[u8]) -> Result<Outcome, std::str::Utf8Error> {
    let text = std::str::from_utf8(bytes)?;
    Ok(number(text.trim()).unwrap_or_else(|| Outcome::Text(text.to_owned())))
}

/// A cell as a number, if it is one.
pub(in crate::commands::audit) fn number(text: &str) -> Option<Outcome> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned.len() > 1
        && unsigned.bytes().all(|b| b.is_ascii_digit())
        && unsigned.starts_with('0')
    {
        return None;
    }
    // There is no whole number -0, but there is a float.
    if let (Ok(integer), false) = (text.parse::<i64>(), text == "-0") {
        return Some(Outcome::Integer(integer));
    }
    text.parse::<f64>().ok().map(Outcome::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_what_they_look_like() {
        let text = |text: &str| Outcome::Text(text.to_owned());
        let cases = [
            ("3", Outcome::Integer(3)),
            ("-7", Outcome::Integer(-7)),
            (" 8 ", Outcome::Integer(8)),
            ("9223372036854775808", Outcome::Number(9_223_372_036_854_775_808.0)),
            ("-0", Outcome::Number(-0.0)),
            ("0", Outcome::Integer(0)),
            ("0.1", Outcome::Number(0.1)),
            ("3.0", Outcome::Number(3.0)),
            ("5e-324", Outcome::Number(5e-324)),
            ("inf", Outcome::Number(f64::INFINITY)),
            ("007", text("007")),
            ("yes", text("yes")),
            ("", text("")),
            ("1_0", text("1_0")),
        ];
        for (given, expected) in cases {
            assert_eq!(cell(given.as_bytes()), Ok(expected), "{given}");
        }
        let Ok(Outcome::Number(nan)) = cell(b"nan") else { panic!("no number") };
        assert!(nan.is_nan());
        assert!(cell(b"\xff").is_err());
    }

    #[test]
    fn only_the_same_line_above_numbers_is_a_header() {
        let lines = |lines: &[&str]| -> Text {
            let mut text = Text::default();
            for line in lines {
                text.push(line.split(',').map(|c| cell(c.as_bytes()).unwrap()).collect());
            }
            text
        };
        let header = lines(&["x,y", "1,2", "3,4"]);
        assert!(same_header(&header, &lines(&["x,y", "5,6"])));
        assert!(!same_header(&header, &lines(&["u,y", "5,6"])));
        assert!(!same_header(&header, &lines(&["x,y", "5,b"])));
        assert!(!same_header(&header, &lines(&["x,y", "5"])));
        assert!(!same_header(&lines(&["x"]), &lines(&["x"])));
        assert!(!same_header(&lines(&["1", "2"]), &lines(&["1", "2"])));
    }
}
