//! Propose, test, release: exact laws over all neighbours of small data, and an audit.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use std::collections::BTreeMap;

use crate::support::exact::{self, Law};
use crate::support::{answer_slice, audit, loss, rational};
use throng_account::PrivacyLoss;
use throng_mechanism::propose_test_release::{
    LocalMedian, LocallyStable, Outcome, ProposeTestRelease, StabilityTest, StableMode,
};
use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours, NoiseLaw};
use throng_numeric::{Enclosure, Natural};
use throng_sample::SeededEntropy;

const RELATIONS: [Neighbours; 3] =
    [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut];

/// P(Z > t) of discrete Laplace noise of scale 1/ε.
fn above(epsilon: f64, t: i64) -> Enclosure {
    let r = (-Enclosure::point(epsilon).unwrap()).exp();
    if t >= 0 {
        let exponent = i32::try_from(t + 1).unwrap();
        r.powi(exponent) / (Enclosure::ONE + r)
    } else {
        // P(Z > t) = 1 - P(Z <= t) = 1 - P(Z > -t - 1).
        Enclosure::ONE - above(epsilon, -t - 1)
    }
}

#[test]
fn the_threshold_is_the_least_that_holds() {
    for epsilon in ["1/10", "1/2", "1", "3"] {
        for delta in ["1e-9", "1e-5", "0.01", "0.3"] {
            let under = Neighbours::AddRemove;
            let test = StabilityTest::new(&rational(epsilon), &rational(delta), under).unwrap();
            let (e, d) = (rational(epsilon).to_f64_nearest(), rational(delta).to_f64_nearest());
            let t = test.threshold();
            assert!(above(e, t).lower() <= d, "{epsilon} {delta} {t}");
            assert!(t == 0 || above(e, t - 1).upper() > d, "{epsilon} {delta} {t}");
        }
    }
}

/// All sequences of a length over 0, ..., most.
fn sequences(most: u8, length: usize) -> Vec<Vec<u8>> {
    (0..length).fold(vec![Vec::new()], |all, _| {
        all.iter().flat_map(|x| (0..=most).map(|v| [x.clone(), vec![v]].concat())).collect()
    })
}

/// All pairs of neighbours up to a length.
fn pairs(most: u8, length: usize, under: Neighbours) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    for x in (0..=length).flat_map(|n| sequences(most, n)) {
        for i in 0..x.len() {
            let (mut removed, mut replaced) = (x.clone(), x.clone());
            removed.remove(i);
            match under {
                Neighbours::AddRemove | Neighbours::ZeroOut => found.push((x.clone(), removed)),
                Neighbours::Replace => {
                    for v in 0..=most {
                        replaced[i] = v;
                        found.push((x.clone(), replaced.clone()));
                    }
                }
            }
        }
    }
    found
}

/// The law of a mode that is released if `distance(lead)` + Z > t; `None` is a refusal.
fn mode_law(x: &[u8], epsilon: f64, t: i64, distance: impl Fn(u64) -> i64) -> Law<Option<u8>> {
    let mut counts = BTreeMap::new();
    for item in x {
        *counts.entry(*item).or_insert(0_u64) += 1;
    }
    let mut ranked: Vec<(u8, u64)> = counts.into_iter().collect();
    ranked.sort_by_key(|(item, count)| (std::cmp::Reverse(*count), *item));
    let count = |i: usize| ranked.get(i).map_or(0, |entry| entry.1);
    let passes = above(epsilon, t - distance(count(0) - count(1)));
    let first = ranked.first().map(|entry| entry.0);
    let mut law = Law::from([(None, Enclosure::ONE - passes)]);
    match first {
        Some(item) => drop(law.insert(Some(item), passes)),
        None => drop(law.insert(None, Enclosure::ONE)),
    }
    law
}

fn lead_per_unit(under: Neighbours) -> u64 {
    if under == Neighbours::Replace { 2 } else { 1 }
}

/// The right distance, and what is wrong with one more.
#[test]
fn the_mode_is_private_on_all_small_data() {
    let (epsilon, delta) = ("1/2", "0.05");
    for under in RELATIONS {
        let mode = StableMode::<u8>::new(&rational(epsilon), &rational(delta), under).unwrap();
        let (claim, t) = (loss(&mode.spec(), under), mode.test().threshold());
        let unit = lead_per_unit(under);
        let right =
            |lead: u64| i64::try_from(lead.div_ceil(unit)).unwrap().saturating_sub(1).max(0);
        let wrong = |lead: u64| i64::try_from(lead.div_ceil(unit)).unwrap();
        let mut caught = false;
        for (x, y) in pairs(2, 5, under) {
            let law = |x: &[u8]| mode_law(x, 0.5, t, right);
            exact::assert_within(&law(&x), &law(&y), &claim, 0.0);
            let law = |x: &[u8]| mode_law(x, 0.5, t, wrong);
            caught |= exact::violates(&law(&x), &law(&y), &claim);
        }
        assert!(caught, "{under}");
    }
}

