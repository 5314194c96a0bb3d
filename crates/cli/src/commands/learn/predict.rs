//! `throng learn predict`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};
use throng_learn::schema::{Column, Encoding, Label};
use throng_learn::{Card, Matrix, Predictions, Schema};

use super::{ModelFile, rows};
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throng learn predict loans.json --data loans/test.csv
  throng learn predict loans.json --data loans/test.csv --probabilities --json";

/// Ask a model about new rows.
///
/// What a model says about a row is no release: it shows what is in that row, and of the table that
/// the model was fitted on no more than the model itself.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    #[command(flatten)]
    model: ModelFile,

    /// The rows: csv with a header, json, jsonl, arrow or parquet; `-` is csv on stdin.
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// Show how likely each class is.
    #[arg(long)]
    probabilities: bool,

    /// Print JSON, one object for each row.
    #[arg(long)]
    json: bool,
}

/// Reads, predicts, prints.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let (card, model) = options.model.read()?;
    let (schema, encoding) = declared(&card)?;
    let features = features(&options.data, schema, *encoding)?;
    let predictions = model.predictor()?.predict(&features)?;
    let shown = columns(schema, &predictions, options.probabilities);
    if options.json { print_json(&shown) } else { print_csv(&shown) }
}

/// What the card says about the table.
pub(super) fn declared(card: &Card) -> Result<&(Schema, Encoding), Failure> {
    card.table().ok_or_else(|| {
        Failure::usage(
            "the model does not know the names of its columns",
            "use a model that `throng learn fit` wrote",
        )
    })
}

/// Rows without labels.
pub(super) fn features(
    path: &std::path::Path,
    schema: &Schema,
    encoding: Encoding,
) -> Result<Matrix<f64>, Failure> {
    let names: Vec<&str> = schema.columns().iter().map(Column::name).collect();
    let (mut values, mut count) = (Vec::new(), 0_usize);
    rows::read(path, &names, &mut |cells| {
        schema.encode(cells, encoding, &mut values);
        count += 1;
    })?;
    Ok(Matrix::new(count, schema.names(encoding).len(), values)?)
}

/// Named columns of what is shown.
struct Shown(Vec<(String, Vec<Value>)>);

fn columns(schema: &Schema, predictions: &Predictions, probabilities: bool) -> Shown {
    let classes: &[String] = match schema.label() {
        Some(Label::Classes { classes, .. }) => classes,
        Some(Label::Number { .. }) | None => &[],
    };
    let name = |class: &u32| {
        let place = usize::try_from(*class).unwrap_or(usize::MAX);
        classes.get(place).map_or_else(|| json!(class), |name| json!(name))
    };
    Shown(match predictions {
        Predictions::Classes { chosen, probabilities: chances } => {
            let mut all = vec![("prediction".to_owned(), chosen.iter().map(name).collect())];
            if let Some(chances) = chances.as_ref().filter(|_| probabilities) {
                all.extend((0..chances.columns()).map(|k| {
                    let class = classes.get(k).cloned().unwrap_or_else(|| k.to_string());
                    (class, column(chances, k))
                }));
            }
            all
        }
        Predictions::Numbers(numbers) => {
            vec![("prediction".to_owned(), numbers.iter().map(|x| json!(x)).collect())]
        }
        Predictions::Clusters(clusters) => {
            vec![("cluster".to_owned(), clusters.iter().map(|k| json!(k)).collect())]
        }
        Predictions::Features(features) => (0..features.columns())
            .map(|k| (format!("feature {}", k + 1), column(features, k)))
            .collect(),
    })
}

fn column(matrix: &Matrix<f64>, place: usize) -> Vec<Value> {
    matrix.iter().map(|row| row.get(place).map_or(Value::Null, |x| json!(x))).collect()
}

fn print_csv(Shown(columns): &Shown) -> Result<(), Failure> {
    let rows = columns.first().map_or(0, |(_, cells)| cells.len());
    let header = columns.iter().map(|(name, _)| name.clone().into_bytes()).collect();
    let cell = |value: &Value| {
        value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes()
    };
    let row = |row: usize| {
        columns.iter().filter_map(|(_, cells)| cells.get(row)).map(cell).collect::<Vec<_>>()
    };
    let table: Vec<Vec<Vec<u8>>> = std::iter::once(header).chain((0..rows).map(row)).collect();
    output::csv(b',', &table)
}

fn print_json(Shown(columns): &Shown) -> Result<(), Failure> {
    let rows = columns.first().map_or(0, |(_, cells)| cells.len());
    let object = |row: usize| -> Value {
        let members = columns
            .iter()
            .filter_map(|(name, cells)| Some((name.clone(), cells.get(row)?.clone())));
        Value::Object(members.collect::<Map<_, _>>())
    };
    output::json(&(0..rows).map(object).collect::<Vec<_>>())
}
