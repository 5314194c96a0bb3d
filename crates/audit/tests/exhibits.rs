//! The auditor and its zoo: every broken mechanism is refuted, no mended twin is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::time::Instant;

use throng_audit::exhibits::{Exhibit, exhibits};
use throng_audit::{Claim, Effort, Options, Orientation, Report, Target, Verdict, audit};

fn examine(exhibit: &Exhibit, target: &mut dyn Target, confidence: f64) -> Report {
    let claim = Claim::parse(exhibit.claim, exhibit.neighbours, Orientation::Either).unwrap();
    let options = Options {
        confidence,
        nan_is_an_outcome: exhibit.gives_nan(),
        bounds: false,
        ..Options::default()
    };
    audit::live(&claim, target, &options, Effort::Runs(exhibit.runs), &mut |_| ())
        .unwrap_or_else(|error| panic!("{}: {error}", exhibit.name))
}

fn say(exhibit: &Exhibit, which: &str, report: &Report, since: Instant) {
    let witness = report.witness.as_ref().map_or("", |witness| &witness.text);
    let short: String = witness.chars().take(90).collect();
    println!(
        "{:36} {which:6} {:>9} runs  {:12?} p {:8.1e}  {:5.2} s  {short}",
        exhibit.name,
        exhibit.runs,
        report.verdict,
        report.p_value,
        since.elapsed().as_secs_f64(),
    );
}

#[test]
fn broken_mechanisms_are_refuted() {
    let mut missed = Vec::new();
    for exhibit in exhibits() {
        let since = Instant::now();
        let report = examine(&exhibit, &mut *exhibit.broken(11), 0.999);
        say(&exhibit, "broken", &report, since);
        if report.verdict != Verdict::Violated {
            missed.push(exhibit.name);
        }
    }
    assert!(missed.is_empty(), "not refuted: {missed:?}");
}

#[test]
fn mended_twins_are_not_refuted() {
    let mut accused = Vec::new();
    for exhibit in exhibits() {
        let Some(mut twin) = exhibit.mended(12) else { continue };
        let since = Instant::now();
        let report = examine(&exhibit, &mut *twin, 1.0 - 1e-6);
        say(&exhibit, "mended", &report, since);
        if report.verdict != Verdict::NotViolated {
            accused.push(exhibit.name);
        }
    }
    assert!(accused.is_empty(), "refuted: {accused:?}");
}
