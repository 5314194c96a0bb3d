//! `throng learn bounds`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use throng_learn::bounds::{BuyBounds, BuyBoundsOptions};
use throng_learn::{Interval, Matrix, Privacy};
use throng_mechanism::{Mechanism, Sensitive};

use super::pay::{Bought, Kept, Payment, Purchase};
use super::source::Source;
use super::wanted::Wanted;
use super::{destination, rows};
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::output;
use crate::promise::{Errors, Promise};

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn bounds --data loans/train.csv --columns age,income,debt --epsilon 0.1
  throng learn bounds --data loans/train.csv --columns debt --gdp 0.1 --resolution 1 -o debt.toml
  throng learn bounds --data loans/train.csv --columns age --epsilon 0.1 --ledger bounds.ledger \\
    --budget 1,1e-5 --yes";

/// Buy bounds of columns that nobody can declare.
///
/// They are powers of two times the resolution, the outermost with many records between them; a column
/// with too few records to tell gets none. What they cost adds to what the fit costs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// The private table: csv with a header, json, jsonl, arrow or parquet; `-` is csv on stdin.
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The columns of numbers.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true)]
    columns: Vec<String>,

    #[command(flatten)]
    wanted: Wanted,

    /// The smallest magnitude that is told from 0.
    #[arg(long, value_name = "R", default_value = "1/1024", value_parser = number::positive)]
    resolution: Number,

    /// The file of bounds to write; stdout if nothing is said.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print JSON.
    #[arg(long, conflicts_with = "output")]
    json: bool,

    #[command(flatten)]
    payment: Payment,
}

/// The bounds of each column, none where too few records show.
pub(super) struct Found(pub(super) Vec<Option<Interval>>);

impl Kept for Found {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        Ok(serde_json::to_vec(&self.0)?)
    }

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self(serde_json::from_slice(bytes)?))
    }
}

/// A buyer of bounds of so many columns.
pub(super) fn learner(
    columns: usize,
    privacy: &Privacy,
    resolution: Option<f64>,
) -> Result<BuyBounds, Failure> {
    let usual = BuyBoundsOptions::default();
    let resolution = resolution.unwrap_or(usual.resolution);
    Ok(BuyBounds::new(columns, privacy, BuyBoundsOptions { resolution, ..usual })?)
}

/// Reads columns of numbers and buys their bounds.
pub(super) fn buy(
    data: &Path,
    names: &[&str],
    privacy: &Privacy,
    resolution: Option<f64>,
    (payment, source, delta): (&Payment, &Source, Option<&Number>),
) -> Result<Bought<Found>, Failure> {
    let learner = learner(names.len(), privacy, resolution)?;
    let (mut values, mut count) = (Vec::new(), 0_usize);
    rows::read(data, names, &mut |cells| {
        values.extend(cells.iter().map(|cell| cell.number()));
        count += 1;
    })?;
    let table = Sensitive::new(Matrix::new(count, names.len(), values)?);
    let parts =
        vec![b"bounds".to_vec(), serde_json::to_vec(names)?, serde_json::to_vec(&resolution)?];
    let label = format!("learn bounds {}", names.join(", "));
    let purchase = Purchase { label, parts, source, delta };
    payment.buy(&purchase, &learner, &table, |release| Found(release.into_parts().0))
}

/// Describes, reads, pays, shows.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let privacy = options.wanted.privacy()?;
    let names: Vec<&str> = options.columns.iter().map(|name| name.trim()).collect();
    let resolution = Some(options.resolution.nearest());
    let described = learner(names.len(), &privacy, resolution)?;
    destination::tried(options.output.as_deref())?;
    let (source, delta) = (Source::of(&options.data)?, options.wanted.delta());
    let how = (&options.payment, &source, delta);
    let bought = buy(&options.data, &names, &privacy, resolution, how)?;
    show(options, &names, &bought.thing.0)?;
    let bars = "none: bounds are ends of bins that seem to hold records".to_owned();
    let promise = Promise::stating(&described.spec(), described.neighbours(), delta)?;
    promise.say(&Errors::new(bars, &[]));
    Ok(())
}

fn show(options: &Options, names: &[&str], found: &[Option<Interval>]) -> Result<(), Failure> {
    let pairs = || names.iter().zip(found);
    if options.json {
        let ends = |(name, found): (&&str, &Option<Interval>)| {
            let ends = found.map(|bounds| [bounds.lower(), bounds.upper()]);
            json!({ "column": name, "bounds": ends })
        };
        return output::json(&pairs().map(ends).collect::<Vec<Value>>());
    }
    let mut text = "[columns]\n".to_owned();
    for (name, found) in pairs() {
        let name = Value::String((*name).to_owned());
        let _ = match found {
            Some(bounds) => writeln!(text, "{name} = [{:?}, {:?}]", bounds.lower(), bounds.upper()),
            None => writeln!(text, "# {name}: too few records to tell"),
        };
    }
    match &options.output {
        None => output::answer(&text),
        Some(path) => destination::write(path, text.as_bytes()),
    }
}
