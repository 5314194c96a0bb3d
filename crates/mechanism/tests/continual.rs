//! Counting over time.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use std::collections::BTreeMap;

use crate::support::exact::{Law, assert_within, violates};
use crate::support::{audit, loss, rational};
use proptest::prelude::*;
use throng_account::MechanismSpec;
use throng_mechanism::continual::{Estimate, MatrixCounter, Stream, TreeCounter, WindowCounter};
use throng_mechanism::{MechanismError, Neighbours, NoiseLaw, Permit, Sensitive};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

use Neighbours::{AddRemove, Replace, ZeroOut};

fn free(spec: &MechanismSpec, under: Neighbours) -> Permit {
    let nothing = throng_account::filter::Budget::Pure { epsilon: Rational::ZERO };
    Permit::issue(spec.clone(), under, nothing)
}

fn events() -> Stream {
    Stream::of_steps(0, 100, AddRemove).unwrap().of_events(1).unwrap()
}

fn tree(counter: &TreeCounter, values: &[i64], entropy: &mut SeededEntropy) -> Vec<Estimate> {
    let mut session = counter.start(free(counter.spec(), counter.neighbours())).unwrap();
    let one = |x: &i64| *session.step(&Sensitive::new(*x), entropy).unwrap().value();
    values.iter().map(one).collect()
}

fn matrix(counter: &MatrixCounter, values: &[i64], entropy: &mut SeededEntropy) -> Vec<Estimate> {
    let mut session = counter.start(free(counter.spec(), counter.neighbours())).unwrap();
    let one = |x: &i64| *session.step(&Sensitive::new(*x), entropy).unwrap().value();
    values.iter().map(one).collect()
}

/// Noise so small that it is 0: the chance of anything else is below e^-900.
const NONE: &str = "1/1000";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn without_noise_all_counters_count(
        values in prop::collection::vec(-5_i64..9, 1..70),
        window in 1_u64..40,
        band in 1_usize..80,
    ) {
        let entropy = &mut SeededEntropy::new(1);
        let stream = Stream::of_steps(-2, 4, AddRemove).unwrap();
        let clamped: Vec<i64> = values.iter().map(|x| (*x).clamp(-2, 4)).collect();
        let horizon = values.len() as u64;
        let sums = |from: usize, to: usize| clamped[from..to].iter().sum::<i64>() as f64;

        let counter = TreeCounter::laplace(&rational(NONE), stream, horizon).unwrap();
        for (t, estimate) in tree(&counter, &values, entropy).iter().enumerate() {
            prop_assert!((estimate.value() - sums(0, t + 1)).abs() < 1e-9);
            prop_assert_eq!(estimate.step(), t as u64 + 1);
        }
        let counter = WindowCounter::laplace(&rational(NONE), stream, window).unwrap();
        let mut session = counter.start(free(counter.spec(), AddRemove)).unwrap();
        for (t, x) in values.iter().enumerate() {
            let release = session.step(&Sensitive::new(*x), entropy).unwrap();
            let from = (t + 1).saturating_sub(window as usize);
            prop_assert!((release.value().value() - sums(from, t + 1)).abs() < 1e-9);
        }
        let sigma = rational("1/100000000000");
        let counter = MatrixCounter::new(&sigma, stream, horizon, band).unwrap();
        for (t, estimate) in matrix(&counter, &values, entropy).iter().enumerate() {
            prop_assert!((estimate.value() - sums(0, t + 1)).abs() < 1e-6);
        }
    }

    #[test]
    fn slices_and_steps_agree(values in prop::collection::vec(0_i64..9, 1..50), cut in 0_usize..50) {
        let cut = cut.min(values.len());
        let counter = TreeCounter::laplace(&rational(NONE), events(), 50).unwrap();
        let entropy = &mut SeededEntropy::new(1);
        let single = tree(&counter, &values, entropy);
        let mut session = counter.start(free(counter.spec(), AddRemove)).unwrap();
        let mut all = Vec::new();
        for part in [&values[..cut], &values[cut..]] {
            let part = Sensitive::new(part.to_vec());
            all.extend(session.steps(&part, entropy).unwrap().into_parts().0);
        }
        prop_assert_eq!(single, all);
    }
}

