//! The audit of recorded outcomes, or of a target that can be run.

mod found;
mod split;

use std::borrow::Cow;

use crate::claim::Claim;
use crate::error::unless_given_up;
use crate::explore::{Explored, Parts, explore};
use crate::gauge::{Gauge, Tally};
use crate::plan::Plan;
use crate::probe::key;
use crate::report::Report;
use crate::score::Score;
use found::Found;
pub(crate) use found::claimed;
use split::{Part, Split};

use crate::{AuditError, Event, Outcome, Outcomes, Target, World, sequential};

/// How an audit is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// One minus the largest chance that a claim that holds is said to be violated.
    pub confidence: f64,
    /// At which delta to bound epsilon.
    pub delta: f64,
    /// Whether NaN is an outcome like others; otherwise it is refused.
    pub nan_is_an_outcome: bool,
    /// Whether the worlds may have different numbers of recorded outcomes.
    pub unequal: bool,
    /// A step to whose multiples numbers are rounded first: an audit of the target as if it rounded its
    /// answers, blind to what floating-point noise gives away in low bits.
    pub grid: Option<f64>,
    /// Whether to compute the bounds and the curve, which takes longer than the verdict.
    pub bounds: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            confidence: 0.999,
            delta: 1e-5,
            nan_is_an_outcome: false,
            unequal: false,
            grid: None,
            bounds: true,
        }
    }
}

impl Options {
    /// Outcomes as the audit sees them.
    fn seen<'a>(&self, outcomes: &'a Outcomes) -> Cow<'a, Outcomes> {
        match self.grid {
            Some(step) => Cow::Owned(outcomes.rounded(step)),
            None => Cow::Borrowed(outcomes),
        }
    }

    /// The largest chance of a false alarm.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1, or delta not in [0, 1).
    pub(crate) fn level(&self) -> Result<f64, AuditError> {
        if !(self.confidence > 0.0 && self.confidence <= 1.0 - 1e-12) {
            return Err(AuditError::invalid("confidence", self.confidence, "above 0 and below 1"));
        }
        if !(0.0..1.0).contains(&self.delta) {
            return Err(AuditError::invalid("delta", self.delta, "at least 0 and below 1"));
        }
        if let Some(grid) = self.grid.filter(|grid| !(*grid > 0.0 && grid.is_finite())) {
            return Err(AuditError::invalid("the grid", grid, "above 0 and finite"));
        }
        // Rounded down: the difference of two floats this close is exact to half a unit.
        Ok((1.0 - self.confidence).next_down())
    }
}

/// When a live audit ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// After this many runs in each world.
    Runs(u64),
    /// As soon as the claim is refuted, or after this many runs in each world.
    UntilRefuted(u64),
}

/// How far a live audit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Runs so far in each world.
    pub runs: u64,
    /// At most as many.
    pub most: u64,
    /// How much of the evidence that a refutation takes is there: 1 is enough (on the scale of the
    /// logarithm). 0 in audits of fixed length.
    pub evidence: f64,
}

/// The fewest outcomes of each world that an audit works with.
pub const FEWEST: usize = 20;

/// Of a hundred outcomes so many fit scores, and so many choose among them; the rest certifies.
const FIT: u64 = 4;
const CHOOSE: u64 = 15;
/// No more outcomes of each world than this fit, or choose.
const EXPLORED: u64 = 40_000;
/// Runs of a live target at a time.
const BATCH: usize = 1 << 16;

/// Audits outcomes that were recorded before: independent runs in each of the two worlds.
///
/// # Guarantee
/// That of [`Report`].
///
/// # Errors
/// If they allow no verdict: too few, unequal in number, NaN, all the same.
pub fn recorded(
    claim: &Claim,
    worlds: [&Outcomes; 2],
    options: &Options,
) -> Result<Report, AuditError> {
    let level = options.level()?;
    check(worlds, options)?;
    let worlds = worlds.map(|outcomes| options.seen(outcomes));
    let worlds = [&*worlds[0], &*worlds[1]];
    let runs = worlds[0].len().min(worlds[1].len());
    let split = Split::of(runs);
    let select =
        |part: Part| worlds.map(|outcomes| outcomes.select(&split.places(part, outcomes.len())));
    let (fit, choose) = (select(Part::Fit), select(Part::Choose));
    let parts = Parts { fit: [&fit[0], &fit[1]], choose: [&choose[0], &choose[1]] };
    let certify = select(Part::Certify);
    let pairs = count(certify[0].len().min(certify[1].len()));
    let explored = explored(claim, &parts, pairs, level)?;
    let mut tally = Tally::new(explored.gauge.cells());
    let cells = certify.map(|outcomes| explored.gauge.read_all(&outcomes));
    tally.count([&cells[0], &cells[1]]);
    let plan = Plan::of(claim, &explored.seen, pairs, level);
    let spent = 2 * count(runs) - 2 * pairs;
    conclude(claim, &explored, &plan, &tally, spent, options)
}

