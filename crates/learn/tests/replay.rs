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
    unreachable_pub,
    reason = "tests may fail, issue permits that nobody paid for, and share what not all of them use"
)]

#[path = "replay/mutants.rs"]
mod mutants;
#[path = "replay/tally.rs"]
pub(crate) mod tally;

use crate::audited::tables::{Record, company, hostile, table};
use crate::audited::{Subject, Wanted, cases};
use tally::{Closest, stated, told};
use throng_audit::Outcome;
use throng_audit::replay::{Claimed, Recorder, Tape, Trace, Watch, compare};
use throng_learn::any::{KINDS, Table};
use throng_mechanism::Neighbours;
use throng_sample::SeededEntropy;

/// What each is asked for: little noise, so that it goes on as it does on many records.
const fn size(wanted: Wanted) -> f64 {
    match wanted {
        Wanted::Pure | Wanted::Approximate => 20.0,
        Wanted::Gaussian => 3.0,
    }
}

/// Whether it is there for a guarantee, at the least.
fn is_offered(title: &str, wanted: Wanted, under: Neighbours) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| title.contains(word));
    let by_relation = match under {
        Neighbours::AddRemove => true,
        Neighbours::Replace | Neighbours::ZeroOut => !is(&["network", "segment", "objective"]),
    };
    let by_target = match wanted {
        // Noise that is Gaussian has no epsilon alone.
        Wanted::Pure => {
            let gaussian = ["gradient", "kernel", "objective", "boosting", "network", "image"];
            !is(&gaussian) && !is(&["k-means", "pca", "segment", "correlated"])
        }
        Wanted::Approximate => true,
        Wanted::Gaussian => !is(&["functional", "objective", "synthetic"]),
    };
    by_relation && by_target
}

/// What the replay cannot follow.
///
/// *Objective perturbation* hides a record by the random term of its objective: minima of neighbours are far
/// apart, and the noise on top is for what is left between them and the point found. Its proof is in
/// `src/erm/objective.rs`, and `audit.rs` tries it. *A search* tosses its coins for records before it draws how
/// many fits there are: one record more is another number of fits on the same tape. So it is replayed
/// for records that are replaced.
fn is_followed(title: &str, under: Neighbours) -> bool {
    !title.contains("objective") && (title != "search" || under == Neighbours::Replace)
}

/// Whether each noise is told of what moves by all together, so that only what is measured adds up: steps that are
/// correlated, counts of which a record is in one, fits that are not all paid for.
fn is_shared(title: &str) -> bool {
    ["correlated", "image", "beta", "dirichlet", "search"].iter().any(|word| title.contains(word))
}

/// How close pairs come to the distance that noise is made for: that of the noise for which they come least
/// close. Noise for less would be found out.
fn reached(title: &str, under: Neighbours) -> f64 {
    let far = under == Neighbours::AddRemove;
    match title {
        // A record that is quite wrong has a slope of 1; its own pull prevents that.
        "logistic, output" => 0.15,
        "svm, output" => 0.2,
        // A block's centres go where most of its records are.
        "k-means, blocks" => 0.4,
        // Each step has its part of what all of them move.
        _ if title.contains("correlated") => 0.1,
        // Small images have next to nothing at most scales.
        "image-classifier" => 0.05,
        // Rows are weighed by their features, and the longest of these have no more than their share.
        "linear, moments" if far => 0.8,
        // Each layer has its share of the square, and a small network fills one only.
        "network, per layer" => 0.65,
        "network, convolution" => 0.75,
        // Scores move by at most half of what the proof allows, on so few records.
        "synthetic" => 0.2,
        _ if far => 0.85,
        // Twice the contribution is what the triangle inequality allows; few vectors turn round.
        _ => 0.4,
    }
}

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
    // A coin or a place for each record, or a choice that is made by rejection.
    let by_record = ["sampled", "image", "search", "correlated", "blocks", "synthetic"];
    let randomness = !by_record.iter().any(|word| subject.title.contains(word));
    let claimed = stated(&subject.spec, subject.under, pure).map(|cost| {
        // The sums here are in floating point.
        let cost = cost * (1.0 + 1e-9);
        if pure { Claimed::pure(cost) } else { Claimed::zcdp(cost) }
    });
    let claimed = claimed.filter(|_| subject.title != "search");
    Watch { randomness, claimed, ..Watch::default().coupled() }
}

