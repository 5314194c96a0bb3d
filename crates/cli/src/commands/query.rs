//! `throng query`: SQL on private tables.

mod show;

pub use show::talk;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use throng_query::answer::Consistency;
use throng_query::session::{Prepared, Session, Watch};

use crate::failure::Failure;
use crate::inquiry::Inquiry;
use crate::progress::Scan;
use crate::project::Project;
use crate::{confirm, output};

const EXAMPLES: &str = "\
Examples:
  throng query --policy clinic/throng.toml --yes \\
    'SELECT clinic, count(*) AS visits FROM visits GROUP BY clinic'
  throng query --policy clinic/throng.toml --yes --json 'SELECT avg(age) AS age FROM visits'
  throng query --table v=clinic/visits.parquet --unit person_id --max-groups 1 --max-rows 20 \\
    --error 'count: 500 @95%' --delta 1e-6 --yes 'SELECT count(*) AS n FROM v'
  throng query --table v=clinic/visits.parquet --unit person_id --bound cost=0..400 \\
    --max-groups 3 --max-rows 10 --epsilon 1 --delta 1e-6 --yes 'SELECT sum(cost) AS cost FROM v'";

/// Ask private tables in SQL.
///
/// What a question costs is charged to the ledger before a row is read, and cannot be undone. On a
/// terminal you are asked before; elsewhere say --yes. The same question again, on the same data,
/// gives the same answer, free.
///
/// Every number comes with an interval; exit code 4 says that the budget does not cover the question.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    inquiry: Inquiry,

    /// Spend without asking.
    #[arg(long, short)]
    yes: bool,

    /// Counts are not shown below 0.
    #[arg(long)]
    non_negative: bool,

    /// Totals equal the sums of their parts, where the question has both.
    #[arg(long)]
    consistent: bool,

    /// Print JSON: the answer with its cost.
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// How to write the answer; by the ending of --output if not given, else a table.
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// The file to write the answer to.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Leave the ends of intervals out.
    #[arg(long)]
    no_intervals: bool,

    /// Draw bars below the table; always on a terminal, for up to 30 groups.
    #[arg(long)]
    chart: bool,

    /// Draw bars with intervals into a file.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,

    // Last, for its heading in the help.
    #[command(flatten)]
    project: Project,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns.
    Table,
    /// Comma-separated values.
    Csv,
    /// The same as --json.
    Json,
    /// An Arrow IPC file.
    Arrow,
    /// A Parquet file.
    Parquet,
    /// A Markdown table.
    Markdown,
}

/// Explains, asks, pays, runs, shows.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    show::check(options)?;
    let sql = options.inquiry.sql()?;
    let session = options.project.session()?;
    let request = options.inquiry.request(session.policy())?;
    let prepared = session.prepare(&sql, &request, options.inquiry.analyst())?;
    confirm(options, &session, &prepared)?;
    let scan = Arc::new(Scan::new());
    let shared = Arc::clone(&scan);
    let watch: Watch = Arc::new(move |progress| shared.at(progress.share));
    let reply = session.ask(prepared, options.consistency(), &watch);
    scan.done();
    show::show(options, &request, &reply?)
}

/// Nothing is spent unless somebody agreed; what is stored is free.
fn confirm(options: &Options, session: &Session, prepared: &Prepared) -> Result<(), Failure> {
    let receipt = match prepared.receipt() {
        None => return Ok(()),
        Some(receipt) => receipt.map_err(|error| Failure::from(error.clone()))?,
    };
    if options.yes {
        return Ok(());
    }
    for warning in &prepared.explanation().warnings {
        output::talk(&format!("warning: {warning}\n"));
    }
    confirm::spending(&receipt.cost, &session.books().remaining(options.inquiry.analyst())?)
}

impl Options {
    fn consistency(&self) -> Consistency {
        Consistency {
            non_negative: self.non_negative,
            totals: self.consistent,
            ..Consistency::default()
        }
    }
}
