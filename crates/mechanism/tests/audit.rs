//! Every mechanism of the crate audited by sampling on a worst-case pair of neighbours: its claim
//! is never refuted, and the claim of the same mechanism built for half the epsilon is.
//!
//! All cases of the table (`conformance/table.rs`) are built for ε = 1; the weakened claim is the
//! description of the case built for ε = 1/2. A true claim is refuted with a chance below 1e-9.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests compare with plain numbers, and may fail"
)]

use crate::conformance::table::{Case, table};
use crate::support::audit::Samples;
use crate::support::{rational, roughly};
use throng_numeric::Rational;

/// Runs in each of the two worlds.
const RUNS: u64 = 16_000;

/// The losses at which claims are checked; none is the largest loss of a claim.
const EPSILONS: [f64; 4] = [0.0, 0.3, 0.6, 0.9];

/// Cases whose proved claim is so far above what this pair of neighbours gives away that half of
/// it need not be refuted in so many runs, with the reason.
const CONSERVATIVE: [(&str, &str); 24] = [
    ("Variance public count", "both moments must move by their most, against noise for their sum"),
    (
        "SparseHistogram by unit, replace",
        "most of what moves is below the threshold and never shown",
    ),
    ("KeySelection by unit, replace", "two of the four keys that are paid for move"),
    ("NoisyMax", "losses near epsilon belong to candidates that hardly ever win"),
    ("Top", "the second round is paid for in full, and tells less"),
    ("Quantile below", "the whole range is used by few data sets only"),
    ("Quantile fraction", "the whole range is used by few data sets only"),
    ("Quantile maximum", "the whole range is used by few data sets only"),
    ("Quantiles", "a level is paid for even if the unit hardly matters to it"),
    ("Quantiles replace", "a level is paid for twice, as the unit may change sides"),
    ("Smooth", "moving and stretching are paid for, and no data does both at its worst"),
    (
        "Smooth Laplace log-normal",
        "moving and stretching are paid for, and no data does both at its worst",
    ),
    ("Smooth normal", "moving and stretching are paid for, and no data does both at its worst"),
    ("Smooth variance", "the bound is not the smallest smooth one"),
    ("ProposeTestRelease Gaussian, replace", "test and value are paid for, and one of them moves"),
    ("SampleAndAggregate", "two blocks are paid for, and here they move half way"),
    ("SampleAndAggregate median", "the score is paid for both ways, and moves one way"),
    (
        "SampleAndAggregate smooth median",
        "moving and stretching are paid for, and no data does both at its worst",
    ),
    ("TreeCounter", "three levels of a third each: the gain of composition is small"),
    ("TreeCounter per user", "the unit moves one step of the four that it may"),
    ("WindowCounter", "two levels of a half each: the gain of composition is small"),
    ("AboveThreshold", "threshold and query are paid for, and few transcripts use both"),
    ("GaussianThreshold", "a union bound over all outcomes"),
    ("GaussianThreshold zCDP, replace", "a union bound over all outcomes"),
];

fn claim(case: &Case) -> [(f64, f64); 4] {
    let loss = roughly(&case.spec(), case.under);
    EPSILONS.map(|epsilon| (epsilon, loss.delta(epsilon).unwrap().upper))
}

/// Audits every n-th case, starting at the k-th.
fn audit(k: usize, n: usize) {
    let (strong, weak) = (table(&Rational::ONE), table(&rational("1/2")));
    // Large data is for the conformance suite.
    let large = |case: &Case| ["many", "large"].contains(&case.variant);
    let pairs = strong.iter().zip(&weak).filter(|(case, _)| !large(case)).skip(k).step_by(n);
    for (seed, (case, half)) in (0..).zip(pairs) {
        let title = format!("{} {}", case.name, case.variant).trim().to_owned();
        let samples = Samples::draw(RUNS, seed, |side, entropy| case.bin(side, entropy));
        let found = samples.refute(claim(case));
        assert!(found.is_none(), "{title}: {found:?}");
        let refuted = samples.refute(claim(half)).is_some();
        let conservative = CONSERVATIVE.iter().any(|(name, _)| *name == title);
        assert!(refuted || conservative, "{title}: half of the claim is not refuted");
    }
}

#[test]
fn claims_hold_and_half_of_them_does_not_first_part() {
    audit(0, 2);
}

#[test]
fn claims_hold_and_half_of_them_does_not_second_part() {
    audit(1, 2);
}

#[test]
fn most_claims_are_sharp_enough_to_be_refuted_if_halved() {
    let all: Vec<String> = table(&Rational::ONE)
        .iter()
        .map(|case| format!("{} {}", case.name, case.variant).trim().to_owned())
        .collect();
    assert!(CONSERVATIVE.iter().all(|(name, _)| all.contains(&(*name).to_owned())));
    assert!(3 * CONSERVATIVE.len() < all.len());
}
