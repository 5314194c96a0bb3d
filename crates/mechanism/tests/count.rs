//! Counts with noise.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests may fail")]

use crate::support::exact::{Law, assert_within, violates};
use crate::support::{audit, free, loss, rational};
use throng_account::Target;
use throng_mechanism::count::{BoundedRecords, Count, Counted, Matches, Records, Units};
use throng_mechanism::{Mechanism, MechanismError, Neighbours, Sensitive, Uncovered};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

const RELATIONS: [Neighbours; 3] =
    [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut];

fn noisy<Q: Counted>(count: &Count<Q>, rows: Vec<Q::Row>, entropy: &mut SeededEntropy) -> i64 {
    let rows = Sensitive::new(rows);
    count.run_on(&rows, free(count), entropy).unwrap().value().steps()[0]
}

/// Discrete Laplace noise of scale 1/ε around n, seen up to the ends of a window.
fn law(n: i64, epsilon: &str) -> Law<i64> {
    let fall = (-Enclosure::of_rational(&rational(epsilon))).exp();
    let whole = Enclosure::ONE + fall;
    let mut law = Law::new();
    for k in -30..=30 {
        let power = fall.powi(i32::try_from((k - n).abs()).unwrap());
        let mass = (Enclosure::ONE - fall) / whole * power;
        let tail = power / whole;
        law.insert(k, if k.abs() == 30 { tail } else { mass });
    }
    law
}

#[test]
fn a_pure_count_has_the_law_that_its_spec_says() {
    let count = Count::pure(Records::<u8>::default(), &rational("1/2"), Neighbours::AddRemove);
    let count = count.unwrap();
    let claim = loss(&count.spec(), Neighbours::AddRemove);
    for n in 0..4 {
        assert_within(&law(n, "1/2"), &law(n + 1, "1/2"), &claim, 0.0);
        assert!(violates(&law(n, "1/2"), &law(n + 2, "1/2"), &claim));
    }
    assert!((claim.epsilon(0.0).unwrap().upper - 0.5).abs() < 1e-9);
}

#[test]
fn what_is_drawn_has_that_law() {
    let count = Count::pure(Records::<u8>::default(), &rational("1/2"), Neighbours::AddRemove);
    let count = count.unwrap();
    let mut entropy = SeededEntropy::new(11);
    let runs = 60_000;
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..runs {
        *seen.entry(noisy(&count, vec![0, 0, 0], &mut entropy).clamp(-30, 30)).or_insert(0) += 1;
    }
    let level = 1e-9 / 122.0;
    let fits = |n| {
        law(n, "1/2").iter().all(|(k, p)| {
            let hits = seen.get(k).copied().unwrap_or(0);
            audit::lower_bound(hits, runs, level) <= p.upper()
                && audit::upper_bound(hits, runs, level) >= p.lower()
        })
    };
    assert!(fits(3));
    // Off by one is seen: at the peak 14700 hits instead of 8900, some 60 standard deviations.
    assert!(!fits(2) && !fits(4));
}

#[test]
fn a_count_that_is_public_is_refused() {
    for under in [Neighbours::Replace, Neighbours::ZeroOut] {
        let records = Count::pure(Records::<u8>::default(), &rational("1"), under);
        assert!(matches!(records, Err(MechanismError::Refused { .. })));
        let units = Count::pure(Units::<u8>::default(), &rational("1"), under);
        assert!(matches!(units, Err(MechanismError::Refused { .. })));
    }
}

#[test]
fn matches_move_by_one_under_every_relation() {
    for under in RELATIONS {
        let count = Count::pure(Matches, &rational("1"), under).unwrap();
        let epsilon = loss(&count.spec(), under).epsilon(0.0).unwrap();
        assert!((epsilon.upper - 1.0).abs() < 1e-9, "{under}: {epsilon:?}");
        let claim = loss(&count.spec(), under);
        assert_within(&law(1, "1"), &law(2, "1"), &claim, 0.0);
    }
}

