//! Everything that learns under the auditor: a record that stands out is added to a few (or replaced by its
//! opposite), and what is given away about it is held against the guarantee.
//!
//! Nothing here is refuted, with a chance of a false alarm below 1e-6 for all tests together: 1e-8 for each of
//! less than a hundred audits. And nothing here would pass if it were much less private than it says: the same
//! fits refute a claim of half the privacy parameter, or of the share that [`seen`] states, with the
//! reason. The settings are small, so that one record shows; what the replay sees of larger ones is exact
//! (`replay.rs`).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    dead_code,
    unreachable_pub,
    reason = "tests may fail, issue permits that nobody paid for, and share what not all of them use"
)]

use crate::audited::tables::{Record, table};
use crate::audited::{Case, Subject, Wanted, cases};
use serde_json::Value;
use throng_account::{Accuracy, PrivacyLoss};
use throng_audit::{Claim, Options, Orientation, Outcome, Outcomes, Verdict, audit};
use throng_learn::any::KINDS;
use throng_mechanism::Neighbours;
use throng_sample::SeededEntropy;

/// Fits in each world; and those before them that only choose what to look at.
fn effort(title: &str) -> (usize, usize) {
    match title {
        // Some milliseconds each.
        "image-classifier" => (500, 80),
        "network, convolution" => (600, 100),
        _ => (2400, 150),
    }
}

/// The chance of a false alarm in one audit.
const FALSE_ALARM: f64 = 1e-8;
/// What all learners are asked for: much, so that a defect of a factor shows in few fits.
const fn size(wanted: Wanted) -> f64 {
    match wanted {
        Wanted::Pure => 6.0,
        Wanted::Approximate => 20.0,
        Wanted::Gaussian => 3.0,
    }
}

/// The share of the privacy parameter whose claim these fits refute, with something to spare; none if they show
/// nothing. Less than a half where a model shows less of the canary than its noise is made for.
fn seen(title: &str, wanted: Wanted, under: Neighbours) -> Option<f64> {
    let share = match (title, wanted) {
        // Two thousand fits show a likelihood ratio of a hundred at most, less than epsilon allows.
        ("forest, disjoint", Wanted::Pure) => 0.2,
        ("beta-bernoulli" | "dirichlet-categorical", Wanted::Pure) => 0.3,
        ("linear, moments", Wanted::Pure) => 0.02,
        (_, Wanted::Pure) if title != "linear, functional" => 0.4,
        ("linear, moments", _) if under == Neighbours::Replace => 0.1,
        // The canary is in one of two trees, or far from the ends of a line that its noise is made for.
        ("boosting-regression" | "forest, disjoint" | "scaler", _) => 0.4,
        // The model is a quotient of sums, or its weights; or a number that is not there often.
        ("linear, moments" | "naive-bayes" | "network, flat" | "network, adaptive", _) => 0.3,
        ("network-regression, flat" | "network-regression, correlated", _) => 0.3,
        ("svm, output" | "bounds" | "synthetic", _) => 0.3,
        // Noise is for several sums of which the model shows few.
        ("boosting" | "forest-regression, disjoint" | "pca", _) => 0.2,
        ("logistic, gradient" | "svm, gradient", _) => 0.2,
        // Its own pull leaves a record little slope; random features; a mean of blocks; small images.
        ("logistic, output" | "svm, kernel" | "svm, objective", _) => 0.1,
        ("k-means, blocks", _) => 0.1,
        ("image-classifier", _) => 0.03,
        // Starts and batches are drawn at random, or the cost of a search is that of the worst number of fits.
        ("network, per layer" | "network, sampled" | "network-regression, sampled", _) => 0.05,
        ("search", _) => 0.05,
        ("descent with correlated noise" | "logistic, objective" | "linear, functional", _) => 0.05,
        ("network, convolution", _) => 0.01,
        // Four records are no cluster: its noise hides all of them.
        ("k-means, sketch", _) => return None,
        _ => 0.5,
    };
    // Twice the contribution is what noise is made for; the canary and its opposite differ by less.
    Some(if under == Neighbours::Replace { 0.5 * share } else { share })
}

