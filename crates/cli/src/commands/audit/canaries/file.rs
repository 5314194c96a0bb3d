//! A CSV file with a column `score` and a column `included`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use throng_audit::Outcome;
use throng_audit::canary::Canary;

use super::super::files::{number, unreadable};
use crate::failure::Failure;
use crate::records::reader::{Reader, Row};

const HINT: &str = "write a header with the columns `score` and `included`, and a row for each canary \
     with a number and 0 or 1";

/// The canaries of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Canary>, Failure> {
    let failed = |error: std::io::Error| unreadable(path, &error);
    let file = File::open(path).map_err(failed)?;
    let mut rows = Reader::new(BufReader::with_capacity(1 << 16, file), b',').map_err(failed)?;
    let mut row = Row::default();
    rows.read(&mut row).map_err(failed)?;
    let (score, included) = (column(path, &row, "score")?, column(path, &row, "included")?);
    let (mut canaries, mut line) = (Vec::new(), 1);
    while rows.read(&mut row).map_err(failed)? {
        line += 1;
        if row.cells().all(<[u8]>::is_empty) {
            continue;
        }
        let canary = canary(row.cell(score), row.cell(included));
        canaries.push(canary.map_err(|what| {
            Failure::usage(format!("{} line {line}: {what}", path.display()), HINT)
        })?);
    }
    if canaries.is_empty() {
        return Err(Failure::usage(format!("{} has no canaries", path.display()), HINT));
    }
    Ok(canaries)
}

fn column(path: &Path, header: &Row, name: &str) -> Result<usize, Failure> {
    let is_it = |cell: &[u8]| cell.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
    header
        .cells()
        .position(is_it)
        .ok_or_else(|| Failure::usage(format!("{} has no column `{name}`", path.display()), HINT))
}

fn canary(score: &[u8], included: &[u8]) -> Result<Canary, &'static str> {
    let text = |cell| std::str::from_utf8(cell).map(str::trim).map_err(|_| "it is not UTF-8");
    #[expect(clippy::cast_precision_loss, reason = "a score may be rounded: it only ranks")]
    let score = match number(text(score)?) {
        Some(Outcome::Number(score)) if !score.is_nan() => score,
        Some(Outcome::Integer(score)) => score as f64,
        _ => return Err("the score is no number"),
    };
    let included = match text(included)?.to_lowercase().as_str() {
        "1" | "true" => true,
        "0" | "false" => false,
        _ => return Err("`included` is neither 0 nor 1"),
    };
    Ok(Canary { score, included })
}
