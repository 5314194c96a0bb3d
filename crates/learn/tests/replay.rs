//! Grey-box replay of everything that learns: on neighbours, with the same randomness and the same answers of
//! all noise so far, what is given to noise is no further apart than it was made for, all noise together costs
//! what is stated, and what leaves is the same to the last bit.
//!
//! No statistics: a wrong sensitivity shows in a single pair. That it does is shown by mutants
//! (`replay/mutants.rs`) and by how close the pairs come to what is declared.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    dead_code,
    reason = "tests may fail, issue permits that nobody paid for, and share what not all of them use"
)]

mod audited;
#[path = "replay/mutants.rs"]
mod mutants;
#[path = "replay/tally.rs"]
mod tally;

use std::collections::BTreeSet;

use audited::tables::{Record, company, hostile, table};
use audited::{Case, RELATIONS, Subject, WANTED, Wanted, cases};
use tally::{Closest, stated, told};
use throng_audit::Outcome;
use throng_audit::replay::{Claimed, Finding, Recorder, Tape, Watch, compare};
use throng_learn::any::{KINDS, Table};
use throng_mechanism::Neighbours;
use throng_sample::SeededEntropy;

/// Those that are offered for (epsilon, delta) and Gaussian privacy only: their noise is Gaussian.
const GAUSSIAN_ONLY: [&str; 0] = [];

/// Neighbouring tables. The record that differs is the last: the tape hands out coins and places in the order of
/// the records, and those of the records that both have must be the same.
fn pairs(subject: &Subject) -> Vec<[Table; 2]> {
    let hostile = hostile(subject.columns);
    let with = |others: &[Record], last: Option<&Record>| {
        let records: Vec<Record> = others.iter().chain(last).cloned().collect();
        table(subject.task, subject.columns, &records)
    };
    let mut pairs = Vec::new();
    for others in company(subject.columns) {
        for (i, record) in hostile.iter().enumerate() {
            // One of each two far ones, or one that comes or goes.
            let other = match subject.under {
                Neighbours::Replace => hostile.get((i * 7 + 10) % hostile.len()),
                Neighbours::AddRemove | Neighbours::ZeroOut => None,
            };
            pairs.push([with(&others, other), with(&others, Some(record))]);
        }
    }
    pairs
}

/// What is watched of a subject.
fn watch(subject: &Subject, pure: bool) -> Watch {
    // A coin or a place for each record.
    let by_record = ["sampled", "image", "search", "correlated", "synthetic"];
    let randomness = !by_record.iter().any(|word| subject.title.contains(word));
    let claimed = stated(&subject.spec, subject.under, pure).map(|cost| {
        let cost = cost * (1.0 + 1e-9);
        if pure { Claimed::pure(cost) } else { Claimed::zcdp(cost) }
    });
    Watch { randomness, claimed, ..Watch::default().coupled() }
}

/// What is found on a pair, and how close it comes to what is declared.
fn found(subject: &Subject, pair: &[Table; 2], watch: &Watch) -> (Vec<Finding>, Closest, f64) {
    let run = |table: &Table, recorder: &mut Recorder<'_>| {
        (subject.run)(table, recorder).map(|value| Outcome::Text(value.to_string()))
    };
    let mut tape = Tape::new(Box::new(SeededEntropy::new(20)));
    tape.couple();
    let [zero, one] = [0, 1].map(|i| tape.record(|recorder| run(&pair[i], recorder)).unwrap());
    assert!(zero.outcome.is_ok(), "{}: {:?}", subject.title, zero.outcome);
    let closest = Closest::of([&zero, &one]);
    let pure = matches!(watch.claimed, Some(Claimed::Pure(_)));
    (compare([&zero, &one], watch), closest, told(&zero, pure))
}

/// Which subjects there are for a guarantee.
fn subjects(wanted: Wanted, under: Neighbours) -> Vec<Subject> {
    let privacy = wanted.privacy(1.0, under);
    let made = |case: &Case| match (case.make)(&privacy, true) {
        Ok(subject) => Some(subject),
        Err(error) => {
            println!(
                "REFUSED {wanted:?} {under:?} {}: {}",
                case.title,
                error.to_string().lines().next().unwrap()
            );
            None
        }
    };
    cases().iter().filter_map(made).collect()
}

fn replayed(wanted: Wanted, under: Neighbours) {
    let pure = wanted == Wanted::Pure;
    for subject in subjects(wanted, under) {
        let start = std::time::Instant::now();
        let watch = watch(&subject, pure);
        let mut closest = Closest::default();
        let mut total = 0.0;
        for pair in pairs(&subject) {
            let (findings, close, told) = found(&subject, &pair, &watch);
            if let Some(f) = findings.first() {
                println!("FOUND {}: {f} {}", subject.title, findings.len());
                break;
            }
            closest = closest.max(close);
            total = told;
        }
        let stated = stated(&subject.spec, subject.under, pure);
        println!(
            "{wanted:?} {under:?} {}: {closest:?} told {total} stated {stated:?} {:?}",
            subject.title,
            start.elapsed()
        );
    }
}

#[test]
fn pure_add_remove() {
    replayed(Wanted::Pure, Neighbours::AddRemove);
}

#[test]
fn pure_replace() {
    replayed(Wanted::Pure, Neighbours::Replace);
}

#[test]
fn approximate_add_remove() {
    replayed(Wanted::Approximate, Neighbours::AddRemove);
}

#[test]
fn approximate_replace() {
    replayed(Wanted::Approximate, Neighbours::Replace);
}

#[test]
fn gaussian_add_remove() {
    replayed(Wanted::Gaussian, Neighbours::AddRemove);
}
