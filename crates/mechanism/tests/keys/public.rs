//! Keys that are listed in advance.

use std::collections::BTreeMap;

use throng_account::Target;
use throng_account::filter::Budget;
use throng_mechanism::contribution::{ByUnit, Contributions, Rows};
use throng_mechanism::histogram::Histogram;
use throng_mechanism::{Mechanism, Neighbours, Uncovered};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

use super::super::support::exact::{Law, assert_within, violates};
use super::super::support::{audit, loss, rational};
use super::{Counts, at_least, fits, mass, rows, run};

/// Each count with noise, seen from -8 to 8.
fn law(noise: &throng_mechanism::NoiseLaw, counts: &[i64]) -> Law<Vec<i64>> {
    let mut law = Law::from([(Vec::new(), Enclosure::ONE)]);
    for n in counts {
        let mut longer = Law::new();
        for (seen, p) in &law {
            for k in -8..=8 {
                let q = match k {
                    -8 => at_least(noise, 8 + n),
                    8 => at_least(noise, 8 - n),
                    _ => mass(noise, k - n),
                };
                longer.insert([seen.clone(), vec![k]].concat(), *p * q);
            }
        }
        law = longer;
    }
    law
}

#[test]
fn every_pair_of_neighbours_is_within_the_spec() {
    for under in [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut] {
        let keys = [0_u8, 1, 2];
        let pure = Histogram::pure(keys, Rows, &rational("1"), under).unwrap();
        let gauss = Histogram::gaussian(keys, Rows, &rational("1.5"), under).unwrap();
        for mechanism in [pure, gauss] {
            let claim = loss(&mechanism.spec(), under);
            let noise = mechanism.noise().law();
            let to = match under {
                Neighbours::AddRemove | Neighbours::ZeroOut => [2, 0, 0],
                Neighbours::Replace => [0, 1, 0],
            };
            assert_within(&law(noise, &[1, 0, 0]), &law(noise, &to), &claim, 0.0);
            assert!(violates(&law(noise, &[1, 0, 0]), &law(noise, &[0, 2, 1]), &claim));
        }
    }
}

#[test]
fn replace_accounted_as_add_is_refuted() {
    let one = rational("1");
    let mechanism = Histogram::pure([0_u8, 1], Rows, &one, Neighbours::AddRemove).unwrap();
    let claim = loss(&mechanism.spec(), Neighbours::AddRemove);
    let noise = mechanism.noise().law();
    assert!(violates(&law(noise, &[1, 0]), &law(noise, &[0, 1]), &claim));
    let audit = |data: [Vec<u8>; 2], seed| {
        audit::refute(30_000, seed, &claim, |world, entropy| {
            let release = run(&mechanism, &data[usize::from(world)], entropy);
            release.counts().steps().iter().map(|n| (*n).clamp(-2, 3)).collect::<Vec<_>>()
        })
    };
    assert!(audit([vec![0], vec![0, 1]], 43).is_none());
    assert!(audit([vec![0], vec![1]], 47).is_some());
}

#[test]
fn distances_are_those_of_the_relation() {
    let spec = |l0, l8, keys: u8, under| {
        let layout = ByUnit::<u8>::of(Contributions::of(l0, l8).unwrap());
        let histogram = Histogram::gaussian(0..keys, layout, &rational("10"), under).unwrap();
        histogram.spec().to_string()
    };
    let (add, replace) = (Neighbours::AddRemove, Neighbours::Replace);
    assert_eq!(spec(1, 1, 9, add), "discrete_gaussian(sigma=10)");
    assert_eq!(spec(1, 1, 9, replace), "2 * discrete_gaussian(sigma=10, sensitivity=0.5)");
    assert_eq!(spec(1, 1, 1, replace), "discrete_gaussian(sigma=10, sensitivity=0.5)");
    assert_eq!(spec(3, 2, 9, add), "3 * discrete_gaussian(sigma=10, sensitivity=2)");
    assert_eq!(spec(3, 2, 9, Neighbours::ZeroOut), spec(3, 2, 9, add));
    assert_eq!(spec(3, 2, 9, replace), "6 * discrete_gaussian(sigma=10)");
    assert_eq!(spec(3, 2, 4, replace), "4 * discrete_gaussian(sigma=10)");
    for (l0, l8) in [(1, 1), (3, 2), (50, 2000)] {
        for under in [add, replace] {
            let layout = ByUnit::<u8>::of(Contributions::of(l0, l8).unwrap());
            let histogram = Histogram::pure(0..200_u8, layout, &rational("0.7"), under).unwrap();
            let nothing = Budget::Pure { epsilon: Rational::ZERO };
            let Budget::Pure { epsilon } = nothing.price(&histogram.spec(), under).unwrap() else {
                panic!("a price in another currency");
            };
            assert!(epsilon <= rational("0.7") && epsilon > rational("0.69"), "{epsilon}");
        }
    }
}

