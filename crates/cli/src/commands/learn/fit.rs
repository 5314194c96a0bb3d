//! `throng learn fit`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};
use throng_account::Target;
use throng_learn::any::{self, AnyLearner, AnyModel};
use throng_learn::{Card, Learner, Privacy as Wanted};
use throng_mechanism::{Neighbours, Sensitive};

use super::pay::{Payment, Purchase, digest};
use super::{declared, ending, table};
use crate::failure::Failure;
use crate::promise::{Asked, Privacy};
use crate::{arguments, digits, output};

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn fit logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 1 \\
    --delta 1e-5 -o loans.json
  throng learn fit linear --data loans/train.csv --bounds loans/rate.toml --epsilon 1 \\
    --delta 1e-5 -o rate.safetensors
  throng learn fit k-means --data loans/train.csv --bounds loans/bounds.toml --gdp 1/2 \\
    --set clusters=4 -o groups.json
  throng learn fit logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 1 \\
    --delta 1e-6 --ledger loans.ledger --budget 4,1e-5 --yes -o paid.json

A file of bounds:
  [columns]
  age = [17, 90]                        # numbers: what is beyond counts as the end
  sex = [\"Female\", \"Male\"]              # categories
  [label]
  classes = [\"<=50K\", \">50K\"]           # or, for a number, bounds = [0, 500000]";

/// Fit a model on a private table.
///
/// `throng learn models` lists the models and their options. Numbers are clamped to their bounds; a cell
/// that is missing or no number counts as the middle of its bounds; a record whose class is not
/// declared is left out.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// The model; `throng learn models` lists them.
    #[arg(value_name = "MODEL")]
    kind: String,

    /// The private table: csv with a header, json, jsonl, arrow or parquet; `-` is csv on stdin.
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The file of bounds.
    #[arg(long, value_name = "FILE")]
    bounds: PathBuf,

    /// The column of the label.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,

    #[command(flatten)]
    privacy: Privacy,

    /// What it means that two tables differ in one record.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,

    /// An option of the model, such as `steps=100`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, Value)>,

    #[command(flatten)]
    payment: Payment,

    /// Where the model goes: `.json` or `.safetensors`; JSON on stdout if nothing is said.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only say what it would guarantee: no row is read and nothing is spent.
    #[arg(long)]
    explain: bool,
}

/// Reads `steps=100`: a number, true, false, a list, or else text.
fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("must be like `steps=100`")?;
    let value = value.trim();
    let parsed = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((name.trim().to_owned(), parsed))
}

/// Describes, reads, pays, fits, writes.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let asked = options.privacy.asked()?;
    let kind = any::kind(&options.kind)?;
    let schema = declared::read(&options.bounds, options.label.as_deref())?;
    let settings: Map<String, Value> = options.set.iter().cloned().collect();
    let wanted = Wanted::new(target(&asked), options.neighbours)?;
    let learner = AnyLearner::new(kind.name, &schema, &wanted, &settings)?;
    if options.explain {
        return explain(&learner, &asked);
    }
    let table = table::read(&options.data, &schema, kind.encoding, kind.task)?;
    learner.check(&table)?;
    let digest = digest(&table);
    let purchase =
        Purchase { kind: kind.name, schema: &schema, options: &settings, delta: asked.delta() };
    let (card, model) = options.payment.fit(&purchase, &learner, Sensitive::new(table), digest)?;
    let card = card.of_table(schema, kind.encoding);
    write(options, &card, &model)?;
    say(&card, &asked)
}

pub(super) fn target(asked: &Asked<'_>) -> Target {
    match asked {
        Asked::Pure(epsilon) => Target::Epsilon { epsilon: epsilon.down(), delta: 0.0 },
        Asked::Approximate(epsilon, delta) => {
            Target::Epsilon { epsilon: epsilon.down(), delta: delta.down() }
        }
        Asked::Gdp(mu) => Target::Gdp { mu: mu.down() },
        Asked::Zcdp(rho) => Target::Zcdp { rho: rho.down() },
    }
}

fn explain(learner: &AnyLearner, asked: &Asked<'_>) -> Result<(), Failure> {
    use throng_account::{Accuracy, PrivacyLoss};
    use throng_mechanism::Mechanism;
    let (spec, under) = (learner.spec(), learner.neighbours());
    let (delta, at) = shown_delta(asked);
    let epsilon = PrivacyLoss::of_spec(&spec, under, Accuracy::default())?.epsilon(delta)?;
    output::answer(&format!(
        "mechanism: {spec}\nneighbours: {under}, a record\nepsilon at delta {at}: {}\n",
        digits::bracket(epsilon)
    ))
}

fn write(options: &Options, card: &Card, model: &AnyModel) -> Result<(), Failure> {
    let Some(path) = &options.output else {
        return output::answer(&format!("{}\n", model.to_json(card)?));
    };
    let bytes = match ending(path).as_str() {
        "safetensors" => model.to_safetensors(card)?,
        _ => format!("{}\n", model.to_json(card)?).into_bytes(),
    };
    std::fs::write(path, bytes).map_err(|error| {
        let hint = "check that the folder exists; the model was paid for, and is lost unless a \
                    ledger has it";
        Failure::usage(format!("{} cannot be written: {error}", path.display()), hint)
    })
}

/// The delta that epsilon is shown at, and how it is written: the one asked for, else 0 or the usual one.
fn shown_delta(asked: &Asked<'_>) -> (f64, String) {
    match asked {
        Asked::Approximate(_, delta) => (delta.down(), delta.text().to_owned()),
        Asked::Pure(_) => (0.0, "0".to_owned()),
        Asked::Gdp(_) | Asked::Zcdp(_) => (1e-5, "1e-5".to_owned()),
    }
}

fn say(card: &Card, asked: &Asked<'_>) -> Result<(), Failure> {
    let (delta, at) = shown_delta(asked);
    output::talk(&format!(
        "guarantee: {}, neighbours {}\nepsilon at delta {at}: {}\n",
        card.spec()?,
        card.neighbours()?,
        digits::bracket(card.epsilon(delta)?)
    ));
    Ok(())
}
