//! What can be typed: the commands, and the options they share.

use clap::{Args, Parser, Subcommand, ValueEnum};
use throng_account::{Accuracy, Neighbours};
use throng_mechanism::Grid;

use crate::commands::{
    account, audit, calibrate, completions, curve, explain, help, histogram, init, learn, ledger,
    man, noise, quantile, query,
};
use crate::number::{self, Number};

/// SQL on private tables, certified privacy accounting, and releases that keep what it promises.
///
/// Every privacy number is a bracket `lower .. upper`: the end that is the promise holds for the
/// mechanism, rounding errors included; the other end shows how tight the analysis is.
#[derive(Debug, Parser)]
#[command(name = "throng", version, disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct Throng {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands, one file each.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::Options),
    Query(Box<query::Options>),
    Explain(Box<explain::Options>),
    Ledger(ledger::Options),
    Account(account::Options),
    Calibrate(Box<calibrate::Options>),
    Curve(curve::Options),
    Learn(learn::Options),
    Audit(Box<audit::Options>),
    Noise(Box<noise::Options>),
    Histogram(Box<histogram::Options>),
    Quantile(Box<quantile::Options>),
    Help(help::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// Under which relation, and how accurately.
#[derive(Debug, Args)]
pub(crate) struct Setting {
    /// What it means that two data sets differ in one unit.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = neighbours())]
    pub(crate) neighbours: Neighbours,

    /// How wide a bracket may be, relative to its value; 1e-4 if not given.
    #[arg(long, value_name = "W", value_parser = number::open_probability, allow_hyphen_values = true)]
    width: Option<Number>,
}

impl Setting {
    /// The asked accuracy, or the usual one.
    pub(crate) fn accuracy(&self) -> Accuracy {
        let mut accuracy = Accuracy::default();
        if let Some(width) = &self.width {
            accuracy.width = width.down();
        }
        accuracy
    }
}

/// The relations by name, so that help and completions list them.
pub(crate) fn neighbours() -> impl clap::builder::TypedValueParser<Value = Neighbours> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["add-remove", "replace", "zero-out"])
        .try_map(|name| name.parse::<Neighbours>())
}

/// How released rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns.
    Table,
    /// Comma-separated, or whatever separates the cells of the input.
    Csv,
}

/// A power of two: `2^-10`, `1/1024`, `0.5`.
pub(crate) fn grid(text: &str) -> Result<Grid, String> {
    const MUST: &str = "must be a power of two such as 2^-10 or 1/1024";
    if let Some(exponent) = text.strip_prefix("2^") {
        let exponent = exponent.parse().map_err(|_| MUST)?;
        return Grid::new(exponent).map_err(|error| error.to_string());
    }
    let step = number::positive(text)?;
    let grid = Grid::at_most(step.exact()).map_err(|error| error.to_string())?;
    if grid.step() == *step.exact() { Ok(grid) } else { Err(MUST.to_owned()) }
}