/// The law of the nodes of two steps: x1, x2 and x1 + x2, each with noise of its own unless `reused`.
fn two_steps(stream: [i64; 2], scale: f64, reused: bool) -> Law<[i64; 3]> {
    let reach = 12;
    let point = |x: f64| Enclosure::point(x).unwrap();
    let weight = |k: i64| (-(point(k.abs() as f64) / point(scale))).exp();
    let total = (-200..=200).fold(Enclosure::ZERO, |sum, k| sum + weight(k));
    let chance = |k: i64| weight(k) / total;
    let mut law = BTreeMap::new();
    for a in -reach..=reach {
        for b in -reach..=reach {
            for c in -reach..=reach {
                if reused && (b != a || c != a) {
                    continue;
                }
                let rest = if reused { Enclosure::ONE } else { chance(b) * chance(c) };
                let nodes = [stream[0] + a, stream[1] + b, stream[0] + stream[1] + c];
                law.insert(nodes, chance(a) * rest);
            }
        }
    }
    law
}

#[test]
fn the_exact_law_of_two_steps_is_within_the_claim_and_reused_noise_is_not() {
    let counter = TreeCounter::laplace(&rational("2"), events(), 2).unwrap();
    assert_eq!(counter.spec().to_string(), "2 * discrete_laplace(scale=2)");
    let claim = loss(counter.spec(), AddRemove);
    // What was left out: three noises beyond ±12.
    let slack = 3.0 * 2.0 * (-12.0_f64 / 2.0).exp();
    for (p, q) in [([0, 0], [1, 0]), ([0, 0], [0, 1])] {
        assert_within(&two_steps(p, 2.0, false), &two_steps(q, 2.0, false), &claim, slack);
        assert!(violates(&two_steps(p, 2.0, true), &two_steps(q, 2.0, true), &claim));
    }
    // Half the noise is not enough either, far beyond what was left out.
    let (p, q) = (two_steps([0, 0], 1.0, false), two_steps([1, 0], 1.0, false));
    let excess = crate::support::exact::hockey_stick(&p, &q, 1.0).lower();
    assert!(excess > claim.delta(1.0).unwrap().upper + 0.05, "{excess}");
}

#[test]
fn an_audit_of_the_trajectory_refutes_reused_noise_only() {
    let counter = TreeCounter::laplace(&rational("2"), events(), 4).unwrap();
    let claim = loss(counter.spec(), AddRemove);
    let found = audit::refute(20_000, 5, &claim, |world, entropy| {
        let all = tree(&counter, &[3, i64::from(world), 1, 0], entropy);
        // The last estimate, and how far the second is from the first.
        let bin = |x: f64| (x.round() as i64).clamp(-4, 6);
        (bin(all[3].value() - 4.0), bin(all[1].value() - all[0].value()))
    });
    assert!(found.is_none(), "{found:?}");
    let law = NoiseLaw::laplace(rational("2")).unwrap().sampler().unwrap();
    let found = audit::refute(20_000, 6, &claim, |world, entropy| {
        // One noise for all nodes: the differences of the estimates are exact.
        let noise = law.draw(entropy).unwrap();
        let (one, two) = (3 + noise, 3 + i64::from(world) + noise);
        (two - one, (two - 3).clamp(-4, 4))
    });
    assert!(found.is_some());
}

