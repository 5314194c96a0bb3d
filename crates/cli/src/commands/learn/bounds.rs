//! `throng learn bounds`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use throng_learn::bounds::{BuyBounds, BuyBoundsOptions};
use throng_learn::{Interval, Matrix, Privacy as Wanted};
use throng_mechanism::{Neighbours, Sensitive};

use super::{fit, rows};
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::promise::{self, Errors, Privacy, Promise};
use crate::{arguments, output};

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn bounds --data loans/train.csv --columns age,income,debt --epsilon 0.1
  throng learn bounds --data loans/train.csv --columns debt --gdp 0.1 --resolution 1 -o debt.toml";

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
    privacy: Privacy,

    /// What it means that two tables differ in one record.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,

    /// The smallest magnitude that is told from 0.
    #[arg(long, value_name = "R", default_value = "1/1024", value_parser = number::positive)]
    resolution: Number,

    /// The file of bounds to write; stdout if nothing is said.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Describes, reads, pays, shows.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let asked = options.privacy.asked()?;
    let wanted = Wanted::new(fit::target(&asked), options.neighbours)?;
    let settings = BuyBoundsOptions {
        resolution: options.resolution.nearest(),
        ..BuyBoundsOptions::default()
    };
    let names: Vec<&str> = options.columns.iter().map(|name| name.trim()).collect();
    let learner = BuyBounds::new(names.len(), &wanted, settings)?;
    let (mut values, mut count) = (Vec::new(), 0_usize);
    rows::read(&options.data, &names, &mut |cells| {
        values.extend(cells.iter().map(|cell| cell.number()));
        count += 1;
    })?;
    let table = Sensitive::new(Matrix::new(count, names.len(), values)?);
    let release = promise::release(&learner, &table)?;
    show(options, &names, release.value())?;
    let bars = "none: bounds are ends of bins that seem to hold records".to_owned();
    Promise::of(release.guarantee(), &asked)?.say(&Errors::new(bars, &[]));
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
        Some(path) => Ok(std::fs::write(path, text)?),
    }
}
