//! `throng histogram`: rows counted by key.

mod keys;
mod show;

use clap::{Args, ValueEnum};
use throng_mechanism::contribution::{ByUnit, Contributions, Layout, Rows};
use throng_mechanism::{Neighbours, Sensitive};

use crate::arguments::{self, Format};
use crate::failure::Failure;
use crate::promise::{Asked, Privacy};
use crate::records::Source;
use crate::released::Showing;
use keys::Counting;

const EXAMPLES: &str = "\
Examples:
  printf 'ward\\nA\\nB\\nA\\n' | throng histogram --column ward --keys A,B,C --epsilon 1
  printf 'ward\\nA\\nB\\nA\\n' | throng histogram --column ward --epsilon 1 --delta 1e-6
  printf 'who,at\\nann,x\\nbob,x\\n' | throng histogram --column at --unit who --keys x,y --epsilon 1
  printf 'ward\\nA\\nB\\n' | throng histogram --column ward --keys A,B --gdp 1/2 --json";

/// Count the rows of a column by key.
///
/// With --keys the keys are public: each is shown, also if it has no rows, and rows of other keys
/// are left out. Without it the keys are private, too: those with a noisy count below a threshold
/// are not shown, which takes a --delta.
///
/// A row is a unit of its own; with --unit a unit has several rows, of which --max-keys keys and
/// --max-rows rows for each are counted, chosen at random. Keys are taken without spaces around.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    source: Source,

    /// The column that says whose row it is; without it, each row is a unit.
    #[arg(long, value_name = "NAME")]
    unit: Option<String>,

    /// Of one unit at most so many keys are counted.
    #[arg(long, value_name = "L0", default_value_t = 1, requires = "unit", value_parser = clap::value_parser!(u64).range(1..))]
    max_keys: u64,

    /// Of one unit at most so many rows are counted for each key.
    #[arg(long, value_name = "LINF", default_value_t = 1, requires = "unit", value_parser = clap::value_parser!(u64).range(1..))]
    max_rows: u64,

    /// The keys, if they are public.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',')]
    keys: Vec<String>,

    /// A file of public keys, one in a line.
    #[arg(long, value_name = "FILE", conflicts_with = "keys")]
    keys_file: Option<String>,

    #[command(flatten)]
    privacy: Privacy,

    /// The noise for private keys; the one with the lower threshold if not given.
    #[arg(long, value_enum, conflicts_with_all = ["keys", "keys_file"])]
    noise: Option<NoiseName>,

    /// What it means that two tables differ in one unit.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,

    /// The order of the rows.
    #[arg(long, value_enum, default_value_t = Order::Key)]
    sort: Order,

    /// Draw bars; always on a terminal.
    #[arg(long)]
    plot: bool,

    /// How to print the counts.
    #[arg(long, value_enum, default_value_t = Format::Table, conflicts_with = "json")]
    format: Format,

    #[command(flatten)]
    showing: Showing,
}

/// A law of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoiseName {
    /// Better where a unit has few keys.
    Laplace,
    /// Better where a unit has many keys.
    Gaussian,
}

/// The order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// By key.
    Key,
    /// By noisy count, the largest first.
    Count,
}

/// A key or a unit as it is in the file.
type Name = Vec<u8>;

/// Builds the mechanism, reads, releases, shows.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let asked = options.privacy.asked()?;
    match &options.unit {
        None => with_layout(options, &asked, || Rows, || read_keys(options)),
        Some(unit) => {
            let bounds = Contributions::of(options.max_keys, options.max_rows)?;
            let layout = || ByUnit::<Name>::of(bounds);
            with_layout(options, &asked, layout, || read_units(options, unit))
        }
    }
}

fn with_layout<L: Layout<Name>>(
    options: &Options,
    asked: &Asked<'_>,
    layout: impl Fn() -> L,
    read: impl FnOnce() -> Result<Sensitive<Vec<L::Row>>, Failure>,
) -> Result<(), Failure> {
    let counting = Counting::of(options, asked, layout)?;
    let release = counting.release(&read()?)?;
    show::show(options, asked, counting.threshold(), &release)
}

fn read_keys(options: &Options) -> Result<Sensitive<Vec<Name>>, Failure> {
    let mut keys = Vec::new();
    let rows = options.source.open(&[options.source.column()])?;
    rows.for_each(|cells| keys.extend(cells.iter().map(|cell| name(cell))))?;
    Ok(Sensitive::new(keys))
}

fn read_units(options: &Options, unit: &str) -> Result<Sensitive<Vec<(Name, Name)>>, Failure> {
    let mut rows = Vec::new();
    options.source.open(&[unit, options.source.column()])?.for_each(|cells| {
        if let [unit, key] = cells {
            rows.push((name(unit), name(key)));
        }
    })?;
    Ok(Sensitive::new(rows))
}

fn name(cell: &[u8]) -> Name {
    cell.trim_ascii().to_vec()
}
