//! `throng learn evaluate`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use throng_learn::any::{Table as Examples, Task};
use throng_learn::evaluate::{self, Accuracy, AccuracyOptions, Between, Fit};
use throng_learn::schema::Label;
use throng_learn::{Classified, Measured, Predict, Privacy as Wanted, Schema};
use throng_mechanism::{Guarantee, Neighbours, Sensitive};

use super::predict::declared;
use super::{ModelFile, fit, table};
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::promise::{self, Errors, Privacy, Promise};
use crate::table::Table;
use crate::{arguments, output};

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn fit linear --data loans/train.csv --bounds loans/rate.toml --epsilon 1 \\
    --delta 1e-5 -o rate.json
  throng learn evaluate rate.json --data loans/test.csv --public
  throng learn evaluate rate.json --data loans/test.csv --epsilon 1 --json";

/// How well a model does on a test table.
///
/// If the table is public, say so with --public: the answer is exact. If it is private, say how private the
/// answer shall be: it has noise and error bars, and is a release like any other.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    model: ModelFile,

    /// The test table, with labels: csv with a header, json, jsonl, arrow or parquet.
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// Everybody may know the test table.
    #[arg(long, conflicts_with_all = ["epsilon", "delta", "gdp", "zcdp"])]
    public: bool,

    #[command(flatten)]
    privacy: Privacy,

    /// What it means that two tables differ in one record.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,

    /// The chance that error bars hold.
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = number::open_probability, allow_hyphen_values = true)]
    confidence: Number,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Reads, evaluates, shows.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let (card, model) = options.model.read()?;
    let (schema, encoding) = declared(&card)?;
    let task = match schema.label() {
        Some(Label::Classes { .. }) => Task::Classes,
        Some(Label::Number { .. }) => Task::Number,
        None => {
            return Err(Failure::usage(
                "the model learns no label, so it is neither right nor wrong",
                "look at it with `throng learn inspect`",
            ));
        }
    };
    let model = model.predictor()?;
    match table::read(&options.data, schema, *encoding, task)? {
        Examples::Classified(examples) => classes(options, schema, model, examples),
        Examples::Measured(examples) => numbers(options, schema, model, examples),
        Examples::Plain(_) => Err(Failure::bug("a test table without labels")),
    }
}

fn wanted(options: &Options) -> Result<Wanted, Failure> {
    Ok(Wanted::new(fit::target(&options.privacy.asked()?), options.neighbours)?)
}

fn classes(
    options: &Options,
    schema: &Schema,
    model: &dyn Predict,
    examples: Classified,
) -> Result<(), Failure> {
    if options.public {
        let found = evaluate::classification(model, &examples, schema.classes()?)?;
        return exact(
            options,
            &[("records", json!(found.records)), ("accuracy", json!(found.accuracy))],
        );
    }
    let judge =
        Accuracy::new(model, schema.classes()?, &wanted(options)?, &AccuracyOptions::default())?;
    let release = promise::release(&judge, &Sensitive::new(examples))?;
    let found = release.value().accuracy(options.confidence.up().min(1f64.next_down()))?;
    noisy(options, "accuracy", found, None, release.guarantee())
}

fn numbers(
    options: &Options,
    schema: &Schema,
    model: &dyn Predict,
    examples: Measured,
) -> Result<(), Failure> {
    if options.public {
        let found = evaluate::regression(model, &examples)?;
        let error = ("mean squared error", json!(found.mean_squared_error));
        let fit = ("R squared", json!(found.r_squared));
        return exact(options, &[("records", json!(found.records)), error, fit]);
    }
    let judge = Fit::new(model, schema.range()?, &wanted(options)?)?;
    let release = promise::release(&judge, &Sensitive::new(examples))?;
    let confidence = options.confidence.up().min(1f64.next_down());
    let found = release.value().mean_squared_error(confidence)?;
    let fit = release.value().r_squared();
    noisy(options, "mean squared error", found, Some(fit), release.guarantee())
}

fn exact(options: &Options, found: &[(&str, Value)]) -> Result<(), Failure> {
    if options.json {
        let members = found.iter().map(|(name, value)| (name.replace(' ', "_"), value.clone()));
        return output::json(&members.collect::<serde_json::Map<_, _>>());
    }
    let mut shown = Table::new(["", "on public records"]);
    for (name, value) in found {
        shown.row([name, &value.to_string()]);
    }
    output::answer(&shown.render(output::paint()))
}

fn noisy(
    options: &Options,
    name: &str,
    found: Between,
    r_squared: Option<f64>,
    guarantee: &Guarantee,
) -> Result<(), Failure> {
    let asked = options.privacy.asked()?;
    let promise = Promise::of(guarantee, &asked)?;
    let confidence = options.confidence.nearest();
    if options.json {
        return output::json(&json!({
            "guarantee": promise,
            name.replace(' ', "_"): { "value": found.value, "low": found.lower, "high": found.upper },
            "R_squared": r_squared,
            "confidence": confidence,
        }));
    }
    promise.say(&Errors::new(
        format!("from low to high, {confidence} confidence, over the noise"),
        &[],
    ));
    let number = |x: f64| format!("{x:.4}");
    let mut shown = Table::new(["", "estimate", "low", "high"]);
    shown.row([name, &number(found.value), &number(found.lower), &number(found.upper)]);
    if let Some(r_squared) = r_squared {
        shown.row(["R squared", &number(r_squared), "", ""]);
    }
    output::answer(&shown.render(output::paint()))
}
