//! `throng learn`: private models, fitted, asked, judged and looked at.

mod bounds;
mod declared;
mod destination;
mod evaluate;
mod example;
mod fit;
mod fitted;
mod inspect;
mod kinds;
mod pay;
mod predict;
mod rows;
mod sample;
mod search;
mod segments;
mod source;
mod summary;
mod table;
mod wanted;
mod watch;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use throng_learn::Card;
use throng_learn::any::AnyModel;

use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  throng learn example loans
  throng learn models
  throng learn fit logistic --data loans/train.csv --bounds loans/bounds.toml --epsilon 1 \\
    --delta 1e-5 -o loans.json
  throng learn inspect loans.json
  throng learn predict loans.json --data loans/test.csv --probabilities
  throng learn evaluate loans.json --data loans/test.csv --public
  throng learn evaluate loans.json --data loans/test.csv --epsilon 0.5 --delta 1e-6";

/// Fit private models, ask them, judge them.
///
/// A model is fitted on a private table and may then be shown to everybody: whether any one record was
/// in the table shows in it no more than the guarantee says, which is written on its card. Bounds
/// of the columns and the classes of the label are declared in a file; they are never taken from
/// the data.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(subcommand)]
    task: Task,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Task {
    /// Fit a model on a private table.
    Fit(Box<fit::Options>),
    /// The best of several settings of a model.
    Search(Box<search::Options>),
    /// Ask a model about new rows.
    Predict(predict::Options),
    /// How well a model does on a test table: a public one, or a private one with noise.
    Evaluate(Box<evaluate::Options>),
    /// Draw rows of a synthetic table.
    Sample(sample::Options),
    /// What is in a saved model, and what it guarantees.
    Inspect(inspect::Options),
    /// The models there are, and their options.
    Models(kinds::Options),
    /// Buy bounds of columns that nobody can declare.
    Bounds(Box<bounds::Options>),
    /// Write a made-up table to try models on.
    Example(example::Options),
}

/// Does it.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match &options.task {
        Task::Fit(options) => fit::run(options),
        Task::Search(options) => search::run(options),
        Task::Predict(options) => predict::run(options),
        Task::Evaluate(options) => evaluate::run(options),
        Task::Sample(options) => sample::run(options),
        Task::Inspect(options) => inspect::run(options),
        Task::Models(options) => kinds::run(options),
        Task::Bounds(options) => bounds::run(options),
        Task::Example(options) => example::run(options),
    }
}

/// The ending of a file's name, in lower case.
fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// A saved model.
#[derive(Debug, Args)]
struct ModelFile {
    /// A model that `throng learn fit` wrote: JSON or safetensors.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
}

impl ModelFile {
    fn read(&self) -> Result<(Card, AnyModel), Failure> {
        Self::load(&self.bytes()?)
    }

    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        std::fs::read(&self.model).map_err(|error| {
            let what = format!("{} cannot be read: {error}", self.model.display());
            Failure::usage(what, "give a model that `throng learn fit` wrote")
        })
    }

    fn load(bytes: &[u8]) -> Result<(Card, AnyModel), Failure> {
        Ok(AnyModel::load(bytes)?)
    }
}