/// The mechanism has the law above: frequencies against exact chances, false alarm 1e-9.
#[test]
fn the_mode_has_the_law_that_was_enumerated() {
    let mut entropy = SeededEntropy::new(21);
    for under in RELATIONS {
        let mode = StableMode::<u8>::new(&rational("1/2"), &rational("0.05"), under).unwrap();
        let x = [3_u8, 3, 1, 3, 3, 3, 1, 3, 2, 3, 3];
        let unit = lead_per_unit(under);
        let distance = |lead: u64| i64::try_from(lead.div_ceil(unit)).unwrap() - 1;
        let law = mode_law(&x, 0.5, mode.test().threshold(), distance);
        let runs = 20_000_u64;
        let draw = |entropy: &mut SeededEntropy| answer_slice(&mode, x, entropy).released();
        let hits = (0..runs).filter(|_| draw(&mut entropy) == Some(3)).count() as u64;
        let chance = law[&Some(3)];
        assert!(audit::lower_bound(hits, runs, 5e-10) <= chance.upper(), "{hits}");
        assert!(audit::upper_bound(hits, runs, 5e-10) >= chance.lower(), "{hits}");
    }
}

fn clamp(upper: i64) -> Clamp {
    Clamp::new(&0.into(), &upper.into(), Grid::WHOLE).unwrap()
}

fn floats(x: &[u8]) -> Vec<f64> {
    x.iter().map(|v| f64::from(*v)).collect()
}

/// The contract of a stable function, over all small data: distances differ by at most 1, and are 0
/// where the value moves by more than the bound. And they are the true distances: some data at that
/// distance is unstable, by search over neighbours.
#[test]
fn distances_of_medians_are_exact() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let median = LocalMedian::new(clamp(3), under);
        for bound in 0..=3 {
            let mut least: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            for (x, y) in pairs(3, 4, under) {
                let (fx, fy) = (floats(&x), floats(&y));
                let (dx, dy) = (median.distance(&fx, bound), median.distance(&fy, bound));
                assert_eq!(dx.is_none(), dy.is_none());
                let (Some(dx), Some(dy)) = (dx, dy) else { continue };
                assert!(dx.abs_diff(dy) <= 1, "{x:?} {y:?}");
                let moved = (median.value(&fx) - median.value(&fy)).abs();
                assert!(moved <= bound || (dx, dy) == (0, 0), "{x:?} {y:?}");
                // A positive distance must be one more than that of some neighbour.
                for (from, own, other) in [(x.clone(), dx, dy), (y, dy, dx)] {
                    let entry = least.entry(from).or_insert(own + 1);
                    *entry = (*entry).min(other);
                }
            }
            for (x, nearest) in
                least.iter().filter(|(x, _)| x.len() < 4 || under == Neighbours::Replace)
            {
                let own = median.distance(&floats(x), bound).unwrap();
                assert!(own == 0 || *nearest == own - 1, "{x:?} {bound} {own} {nearest}");
            }
        }
    }
}

/// The exact law of the mechanism on the median, outcomes beyond ±60 lumped.
fn median_law(
    median: &LocalMedian,
    x: &[u8],
    bound: i64,
    scale: f64,
    epsilon: f64,
    t: i64,
    bonus: i64,
) -> Law<Option<i64>> {
    let x = floats(x);
    let distance = i64::try_from(median.distance(&x, bound).unwrap()).unwrap() + bonus;
    let (passes, value) = (above(epsilon, t - distance), median.value(&x));
    let cell = |k: i64| above(1.0 / scale, k - 1 - value) - above(1.0 / scale, k - value);
    let mut law: Law<Option<i64>> = (-59..=59).map(|k| (Some(k), passes * cell(k))).collect();
    law.insert(Some(60), passes * above(1.0 / scale, 59 - value));
    law.insert(Some(-60), passes * (Enclosure::ONE - above(1.0 / scale, -60 - value)));
    law.insert(None, Enclosure::ONE - passes);
    law
}

#[test]
fn medians_are_private_on_all_small_data() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let median = LocalMedian::new(clamp(9), under);
        let (bound, half, delta) = (rational("1"), rational("1/2"), rational("0.05"));
        let mechanism = ProposeTestRelease::laplace(median, &bound, &half, &delta, &half).unwrap();
        let (claim, t) = (loss(&mechanism.spec(), under), mechanism.test().threshold());
        let NoiseLaw::DiscreteLaplace { scale } = mechanism.noise().law() else { panic!() };
        assert_eq!(*scale, rational("2"));
        let law = |x: &[u8], bonus| {
            // Values 0, 3, 6, 9.
            let x: Vec<u8> = x.iter().map(|v| 3 * v).collect();
            median_law(&median, &x, 1, 2.0, 0.5, t, bonus)
        };
        let mut caught = false;
        for (x, y) in pairs(3, 3, under) {
            exact::assert_within(&law(&x, 0), &law(&y, 0), &claim, 0.0);
            caught |= exact::violates(&law(&x, 3), &law(&y, 3), &claim);
        }
        assert!(caught, "{under}");
    }
}