/// Audits a target by running it. Outcomes that certify are counted and forgotten.
///
/// # Guarantee
/// That of [`Report`]; if it ends as soon as the claim is refuted, too.
///
/// # Errors
/// If it cannot be run, or its outcomes allow no verdict.
pub fn live(
    claim: &Claim,
    target: &mut dyn Target,
    options: &Options,
    effort: Effort,
    watch: &mut dyn FnMut(Progress),
) -> Result<Report, AuditError> {
    let level = options.level()?;
    let runs = match effort {
        Effort::Runs(runs) => runs,
        Effort::UntilRefuted(most) => {
            return sequential::until_refuted(claim, target, options, most, watch);
        }
    };
    if runs < count(FEWEST) {
        return Err(AuditError::invalid("the number of runs", runs, format!("at least {FEWEST}")));
    }
    let fit_runs = (runs * FIT / 100).clamp(1, EXPLORED);
    let choose_runs = (runs * CHOOSE / 100).clamp(1, EXPLORED);
    let pairs = runs - fit_runs - choose_runs;
    let mut done = 0;
    let mut draw = |target: &mut dyn Target, n: u64| -> Result<[Outcomes; 2], AuditError> {
        let mut worlds = [Outcomes::new(), Outcomes::new()];
        for (world, outcomes) in World::BOTH.into_iter().zip(&mut worlds) {
            run_checked(target, world, n, outcomes, options)?;
        }
        done += n;
        watch(Progress { runs: done, most: runs, evidence: 0.0 });
        Ok(worlds)
    };
    let (fit, choose) = (draw(target, fit_runs)?, draw(target, choose_runs)?);
    let parts = Parts { fit: [&fit[0], &fit[1]], choose: [&choose[0], &choose[1]] };
    let explored = explored(claim, &parts, pairs, level)?;
    let plan = Plan::of(claim, &explored.seen, pairs, level);
    let mut tally = Tally::new(explored.gauge.cells());
    let mut left = pairs;
    while left > 0 {
        let n = left.min(count(BATCH));
        let worlds = draw(target, n)?;
        let cells = worlds.map(|outcomes| explored.gauge.read_all(&outcomes));
        tally.count([&cells[0], &cells[1]]);
        left -= n;
    }
    conclude(claim, &explored, &plan, &tally, 2 * (fit_runs + choose_runs), options)
}

/// Audits recorded outcomes with an event that was chosen before they were recorded: all of them certify.
///
/// # Guarantee
/// That of [`Report`].
///
/// # Errors
/// As for [`recorded`].
pub fn confirm(
    claim: &Claim,
    event: &Event,
    likelier_in: World,
    worlds: [&Outcomes; 2],
    options: &Options,
) -> Result<Report, AuditError> {
    check(worlds, options)?;
    let cells = worlds.map(|outcomes| event.read_all(&options.seen(outcomes)));
    let mut tally = Tally::new(2);
    tally.count([&cells[0], &cells[1]]);
    let plan = Plan {
        cell: 1,
        // The event is read as cell 1, whichever world it speaks for.
        speaks_for: World::One,
        event_share: 1.0,
        bet: None,
        bet_share: 0.0,
        promise: 0.0,
    };
    let (tally, plan) = match likelier_in {
        World::One => (tally, plan),
        World::Zero => {
            // Cells the other way round, so that the event speaks for world 0.
            let mut turned = Tally::new(2);
            let flip = |cells: &Vec<u8>| -> Vec<u8> { cells.iter().map(|x| 1 - x).collect() };
            turned.count([&flip(&cells[0]), &flip(&cells[1])]);
            (turned, Plan { speaks_for: World::Zero, ..plan })
        }
    };
    let found = Found { claim, event: event.clone(), plan: &plan, tally: &tally, seen: None };
    found.report(0, options)
}

