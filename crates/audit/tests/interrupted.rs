//! Audits that somebody waits for can be given up, wherever they are, and are the same if nobody does.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::cell::Cell;

use throng_audit::canary::{self, Canary};
use throng_audit::simulation::Simulation;
use throng_audit::{
    AuditError, Claim, Effort, FromFn, Neighbours, Options, Orientation, Outcome, Outcomes, Report,
    Target, World, audit,
};
use throng_numeric::patience::watched;

thread_local! {
    static PATIENCE: Cell<u32> = const { Cell::new(0) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

fn stop() -> bool {
    ASKED.set(ASKED.get() + 1);
    ASKED.get() > PATIENCE.get()
}

/// Work under a watcher that gives up when it is asked for the (patience + 1)-st time; and how often it was.
fn under<T>(patience: u32, work: impl FnOnce() -> T) -> (T, u32) {
    PATIENCE.set(patience);
    ASKED.set(0);
    (watched(stop, work), ASKED.get())
}

fn claim() -> Result<Claim, AuditError> {
    Claim::parse("laplace(scale=1)", Neighbours::AddRemove, Orientation::Either)
}

fn live(effort: Effort) -> Result<Report, AuditError> {
    let spec = "laplace(scale=1)".parse().unwrap();
    let mut target = Simulation::of(&spec, Neighbours::AddRemove, 5).unwrap();
    audit::live(&claim()?, &mut target, &Options::default(), effort, &mut |_| {})
}

/// Given up after ever more questions, and in the end not at all.
fn given_up_everywhere(work: impl Fn() -> Result<Report, AuditError>) {
    let whole = work().unwrap();
    let mut patience = 0;
    loop {
        let (found, asked) = under(patience, &work);
        match found {
            Err(error) => {
                assert_eq!(error, AuditError::Interrupted);
                assert_eq!((error.to_string().as_str(), asked), ("interrupted", patience + 1));
            }
            Ok(found) => {
                assert_eq!(found, whole);
                break;
            }
        }
        patience = patience * 2 + 1;
    }
    assert!(patience > 0);
}

#[test]
fn an_audit_of_a_target_is_given_up_wherever_it_is() {
    given_up_everywhere(|| live(Effort::Runs(30_000)));
}

#[test]
fn an_audit_that_bets_is_given_up_wherever_it_is() {
    given_up_everywhere(|| live(Effort::UntilRefuted(20_000)));
}

#[test]
fn an_audit_of_recorded_outcomes_is_given_up_wherever_it_is() {
    let spec = "laplace(scale=1)".parse().unwrap();
    let mut target = Simulation::of(&spec, Neighbours::AddRemove, 5).unwrap();
    let mut worlds = [Outcomes::new(), Outcomes::new()];
    for (world, outcomes) in World::BOTH.into_iter().zip(&mut worlds) {
        target.run(world, 20_000, outcomes).unwrap();
    }
    given_up_everywhere(|| {
        audit::recorded(&claim()?, [&worlds[0], &worlds[1]], &Options::default())
    });
}

#[test]
fn canaries_are_given_up() {
    let canaries: Vec<Canary> =
        (0..2000).map(|i| Canary { score: f64::from(i % 7), included: i % 2 == 1 }).collect();
    let claim = claim().unwrap();
    let (found, _) = under(0, || canary::audit(&claim, &canaries, &canary::Options::default()));
    assert_eq!(found.unwrap_err(), AuditError::Interrupted);
}

#[test]
fn a_slow_target_is_given_up_between_two_runs() {
    let mut runs = 0;
    let (found, _) = under(2, || {
        let mut slow = FromFn::new(|_| {
            runs += 1;
            std::thread::sleep(std::time::Duration::from_millis(15));
            Outcome::Integer(0)
        });
        slow.run(World::Zero, 1_000_000, &mut Outcomes::new())
    });
    assert_eq!(found.unwrap_err(), AuditError::Interrupted);
    assert!(runs < 100, "{runs} runs");
}

#[cfg(unix)]
#[test]
fn a_silent_program_is_given_up_long_before_it_is_late() {
    let mut silent = throng_audit::Command::new("sleep", ["600"]);
    let start = std::time::Instant::now();
    let (found, _) = under(2, || silent.run(World::Zero, 10, &mut Outcomes::new()));
    assert_eq!(found.unwrap_err(), AuditError::Interrupted);
    assert!(start.elapsed().as_secs() < 20);
}
