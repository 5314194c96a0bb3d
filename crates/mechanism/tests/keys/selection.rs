//! Keys without counts.

use throng_mechanism::contribution::{ByUnit, Contributions, Rows};
use throng_mechanism::histogram::KeySelection;
use throng_mechanism::{Mechanism, Neighbours};
use throng_numeric::fixed::exp_neg;
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::SeededEntropy;

use super::super::support::exact::{Law, assert_within, violates};
use super::super::support::{audit, loss, rational};
use super::{Counts, fits, moved, rows, run, small_data};

type RowKeys = KeySelection<u8, Rows>;

/// The law of the shown keys.
fn law(mechanism: &RowKeys, counts: &Counts) -> Law<Vec<u8>> {
    let mut law = Law::from([(Vec::new(), Enclosure::ONE)]);
    for (key, n) in counts {
        let chance = mechanism.chance(u64::try_from(*n).unwrap()).unwrap();
        let shown = Enclosure::of_rational(&chance);
        let hidden = Enclosure::of_rational(&(Rational::ONE - chance));
        let mut longer = Law::new();
        for (keys, p) in &law {
            longer.insert(keys.clone(), *p * hidden);
            longer.insert([keys.clone(), vec![*key]].concat(), *p * shown);
        }
        law = longer;
    }
    law
}

#[test]
fn no_ratio_of_the_table_is_too_large() {
    let cases = [("1", "1e-6"), ("0.1", "1e-3"), ("5", "1e-12"), ("0", "0.01"), ("1/3", "1e-30")];
    for (epsilon, delta) in cases {
        let (e, d) = (rational(epsilon), rational(delta));
        let mechanism = RowKeys::each(Rows, &e, &d, Neighbours::AddRemove).unwrap();
        let unit = Rational::from(Natural::ONE << 400);
        let inverse = Rational::from(exp_neg(&e, 400).unwrap().lower).checked_div(&unit).unwrap();
        for n in 0..=u64::try_from(mechanism.certain_from()).unwrap() {
            let (now, next) = (mechanism.chance(n).unwrap(), mechanism.chance(n + 1).unwrap());
            assert!(now <= next);
            assert!((&next - &d) * inverse.clone() <= now);
            assert!((Rational::ONE - now - d.clone()) * inverse.clone() <= Rational::ONE - next);
        }
    }
}

/// The recursion in plain numbers.
#[test]
fn the_table_is_the_optimal_one() {
    for (epsilon, delta) in [(1.0, 1e-6), (0.25, 1e-4), (3.0, 1e-9)] {
        let (e, d) = (Rational::from_f64(epsilon).unwrap(), Rational::from_f64(delta).unwrap());
        let mechanism = RowKeys::each(Rows, &e, &d, Neighbours::AddRemove).unwrap();
        let (mut chance, mut n) = (0.0_f64, 0);
        while chance < 1.0 {
            let found = mechanism.chance(n).unwrap().to_f64_nearest();
            assert!((found - chance).abs() <= 1e-9 * chance, "{n}: {found} {chance}");
            let last = 1.0 - (-epsilon).exp() * (1.0 - chance - delta);
            chance = (epsilon.exp() * chance + delta).min(last).min(1.0);
            n += 1;
        }
        assert_eq!(u64::try_from(mechanism.certain_from()).unwrap(), n);
    }
}

