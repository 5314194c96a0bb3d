//! The auditor and its zoo: every broken mechanism is refuted, no mended twin is, and the page about
//! them says what the code says.
//!
//! With `THRONG_BLESS=1` the page is written anew; read the difference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use throng_audit::exhibits::{Exhibit, exhibits};
use throng_audit::{Claim, Effort, Options, Orientation, Report, Target, Verdict, audit};

/// Audits exhibits, and reads each claim once.
#[derive(Default)]
struct Auditor(HashMap<String, Claim>);

impl Auditor {
    fn claim(&mut self, exhibit: &Exhibit) -> &Claim {
        let key = format!("{} {:?}", exhibit.claim, exhibit.neighbours);
        self.0.entry(key).or_insert_with(|| {
            Claim::parse(exhibit.claim, exhibit.neighbours, Orientation::Either).unwrap()
        })
    }

    fn examine(
        &mut self,
        exhibit: &Exhibit,
        target: &mut dyn Target,
        confidence: f64,
    ) -> Option<Verdict> {
        let since = Instant::now();
        let options = Options {
            confidence,
            nan_is_an_outcome: exhibit.gives_nan(),
            bounds: false,
            ..Options::default()
        };
        let effort = Effort::Runs(exhibit.runs);
        match audit::live(self.claim(exhibit), target, &options, effort, &mut |_| ()) {
            Ok(report) => {
                say(exhibit, &report, since);
                Some(report.verdict)
            }
            Err(error) => {
                println!("{:33} no verdict: {error}", exhibit.name);
                None
            }
        }
    }
}

fn say(exhibit: &Exhibit, report: &Report, since: Instant) {
    let witness = report.witness.as_ref().map_or("", |witness| &witness.text);
    let short: String = witness.chars().take(90).collect();
    println!(
        "{:33} {:>8} runs  {:11?}  p {:7.1e}  {:4.2} s  {short}",
        exhibit.name,
        exhibit.runs,
        report.verdict,
        report.p_value,
        since.elapsed().as_secs_f64(),
    );
}

#[test]
fn broken_mechanisms_are_refuted() {
    let (mut auditor, mut missed) = (Auditor::default(), Vec::new());
    for exhibit in exhibits() {
        let verdict = auditor.examine(&exhibit, &mut *exhibit.broken(11), 0.999);
        if verdict != Some(Verdict::Violated) {
            missed.push(exhibit.name);
        }
    }
    assert!(missed.is_empty(), "not refuted: {missed:?}");
}

#[test]
fn mended_twins_are_not_refuted() {
    let (mut auditor, mut accused) = (Auditor::default(), Vec::new());
    for exhibit in exhibits() {
        let Some(mut twin) = exhibit.mended(12) else { continue };
        let verdict = auditor.examine(&exhibit, &mut *twin, 1.0 - 1e-6);
        if verdict != Some(Verdict::NotViolated) {
            accused.push(exhibit.name);
        }
    }
    assert!(accused.is_empty(), "refuted: {accused:?}");
}

#[test]
#[ignore = "takes minutes: make long"]
fn other_seeds_do_not_change_the_verdict() {
    let (mut auditor, mut missed, mut accused) = (Auditor::default(), Vec::new(), Vec::new());
    for seed in 100..106 {
        for exhibit in exhibits() {
            let verdict = auditor.examine(&exhibit, &mut *exhibit.broken(seed), 0.999);
            if verdict != Some(Verdict::Violated) {
                missed.push((exhibit.name, seed));
            }
            let Some(mut twin) = exhibit.mended(seed) else { continue };
            if auditor.examine(&exhibit, &mut *twin, 0.999) == Some(Verdict::Violated) {
                accused.push((exhibit.name, seed));
            }
        }
    }
    assert!(missed.is_empty(), "not refuted: {missed:?}");
    // Half a false alarm is expected among 500 twins; more than four have a chance of 2e-4.
    assert!(accused.len() <= 4, "refuted: {accused:?}");
}

/// The page about the exhibits.
fn page() -> String {
    let mut page = String::from(
        "# Exhibits\n\n\
         The zoo of broken mechanisms that ships with the auditor (`throng_audit::exhibits`). Each comes with\n\
         the claim its author would make, two neighbouring inputs on which the flaw shows, and mostly a\n\
         mended twin that keeps the claim. *Runs* in each world are enough to refute the claim at confidence\n\
         0.999. A test holds this page equal to the code.\n\n\
         | name | pretends to be | claim | flaw | mended twin | runs | reference |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for exhibit in exhibits() {
        let Exhibit { name, title, flaw, cure, reference, claim, neighbours, runs, .. } = exhibit;
        writeln!(
            page,
            "| `{name}` | {title} | `{claim}`, {neighbours} | {flaw} | {cure} | {runs} | {reference} |"
        )
        .unwrap();
    }
    page
}

#[test]
fn the_page_about_exhibits_says_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/exhibits.md");
    if std::env::var_os("THRONG_BLESS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(!page().contains("|| "), "a bar within a cell");
    assert_eq!(written, page(), "write it anew with THRONG_BLESS=1");
}
