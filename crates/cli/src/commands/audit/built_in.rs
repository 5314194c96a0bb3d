//! Targets that come with the command: the zoo of broken mechanisms, and mechanisms acted out.

use throng_audit::exhibits::{Exhibit, exhibit, exhibits};
use throng_audit::simulation::Simulation;
use throng_audit::{Claim, Effort, Report, Target, audit};

use super::{Options, live};
use crate::failure::Failure;
use crate::table::Table;
use crate::{expression, output};

/// Exhibits and simulations roll the same dice each time, so that what was seen can be seen again.
const SEED: u64 = 1;

/// Runs of a simulation in each world at most, if nothing is said.
const MOST: u64 = 200_000;

/// Lists the zoo.
pub(super) fn list() -> Result<(), Failure> {
    let mut table = Table::new(["exhibit", "pretends to be", "claim"]);
    for one in exhibits() {
        table.row([one.name, one.title, one.claim]);
    }
    output::answer(&table.render(output::paint()))?;
    output::talk(
        "throng audit --exhibit NAME audits one of them; with --mended its correct twin\n",
    );
    Ok(())
}

/// The exhibit that was named.
pub(super) fn named(name: &str) -> Result<Exhibit, Failure> {
    exhibit(name).ok_or_else(|| {
        let hint = "throng audit --exhibits lists them";
        Failure::usage(format!("there is no exhibit {name:?}"), hint)
    })
}

/// Audits an exhibit, or its twin, on as many runs as it takes.
pub(super) fn audit_exhibit(
    options: &Options,
    exhibit: &Exhibit,
    claim: &Claim,
    asked: &audit::Options,
) -> Result<Report, Failure> {
    let mut target = if options.mended {
        exhibit.mended(SEED).ok_or_else(|| {
            let hint = "audit it without --mended";
            Failure::usage(format!("{} has no correct twin", exhibit.name), hint)
        })?
    } else {
        exhibit.broken(SEED)
    };
    output::talk(&format!("{}: {}\n", exhibit.name, exhibit.title));
    let why = if options.mended { exhibit.cure } else { exhibit.flaw };
    output::talk(&format!("{why}\n{}\n\n", exhibit.reference));
    let asked = audit::Options {
        nan_is_an_outcome: asked.nan_is_an_outcome || exhibit.gives_nan(),
        ..*asked
    };
    let effort = live::effort(options).unwrap_or(Effort::Runs(exhibit.runs));
    live::watched(claim, &mut *target, &asked, effort)
}

/// Acts a mechanism out and audits it.
pub(super) fn audit_simulation(
    options: &Options,
    text: &str,
    claim: &Claim,
    asked: &audit::Options,
) -> Result<Report, Failure> {
    let spec = expression::spec(text)?;
    let mut target: Box<dyn Target> = Box::new(Simulation::of(&spec, options.neighbours, SEED)?);
    let effort = live::effort(options).unwrap_or(Effort::UntilRefuted(MOST));
    live::watched(claim, &mut *target, asked, effort)
}