/// Three records in the middle, and in the second world the canary in a corner, labelled like nobody else;
/// under replace it takes the place of its opposite.
fn worlds(subject: &Subject) -> [Vec<Record>; 2] {
    let columns = subject.columns;
    let few = vec![(vec![0.5; columns], 0.0); 3];
    let with = |value: f64| {
        let last = (vec![value; columns], value);
        few.iter().cloned().chain([last]).collect()
    };
    match subject.under {
        Neighbours::Replace => [with(0.0), with(1.0)],
        Neighbours::AddRemove | Neighbours::ZeroOut => [few.clone(), with(1.0)],
    }
}

/// All numbers that are shown; nothing where there is none.
fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.push(number.as_f64().unwrap()),
        Value::Array(members) => members.iter().for_each(|member| numbers(member, found)),
        Value::Object(members) => members.values().for_each(|member| numbers(member, found)),
        Value::Null => found.push(f64::NAN),
        Value::Bool(_) | Value::String(_) => {}
    }
}

/// So many runs in each world.
fn runs(subject: &Subject, runs: usize, seed: u64) -> [Vec<Vec<f64>>; 2] {
    let mut entropy = SeededEntropy::new(seed);
    worlds(subject).map(|records| {
        let data = table(subject.task, subject.columns, &records);
        let mut one = || {
            let mut found = Vec::new();
            numbers(&(subject.run)(&data, &mut entropy).unwrap(), &mut found);
            found
        };
        (0..runs).map(|_| one()).collect()
    })
}

/// A number kept within reach, so that means exist.
fn tamed(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.signum() * x.abs().ln_1p() }
}

/// The direction in which the worlds differ: for each number the difference of its means over its variance.
struct Direction(Vec<f64>);

impl Direction {
    fn of(pilots: &[Vec<Vec<f64>>; 2]) -> Self {
        let most = pilots.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let weight = |place: usize| {
            let moments = |runs: &Vec<Vec<f64>>| {
                let column: Vec<f64> =
                    runs.iter().filter_map(|run| run.get(place)).map(|x| tamed(*x)).collect();
                let size = f64::from(u32::try_from(column.len()).unwrap()).max(1.0);
                let mean = column.iter().sum::<f64>() / size;
                (mean, column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / size)
            };
            let ((a, v), (b, w)) = (moments(&pilots[0]), moments(&pilots[1]));
            if v + w > 1e-18 { (b - a) / (v + w) } else { 0.0 }
        };
        Self((0..most).map(weight).collect())
    }

    /// How far along a run is, and its first numbers as they are.
    fn seen(&self, run: &[f64]) -> Outcome {
        let along = run.iter().zip(&self.0).map(|(x, weight)| tamed(*x) * weight).sum();
        let first = run.iter().take(12).copied();
        Outcome::List(std::iter::once(along).chain(first).map(Outcome::Number).collect())
    }
}

/// What is looked at, in both worlds.
fn outcomes(subject: &Subject, seed: u64) -> [Outcomes; 2] {
    let (fits, pilots) = effort(&subject.title);
    let direction = Direction::of(&runs(subject, pilots, seed));
    runs(subject, fits, seed + 1).map(|runs| {
        let mut outcomes = Outcomes::default();
        runs.iter().for_each(|run| outcomes.push(direction.seen(run)));
        outcomes
    })
}

fn claim(subject: &Subject) -> Claim {
    let (spec, under) = (&subject.spec, subject.under);
    if !spec.to_string().contains("sampled") {
        return Claim::of_spec(spec, under, Orientation::Either).unwrap();
    }
    let loss = PrivacyLoss::of_spec(spec, under, Accuracy { width: 1e-2 }).unwrap();
    let pairs = [0.0, 0.5, 1.0, 2.0].map(|epsilon| (epsilon, loss.delta(epsilon).unwrap().upper));
    Claim::of_pairs(&spec.to_string(), &pairs).unwrap()
}

