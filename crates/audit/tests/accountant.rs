//! The accountant audited: mechanisms acted out keep what is claimed of them, and not a little less.
#![allow(clippy::unwrap_used, reason = "a test")]

use throng_account::MechanismSpec;
use throng_audit::simulation::Simulation;
use throng_audit::{Claim, Effort, Neighbours, Options, Orientation, Verdict, World, audit};

/// What is run, and a claim that is a little too good for it.
const COMPOSITIONS: [(&str, &str); 13] = [
    ("gaussian(sigma=1)", "gaussian(sigma=1.08)"),
    ("40 * gaussian(sigma=10)", "40 * gaussian(sigma=10.8)"),
    ("30 * laplace(scale=10)", "30 * laplace(scale=11)"),
    ("30 * discrete_laplace(scale=10)", "30 * discrete_laplace(scale=11)"),
    ("30 * pure(epsilon=1/10)", "30 * pure(epsilon=9/100)"),
    (
        "randomized_response(p=1/4, q=1/3) + laplace(scale=1)",
        "randomized_response(p=1/4, q=1/3) + laplace(scale=1.15)",
    ),
    ("5 * kary_response(k=5, epsilon=1/2)", "5 * kary_response(k=5, epsilon=9/20)"),
    ("approx_dp(epsilon=1, delta=1/100)", "approx_dp(epsilon=1, delta=7/1000)"),
    ("4 * poisson(mu1=1, mu2=2)", "4 * poisson(mu1=1, mu2=1.85)"),
    (
        "infinitely_divisible(s2=1/4, jumps=[(1, 2), (0.3, 0.2)])",
        "infinitely_divisible(s2=1/4, jumps=[(1, 1.8), (0.3, 0.2)])",
    ),
    (
        "100 * sampled(gaussian(sigma=1), rate=1/20)",
        "100 * sampled(gaussian(sigma=1.15), rate=1/20)",
    ),
    (
        "discrete(p=[0.6, 0.3, 0.1], q=[0.2, 0.3, 0.5])",
        "discrete(p=[0.58, 0.3, 0.12], q=[0.22, 0.3, 0.48])",
    ),
    (
        "mixed([(1/2, gaussian(sigma=1)), (1/2, laplace(scale=1))])",
        "mixed([(1/2, gaussian(sigma=1.1)), (1/2, laplace(scale=1.1))])",
    ),
];

fn audited(run: &str, claimed: &str, confidence: f64, orientation: Orientation) -> Verdict {
    let under = Neighbours::AddRemove;
    let spec: MechanismSpec = run.parse().unwrap();
    let claim = Claim::parse(claimed, under, orientation).unwrap();
    let mut target = Simulation::of(&spec, under, 5).unwrap();
    let options = Options { confidence, bounds: false, ..Options::default() };
    let draws = if run.starts_with("100") { 30_000 } else { 60_000 };
    audit::live(&claim, &mut target, &options, Effort::Runs(draws), &mut |_| {}).unwrap().verdict
}

#[test]
fn what_is_acted_out_keeps_its_claim() {
    for (run, _) in COMPOSITIONS {
        // The curves of single directions take long where samples are composed.
        let sampled = run.contains("sampled");
        for orientation in [Orientation::Either, Orientation::UnitIn(World::One)] {
            if sampled && orientation != Orientation::Either {
                continue;
            }
            let verdict = audited(run, run, 1.0 - 1e-7, orientation);
            assert_eq!(verdict, Verdict::NotViolated, "{run} {orientation:?}");
        }
    }
}

#[test]
fn a_claim_that_is_a_little_too_good_is_refuted() {
    for (run, claimed) in COMPOSITIONS {
        let verdict = audited(run, claimed, 0.99, Orientation::Either);
        assert_eq!(verdict, Verdict::Violated, "{run} claimed as {claimed}");
    }
}

#[test]
fn the_central_limit_is_no_guarantee() {
    // 1000 steps of rate 1/100 with sigma 1: the limit claims mu = 0.4145, the truth is worse.
    let run = "1000 * sampled(gaussian(sigma=1), rate=1/100)";
    let spec: MechanismSpec = run.parse().unwrap();
    let mut target = Simulation::of(&spec, Neighbours::AddRemove, 3).unwrap();
    let claim = Claim::parse("gdp(mu=0.38)", Neighbours::AddRemove, Orientation::Either).unwrap();
    let options = Options { confidence: 0.99, bounds: false, ..Options::default() };
    let report =
        audit::live(&claim, &mut target, &options, Effort::Runs(20_000), &mut |_| {}).unwrap();
    assert_eq!(report.verdict, Verdict::Violated);
}

#[test]
fn statements_cannot_be_acted_out() {
    for text in ["zcdp(rho=1)", "shuffled(pure(epsilon=1), users=10)", "10000000 * pure(epsilon=1)"]
    {
        let spec: MechanismSpec = text.parse().unwrap();
        assert!(Simulation::of(&spec, Neighbours::AddRemove, 1).is_err(), "{text}");
    }
}
