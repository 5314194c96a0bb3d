//! Every mechanism of the project under the auditor: what it claims is not refuted, and half of the
//! claim mostly is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests may fail, and issue permits that nobody paid for"
)]

#[path = "../../mechanism/tests/conformance/table.rs"]
pub(crate) mod table;

use table::{Case, table};
use throng_account::{Accuracy, PrivacyLoss};
use throng_audit::{
    Claim, Effort, FromFn, Options, Orientation, Outcome, Target, Verdict, World, audit,
};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

/// Runs of each world.
const RUNS: u64 = 8_000;

/// A true claim is refuted with a chance below this, over all of them.
const FALSE_ALARM: f64 = 1e-7;

fn refuted(claim: &Claim, target: &mut dyn Target) -> bool {
    let options = Options {
        confidence: 1.0 - FALSE_ALARM / 200.0,
        nan_is_an_outcome: true,
        bounds: false,
        ..Options::default()
    };
    let report = audit::live(claim, target, &options, Effort::Runs(RUNS), &mut |_| {});
    match report {
        Ok(report) => report.verdict == Verdict::Violated,
        Err(error) if error.to_string().contains("all outcomes of both worlds are the same") => {
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// What a mechanism claims: its whole curve, or some points of it where the curve takes long.
fn claim(case: &Case) -> Claim {
    let text = case.spec().to_string();
    let slow = [
        "sampled",
        "without_replacement",
        "shuffled",
        "parallel",
        "poisson",
        "infinitely_divisible",
    ];
    if !slow.iter().any(|word| text.contains(word)) {
        return Claim::of_spec(&case.spec(), case.under, Orientation::Either).unwrap();
    }
    let rough = Accuracy { width: 1e-2 };
    let loss = PrivacyLoss::of_spec(&case.spec(), case.under, rough).unwrap();
    let pairs = [0.0, 0.3, 0.6, 0.9].map(|epsilon| (epsilon, loss.delta(epsilon).unwrap().upper));
    Claim::of_pairs(&text, &pairs).unwrap()
}

/// Audits every n-th case, starting at the k-th; says how many halved claims were refuted, of how many.
fn table_audited(k: usize, n: usize) -> (usize, usize) {
    let (strong, weak) = (table(&Rational::ONE), table(&"1/2".parse().unwrap()));
    let large = |case: &Case| ["many", "large"].contains(&case.variant);
    let pairs: Vec<_> = strong.iter().zip(&weak).filter(|(case, _)| !large(case)).collect();
    let (mut halves, mut all) = (0, 0);
    for (seed, (case, half)) in pairs.into_iter().enumerate().skip(k).step_by(n) {
        let target = |seed: usize| {
            let mut entropy = SeededEntropy::new(u64::try_from(seed).unwrap());
            FromFn::new(move |world: World| {
                Outcome::Integer(case.bin(world == World::One, &mut entropy))
            })
        };
        let title = format!("{} {}", case.name, case.variant);
        println!("{title}");
        assert!(!refuted(&claim(case), &mut target(seed)), "{title}");
        all += 1;
        halves += usize::from(refuted(&claim(half), &mut target(1000 + seed)));
    }
    (halves, all)
}

#[test]
fn no_mechanism_is_refuted_first_part() {
    let (halves, all) = table_audited(0, 2);
    println!("{halves} of {all} halved claims refuted");
    assert!(2 * halves > all, "{halves} of {all}");
}

#[test]
fn no_mechanism_is_refuted_second_part() {
    let (halves, all) = table_audited(1, 2);
    println!("{halves} of {all} halved claims refuted");
    assert!(2 * halves > all, "{halves} of {all}");
}
