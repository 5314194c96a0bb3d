//! A noisy column as CSV or JSON.

use serde::Serialize;
use serde_json::{Map, Value};
use throng_mechanism::{Grid, Noisy, Release};

use super::{Column, Options};
use crate::failure::Failure;
use crate::json::Real;
use crate::promise::{Asked, Errors, Promise};
use crate::{digits, output};

/// The JSON form.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    guarantee: Promise,
    column: &'a str,
    confidence: f64,
    half_width: Real,
    uncovered: &'a [String],
    rows: Vec<Line<'a>>,
}

/// One number.
#[derive(Debug, Serialize)]
struct Line<'a> {
    value: Value,
    low: Value,
    high: Value,
    #[serde(skip_serializing_if = "Map::is_empty")]
    keep: Map<String, Value>,
    #[serde(skip)]
    kept: &'a [Vec<u8>],
}

/// Shows a release with its guarantee.
pub(super) fn show(
    options: &Options,
    asked: &Asked<'_>,
    column: &Column,
    release: &Release<Noisy>,
    kept: &[Vec<Vec<u8>>],
) -> Result<(), Failure> {
    let confidence = options.confidence.up();
    let half_width = release.value().half_width(confidence)?;
    let bars = format!(
        "±{} around each number, {} confidence",
        digits::single(half_width, digits::Side::Up),
        options.confidence.text(),
    );
    let errors = Errors::new(bars, &column.uncovered());
    let guarantee = Promise::of(release.guarantee(), asked)?;
    let rows = lines(options, release.value(), kept)?;
    if !options.json {
        guarantee.say(&errors);
        return output::csv(options.source.delimiter(), &csv(options, &rows));
    }
    output::json(&Answer {
        guarantee,
        column: &options.column,
        confidence: options.confidence.nearest(),
        half_width: Real(half_width),
        uncovered: errors.uncovered(),
        rows,
    })
}

fn lines<'a>(
    options: &Options,
    noisy: &Noisy,
    kept: &'a [Vec<Vec<u8>>],
) -> Result<Vec<Line<'a>>, Failure> {
    let confidence = options.confidence.up();
    let whole = noisy.grid() == Grid::WHOLE;
    let mut lines = Vec::with_capacity(noisy.len());
    for (index, (steps, kept)) in noisy.steps().iter().zip(kept).enumerate() {
        let interval = noisy.interval(index, confidence)?;
        let names = options.keep.iter().cloned();
        let texts = kept.iter().map(|cell| Value::from(String::from_utf8_lossy(cell)));
        lines.push(Line {
            value: if whole { Value::from(*steps) } else { number(noisy.value(index), false) },
            low: number(interval.lower, whole),
            high: number(interval.upper, whole),
            keep: names.zip(texts).collect(),
            kept,
        });
    }
    Ok(lines)
}

/// A number without a point where it is whole anyway.
fn number(x: f64, whole: bool) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^63")]
    if whole && x.abs() < 9e18 { Value::from(x as i64) } else { Value::from(x) }
}

fn csv(options: &Options, rows: &[Line<'_>]) -> Vec<Vec<Vec<u8>>> {
    let name = &options.column;
    let own = [name.clone(), format!("{name}_low"), format!("{name}_high")];
    let header = options.keep.iter().chain(&own).map(|name| name.as_bytes().to_vec());
    let mut table = vec![header.collect()];
    table.extend(rows.iter().map(|line| {
        let own = [&line.value, &line.low, &line.high].map(|x| x.to_string().into_bytes());
        line.kept.iter().cloned().chain(own).collect()
    }));
    table
}
