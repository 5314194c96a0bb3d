//! `throng ledger`: what was spent on what, and whether the books are in order.

mod charges;
mod show;

pub use charges::in_json as charges;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use throng_ledger::{Depth, Kind, Ledger, Selection, Verification};
use throng_query::session;

use crate::digits::Side;
use crate::failure::Failure;
use crate::place::{self, Place};
use crate::table::Table;
use crate::{amount, confirm, output};

const EXAMPLES: &str = "\
Examples:
  throng ledger show
  throng ledger history -n 5
  throng ledger top --json
  throng ledger anchor > anchor.txt
  throng ledger verify --anchor anchor.txt
  throng ledger export --output ledger.jsonl";

/// Show and verify what was spent.
///
/// Every answer was paid for in the ledger before a row was read. Records are chained: each holds
/// the digest of the one before. An anchor names the last record; kept elsewhere, it shows whether
/// the ledger was ever set back to an older copy.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,

    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    view: View,
}

/// What to show.
#[derive(Debug, Subcommand)]
enum View {
    /// The budget, what is spent and left, per analyst; the anchor.
    Show,
    /// Read everything and check it; exit code 3 if anything is not as it was written.
    Verify(Verify),
    /// Write all records, one JSON object a line.
    Export(Export),
    /// What was asked, the newest first.
    History(History),
    /// What cost most.
    Top(Top),
    /// The anchor alone, to be kept elsewhere.
    Anchor,
    /// Record that the owner changed the policy: its budget, quotas, units, bounds or keys.
    Amend(Amend),
}

#[derive(Debug, Args)]
struct Verify {
    /// An anchor from earlier, or a file that holds it.
    #[arg(long, value_name = "TEXT|FILE")]
    anchor: Option<String>,

    /// Price every charge again as well.
    #[arg(long)]
    deep: bool,
}

#[derive(Debug, Args)]
struct Export {
    /// The file to write; stdout if not given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct History {
    /// At most so many.
    #[arg(short, value_name = "N", default_value_t = 20)]
    number: u64,

    /// Only what this analyst asked.
    #[arg(long, value_name = "NAME")]
    analyst: Option<String>,
}

#[derive(Debug, Args)]
struct Top {
    /// At most so many.
    #[arg(short, value_name = "N", default_value_t = 10)]
    number: u64,
}

#[derive(Debug, Args)]
struct Amend {
    /// Record it without asking.
    #[arg(long, short)]
    yes: bool,
}

/// Shows one view of the ledger.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match &options.view {
        View::Show => show::show(&options.place.open()?, options.json),
        View::Verify(how) => verify(options, how),
        View::Export(how) => export(&options.place.open()?, how),
        View::History(which) => {
            let selection = Selection {
                analyst: which.analyst.clone(),
                before: None,
                limit: Some(which.number),
            };
            charges::show(&options.place.open()?.history(&selection)?, options.json)
        }
        View::Top(which) => {
            let many = usize::try_from(which.number).unwrap_or(usize::MAX);
            charges::show(&options.place.open()?.top(many)?, options.json)
        }
        View::Anchor => anchor(&options.place.open()?, options.json),
        View::Amend(how) => amend(options, how),
    }
}

fn anchor(ledger: &Ledger, as_json: bool) -> Result<(), Failure> {
    let anchor = ledger.anchor()?.to_string();
    if as_json {
        return output::json(&json!({ "schema": output::SCHEMA, "anchor": anchor }));
    }
    output::answer(&format!("{anchor}\n"))
}

/// Puts the charter of the policy into force; what is spent stays spent.
fn amend(options: &Options, how: &Amend) -> Result<(), Failure> {
    let policy = options.place.policy()?;
    let ledger = options.place.open()?;
    let (old, new) = (ledger.charter()?, session::charter(&policy));
    if old == new {
        output::talk("the ledger is of this policy already\n");
        return Ok(());
    }
    if !how.yes {
        confirm::agreed(&format!(
            "Change the budget from {} to {}, and the policy to {}? Everybody will see it in the ledger.",
            amount::words(&old.capacity, Side::Down),
            amount::words(&new.capacity, Side::Down),
            policy.source.display()
        ))?;
    }
    ledger.amend(&new)?;
    show::show(&ledger, options.json)
}

fn verify(options: &Options, how: &Verify) -> Result<(), Failure> {
    let path = options.place.path()?;
    let anchor = how.anchor.as_deref().map(place::anchor).transpose()?;
    let depth = if how.deep { Depth::Prices } else { Depth::Sums };
    let found = Ledger::inspect(&path, anchor.as_ref(), depth)?;
    if options.json {
        return output::json(&verified(&found));
    }
    let mut table = Table::new(["the ledger is in order", ""]);
    for (kind, many) in counts(&found) {
        table.row([kind, &many.to_string()]);
    }
    table.row(["spent", &amount::words(&found.spent, Side::Up)]);
    table.row(["budget", &amount::words(&found.capacity, Side::Down)]);
    table.row(["anchor", &found.anchor.to_string()]);
    output::answer(&table.render(output::paint()))
}

fn counts(found: &Verification) -> [(&'static str, u64); 5] {
    [
        ("records", found.records),
        ("charges", found.charges),
        ("releases", found.releases),
        ("facts", found.facts),
        ("amendments", found.amendments),
    ]
}

fn verified(found: &Verification) -> serde_json::Value {
    let mut answer = json!({
        "schema": output::SCHEMA,
        "ok": true,
        "spent": amount::json(&found.spent, Side::Up),
        "budget": amount::json(&found.capacity, Side::Down),
        "anchor": found.anchor.to_string(),
    });
    if let Some(answer) = answer.as_object_mut() {
        answer.extend(counts(found).map(|(kind, many)| (kind.to_owned(), many.into())));
    }
    answer
}

fn export(ledger: &Ledger, how: &Export) -> Result<(), Failure> {
    let Some(path) = &how.output else {
        let _ = ledger.export(BufWriter::new(io::stdout().lock()))?;
        return Ok(());
    };
    let unwritable = |error: io::Error| {
        Failure::usage(
            format!("{} cannot be written: {error}", path.display()),
            "name a new file in a folder that can be written to",
        )
    };
    let file = File::options().write(true).create_new(true).open(path).map_err(unwritable)?;
    let many = ledger.export(BufWriter::new(file))?;
    output::talk(&format!("{many} records written to {}\n", path.display()));
    Ok(())
}

/// The names of kinds of records in the plural.
pub(super) fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Charter => "charters",
        Kind::Charge => "charges",
        Kind::Release => "releases",
        Kind::Fact => "facts",
        Kind::Amendment => "amendments",
    }
}