fn is_refuted(claim: &Claim, worlds: &[Outcomes; 2]) -> bool {
    let confidence = 1.0 - FALSE_ALARM;
    let options =
        Options { confidence, nan_is_an_outcome: true, bounds: false, ..Options::default() };
    let report = audit::recorded(claim, [&worlds[0], &worlds[1]], &options).unwrap();
    report.verdict == Verdict::Violated
}

/// Audits one for a guarantee: it is not refuted, and would be if it claimed the share that is seen.
fn audited(case: &Case, wanted: Wanted, under: Neighbours, seed: u64) -> Result<(), String> {
    let make = |size: f64| {
        let subject = (case.make)(&wanted.privacy(size, under), false);
        subject.unwrap_or_else(|error| panic!("{}: {error}", case.title))
    };
    let subject = make(size(wanted));
    let worlds = outcomes(&subject, seed);
    let title = format!("{} ({wanted:?}, {under:?})", case.title);
    if is_refuted(&claim(&subject), &worlds) {
        return Err(format!("{title} is less private than it says"));
    }
    match seen(case.title, wanted, under) {
        Some(share) if !is_refuted(&claim(&make(size(wanted) * share)), &worlds) => {
            Err(format!("{title}: a claim of {share} of the truth passes"))
        }
        Some(_) | None => Ok(()),
    }
}

/// What is asked for of a case: Gaussian privacy, where it can be had.
fn usual(title: &str) -> Wanted {
    match title {
        // Gaussian noise on whole counts is never below two steps, which hides more than is asked for.
        "beta-bernoulli" | "dirichlet-categorical" | "normal-mean" | "gamma-poisson" => {
            Wanted::Pure
        }
        "linear, functional" => Wanted::Pure,
        "logistic, objective" | "svm, objective" | "synthetic" => Wanted::Approximate,
        _ => Wanted::Gaussian,
    }
}

fn all_audited(audits: impl Iterator<Item = (Case, Wanted, Neighbours)>) {
    let failures: Vec<String> = (1..)
        .zip(audits)
        .filter_map(|(seed, (case, wanted, under))| {
            audited(&case, wanted, under, 1000 * seed).err()
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every eighth case, for adding or removing a record.
fn part(of: usize) {
    let cases = cases().into_iter().skip(of).step_by(8);
    all_audited(cases.map(|case| {
        let wanted = usual(case.title);
        (case, wanted, Neighbours::AddRemove)
    }));
}

macro_rules! parts {
    ($($name:ident: $part:literal,)*) => {
        $(#[test]
        fn $name() {
            part($part);
        })*
    };
}

parts! {
    part_0_holds_and_no_share_of_it: 0,
    part_1_holds_and_no_share_of_it: 1,
    part_2_holds_and_no_share_of_it: 2,
    part_3_holds_and_no_share_of_it: 3,
    part_4_holds_and_no_share_of_it: 4,
    part_5_holds_and_no_share_of_it: 5,
    part_6_holds_and_no_share_of_it: 6,
    part_7_holds_and_no_share_of_it: 7,
}

fn some(titles: &[&str], wanted: Wanted, under: Neighbours) {
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| titles.contains(&case.title)).collect();
    assert_eq!(cases.len(), titles.len());
    all_audited(cases.into_iter().map(|case| (case, wanted, under)));
}

#[test]
fn records_that_are_replaced() {
    let titles = [
        "linear, moments",
        "forest, all",
        "histogram",
        "normal-mean",
        "accuracy, confusion",
        "fit",
    ];
    some(&titles, Wanted::Gaussian, Neighbours::Replace);
}

#[test]
fn epsilon_alone() {
    let titles = ["linear, moments", "forest, disjoint", "histogram", "beta-bernoulli", "accuracy"];
    some(&titles, Wanted::Pure, Neighbours::AddRemove);
}

#[test]
fn every_kind_is_audited() {
    for kind in KINDS {
        assert!(cases().iter().any(|case| case.title.split(',').next() == Some(kind.name)));
        assert!(!kind.about.is_empty() && (kind.options)().is_object(), "{}", kind.name);
    }
}
