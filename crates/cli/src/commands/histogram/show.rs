//! Counts by key as a table with bars, CSV or JSON.

use std::cmp::Reverse;
use std::io::{self, IsTerminal};

use serde::Serialize;
use serde_json::Value;
use throng_mechanism::Release;
use throng_mechanism::histogram::HistogramRelease;

use super::{Name, Options, Order};
use crate::arguments::Format;
use crate::bars::Bars;
use crate::failure::Failure;
use crate::intervals::Intervals;
use crate::json::Real;
use crate::promise::{Asked, Errors, Promise};
use crate::released::{Answer, Width};
use crate::table::Table;
use crate::{digits, output, records};

/// One key.
#[derive(Debug, Serialize)]
struct Line<'a> {
    #[serde(serialize_with = "lossy")]
    key: &'a [u8],
    count: i64,
    low: Value,
    high: Value,
}

/// Shows a release with its guarantee.
pub(super) fn show(
    options: &Options,
    asked: &Asked<'_>,
    threshold: Option<i64>,
    release: &Release<HistogramRelease<Name>>,
) -> Result<(), Failure> {
    let counts = release.value().counts();
    let intervals = Intervals::new(counts, options.showing.confidence.up())?;
    let half_width = intervals.half_width();
    let guarantee = Promise::of(release.guarantee(), asked)?;
    let errors = Errors::new(bars_in_words(options, threshold, half_width), counts.uncovered());
    let rows = lines(options, release.value(), &intervals);
    if options.showing.json {
        let width = Width::Sides { half_width: Real(half_width), threshold };
        let column = options.source.column();
        let answer = Answer::new(guarantee, column, &options.showing, width, &errors, rows);
        return output::json(&answer);
    }
    guarantee.say(&errors);
    match options.format {
        Format::Table => output::answer(&table(options, &rows)),
        Format::Csv => output::csv(options.source.delimiter(), &csv(options, &rows)),
    }
}

fn bars_in_words(options: &Options, threshold: Option<i64>, half_width: f64) -> String {
    let width = digits::single(half_width, digits::Side::Up);
    let mut text =
        format!("±{width} around each count, {} confidence", options.showing.confidence.text());
    if let Some(threshold) = threshold {
        text.push_str(&format!(
            "\nthreshold: keys with a noisy count below {threshold} are not shown"
        ));
    }
    text
}

fn lines<'a>(
    options: &Options,
    release: &'a HistogramRelease<Name>,
    intervals: &Intervals<'_>,
) -> Vec<Line<'a>> {
    let line = |(place, (key, count)): (usize, (&'a Name, i64))| {
        let [_, low, high] = intervals.at(place);
        Line { key, count, low, high }
    };
    let mut lines: Vec<Line<'a>> = release.iter().enumerate().map(line).collect();
    match options.sort {
        Order::Key => {}
        Order::Count => lines.sort_by_key(|line| Reverse(line.count)),
    }
    lines
}

fn table(options: &Options, rows: &[Line<'_>]) -> String {
    let plot = options.plot || io::stdout().is_terminal();
    let largest = rows.iter().map(|line| line.count).max().unwrap_or(0);
    let bars = Bars::up_to(largest);
    let mut table = Table::new([
        &records::shown(options.source.column().as_bytes()),
        "count",
        "low",
        "high",
        "",
    ]);
    for line in rows {
        let bar = if plot { bars.draw(line.count) } else { String::new() };
        let numbers = [line.count.to_string(), line.low.to_string(), line.high.to_string()];
        let [count, low, high] = &numbers;
        table.row([&records::shown(line.key), count, low, high, &bar]);
    }
    table.render(output::paint())
}

fn csv(options: &Options, rows: &[Line<'_>]) -> Vec<Vec<Vec<u8>>> {
    let header = [options.source.column(), "count", "low", "high"];
    let mut table = vec![header.map(|name| name.as_bytes().to_vec()).to_vec()];
    table.extend(rows.iter().map(|line| {
        let numbers = [line.count.to_string(), line.low.to_string(), line.high.to_string()];
        std::iter::once(line.key.to_vec()).chain(numbers.map(String::into_bytes)).collect()
    }));
    table
}

/// Bytes as text; what is no text is replaced.
fn lossy<S: serde::Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&String::from_utf8_lossy(bytes))
}