/// Runs a target and checks what it gives.
pub(crate) fn run_checked(
    target: &mut dyn Target,
    world: World,
    n: u64,
    outcomes: &mut Outcomes,
    options: &Options,
) -> Result<(), AuditError> {
    unless_given_up()?;
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    let before = outcomes.len();
    target.run(world, n, outcomes)?;
    if outcomes.len() != before + n {
        return Err(AuditError::target(
            format!("gave {} outcomes where {n} were asked", outcomes.len() - before),
            "make it give one outcome for each run",
        ));
    }
    refuse_nan(outcomes, options)?;
    if let Cow::Owned(rounded) = options.seen(outcomes) {
        *outcomes = rounded;
    }
    Ok(())
}

pub(crate) fn explored(
    claim: &Claim,
    parts: &Parts<'_>,
    pairs: u64,
    level: f64,
) -> Result<Explored, AuditError> {
    let [a, b] = parts.fit;
    let [c, d] = parts.choose;
    let all = [a, b, c, d].into_iter().flat_map(|part| (0..part.len()).filter_map(|i| part.get(i)));
    let mut keys = all.map(|one| key(&one));
    let first = keys.next();
    if keys.all(|key| Some(&key) == first.as_ref()) {
        return Err(all_the_same());
    }
    let found = explore(claim, parts, pairs, level);
    // What was explored until somebody gave up is no choice.
    unless_given_up()?;
    Ok(found.unwrap_or_else(|| blind(a)))
}

/// Where no probe tells any outcome from another, any event will do, and shows nothing.
fn blind(outcomes: &Outcomes) -> Explored {
    let entries = outcomes.get(0).map(|one| (one, 1.0)).into_iter().collect();
    let gauge = Gauge { score: Score::Table { entries, other: 0.0 }, cuts: vec![0.5] };
    Explored { seen: Tally::new(gauge.cells()), gauge }
}

fn all_the_same() -> AuditError {
    AuditError::outcomes(
        "all outcomes of both worlds are the same, so there is nothing to tell them apart by",
        "check that the target was run, on inputs that differ, with noise",
    )
}

fn check(worlds: [&Outcomes; 2], options: &Options) -> Result<(), AuditError> {
    let [zero, one] = worlds.map(Outcomes::len);
    for (world, n) in [(0, zero), (1, one)] {
        if n < FEWEST {
            return Err(AuditError::outcomes(
                format!("world {world} has {n} outcomes"),
                format!("record at least {FEWEST}; thousands are needed to refute anything"),
            ));
        }
    }
    if zero != one && !options.unequal {
        return Err(AuditError::outcomes(
            format!("the worlds have {zero} and {one} outcomes"),
            "record as many of each; if that is on purpose, say that they may be unequal",
        ));
    }
    worlds.into_iter().try_for_each(|outcomes| refuse_nan(outcomes, options))
}

fn refuse_nan(outcomes: &Outcomes, options: &Options) -> Result<(), AuditError> {
    let found = match outcomes {
        Outcomes::Integers(_) => None,
        Outcomes::Numbers(column) => column.iter().position(|x| x.is_nan()),
        Outcomes::Mixed(column) => column.iter().position(has_nan),
    };
    match found {
        Some(place) if !options.nan_is_an_outcome => Err(AuditError::outcomes(
            format!("outcome {} is not a number (NaN)", place + 1),
            "if the target can really answer NaN, say that NaN is an outcome: it may give data away",
        )),
        Some(_) | None => Ok(()),
    }
}

fn has_nan(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Number(x) => x.is_nan(),
        Outcome::List(all) | Outcome::Set(all) => all.iter().any(has_nan),
        Outcome::Nothing | Outcome::Integer(_) | Outcome::Text(_) => false,
    }
}

pub(crate) fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn conclude(
    claim: &Claim,
    explored: &Explored,
    plan: &Plan,
    tally: &Tally,
    spent: u64,
    options: &Options,
) -> Result<Report, AuditError> {
    let event = event_of(&explored.gauge, plan);
    let found = Found { claim, event, plan, tally, seen: Some(&explored.seen) };
    found.report(spent, options)
}

pub(crate) fn event_of(gauge: &Gauge, plan: &Plan) -> Event {
    gauge.event(plan.cell, plan.speaks_for)
}
