//! Randomised response.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use crate::support::audit::{self, lower_bound, upper_bound};
use crate::support::exact::{Law, assert_within, violates};
use crate::support::{answer_slice, free, loss, rational};
use proptest::prelude::*;
use throng_mechanism::response::{FlipLaw, KaryResponse, RandomisedResponse};
use throng_mechanism::{Mechanism, MechanismError, MechanismSpec, Neighbours, Sensitive};
use throng_numeric::{Enclosure, Rational};
use throng_sample::SeededEntropy;

const REPLACE: Neighbours = Neighbours::Replace;

fn response(p: &str, q: &str, width: usize) -> RandomisedResponse {
    RandomisedResponse::new(&rational(p), &rational(q), width, REPLACE).unwrap()
}

fn symmetric(epsilon: &str) -> RandomisedResponse {
    RandomisedResponse::symmetric(&rational(epsilon), 1, REPLACE).unwrap()
}

/// The law of the reports of some bits.
fn law(bits: &[bool], p: &Rational, q: &Rational) -> Law<Vec<bool>> {
    let mut law = Law::from([(Vec::new(), Enclosure::ONE)]);
    for bit in bits {
        let flip = Enclosure::of_rational(if *bit { q } else { p });
        let keep = Enclosure::of_rational(&(Rational::ONE - if *bit { q } else { p }.clone()));
        law = law
            .into_iter()
            .flat_map(|(reports, mass)| {
                [(*bit, keep), (!*bit, flip)].map(|(report, chance)| {
                    ([reports.as_slice(), &[report]].concat(), mass * chance)
                })
            })
            .collect();
    }
    law
}

fn all_bits(width: usize) -> Vec<Vec<bool>> {
    (0..1_u32 << width).map(|n| (0..width).map(|i| n >> i & 1 == 1).collect()).collect()
}

/// The exact law on all neighbours, bits that change in different directions included.
#[test]
fn the_description_covers_every_pair_of_vectors() {
    for (p, q) in [("1/4", "1/4"), ("1/10", "1/2"), ("3/10", "1/20"), ("4/5", "9/10"), ("0", "1/3")]
    {
        for width in 1..=3 {
            let claim = loss(&response(p, q, width).spec(), REPLACE);
            let laws: Vec<_> =
                all_bits(width).iter().map(|x| law(x, &rational(p), &rational(q))).collect();
            for a in &laws {
                for b in &laws {
                    assert_within(a, b, &claim, 1e-12);
                }
            }
        }
    }
}

/// Bits that change 0 to 1 and 1 to 0: two runs of the one-sided pair, which is what the accountant
/// sees where a unit is there or not, do not cover that; what it sees under replace does.
#[test]
fn two_runs_of_an_asymmetric_pair_would_be_too_little() {
    let [p, q] = ["1/10", "1/2"].map(rational);
    let naive: MechanismSpec = "2 * randomized_response(p=1/10, q=1/2)".parse().unwrap();
    let (a, b) = (law(&[false, true], &p, &q), law(&[true, false], &p, &q));
    assert!(violates(&a, &b, &loss(&naive, Neighbours::ZeroOut)));
    assert_within(&a, &b, &loss(&naive, REPLACE), 0.0);
}

/// Alone, covering both orders costs nothing.
#[test]
fn one_bit_costs_what_the_pair_costs() {
    for (p, q) in [("1/10", "1/2"), ("4/5", "9/10"), ("0", "1/3"), ("1/3", "2/3")] {
        let own = loss(&response(p, q, 1).spec(), REPLACE);
        let text = format!("randomized_response(p={p}, q={q})");
        let pair = loss(&text.parse().unwrap(), REPLACE);
        for epsilon in [0.0, 0.3, 1.0, 2.5] {
            let (a, b) = (own.delta(epsilon).unwrap(), pair.delta(epsilon).unwrap());
            assert!((a.upper - b.upper).abs() < 1e-9, "{p} {q} {epsilon}: {a:?} {b:?}");
        }
    }
}

/// ln max{(1-p)/q, p/(1-q), q/(1-p), (1-q)/p}, not the max itself.
#[test]
fn epsilon_is_the_logarithm_of_the_largest_ratio() {
    for (p, q, expected) in [
        ("1/4", "1/4", 3_f64.ln()),
        ("1/2", "1/2", 0.0),
        ("1/10", "1/2", 5_f64.ln()),
        ("3/10", "1/20", 14_f64.ln()),
    ] {
        let found = loss(&response(p, q, 1).spec(), REPLACE).epsilon(0.0).unwrap().upper;
        assert!((found - expected).abs() < 1e-9, "{p} {q}: {found}");
    }
}