/// Two runs with the same randomness and the same answers.
fn traces(subject: &Subject, pair: &[Table; 2], seed: u64) -> [Trace; 2] {
    let run = |table: &Table, recorder: &mut Recorder<'_>| {
        (subject.run)(table, recorder).map(|value| Outcome::Text(value.to_string()))
    };
    let mut tape = Tape::new(Box::new(SeededEntropy::new(seed)));
    tape.couple();
    pair.each_ref().map(|table| tape.record(|recorder| run(table, recorder)).unwrap())
}

/// What is wrong with a subject.
fn wrong(subject: &Subject, wanted: Wanted) -> Option<String> {
    let pure = wanted == Wanted::Pure;
    let watch = watch(subject, pure);
    let mut closest = Closest::default();
    for (seed, pair) in (1..).zip(pairs(subject)) {
        let [zero, one] = traces(subject, &pair, seed);
        if let Err(error) = &zero.outcome {
            return Some(format!("fails: {error}"));
        }
        if let Some(finding) = compare([&zero, &one], &watch).first() {
            return Some(format!("{finding}, on {pair:?}"));
        }
        let (told, stated) = (told(&zero, pure), stated(&subject.spec, subject.under, pure));
        if !is_shared(&subject.title) {
            let stated = stated.unwrap_or(f64::NAN);
            // A little less than stated: noise on a grid is described by normal noise that hides less.
            if !(told <= stated * (1.0 + 1e-9) && told > 0.85 * stated) {
                return Some(format!("its noise costs {told}, stated are {stated}"));
            }
        }
        closest = closest.max(Closest::of([&zero, &one]));
    }
    let least = reached(&subject.title, subject.under);
    (closest.least() < least).then(|| format!("pairs come no closer than {closest:?}"))
}

/// Replays all that there are for a guarantee.
fn replayed(wanted: Wanted, under: Neighbours) {
    let privacy = wanted.privacy(size(wanted), under);
    let mut failures = Vec::new();
    for case in cases() {
        let subject = match (case.make)(&privacy, true) {
            Ok(subject) => subject,
            Err(error) => {
                assert!(!is_offered(case.title, wanted, under), "{}: {error}", case.title);
                continue;
            }
        };
        if is_followed(case.title, under) {
            let found = wrong(&subject, wanted);
            failures.extend(found.map(|what| format!("{}: {what}", case.title)));
        }
    }
    assert!(failures.is_empty(), "{wanted:?} {under:?}\n{}", failures.join("\n"));
}

#[test]
fn for_epsilon_alone_a_record_more() {
    replayed(Wanted::Pure, Neighbours::AddRemove);
}

#[test]
fn for_epsilon_alone_another_record() {
    replayed(Wanted::Pure, Neighbours::Replace);
}

#[test]
fn for_epsilon_and_delta_a_record_more() {
    replayed(Wanted::Approximate, Neighbours::AddRemove);
}

#[test]
fn for_epsilon_and_delta_another_record() {
    replayed(Wanted::Approximate, Neighbours::Replace);
}

#[test]
fn for_gaussian_privacy_a_record_more() {
    replayed(Wanted::Gaussian, Neighbours::AddRemove);
}

#[test]
fn for_gaussian_privacy_another_record() {
    replayed(Wanted::Gaussian, Neighbours::Replace);
}

#[test]
fn every_kind_is_replayed() {
    for kind in KINDS {
        assert!(cases().iter().any(|case| case.title.split(',').next() == Some(kind.name)));
    }
}
