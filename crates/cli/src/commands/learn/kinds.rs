//! `throng learn models`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use throng_learn::any;

use crate::failure::Failure;
use crate::output;
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  throng learn models
  throng learn models logistic
  throng learn models --json";

/// The models there are, and their options.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// Show the options of one model with their usual values.
    #[arg(value_name = "MODEL", value_parser = names())]
    kind: Option<String>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The names of all models, so that completions list them.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(any::KINDS.iter().map(|kind| kind.name))
}

/// Lists them.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    match &options.kind {
        Some(name) => one(any::kind(name)?, options.json),
        None => all(options.json),
    }
}

fn all(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let all: Vec<Value> = any::KINDS.iter().map(described).collect();
        return output::json(&all);
    }
    let mut table = Table::new(["model", "learns", "how"]);
    for kind in any::KINDS {
        table.row([kind.name, kind.task.words(), kind.about]);
    }
    output::answer(&table.render(output::paint()))
}

fn one(kind: &any::Kind, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::json(&described(kind));
    }
    output::answer(&format!("{}: {}\n\n", kind.name, kind.about))?;
    let mut table = Table::new(["--set", "if not said"]);
    if let Value::Object(usual) = (kind.options)() {
        for (name, value) in usual {
            table.row([&name, &value.to_string()]);
        }
    }
    output::answer(&table.render(output::paint()))
}

fn described(kind: &any::Kind) -> Value {
    json!({
        "name": kind.name,
        "learns": kind.task.words(),
        "about": kind.about,
        "options": (kind.options)(),
    })
}