#[test]
fn vectors_of_epsilon_one() {
    let mechanism = symmetric("1");
    assert_eq!(mechanism.spec().to_string(), "kary_response(k=2, eps=1)");
    assert_eq!(mechanism.units_needed(0.05, 0.05).unwrap(), 3455);
    let mut entropy = SeededEntropy::new(1);
    let one = answer_slice(&mechanism, [true], &mut entropy).count(0);
    for variance in [one.variance(0), one.variance(1), one.largest_variance()] {
        let variance = variance.unwrap();
        assert!((variance.lower() - 0.920_673_594_207_79).abs() < 1e-13, "{variance}");
        assert!(variance.width() < 1e-13);
    }
}

/// k-ary: (N_v(e^ε + d) - n)/(e^ε - 1).
#[test]
fn counts_of_answers_are_estimated_without_bias() {
    let mechanism = KaryResponse::new(5, &rational("3/2"), 1, REPLACE).unwrap();
    let data: Vec<u32> = (0..400).map(|i| if i < 250 { 3 } else { i % 3 }).collect();
    let data: [u32; 400] = data.try_into().unwrap();
    let answers = answer_slice(&mechanism, data, &mut SeededEntropy::new(7));
    let all = answers.intervals(0, 0.9).unwrap();
    assert_eq!(all.len(), 5);
    for (v, wide) in (0..5).zip(all) {
        let count = answers.count(0, v);
        let own = count.interval(0.9).unwrap();
        assert!(wide.lower <= own.lower && own.upper <= wide.upper);
        let given = answers.answers().iter().filter(|x| **x == v).count() as f64;
        let e = 1.5_f64.exp();
        let expected = (given * (e + 4.0) - 400.0) / (e - 1.0);
        assert!((count.estimate().unwrap() - expected).abs() < 1e-9);
        let (interval, truth) = (
            count.interval(1.0 - 1e-9).unwrap(),
            match v {
                3 => 250.0,
                4 => 0.0,
                _ => 50.0,
            },
        );
        assert!(interval.lower <= truth && truth <= interval.upper, "{v}: {interval}");
    }
}

#[test]
fn the_bound_in_use_on_flips_is_looser_than_the_law() {
    let (zeros, ones) = (6, 4);
    let (p, q) = (rational("1/10"), rational("2/5"));
    let law = FlipLaw::new(zeros, ones, &p, &q).unwrap();
    let choose = |k: u32, j: u32| (0..j).fold(1.0, |c, i| c * f64::from(k - i) / f64::from(i + 1));
    let mut total = Enclosure::ZERO;
    for j in 0..=10_u32 {
        let mass = law.mass(u64::from(j));
        let bound =
            choose(10, j) * 0.4_f64.powi(j.cast_signed()) * 0.9_f64.powi(10 - j.cast_signed());
        assert!(mass.upper() <= bound, "{j}");
        assert!(j == 0 || mass.upper() < 0.6 * bound, "{j}: {mass} is near {bound}");
        total = total + mass;
        let tail = law.at_least(u64::from(j));
        let rest = Enclosure::ONE - tail;
        assert!(j == 0 || (law.at_most(u64::from(j - 1)) - rest).contains(0.0));
    }
    assert!(total.contains(1.0) && total.width() < 1e-12);
    assert!(law.at_least(11) == Enclosure::ZERO && law.at_most(10).contains(1.0));
    // With one chance it is the binomial law: the bound is met.
    let law = FlipLaw::new(zeros, ones, &q, &q).unwrap();
    let bound = choose(10, 3) * 0.4_f64.powi(3) * 0.6_f64.powi(7);
    assert!((law.mass(3).lower() - bound).abs() < 1e-14);
}

