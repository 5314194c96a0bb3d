//! A noisy column as CSV or JSON.

use serde::Serialize;
use serde_json::{Map, Value};
use throng_mechanism::{Noisy, Release};

use super::{Column, Options};
use crate::failure::Failure;
use crate::intervals::Intervals;
use crate::json::Real;
use crate::promise::{Asked, Errors, Promise};
use crate::released::{Answer, Width};
use crate::{digits, output};

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
    let intervals = Intervals::new(release.value(), options.showing.confidence.up())?;
    let half_width = intervals.half_width();
    let bars = format!(
        "±{} around each number, {} confidence",
        digits::single(half_width, digits::Side::Up),
        options.showing.confidence.text(),
    );
    let errors = Errors::new(bars, &column.uncovered());
    let guarantee = Promise::of(release.guarantee(), asked)?;
    let rows = lines(options, &intervals, kept);
    if !options.showing.json {
        guarantee.say(&errors);
        return output::csv(options.source.delimiter(), &csv(options, &rows));
    }
    let width = Width::Sides { half_width: Real(half_width), threshold: None };
    let column = options.source.column();
    output::json(&Answer::new(guarantee, column, &options.showing, width, &errors, rows))
}

fn lines<'a>(
    options: &Options,
    intervals: &Intervals<'_>,
    kept: &'a [Vec<Vec<u8>>],
) -> Vec<Line<'a>> {
    let line = |(index, kept): (usize, &'a Vec<Vec<u8>>)| {
        let [value, low, high] = intervals.at(index);
        let names = options.keep.iter().cloned();
        let texts = kept.iter().map(|cell| Value::from(String::from_utf8_lossy(cell)));
        Line { value, low, high, keep: names.zip(texts).collect(), kept }
    };
    kept.iter().enumerate().map(line).collect()
}

fn csv(options: &Options, rows: &[Line<'_>]) -> Vec<Vec<Vec<u8>>> {
    let name = options.source.column();
    let own = [name.to_owned(), format!("{name}_low"), format!("{name}_high")];
    let header = options.keep.iter().chain(&own).map(|name| name.as_bytes().to_vec());
    let mut table = vec![header.collect()];
    table.extend(rows.iter().map(|line| {
        let own = [&line.value, &line.low, &line.high].map(|x| x.to_string().into_bytes());
        line.kept.iter().cloned().chain(own).collect()
    }));
    table
}
