//! `throng learn sample`.

use clap::Args;
use serde_json::{Map, Value, json};
use throng_learn::schema::Column;
use throng_sample::OsEntropy;

use super::ModelFile;
use super::predict::declared;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn fit synthetic --data loans/train.csv --bounds loans/bounds.toml --epsilon 1 \\
    --delta 1e-5 -o table.json
  throng learn sample table.json --rows 5
  throng learn sample table.json --rows 5 --json";

/// Draw rows of a synthetic table.
///
/// Rows are made up: nobody is in them, and there may be as many as one likes. What they have in
/// common with the private table is what the model was fitted to: counts of columns and of pairs of
/// columns.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    model: ModelFile,

    /// How many rows.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rows: u32,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Reads, draws, prints.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let (card, model) = options.model.read()?;
    let (schema, _) = declared(&card)?;
    let rows = usize::try_from(options.rows).unwrap_or(usize::MAX);
    let drawn = model.sampler()?.sample(rows, &mut OsEntropy)?;
    let named = |row: &[f64]| -> Vec<Value> {
        schema.columns().iter().zip(row).map(|(column, x)| cell(column, *x)).collect()
    };
    if options.json {
        let object = |row: &[f64]| {
            let names = schema.columns().iter().map(|column| column.name().to_owned());
            Value::Object(names.zip(named(row)).collect::<Map<_, _>>())
        };
        return output::json(&drawn.iter().map(object).collect::<Vec<_>>());
    }
    let header = schema.columns().iter().map(|column| column.name().as_bytes().to_vec()).collect();
    let text =
        |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
    let rows = drawn.iter().map(|row| named(row).into_iter().map(text).collect());
    output::csv(b',', &std::iter::once(header).chain(rows).collect::<Vec<_>>())
}

/// A number, or the level in a place.
fn cell(column: &Column, x: f64) -> Value {
    match column {
        Column::Number { .. } => json!(x),
        Column::Category { levels, .. } => {
            let place = levels.iter().zip(0_u32..).find(|(_, place)| f64::from(*place) >= x);
            place.map_or(Value::Null, |(level, _)| json!(level))
        }
    }
}