/// 10^5 tosses per world against exact bounds at 1e-9; a coin of ε + 0.1, 0.02 away, fails.
#[test]
fn coins_have_the_stated_chances() {
    let frequency = |mechanism: &RandomisedResponse, bit: bool| {
        let mut entropy = SeededEntropy::new(3);
        let reports = answer_slice(mechanism, [bit; 100_000], &mut entropy);
        reports.bits().iter().filter(|b| **b != bit).count() as u64
    };
    let admits = |flips: u64, chance: f64| {
        let level = 1e-10;
        lower_bound(flips, 100_000, level) <= chance && chance <= upper_bound(flips, 100_000, level)
    };
    let chance = 1.0 / (1.0 + 1_f64.exp());
    assert!(admits(frequency(&symmetric("1"), false), chance));
    assert!(admits(frequency(&symmetric("1"), true), chance));
    assert!(!admits(frequency(&symmetric("11/10"), false), chance));
    let skewed = response("1/10", "1/2", 1);
    assert!(admits(frequency(&skewed, false), 0.1));
    assert!(admits(frequency(&skewed, true), 0.5));
    let kary = KaryResponse::new(4, &rational("1"), 1, REPLACE).unwrap();
    let answers = answer_slice(&kary, [2; 100_000], &mut SeededEntropy::new(4));
    let e = 1_f64.exp();
    for v in 0..4 {
        let given = answers.answers().iter().filter(|x| **x == v).count() as u64;
        assert!(admits(given, if v == 2 { e } else { 1.0 } / (e + 3.0)), "{v}");
    }
}

/// Power: at ε = 2 claimed as 1 the likelihood ratio is e² in half of all runs of 20 000.
#[test]
fn an_audit_refutes_too_little_noise_and_accepts_enough() {
    let claim = loss(&symmetric("1").spec(), REPLACE);
    let run = |mechanism: &RandomisedResponse, seed| {
        audit::refute(20_000, seed, &claim, |world, entropy| {
            answer_slice(mechanism, [world, true], entropy).bits().to_vec()
        })
    };
    assert!(run(&symmetric("1"), 5).is_none());
    assert!(run(&symmetric("2"), 6).is_some());
    let claim = loss(&KaryResponse::new(3, &rational("1"), 1, REPLACE).unwrap().spec(), REPLACE);
    let run = |epsilon: &str, seed| {
        let kary = KaryResponse::new(3, &rational(epsilon), 1, REPLACE).unwrap();
        audit::refute(20_000, seed, &claim, |world, entropy| {
            answer_slice(&kary, [u32::from(world)], entropy).answers().to_vec()
        })
    };
    assert!(run("1", 8).is_none());
    assert!(run("2", 9).is_some());
}

#[test]
fn relations_and_parameters_are_checked() {
    let [quarter, two, minus] = ["1/4", "2", "-1"].map(rational);
    let refused = |result: Result<RandomisedResponse, _>| {
        matches!(result, Err(MechanismError::Refused { .. }))
    };
    assert!(refused(RandomisedResponse::new(&quarter, &quarter, 1, Neighbours::AddRemove)));
    assert!(refused(RandomisedResponse::symmetric(&two, 1, Neighbours::AddRemove)));
    assert!(KaryResponse::new(3, &two, 1, Neighbours::AddRemove).is_err());
    assert!(RandomisedResponse::new(&two, &quarter, 1, REPLACE).is_err());
    assert!(RandomisedResponse::new(&quarter, &minus, 1, REPLACE).is_err());
    assert!(RandomisedResponse::new(&quarter, &quarter, 0, REPLACE).is_err());
    assert!(RandomisedResponse::symmetric(&minus, 1, REPLACE).is_err());
    assert!(KaryResponse::new(1, &two, 1, REPLACE).is_err());
    let empty_place = RandomisedResponse::symmetric(&two, 1, Neighbours::ZeroOut).unwrap();
    assert_eq!(empty_place.neighbours(), Neighbours::ZeroOut);
}

/// No protection is described as none, and no information as none; neither is an error.
#[test]
fn certain_and_useless_responses_are_described_as_such() {
    let truth = response("0", "0", 1);
    assert!(loss(&truth.spec(), REPLACE).delta(20.0).unwrap().upper > 0.999);
    let mut entropy = SeededEntropy::new(1);
    let reports = answer_slice(&truth, [true, false, true], &mut entropy);
    assert_eq!(reports.bits(), [true, false, true]);
    let interval = reports.count(0).interval(0.99).unwrap();
    assert_eq!((interval.lower, interval.upper), (2.0, 2.0));
    let liar = response("1", "1", 1);
    let lies = answer_slice(&liar, [true, false, true], &mut entropy);
    assert_eq!(lies.bits(), [false, true, false]);
    assert_eq!(lies.count(0).estimate().unwrap(), 2.0);
    for useless in [response("1/3", "2/3", 1), symmetric("0")] {
        assert_eq!(loss(&useless.spec(), REPLACE).delta(0.0).unwrap().upper, 0.0);
        let count = answer_slice(&useless, [true, false], &mut entropy).count(0);
        assert!(count.estimate().is_err() && count.interval(0.9).is_err());
        assert!(useless.units_needed(0.1, 0.1).is_err());
    }
}