#[test]
fn gaussian_noise_reaches_its_target() {
    let target = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
    for under in RELATIONS {
        let count = Count::gaussian_for(Matches, &target, under).unwrap();
        assert!(loss(&count.spec(), under).epsilon(1e-6).unwrap().upper <= 1.0);
        let bounded = BoundedRecords::<u8>::of(7).unwrap();
        let count = Count::gaussian_for(bounded, &target, under).unwrap();
        assert!(loss(&count.spec(), under).epsilon(1e-6).unwrap().upper <= 1.0);
    }
    let count = Count::gaussian(Matches, &rational("3"), Neighbours::Replace).unwrap();
    assert_eq!(count.spec().to_string(), "discrete_gaussian(sigma=3, sensitivity=0.5)");
}

#[test]
fn each_count_counts_what_it_says() {
    let mut entropy = SeededEntropy::new(3);
    let sure = rational("1000");
    let under = Neighbours::AddRemove;
    let mut of = |rows: Vec<u8>| {
        let records = Count::pure(Records::default(), &sure, under).unwrap();
        let units = Count::pure(Units::default(), &sure, under).unwrap();
        let bounded = Count::pure(BoundedRecords::of(2).unwrap(), &sure, under).unwrap();
        [
            noisy(&records, rows.clone(), &mut entropy),
            noisy(&units, rows.clone(), &mut entropy),
            noisy(&bounded, rows, &mut entropy),
        ]
    };
    assert_eq!(of(vec![]), [0, 0, 0]);
    assert_eq!(of(vec![5]), [1, 1, 1]);
    assert_eq!(of(vec![5, 9, 5, 5, 9, 1]), [6, 3, 5]);
    let matches = Count::pure(Matches, &sure, under).unwrap();
    assert_eq!(noisy(&matches, vec![true, false, true], &mut entropy), 2);
    assert!(BoundedRecords::<u8>::of(0).is_err());
    assert!(Count::pure(Matches, &Rational::ZERO, under).is_err());
}

#[test]
fn the_interval_covers_as_often_as_it_says() {
    let count = Count::pure(Matches, &rational("1/3"), Neighbours::AddRemove).unwrap();
    let mut entropy = SeededEntropy::new(5);
    let (mut covered, runs) = (0, 20_000);
    for _ in 0..runs {
        let rows = Sensitive::new([true, true]);
        let release = count.run_on(&rows, free(&count), &mut entropy).unwrap();
        let interval = release.value().interval(0, 0.9).unwrap();
        covered += u64::from(interval.lower <= 2.0 && 2.0 <= interval.upper);
    }
    assert!(audit::upper_bound(covered, runs, 1e-9) >= 0.9, "{covered}");
    let bounded = BoundedRecords::<u8>::of(2).unwrap();
    assert_eq!(bounded.uncovered(), [Uncovered::ContributionBounding]);
}

#[test]
fn an_audit_refutes_units_that_are_not_bounded() {
    // One unit with three rows, accounted as one.
    let count = Count::pure(Records::<u8>::default(), &rational("1"), Neighbours::AddRemove);
    let count = count.unwrap();
    let units = Count::pure(Units::<u8>::default(), &rational("1"), Neighbours::AddRemove).unwrap();
    let claim = loss(&count.spec(), Neighbours::AddRemove);
    let data = |world| if world { vec![1, 2, 2, 2] } else { vec![1] };
    let found = audit::refute(20_000, 7, &claim, |world, entropy| {
        noisy(&units, data(world), entropy).clamp(-4, 8)
    });
    assert!(found.is_none(), "{found:?}");
    let found = audit::refute(20_000, 8, &claim, |world, entropy| {
        noisy(&count, data(world), entropy).clamp(-4, 8)
    });
    assert!(found.is_some());
}

#[test]
fn vectors_arrays_and_slices_are_data() {
    let count = Count::pure(Matches, &rational("1000"), Neighbours::Replace).unwrap();
    let rows = Sensitive::new([true; 4]);
    let entropy = &mut SeededEntropy::new(1);
    let slice = count.run(rows.as_slice(), free(&count), entropy).unwrap();
    let array = count.run_on(&rows, free(&count), entropy).unwrap();
    assert_eq!((slice.value().steps(), array.value().steps()), (&[4][..], &[4][..]));
    assert_eq!(noisy(&count, vec![true; 4], entropy), 4);
}
