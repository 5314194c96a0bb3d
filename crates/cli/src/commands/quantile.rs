//! `throng quantile`: quantiles of a column.

use clap::Args;
use serde::Serialize;
use throng_mechanism::quantile::{Quantile, Quantiles, Ranked};
use throng_mechanism::{Clamp, Grid, Neighbours, Release, Sensitive};
use throng_numeric::Rational;

use crate::arguments::{self, Format};
use crate::bounds::{Bounds, bounds};
use crate::failure::Failure;
use crate::json::Real;
use crate::number::{self, Number};
use crate::promise::{self, Asked, Errors, Promise};
use crate::records::Source;
use crate::released::{Answer, Showing, Width};
use crate::table::Table;
use crate::{cell, digits, output};

const EXAMPLES: &str = "\
Examples:
  seq 100 | throng quantile --no-header --column 1 --bounds 0,200 --epsilon 1
  seq 100 | throng quantile --no-header --column 1 --bounds 0,200 --at 0.25,0.5,0.75 --epsilon 2
  seq 100 | throng quantile --no-header --column 1 --bounds 0,200 --integers --epsilon 1 --json";

/// Find the median, or other quantiles, of a column.
///
/// Each row is a unit with a number of its own, clamped to --bounds. An answer is a number whose
/// rank among the data is about the wanted one. A cell that is no number counts as the allowed
/// number nearest to 0.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    source: Source,

    /// Numbers are clamped to these; choose them without looking at the data.
    #[arg(long, value_name = "LO,HI", value_parser = bounds, allow_hyphen_values = true)]
    bounds: Bounds,

    /// Which quantiles: parts of the data that lie below.
    #[arg(long, value_name = "Q,...", value_delimiter = ',', default_value = "0.5", value_parser = number::open_probability, allow_hyphen_values = true)]
    at: Vec<Number>,

    /// At most this epsilon, for all quantiles together.
    #[arg(long, value_name = "E", value_parser = number::positive, allow_hyphen_values = true)]
    epsilon: Number,

    /// What it means that two tables differ in one unit.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,

    /// Answers are whole numbers.
    #[arg(long)]
    integers: bool,

    /// Answers are multiples of this power of two, such as 2^-3; if not given, of at most 2^-16 of
    /// the distance of the bounds.
    #[arg(long, value_name = "STEP", value_parser = arguments::grid, allow_hyphen_values = true, conflicts_with = "integers")]
    grid: Option<Grid>,

    /// How to print the quantiles.
    #[arg(long, value_enum, default_value_t = Format::Table, conflicts_with = "json")]
    format: Format,

    #[command(flatten)]
    showing: Showing,
}

/// One quantile.
#[derive(Debug, Serialize)]
struct Line {
    at: f64,
    value: Real,
}

/// Builds the mechanism, reads, releases, shows.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let clamp = options.clamp()?;
    let mut at: Vec<&Number> = options.at.iter().collect();
    at.sort_by(|a, b| a.exact().cmp(b.exact()));
    at.dedup_by(|a, b| a.exact() == b.exact());
    let fractions: Vec<Rational> = at.iter().map(|q| q.exact().clone()).collect();
    let (epsilon, under) = (options.epsilon.exact(), options.neighbours);
    let release = if let [one] = fractions.as_slice() {
        let mechanism = Quantile::fraction(one, clamp, epsilon, under)?;
        promise::release(&mechanism, &options.read()?)?
    } else {
        let mechanism = Quantiles::new(fractions, clamp, epsilon, under)?;
        promise::release(&mechanism, &options.read()?)?
    };
    show(options, &at, &release)
}

impl Options {
    fn clamp(&self) -> Result<Clamp, Failure> {
        let (lower, upper) = (self.bounds.lower(), self.bounds.upper());
        let grid = match self.grid {
            Some(grid) => grid,
            None if self.integers => Grid::WHOLE,
            None => {
                let parts = Rational::from(1_u32 << 16);
                Grid::at_most(&(upper - lower).checked_div(&parts).unwrap_or(Rational::ONE))?
            }
        };
        Ok(Clamp::new(lower, upper, grid)?)
    }

    fn read(&self) -> Result<Sensitive<Vec<f64>>, Failure> {
        let mut numbers = Vec::new();
        let rows = self.source.open(&[self.source.column()])?;
        rows.for_each(|cells| numbers.extend(cells.iter().map(|cell| cell::real(cell))))?;
        Ok(Sensitive::new(numbers))
    }
}

fn show(options: &Options, at: &[&Number], release: &Release<Ranked>) -> Result<(), Failure> {
    let guarantee = Promise::of(release.guarantee(), &Asked::Pure(&options.epsilon))?;
    let ranked = release.value();
    let rank_error = ranked.rank_error(options.showing.confidence.up())?;
    let bars = format!(
        "at most {} ranks off, {} confidence{}",
        digits::single(rank_error, digits::Side::Up),
        options.showing.confidence.text(),
        if at.len() > 1 { " for all" } else { "" },
    );
    let errors = Errors::new(bars, ranked.uncovered());
    if options.showing.json {
        let line = |(q, value): (&&Number, f64)| Line { at: q.nearest(), value: Real(value) };
        let rows = at.iter().zip(ranked.values()).map(line).collect();
        let (column, width) =
            (options.source.column(), Width::Ranks { rank_error: Real(rank_error) });
        let answer = Answer::new(guarantee, column, &options.showing, width, &errors, rows);
        return output::json(&answer);
    }
    let rows: Vec<[String; 2]> = at
        .iter()
        .zip(ranked.values())
        .map(|(q, value)| [q.text().to_owned(), value.to_string()])
        .collect();
    guarantee.say(&errors);
    match options.format {
        Format::Table => output::answer(&table(&rows)),
        Format::Csv => output::csv(options.source.delimiter(), &csv(options, rows)),
    }
}

fn table(rows: &[[String; 2]]) -> String {
    let mut table = Table::new(["quantile", "value"]);
    for [q, value] in rows {
        table.row([q, value]);
    }
    table.render(output::paint())
}

fn csv(options: &Options, rows: Vec<[String; 2]>) -> Vec<Vec<Vec<u8>>> {
    let header = ["quantile".to_owned(), options.source.column().to_owned()];
    let all = std::iter::once(header).chain(rows);
    all.map(|row| row.map(String::into_bytes).to_vec()).collect()
}
