//! Grey-box replay: real bugs, re-created, are found on fuzzed neighbours, their originals are not
//! complained about, and neither are the mechanisms of the project.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::manual_clamp,
    reason = "tests may fail, issue permits that nobody paid for, and do what bugs did"
)]

#[path = "replay/mechanisms.rs"]
mod mechanisms;
#[path = "replay/recorder.rs"]
mod recorder;
#[path = "replay/releases.rs"]
mod releases;
#[path = "replay/selection.rs"]
mod selection;
#[path = "replay/sensitivity.rs"]
mod sensitivity;
#[path = "replay/sums.rs"]
mod sums;
#[path = "replay/units.rs"]
mod units;

use std::collections::BTreeMap;

use throng_audit::Outcome;
use throng_audit::replay::fuzz::{Fuzz, Row, Table};
use throng_audit::replay::{Declared, Draws, Finding, Number, Recorder, Tape, Watch, replay};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

type Run = fn(&Table, &mut Recorder<'_>) -> Result<Outcome, String>;

/// A bug and the same code without it.
struct Specimen {
    /// What is wrong.
    name: &'static str,
    /// Where it was reported.
    cites: &'static str,
    fuzz: Fuzz,
    original: (Run, Watch),
    mutant: (Run, Watch),
    /// What the replay has to say about the mutant.
    shows: fn(&Finding) -> bool,
}

impl Specimen {
    fn new(name: &'static str, cites: &'static str, fuzz: Fuzz, runs: [Run; 2]) -> Self {
        let [original, mutant] = runs.map(|run| (run, Watch::default()));
        let shows = |finding: &Finding| matches!(finding, Finding::InputsTooFar { .. });
        Self { name, cites, fuzz, original, mutant, shows }
    }

    fn showing(self, shows: fn(&Finding) -> bool) -> Self {
        Self { shows, ..self }
    }

    fn watched(self, original: Watch, mutant: Watch) -> Self {
        let (good, bad) = (self.original.0, self.mutant.0);
        Self { original: (good, original), mutant: (bad, mutant), ..self }
    }
}

fn tape() -> Tape {
    Tape::new(Box::new(SeededEntropy::new(20)))
}

fn specimens() -> Vec<Specimen> {
    let parts = [sums::specimens(), sensitivity::specimens(), units::specimens()];
    parts.into_iter().chain([selection::specimens(), releases::specimens()]).flatten().collect()
}

#[test]
fn mutants_are_found_and_originals_are_not_complained_about() {
    let (mut found, mut all) = (0, 0);
    for specimen in specimens() {
        let pairs = specimen.fuzz.pairs();
        let (run, watch) = &specimen.original;
        for [zero, one] in &pairs {
            let findings = replay(run, [zero, one], &mut tape(), watch).unwrap();
            assert!(findings.is_empty(), "{}: {}\n{zero:?}\n{one:?}", specimen.name, findings[0]);
        }
        let (run, watch) = &specimen.mutant;
        let shown = pairs.iter().enumerate().find_map(|(i, [zero, one])| {
            let findings = replay(run, [zero, one], &mut tape(), watch).unwrap();
            findings.into_iter().find(specimen.shows).map(|finding| (i + 1, finding))
        });
        all += 1;
        let total = pairs.len();
        match shown {
            Some((tries, finding)) => {
                found += 1;
                println!(
                    "{} ({}): pair {tries} of {total}: {finding}",
                    specimen.name, specimen.cites
                );
            }
            None => println!("{} ({}): MISSED in {total} pairs", specimen.name, specimen.cites),
        }
    }
    println!("mutation score: {found} of {all}");
    assert!(found == all && all >= 15, "{found} of {all}");
}

/// A real number to within the bounds; NaN is the lower one.
fn clamped(x: f64, lower: f64, upper: f64) -> f64 {
    if x.is_nan() { lower } else { x.clamp(lower, upper) }
}

fn exact(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

/// A sum without rounding.
fn exact_sum(numbers: impl IntoIterator<Item = f64>) -> Rational {
    numbers.into_iter().fold(Rational::ZERO, |sum, x| sum + exact(x))
}

fn sum_of(numbers: impl IntoIterator<Item = Rational>) -> Rational {
    numbers.into_iter().fold(Rational::ZERO, |sum, x| sum + x)
}

/// Noise on exact numbers, and what comes out.
fn released(
    recorder: &mut Recorder<'_>,
    label: &str,
    draws: Draws,
    declared: Declared,
    inputs: &[Rational],
) -> Result<Outcome, String> {
    let exact: Vec<Number> = inputs.iter().map(|x| x.clone().into()).collect();
    recorder.noise(label, draws, declared, &exact);
    let noisy =
        inputs.iter().map(|x| Ok(Outcome::Number(x.to_f64_nearest() + recorder.uniform()?)));
    Ok(Outcome::List(noisy.collect::<Result<_, String>>()?))
}

/// The rows of each unit, in an order of their own.
fn by_unit(table: &[Row]) -> BTreeMap<u64, Vec<&Row>> {
    let mut units: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
    for row in table {
        units.entry(row.unit).or_default().push(row);
    }
    for rows in units.values_mut() {
        rows.sort_by(|a, b| {
            a.key.cmp(&b.key).then(a.real.total_cmp(&b.real)).then(a.whole.cmp(&b.whole))
        });
    }
    units
}

/// The public keys.
fn groups() -> Vec<String> {
    (0..12).map(|g| format!("g{g}")).collect()
}

/// Rows under each of the public keys.
fn counts(table: &[Row]) -> Vec<u64> {
    let count = |key: &String| table.iter().filter(|row| row.key == *key).count() as u64;
    groups().iter().map(count).collect()
}
