//! An answer with what it cost: on the terminal, in a file, as JSON.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::Path;

use serde_json::{Value, json};
use throng_account::Bracket;
use throng_query::answer::{self, BarOptions, Table};
use throng_query::release::{Clipping, Request};
use throng_query::session::Reply;

use super::{Format, Options};
use crate::digits::{self, Side};
use crate::failure::Failure;
use crate::json::Real;
use crate::{amount, output, terminal};

/// The most groups for which bars are drawn without being asked for.
const FEW: usize = 30;

/// Refuses what could not be shown, before anything is spent.
pub(super) fn check(options: &Options) -> Result<(), Failure> {
    let format = format(options)?;
    if format.is_binary() && options.output.is_none() && io::stdout().is_terminal() {
        return Err(Failure::usage(
            "this format is nothing for a terminal",
            "write it to a file with --output",
        ));
    }
    for path in [&options.output, &options.plot].into_iter().flatten() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) || path.is_dir() {
            return Err(unwritable(path, &"there is no such folder, or it is one"));
        }
    }
    if options.plot.as_deref().is_some_and(|path| path.extension().is_none_or(|end| end != "svg")) {
        return Err(Failure::usage("--plot writes SVG", "give a file that ends in .svg"));
    }
    Ok(())
}

fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(
        format!("{} cannot be written: {error}", path.display()),
        "name a file in a folder that can be written to",
    )
}

/// The format asked for, or that of the file, or a table.
fn format(options: &Options) -> Result<answer::Format, Failure> {
    if options.json {
        return Ok(answer::Format::Json);
    }
    if let Some(format) = options.format {
        return Ok(match format {
            Format::Table => answer::Format::Table,
            Format::Csv => answer::Format::Csv,
            Format::Json => answer::Format::Json,
            Format::Arrow => answer::Format::Arrow,
            Format::Parquet => answer::Format::Parquet,
            Format::Markdown => answer::Format::Markdown,
        });
    }
    let Some(path) = &options.output else { return Ok(answer::Format::Table) };
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    answer::Format::named(ending).ok_or_else(|| {
        Failure::usage(
            format!("{} does not say how it is to be written", path.display()),
            "end it in .csv, .json, .arrow, .parquet, .md or .txt, or give --format",
        )
    })
}

/// Shows the answer; it is stored, so whatever fails here can be asked again, free.
pub(super) fn show(options: &Options, request: &Request, reply: &Reply) -> Result<(), Failure> {
    let format = format(options)?;
    let bytes = match format {
        answer::Format::Json => {
            [serde_json::to_vec_pretty(&in_json(options, request, reply))?, b"\n".to_vec()].concat()
        }
        answer::Format::Table
        | answer::Format::Csv
        | answer::Format::Arrow
        | answer::Format::Parquet
        | answer::Format::Markdown => written(options, reply, format)?,
    };
    match &options.output {
        Some(path) => std::fs::write(path, bytes).map_err(|error| unwritable(path, &error))?,
        None => output::bytes(&bytes)?,
    }
    if let Some(path) = &options.plot {
        std::fs::write(path, drawn(reply)).map_err(|error| unwritable(path, &error))?;
    }
    if !options.json {
        // Said after the answer, so that it is the last thing on a terminal.
        output::talk(&talk(reply));
    }
    Ok(())
}

/// All tables, one after the other; files that hold one table hold the first.
fn written(options: &Options, reply: &Reply, format: answer::Format) -> Result<Vec<u8>, Failure> {
    if format.is_binary() && reply.tables.len() > 1 {
        return Err(Failure::usage(
            "such a file holds one table, and there are several",
            "ask the questions one by one (what is answered is free), or use --json",
        ));
    }
    let mut bytes = Vec::new();
    for (place, table) in reply.tables.iter().enumerate() {
        if place > 0 {
            bytes.push(b'\n');
        }
        table
            .write(format, !options.no_intervals, &mut bytes)
            .map_err(|error| Failure::usage(error.to_string(), "choose another --format"))?;
        let bars = options.chart || (io::stdout().is_terminal() && table.rows() <= FEW);
        if format == answer::Format::Table && options.output.is_none() && bars {
            let (columns, _) = terminal::size();
            bytes.push(b'\n');
            bytes.extend(table.bars_text(columns.min(100), !terminal::speaks_utf8()).into_bytes());
        }
    }
    Ok(bytes)
}

fn drawn(reply: &Reply) -> String {
    reply.tables.first().map(|table| table.bars_svg(&BarOptions::default())).unwrap_or_default()
}

/// The contract `throng/1`.
fn in_json(options: &Options, request: &Request, reply: &Reply) -> Value {
    let part = |table: &Table| table.to_json(!options.no_intervals);
    let mut answer = json!({
        "schema": output::SCHEMA,
        "columns": [],
        "rows": [],
        "cost": cost(reply),
        "remaining": amount::json(&reply.remaining, Side::Down),
        "receipt": reply.receipt,
        "fresh": reply.fresh,
        "confidence": request.confidence,
        "clipping": reply.clipping.iter().map(clipping).collect::<Vec<_>>(),
        "notes": reply.notes,
    });
    if let Some(answer) = answer.as_object_mut() {
        if let Some(Value::Object(first)) = reply.tables.first().map(part) {
            answer.extend(first);
        }
        if reply.tables.len() > 1 {
            answer.insert("tables".to_owned(), reply.tables.iter().map(part).collect());
        }
    }
    answer
}

/// What the answer cost when it was fresh; nothing if only public tables were read.
fn cost(reply: &Reply) -> Value {
    let (delta, lower, upper) =
        reply.cost.as_ref().map_or((0.0, 0.0, 0.0), |cost| (cost.delta, cost.lower, cost.upper));
    let ends = [delta, lower, upper].map(Real);
    let [delta, lower, upper] = &ends;
    json!({
        "epsilon": { "delta": delta, "lower": lower, "upper": upper },
        "charged": reply.cost.as_ref().map(|cost| amount::json(&cost.charged, Side::Up)),
        "mechanism": reply.cost.as_ref().map(|cost| &cost.spec),
    })
}

fn clipping(clipping: &Clipping) -> Value {
    json!({ "lost": clipping.lost, "low": clipping.low, "high": clipping.high })
}

/// What there is to say beside the answer: notes, cost, what is left, the receipt.
#[must_use]
pub fn talk(reply: &Reply) -> String {
    let mut text = String::new();
    for note in &reply.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if let Some(cost) = &reply.cost {
        let bracket = digits::bracket(Bracket { lower: cost.lower, upper: cost.upper });
        let delta = digits::plain_or_exponent(cost.delta);
        let charged = amount::words(&cost.charged, Side::Up);
        let _ = if reply.fresh {
            writeln!(text, "cost: {charged} (epsilon at delta {delta}: {bracket})")
        } else {
            writeln!(text, "cost: none, the answer was stored (it had cost {charged})")
        };
    }
    let _ = writeln!(text, "left: {}", amount::words(&reply.remaining, Side::Down));
    if let Some(receipt) = &reply.receipt {
        let _ = writeln!(text, "receipt: {receipt}");
    }
    text
}
