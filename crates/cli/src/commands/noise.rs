//! `throng noise`: a column of a table, with noise.

mod column;
mod show;

use clap::Args;
use throng_mechanism::{AddNoise, Neighbours, Noisy, Release, Sensitive};

use crate::arguments;
use crate::bounds::{Bounds, bounds};
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::promise::{self, Privacy};
use crate::records::Source;
use crate::released::Showing;
use column::Column;

const EXAMPLES: &str = "\
Examples:
  printf 'day,visits\\nmon,120\\n' | throng noise --column visits --keep day --epsilon 1
  printf 'day,visits\\nmon,120\\n' | throng noise --column visits --rows 2 --gdp 1/2 --json
  printf 'hours\\n7.5\\n3.25\\n' | throng noise --column hours --bounds 0,24 --epsilon 2
  printf '120\\n97\\n' | throng noise --no-header --column 1 --sensitivity 3 --zcdp 0.1";

/// Add noise to a column of a table.
///
/// Two kinds of tables. A table of counts or sums, of which one unit changes --rows numbers by at
/// most --sensitivity each: that this is so, only you can know. Or a table with one row for each
/// unit and its own number in it, clamped to --bounds: neighbours are then tables of the same
/// length. In both, how many rows there are is published.
///
/// Printed is a CSV table of the noisy column and an interval for each number; the guarantee goes to
/// stderr. A cell that is no number counts as 0 (with --bounds: as the allowed number nearest to 0).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    source: Source,

    /// How much one unit changes a number, at most; 1 if not given.
    #[arg(long, value_name = "S", value_parser = number::positive, allow_hyphen_values = true)]
    sensitivity: Option<Number>,

    /// How many numbers one unit changes, at most.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    rows: u64,

    /// Each row is a unit with a number of its own between these.
    #[arg(long, value_name = "LO,HI", value_parser = bounds, allow_hyphen_values = true, conflicts_with_all = ["sensitivity", "rows", "neighbours"])]
    bounds: Option<Bounds>,

    /// What it means that two tables differ in one unit; add-remove if not given, replace with
    /// --bounds.
    #[arg(long, value_name = "RELATION", value_parser = arguments::neighbours())]
    neighbours: Option<Neighbours>,

    /// Numbers are whole; the rule unless there are --bounds or a broken --sensitivity.
    #[arg(long)]
    integers: bool,

    /// Numbers are real, on a grid too fine to matter beside the noise.
    #[arg(long, conflicts_with = "integers")]
    reals: bool,

    /// Numbers are multiples of this power of two, such as 2^-10.
    #[arg(long, value_name = "STEP", value_parser = arguments::grid, allow_hyphen_values = true, conflicts_with_all = ["integers", "reals"])]
    grid: Option<throng_mechanism::Grid>,

    #[command(flatten)]
    privacy: Privacy,

    /// Columns to publish as they are, WITHOUT protection; no other column is carried over.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    keep: Vec<String>,

    #[command(flatten)]
    showing: Showing,
}

/// What is read of the table: the private column, and what is published as it is.
struct Table {
    numbers: Sensitive<Vec<i64>>,
    kept: Vec<Vec<Vec<u8>>>,
}

/// Builds the mechanism, reads, releases, shows.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let asked = options.privacy.asked()?;
    let column = Column::of(options, &asked)?;
    let mechanism = AddNoise::new(column.noise(&asked)?);
    let Table { numbers, kept } = options.read(&column)?;
    let release: Release<Noisy> = promise::release(&mechanism, &numbers)?;
    show::show(options, &asked, &column, &release, &kept)
}

impl Options {
    fn read(&self, column: &Column) -> Result<Table, Failure> {
        let kept = self.keep.iter().map(String::as_str);
        let names: Vec<&str> = std::iter::once(self.source.column()).chain(kept).collect();
        let rows = self.source.open(&names)?;
        if let Some((private, public)) = rows.columns().split_first()
            && public.contains(private)
        {
            return Err(Failure::usage(
                format!("--keep would publish the column `{}` without noise", self.source.column()),
                "leave it out of --keep",
            ));
        }
        let (mut numbers, mut kept) = (Vec::new(), Vec::new());
        rows.for_each(|cells| {
            if let Some((private, public)) = cells.split_first() {
                numbers.push(column.steps(private));
                kept.push(public.iter().map(|cell| cell.to_vec()).collect());
            }
        })?;
        Ok(Table { numbers: Sensitive::new(numbers), kept })
    }
}
