//! A program under audit.

use std::time::Duration;

use throng_audit::pairs::{self, AtPair};
use throng_audit::{Claim, Command, Effort, Outcomes, Report, Target, Witness, World, audit};

use super::{Options, witness};
use crate::failure::Failure;
use crate::progress::Trials;

/// Runs in each world at most, if nothing is said.
const MOST: u64 = 1_000_000;
/// Runs in each world for a witness that is counted again, if nothing is said.
const AGAIN: u64 = 100_000;

/// Audits the command, with a bar on a terminal.
pub(super) fn audited(
    options: &Options,
    claim: &Claim,
    asked: &audit::Options,
) -> Result<(Report, Option<usize>), Failure> {
    let mut target = target(options)?;
    if let Some(known) = witness::given(options)? {
        let runs = options.runs.or(options.most).unwrap_or(AGAIN);
        let [zero, one] = outcomes(&mut target, runs)?;
        let Witness { event, likelier_in, .. } = known;
        return Ok((audit::confirm(claim, &event, likelier_in, [&zero, &one], asked)?, None));
    }
    let effort = effort(options).unwrap_or(Effort::UntilRefuted(MOST));
    if options.pairs.is_some() {
        let bar = Trials::new();
        let mut watch = |progress: audit::Progress| {
            bar.at(progress.runs, progress.most, progress.evidence);
        };
        let found = pairs::audit(claim, &mut target, asked, effort, &mut watch)?;
        return Ok((found.report, Some(found.pair)));
    }
    Ok((watched(claim, &mut target, asked, effort)?, None))
}

/// How often to run, if that is said.
pub(super) fn effort(options: &Options) -> Option<Effort> {
    let exactly = options.runs.map(Effort::Runs);
    exactly.or(options.most.map(Effort::UntilRefuted))
}

/// Audits a target, with a bar on a terminal.
pub(super) fn watched(
    claim: &Claim,
    target: &mut dyn Target,
    asked: &audit::Options,
    effort: Effort,
) -> Result<Report, Failure> {
    let bar = Trials::new();
    let mut watch = |progress: audit::Progress| {
        bar.at(progress.runs, progress.most, progress.evidence);
    };
    Ok(audit::live(claim, target, asked, effort, &mut watch)?)
}

fn target(options: &Options) -> Result<Command, Failure> {
    let Some((program, arguments)) = options.command.split_first() else {
        return Err(Failure::usage("there is no command to audit", "name it after `--`"));
    };
    let seconds = Duration::try_from_secs_f64(options.timeout.nearest())
        .map_err(|_| Failure::usage("--timeout is too long", "give a few seconds"))?;
    let command = Command::new(program, arguments).with_timeout(seconds);
    Ok(match options.pairs {
        Some(pairs) => command.with_pairs(usize::try_from(pairs).unwrap_or(usize::MAX)),
        None => command,
    })
}

/// Fresh outcomes of both worlds. Pairs are not searched again: the first is taken.
fn outcomes(target: &mut Command, runs: u64) -> Result<[Outcomes; 2], Failure> {
    const BATCH: usize = 10_000;
    let mut worlds = [Outcomes::new(), Outcomes::new()];
    let runs = usize::try_from(runs).unwrap_or(usize::MAX);
    let mut target = AtPair::new(target, 0);
    for (world, outcomes) in World::BOTH.into_iter().zip(&mut worlds) {
        while outcomes.len() < runs {
            target.run(world, BATCH.min(runs - outcomes.len()), outcomes)?;
        }
    }
    Ok(worlds)
}