/// One too many in the distance: the chance to pass on unstable data exceeds δ by e^ε.
#[test]
fn an_offset_of_one_exceeds_delta() {
    let test =
        StabilityTest::new(&rational("1"), &rational("1e-3"), Neighbours::AddRemove).unwrap();
    assert!(above(1.0, test.threshold()).upper() <= 1e-3);
    assert!(above(1.0, test.threshold() - 1).lower() > 1e-3);
}

fn audited(claim: &PrivacyLoss, mechanism: &ProposeTestRelease<LocalMedian>) -> bool {
    let (x, y) = ([0.0, 0.0, 0.0, 80.0, 80.0], [0.0, 0.0, 80.0, 80.0, 80.0]);
    let found = audit::refute(40_000, 22, claim, |world, entropy| {
        let outcome = answer_slice(mechanism, if world { x } else { y }, entropy);
        outcome.released().map(|noisy| noisy.steps()[0].clamp(-10, 90) / 10)
    });
    found.is_some()
}

#[test]
fn an_audit_accepts_the_test_and_refutes_a_lower_threshold() {
    let median = LocalMedian::new(clamp(80), Neighbours::Replace);
    let half = rational("1/2");
    let of = |delta: &str| {
        ProposeTestRelease::laplace(median, &rational("4"), &half, &rational(delta), &half).unwrap()
    };
    let claim = loss(&of("1e-3").spec(), Neighbours::Replace);
    assert!(!audited(&claim, &of("1e-3")));
    assert!(audited(&claim, &of("0.2")));
}

#[test]
fn dense_data_passes_and_scattered_data_does_not() {
    let median = LocalMedian::new(clamp(1_000_000), Neighbours::AddRemove);
    let half = rational("1/2");
    let mechanism = ProposeTestRelease::gaussian(
        median,
        &rational("50"),
        &half,
        &rational("1e-6"),
        &rational("200"),
    )
    .unwrap();
    let mut entropy = SeededEntropy::new(23);
    let mut dense = [0.0; 1000];
    for (i, x) in dense.iter_mut().enumerate() {
        *x = 500_000.0 + (i as f64 - 499.0) / 2.0;
    }
    let distance = median.distance(&dense, 50).unwrap();
    assert!(distance >= mechanism.test().sufficient_distance(0.999_999).unwrap());
    let noisy = answer_slice(&mechanism, dense, &mut entropy).released().unwrap();
    assert!((noisy.value(0) - 500_000.0).abs() < 2000.0);
    assert_eq!(answer_slice(&mechanism, [0.0, 1e6], &mut entropy), Outcome::Refused);
}

#[test]
fn hostile_data_and_parameters() {
    let r = rational;
    let mut entropy = SeededEntropy::new(24);
    for under in RELATIONS {
        for upper in [0, 7, (1 << 61) - 1] {
            let median = LocalMedian::new(clamp(upper), under);
            let mechanism =
                ProposeTestRelease::laplace(median, &r("3"), &r("1"), &r("1e-6"), &r("1")).unwrap();
            answer_slice(&mechanism, [], &mut entropy);
            answer_slice(&mechanism, [f64::NAN], &mut entropy);
            let hostile = [f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MAX, 5e-324];
            answer_slice(&mechanism, hostile, &mut entropy);
            // An interval narrower than the bound is never unstable.
            assert_eq!(median.distance(&[1.0], 3).is_none(), upper == 0);
        }
        let mode = StableMode::<u8>::new(&r("1"), &r("0.4"), under).unwrap();
        assert_eq!(answer_slice(&mode, [], &mut entropy), Outcome::Refused);
        for (epsilon, delta) in
            [("0", "0.1"), ("-1", "0.1"), ("1", "0"), ("1", "1"), ("1e-30", "0.1")]
        {
            assert!(StableMode::<u8>::new(&r(epsilon), &r(delta), under).is_err());
        }
    }
    let median = LocalMedian::new(clamp(7), Neighbours::Replace);
    assert!(ProposeTestRelease::laplace(median, &r("-1"), &r("1"), &r("0.1"), &r("1")).is_err());
    assert!(ProposeTestRelease::laplace(median, &r("1"), &r("1"), &r("0.1"), &r("0")).is_err());
    assert!(NoiseLaw::laplace(r("2")).unwrap().half_width(0.1).unwrap() > Natural::ZERO);
}