/// Two cells that move by one each lose less than one cell that moves by two.
#[test]
fn cells_say_more_than_the_l1_distance() {
    let cells = loss(&"2 * discrete_laplace(scale=2)".parse().unwrap(), Neighbours::AddRemove);
    let l1 = "discrete_laplace(scale=2, sensitivity=2)".parse().unwrap();
    let l1 = loss(&l1, Neighbours::AddRemove);
    let histogram = Histogram::pure([0_u8, 1], Rows, &rational("1"), Neighbours::Replace).unwrap();
    let own = loss(&histogram.spec(), Neighbours::Replace);
    for epsilon in [0.0, 0.3, 0.8] {
        let (cells, l1) = (cells.delta(epsilon).unwrap(), l1.delta(epsilon).unwrap());
        assert!(cells.upper < l1.lower);
        assert!((own.delta(epsilon).unwrap().upper - cells.upper).abs() < 1e-9);
    }
}

#[test]
fn what_is_drawn_has_the_enumerated_law() {
    let mechanism =
        Histogram::pure([0_u8, 1], Rows, &rational("2"), Neighbours::AddRemove).unwrap();
    let noise = mechanism.noise().law();
    let data = rows(&Counts::from([(0, 2), (9, 5)]));
    let mut entropy = SeededEntropy::new(53);
    let mut draw = || {
        let release = run(&mechanism, &data, &mut entropy);
        release.counts().steps().iter().map(|n| (*n).clamp(-8, 8)).collect::<Vec<_>>()
    };
    assert!(fits(&law(noise, &[2, 0]), 40_000, &mut draw));
    assert!(!fits(&law(noise, &[2, 1]), 40_000, &mut draw));
}

#[test]
fn all_listed_keys_appear_and_no_other() {
    let sure = rational("5000");
    let under = Neighbours::AddRemove;
    let histogram = Histogram::pure(["d", "a", "b", "a"], Rows, &sure, under).unwrap();
    let data = ["b", "x", "b", "a", "y"];
    let release = run(&histogram, &data, &mut SeededEntropy::new(1));
    let found: BTreeMap<_, _> = release.iter().collect();
    assert_eq!(found, BTreeMap::from([(&"a", 1), (&"b", 2), (&"d", 0)]));
    assert_eq!(release.keys(), ["a", "b", "d"]);
    assert!(release.counts().uncovered().is_empty());
    let interval = release.interval(&"b", 0.99).unwrap().unwrap();
    assert!(interval.lower <= 2.0 && interval.upper >= 2.0);
    assert!(release.half_width_of_all(0.99).unwrap() <= 1.0);
    let empty = run(&histogram, &[], &mut SeededEntropy::new(1));
    assert_eq!(empty.counts().steps(), [0, 0, 0]);
    assert!(Histogram::pure(Vec::<u8>::new(), Rows, &sure, under).is_err());
}

/// Keys that are not listed do not use up what a unit may contribute.
#[test]
fn unlisted_keys_are_dropped_before_bounding() {
    let layout = ByUnit::<u8>::of(Contributions::ONE);
    let sure = rational("5000");
    let histogram = Histogram::pure([1_u8], layout, &sure, Neighbours::AddRemove).unwrap();
    let data: Vec<(u8, u8)> = (0..20).flat_map(|unit| [(unit, 0), (unit, 1), (unit, 2)]).collect();
    for seed in 0..10 {
        let release = run(&histogram, &data, &mut SeededEntropy::new(seed));
        assert_eq!(release.get(&1), Some(20));
        assert_eq!(release.counts().uncovered(), [Uncovered::ContributionBounding]);
    }
}

#[test]
fn a_target_is_reached_and_another_hasher_changes_nothing() {
    let target = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
    let under = Neighbours::Replace;
    let histogram = Histogram::gaussian_for(0..50_u8, Rows, &target, under).unwrap();
    assert!(loss(&histogram.spec(), under).epsilon(1e-6).unwrap().upper <= 1.0);
    let data: Vec<u8> = (0..=255).collect();
    let plain = run(&histogram, &data, &mut SeededEntropy::new(3));
    let poor = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
    let other = run(&histogram.hashed_by(poor), &data, &mut SeededEntropy::new(3));
    assert_eq!(plain, other);
}
