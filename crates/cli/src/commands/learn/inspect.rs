//! `throng learn inspect`.

use clap::Args;
use serde_json::json;

use super::{ModelFile, summary};
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::table::Table;
use crate::{digits, output};

const EXAMPLES: &str = "\
Examples:
  throng learn inspect loans.json
  throng learn inspect loans.json --delta 1e-8 --json
  throng learn inspect rate.json --confidence 0.99";

/// What is in a saved model, and what it guarantees.
///
/// A card is a statement of whoever wrote the file; `throng audit` tests statements.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    model: ModelFile,

    /// Show epsilon at this delta.
    #[arg(long, value_name = "D", default_value = "1e-5", value_parser = number::probability, allow_hyphen_values = true)]
    delta: Number,

    /// The chance that intervals of coefficients and credible intervals hold.
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = number::open_probability, allow_hyphen_values = true)]
    confidence: Number,

    /// Print JSON, the parameters included.
    #[arg(long)]
    json: bool,
}

/// Reads and shows.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let (card, model) = options.model.read()?;
    let epsilon = card.epsilon(options.delta.down())?;
    let summary = summary::of(&card, &model, options.confidence.up().min(1f64.next_down()))?;
    if options.json {
        return output::json(&json!({
            "kind": model.kind(),
            "mechanism": card.spec()?.to_string(),
            "neighbours": card.neighbours()?.to_string(),
            "unit": card.unit(),
            "delta": options.delta.nearest(),
            "epsilon": crate::json::Ends::from(epsilon),
            "version": card.version(),
            "table": card.table().map(|(schema, _)| schema),
            "summary": summary.map(|summary| summary.json()),
            "model": model.parameters()?,
        }));
    }
    let mut table = Table::new(["", ""]);
    table.row(["model", model.kind()]);
    table.row(["guarantee", &card.spec()?.to_string()]);
    table.row(["neighbours", &format!("{}, {}", card.neighbours()?, card.unit())]);
    let at = format!("epsilon at delta {}", options.delta.text());
    table.row([&at, &digits::bracket(epsilon)]);
    if let Some((schema, encoding)) = card.table() {
        table.row(["columns", &schema.names(*encoding).join(", ")]);
        if let Some(label) = schema.label() {
            table.row(["label", label.name()]);
        }
    }
    table.row(["fitted by", &format!("throng {}", card.version())]);
    output::answer(&table.render(output::paint()))?;
    match summary {
        Some(summary) => output::answer(&format!("\n{}", summary.table().render(output::paint()))),
        None => Ok(()),
    }
}