#[test]
fn every_small_pair_is_within_the_spec() {
    for under in [Neighbours::AddRemove, Neighbours::Replace] {
        let mechanism = RowKeys::each(Rows, &rational("0.7"), &rational("0.05"), under).unwrap();
        let claim = loss(&mechanism.spec(), under);
        for counts in small_data(4) {
            let mut other = moved(&counts, 0, 1);
            match under {
                Neighbours::AddRemove | Neighbours::ZeroOut => {}
                Neighbours::Replace if counts[&1] > 0 => other = moved(&other, 1, -1),
                Neighbours::Replace => continue,
            }
            assert_within(&law(&mechanism, &counts), &law(&mechanism, &other), &claim, 0.0);
        }
    }
    // A table made for (0.75, 0.05), accounted as (0.5, 0.05); and a unit of two keys as one.
    let under = Neighbours::AddRemove;
    let mechanism = RowKeys::each(Rows, &rational("0.75"), &rational("0.05"), under).unwrap();
    let less = loss(&"approx_dp(eps=0.5, delta=0.05)".parse().unwrap(), under);
    let own = loss(&mechanism.spec(), under);
    let laws = |counts: &Counts, other: &Counts| (law(&mechanism, counts), law(&mechanism, other));
    let seen = small_data(4).into_iter().any(|counts| {
        let (p, q) = laws(&counts, &moved(&counts, 0, 1));
        violates(&p, &q, &less)
    });
    let twice = small_data(4).into_iter().any(|counts| {
        let (p, q) = laws(&counts, &moved(&moved(&counts, 0, 1), 1, 1));
        violates(&p, &q, &own)
    });
    assert!(seen && twice);
}

#[test]
fn what_is_drawn_has_that_law() {
    let under = Neighbours::AddRemove;
    let mechanism = RowKeys::each(Rows, &rational("0.7"), &rational("0.05"), under).unwrap();
    let counts = Counts::from([(0, 1), (1, 3), (2, 40)]);
    let mut entropy = SeededEntropy::new(71);
    let mut draw = || run(&mechanism, &rows(&counts), &mut entropy);
    assert!(fits(&law(&mechanism, &counts), 40_000, &mut draw));
    assert!(!fits(&law(&mechanism, &moved(&counts, 1, 1)), 40_000, &mut draw));
}

#[test]
fn an_audit_accepts_it_and_refutes_a_plain_threshold() {
    let under = Neighbours::AddRemove;
    let mechanism = RowKeys::each(Rows, &rational("0.7"), &rational("0.05"), under).unwrap();
    let claim = loss(&mechanism.spec(), under);
    let data = |world: bool| vec![0_u8; if world { 3 } else { 2 }];
    let found =
        audit::refute(20_000, 73, &claim, |world, entropy| run(&mechanism, &data(world), entropy));
    assert!(found.is_none(), "{found:?}");
    assert!(audit::refute(20_000, 79, &claim, |world, _| data(world).len() >= 3).is_some());
}

#[test]
fn a_unit_counts_once_and_pays_for_each_key() {
    let (e, d) = (rational("1"), rational("1e-6"));
    let under = Neighbours::AddRemove;
    let layout = |l0, l8| ByUnit::<u64>::of(Contributions::of(l0, l8).unwrap());
    let total = KeySelection::<u8, _>::total(layout(4, 1), &e, &d, under).unwrap();
    assert_eq!(total.spec().to_string(), "4 * approx_dp(eps=0.25, delta=2.5e-7)");
    assert!(loss(&total.spec(), under).delta(1.0).unwrap().upper <= 1e-6 * (1.0 + 1e-9));
    let replaced = KeySelection::<u8, _>::each(layout(4, 1), &e, &d, Neighbours::Replace).unwrap();
    assert_eq!(replaced.spec().to_string(), "8 * approx_dp(eps=1, delta=0.000001)");
    assert!(KeySelection::<u8, _>::each(layout(4, 2), &e, &d, under).is_err());
    // A thousand rows of one unit are one unit: with chance 1e-6 its key is shown.
    let mechanism = KeySelection::<u8, _>::each(layout(1, 1), &e, &d, under).unwrap();
    let alone = vec![(3_u64, 9_u8); 1000];
    assert!(run(&mechanism, &alone, &mut SeededEntropy::new(83)).is_empty());
    let many: Vec<(u64, u8)> = (0..1000).flat_map(|unit| [(unit, 9), (unit, 9)]).collect();
    assert_eq!(run(&mechanism, &many, &mut SeededEntropy::new(83)), [9]);
}

#[test]
fn bad_parameters_are_errors() {
    let under = Neighbours::AddRemove;
    for (epsilon, delta) in [("1", "0"), ("1", "1"), ("-1", "0.1"), ("0", "1e-9"), ("1", "1e-60")] {
        let made = RowKeys::each(Rows, &rational(epsilon), &rational(delta), under);
        assert!(made.is_err(), "{epsilon} {delta}");
    }
}
