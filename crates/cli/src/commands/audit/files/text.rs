//! Outcomes as lines of text: cells between commas, in quotes where they hold one.
//!
//! A cell is a whole number, a number (all digits count; `nan`, `inf` and `-inf` are numbers too), or
//! else a text. A whole number with leading zeros is a text: it is not the number.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use throng_audit::Outcome;

use super::unreadable;
use crate::failure::Failure;
use crate::records::reader::{Reader, Row};

/// The cells of every line; an empty line has none.
pub(super) fn read(path: &Path, file: File) -> Result<Vec<Vec<Outcome>>, Failure> {
    let failed = |error: std::io::Error| unreadable(path, &error);
    let mut reader = Reader::new(BufReader::with_capacity(1 << 16, file), b',').map_err(failed)?;
    let (mut row, mut lines) = (Row::default(), Vec::new());
    while reader.read(&mut row).map_err(failed)? {
        let cells = row.cells().map(cell).collect::<Result<Vec<_>, _>>().map_err(|_| {
            let line = lines.len() + 1;
            unreadable(path, &format!("line {line} is not UTF-8"))
        })?;
        let empty = row.cells().count() == 1 && row.cell(0).is_empty();
        lines.push(if empty { Vec::new() } else { cells });
    }
    Ok(lines)
}

/// Whether both files begin with the same line of texts above nothing but numbers, as many of them.
///
/// That it must be the same in both keeps an odd first outcome of one world from being dropped.
pub(super) fn same_header(zero: &[Vec<Outcome>], one: &[Vec<Outcome>]) -> bool {
    let numeric = |cell: &Outcome| matches!(cell, Outcome::Integer(_) | Outcome::Number(_));
    let above_numbers = |lines: &[Vec<Outcome>]| match lines.split_first() {
        Some((first, rest)) => {
            !rest.is_empty()
                && first.iter().all(|cell| matches!(cell, Outcome::Text(_)))
                && rest.iter().all(|line| line.len() == first.len() && line.iter().all(numeric))
        }
        None => false,
    };
    zero.first() == one.first() && above_numbers(zero) && above_numbers(one)
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
        let lines = |lines: &[&str]| -> Vec<Vec<Outcome>> {
            let cells =
                |line: &&str| line.split(',').map(|c| cell(c.as_bytes()).unwrap()).collect();
            lines.iter().map(cells).collect()
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