#[test]
fn empirical_variances_and_intervals_are_as_stated() {
    let runs = 4000_u32;
    let mut entropy = SeededEntropy::new(11);
    let laplace = TreeCounter::laplace(&rational("3"), events(), 7).unwrap();
    let gaussian = TreeCounter::gaussian(&rational("3"), events(), 7).unwrap();
    let root = MatrixCounter::new(&rational("3"), events(), 7, 7).unwrap();
    let values = [1, 0, 2, 5, 0, 0, 1];
    type Counter<'a> = &'a dyn Fn(&mut SeededEntropy) -> Vec<Estimate>;
    let counters: [Counter<'_>; 3] =
        [&|e| tree(&laplace, &values, e), &|e| tree(&gaussian, &values, e), &|e| {
            matrix(&root, &values, e)
        }];
    for counter in counters {
        let (mut square, mut stated, mut missed) = (0.0, 0.0, 0_u64);
        for _ in 0..runs {
            let last = counter(&mut entropy)[6];
            square += (last.value() - 9.0).powi(2) / f64::from(runs);
            stated = last.variance();
            let interval = last.interval(0.9).unwrap();
            missed += u64::from(!(interval.lower <= 9.0 && 9.0 <= interval.upper));
        }
        // The fourth moment is at most six times the squared variance: 8 deviations are 0.3.
        assert!((square / stated - 1.0).abs() < 0.3, "{square} {stated}");
        assert!(audit::lower_bound(missed, u64::from(runs), 1e-9) <= 0.1);
        assert!(missed > 0, "an interval that never misses is far too wide");
    }
}

#[test]
fn the_square_root_beats_the_tree_at_the_same_privacy() {
    let n = 1024;
    // Both at μ = 1: σ is the L2 distance.
    let levels = 11.0_f64;
    let tree_worst = (1..=n)
        .map(|t: u32| {
            let bits = (0..11).filter(|l| t >> l & 1 == 1);
            bits.map(|l| f64::from(1_u32 << l) / f64::from((2_u32 << l) - 1)).sum::<f64>()
        })
        .fold(0.0, f64::max)
        * levels;
    let counter = MatrixCounter::new(&rational("4"), events(), n.into(), n as usize).unwrap();
    let squared = counter.factor().square().to_f64_nearest();
    let mut entropy = SeededEntropy::new(1);
    let worst = matrix(&counter, &vec![0; n as usize], &mut entropy).last().unwrap().variance();
    let matrix_worst = worst / 16.0 * squared;
    assert!(matrix_worst < 0.2 * tree_worst, "{matrix_worst} {tree_worst}");
    // ((ln(16 n) + γ)/π)².
    let known = (((16.0 * f64::from(n)).ln() + 0.577_215_664_9) / std::f64::consts::PI).powi(2);
    assert!((matrix_worst / known - 1.0).abs() < 0.01, "{matrix_worst} {known}");
    // A band of a quarter is nearly as good; a narrow one is not.
    let banded = |band| {
        let counter = MatrixCounter::new(&rational("4"), events(), n.into(), band).unwrap();
        let mut entropy = SeededEntropy::new(1);
        let last = *matrix(&counter, &vec![0; n as usize], &mut entropy).last().unwrap();
        last.variance() / 16.0 * counter.factor().square().to_f64_nearest()
    };
    assert!(banded(256) < 1.5 * matrix_worst, "{} {matrix_worst}", banded(256));
    assert!(banded(4) > 10.0 * matrix_worst);
}

#[test]
fn units_and_relations_are_what_the_spec_says() {
    let text = |counter: Result<TreeCounter, MechanismError>| counter.unwrap().spec().to_string();
    let steps = |under| Stream::of_steps(-3, 10, under).unwrap();
    let scale = rational("8");
    let laplace = |stream| text(TreeCounter::laplace(&scale, stream, 8));
    assert_eq!(laplace(steps(AddRemove)), "4 * discrete_laplace(scale=8, sensitivity=10)");
    assert_eq!(laplace(steps(ZeroOut)), "4 * discrete_laplace(scale=8, sensitivity=10)");
    // Exchanged: twice as far, of which the accountant's contribution is half.
    assert_eq!(laplace(steps(Replace)), "4 * discrete_laplace(scale=8, sensitivity=10)");
    let user = steps(AddRemove).of_events(2).unwrap().per_user(5).unwrap();
    assert_eq!(laplace(user), "4 * discrete_laplace(scale=8, sensitivity=10)");
    // The clamp bounds an event that could do more.
    let wild = steps(AddRemove).of_events(1000).unwrap();
    assert_eq!(laplace(wild), "4 * discrete_laplace(scale=8, sensitivity=13)");
    let gaussian = |stream| text(TreeCounter::gaussian(&scale, stream, 8));
    assert_eq!(gaussian(steps(AddRemove)), "4 * discrete_gaussian(sigma=8, sensitivity=10)");
    // Several events may be in one node or in several: the bound in L2 covers both.
    assert_eq!(gaussian(user), "4 * gaussian(sigma=7.96875, sensitivity=10)");
    let pure = TreeCounter::pure(&rational("1"), user, 8).unwrap();
    assert_eq!(pure.spec().to_string(), "4 * discrete_laplace(scale=40, sensitivity=10)");
    let window = WindowCounter::laplace(&scale, steps(AddRemove), 7).unwrap();
    assert_eq!(window.spec().to_string(), "3 * discrete_laplace(scale=8, sensitivity=10)");
    let root = MatrixCounter::new(&scale, user, 4, 4).unwrap();
    // 10 √(1 + 1/4 + 9/64 + 25/256).
    let price = throng_account::filter::cost::zcdp(root.spec(), AddRemove).unwrap();
    let expected = 100.0 * 1.488_281_25 / (2.0 * 64.0);
    assert!((price.rho.to_f64_nearest() / expected - 1.0).abs() < 1e-6);
}

#[test]
fn hostile_streams_and_parameters() {
    let entropy = &mut SeededEntropy::new(2);
    let stream = Stream::of_steps(-(1 << 30), 1 << 30, AddRemove).unwrap();
    let counter = TreeCounter::laplace(&rational(NONE), stream, 1 << 20).unwrap();
    let all = tree(&counter, &[i64::MAX, i64::MIN, i64::MAX, i64::MAX], entropy);
    let value = f64::from(1 << 30);
    assert_eq!(all.iter().map(|e| e.value() / value).collect::<Vec<_>>(), [1.0, 0.0, 1.0, 2.0]);
    assert!(TreeCounter::laplace(&rational("1"), stream, 0).is_err());
    assert!(TreeCounter::laplace(&rational("1"), stream, 1 << 32).is_err());
    assert!(TreeCounter::laplace(&rational("1"), stream, 1 << 31).is_err());
    assert!(TreeCounter::laplace(&rational("0"), events(), 8).is_err());
    assert!(TreeCounter::pure(&rational("-1"), events(), 8).is_err());
    assert!(TreeCounter::gaussian(&rational("-1"), events(), 8).is_err());
    assert!(MatrixCounter::new(&rational("1"), events(), 0, 8).is_err());
    assert!(MatrixCounter::new(&rational("1"), events(), 8, 0).is_err());
    assert!(MatrixCounter::new(&rational("1"), events(), 8, 1 << 21).is_ok());
    assert!(MatrixCounter::new(&rational("1"), events(), 1 << 40, 1 << 21).is_err());
    assert!(Stream::of_steps(1, 2, AddRemove).is_err());
    assert!(Stream::of_steps(0, 0, AddRemove).is_err());
    assert!(Stream::of_steps(i64::MIN, i64::MAX, AddRemove).is_err());
    assert!(events().of_events(0).is_err() && events().per_user(0).is_err());
    // The horizon is the end, whatever is asked for.
    let counter = TreeCounter::laplace(&rational("1"), events(), 2).unwrap();
    let mut session = counter.start(free(counter.spec(), AddRemove)).unwrap();
    let long = Sensitive::new([0; 3]);
    assert!(session.steps(&long, entropy).is_err());
    assert_eq!(session.steps_left(), 2);
    let two = Sensitive::new([1; 2]);
    assert_eq!(session.steps(two.as_slice(), entropy).unwrap().value().len(), 2);
    assert!(session.step(&Sensitive::new(0), entropy).is_err());
    // What is printed says nothing of the stream.
    assert_eq!(format!("{session:?}"), "TreeSession { steps: 2, .. }");
    // A permit for something else.
    let other = TreeCounter::laplace(&rational("2"), events(), 2).unwrap();
    assert!(counter.start(free(other.spec(), AddRemove)).is_err());
    assert!(counter.start(free(counter.spec(), Replace)).is_err());
}