#[test]
fn hostile_inputs_are_answered() {
    let mut entropy = SeededEntropy::new(2);
    let wide = response("1/4", "1/4", 3);
    let none = answer_slice(&wide, [], &mut entropy);
    assert_eq!((none.units(), none.count(0).reported(), none.count(9).reported()), (0, 0, 0));
    let interval = none.count(0).interval(0.95).unwrap();
    assert_eq!((interval.lower, interval.upper), (0.0, 0.0));
    let one = answer_slice(&wide, [true, false, true], &mut entropy);
    assert_eq!((one.units(), one.count(2).units()), (1, 1));
    let cut = Sensitive::new([true; 4]);
    assert!(wide.run(cut.as_slice(), free(&wide), &mut entropy).is_err());
    for bad in [0.0, 1.0, f64::NAN, -1.0] {
        assert!(one.count(0).interval(bad).is_err());
    }
    // An answer that does not exist counts as the last; no noise to speak of.
    let sure = KaryResponse::new(3, &rational("2000"), 1, REPLACE).unwrap();
    let answers = answer_slice(&sure, [u32::MAX, 3, 2, 0], &mut entropy);
    assert_eq!(answers.answers(), [2, 2, 2, 0]);
    assert!((answers.count(0, 2).estimate().unwrap() - 3.0).abs() < 1e-9);
    let interval = answers.count(0, 2).interval(0.999).unwrap();
    assert_eq!((interval.lower, interval.upper), (3.0, 3.0));
    let broad = KaryResponse::new(u32::MAX, &rational("1/2"), 1, REPLACE).unwrap();
    assert!(answer_slice(&broad, [7], &mut entropy).answers()[0] < u32::MAX);
}

/// Two million bits, and an interval from the exact law of their count.
#[test]
fn large_data_is_answered_in_bulk() {
    let mechanism = symmetric("1");
    let data: Box<[bool]> = (0..2_000_000).map(|i| i % 4 == 0).collect();
    // An unsized box of private bits.
    let data: Box<Sensitive<[bool]>> = sensitive(data);
    let permit = free(&mechanism);
    let release = mechanism.run(&data, permit, &mut SeededEntropy::new(11)).unwrap();
    let count = release.value().count(0);
    let interval = count.interval(1.0 - 1e-9).unwrap();
    assert!(interval.lower <= 500_000.0 && 500_000.0 <= interval.upper, "{interval}");
    // 2 Φ^-1(1 - 5e-10) sd = 12.2 sd.
    let sd = (2e6 * 0.920_673_594_207_79_f64).sqrt();
    assert!(interval.upper - interval.lower < 12.3 * sd, "{interval}");
}

fn sensitive(data: Box<[bool]>) -> Box<Sensitive<[bool]>> {
    const MANY: usize = 2_000_000;
    let array: Box<[bool; MANY]> = data.try_into().unwrap();
    let boxed: Box<Sensitive<[bool; MANY]>> = Box::new(Sensitive::new(*array));
    boxed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any chances: the pure price is the logarithm of the largest ratio.
    #[test]
    fn any_bit_is_priced_by_its_largest_ratio(p in 1_u32..20, q in 1_u32..20) {
        let (a, b) = (f64::from(p) / 20.0, f64::from(q) / 20.0);
        let mechanism = response(&format!("{p}/20"), &format!("{q}/20"), 1);
        let found = loss(&mechanism.spec(), REPLACE).epsilon(0.0).unwrap().upper;
        let ratios = [(1.0 - a) / b, a / (1.0 - b), b / (1.0 - a), (1.0 - b) / a];
        let expected = ratios.into_iter().fold(0.0, f64::max).ln();
        prop_assert!((found - expected).abs() < 1e-9, "{} {}", found, expected);
    }

    #[test]
    fn intervals_of_all_places_contain_those_of_each(seed in 0_u64..1000) {
        let mechanism = response("1/5", "1/3", 4);
        let data: [bool; 80] = std::array::from_fn(|i| i % 3 == 0);
        let reports = answer_slice(&mechanism, data, &mut SeededEntropy::new(seed));
        let all = reports.intervals(0.9).unwrap();
        prop_assert_eq!(all.len(), 4);
        for (place, wide) in all.iter().enumerate() {
            let own = reports.count(place).interval(0.9).unwrap();
            prop_assert!(wide.lower <= own.lower && own.upper <= wide.upper);
        }
    }
}
