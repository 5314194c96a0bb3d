//! Sums.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare with plain numbers, and may fail"
)]

use crate::support::exact::{Law, assert_within, laplace, violates};
use crate::support::{audit, free, loss, rational};
use proptest::prelude::*;
use throng_mechanism::noise::Protection;
use throng_mechanism::number::Number;
use throng_mechanism::sum::Sum;
use throng_mechanism::{Clamp, Grid, Mechanism, Neighbours, NoiseLaw, Sensitive};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

const RELATIONS: [Neighbours; 3] =
    [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut];

const HOSTILE: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    -0.0,
    0.0,
    5e-324,
    f64::MIN_POSITIVE,
    0.5,
    -2.5,
    1e300,
];

fn clamp(lower: &str, upper: &str, exponent: i32) -> Clamp {
    Clamp::new(&rational(lower), &rational(upper), Grid::new(exponent).unwrap()).unwrap()
}

fn pure(epsilon: &str) -> Protection {
    Protection::Pure { epsilon: rational(epsilon) }
}

/// The sum of data in vectors, in steps, without noise.
fn total<T: Number>(data: &[T], clamp: Clamp) -> i128 {
    T::sum(data, clamp)
}

#[test]
fn the_noise_is_scaled_to_the_relation() {
    let clamp = clamp("-3", "5", 0);
    for (under, distance) in
        [(Neighbours::AddRemove, 5), (Neighbours::ZeroOut, 5), (Neighbours::Replace, 8)]
    {
        let sum = Sum::<f64>::new(clamp, &pure("1/2"), under).unwrap();
        assert_eq!(*sum.noise().law(), NoiseLaw::laplace(Rational::from(2 * distance)).unwrap());
        let claim = loss(&sum.spec(), under);
        assert!(claim.epsilon(0.0).unwrap().upper <= 0.5 + 1e-12);
        assert!(claim.epsilon(0.0).unwrap().lower >= 0.5 - 1e-9);
    }
}

proptest! {
    /// Every neighbour of every small table, with hostile numbers, under every relation.
    #[test]
    fn no_neighbour_is_further_than_the_noise_allows(
        picks in prop::collection::vec(0..HOSTILE.len(), 1..8),
        other in 0..HOSTILE.len(),
        place in 0..8_usize,
        bounds in (-40_i64..40, 0_i64..60),
        exponent in -3..4_i32,
    ) {
        let data: Vec<f64> = picks.iter().map(|i| HOSTILE[*i]).collect();
        let place = place % data.len();
        let (lower, upper) = (Rational::from(bounds.0), Rational::from(bounds.0 + bounds.1));
        let clamp = Clamp::new(&lower, &upper, Grid::new(exponent).unwrap()).unwrap();
        for under in RELATIONS {
            let mut neighbour = data.clone();
            let most = match under {
                Neighbours::AddRemove => { neighbour.remove(place); clamp.largest() }
                Neighbours::Replace => { neighbour[place] = HOSTILE[other]; clamp.width() }
                Neighbours::ZeroOut => { neighbour[place] = f64::NAN; clamp.largest() }
            };
            let moved = total(&data, clamp) - total(&neighbour, clamp);
            prop_assert!(moved.abs() <= i128::from(most), "{under}: {moved}");
        }
    }

    /// The fast way, the plain way and any order agree.
    #[test]
    fn sums_do_not_depend_on_order_or_path(
        mut data in prop::collection::vec(prop_oneof![any::<f64>(), -1e3..1e3_f64, (-40..40_i32).prop_map(|k| f64::from(k) / 4.0)], 0..3000),
        exponent in -30..3_i32,
    ) {
        let clamp = clamp("-700", "300.25", exponent);
        let plain: i128 = data.iter().map(|x| i128::from(clamp.apply(*x))).sum();
        prop_assert_eq!(total(&data, clamp), plain);
        data.reverse();
        prop_assert_eq!(total(&data, clamp), plain);
    }

    #[test]
    fn integers_are_rounded_as_reals_are(x in any::<i32>(), exponent in -20..34_i32) {
        let clamp = clamp("-1000000", "2000000", exponent);
        prop_assert_eq!(i64::from(x).in_steps(clamp), f64::from(x).in_steps(clamp));
    }
}

#[test]
fn a_reckless_sum_without_a_rule_for_nan_is_caught() {
    // f64 clamp keeps NaN, and a sum with NaN is NaN: one record decides the whole answer.
    let naive = |data: &[f64]| data.iter().map(|x| x.clamp(0.0, 1.0)).sum::<f64>();
    let (with, without) = ([0.5, f64::NAN], [0.5, 0.25]);
    let claim = {
        let sum = Sum::<f64>::new(clamp("0", "1", -4), &pure("1"), Neighbours::Replace).unwrap();
        loss(&sum.spec(), Neighbours::Replace)
    };
    let found = audit::refute(4000, 3, &claim, |world, _| {
        naive(if world { &with } else { &without }).is_nan()
    });
    assert!(found.is_some());
    // Ours maps NaN to the point nearest to 0.
    assert_eq!(total(&with, clamp("0", "1", -4)), 8);
}

#[test]
fn extremes_do_not_overflow() {
    let widest = Clamp::new(
        &Rational::from(-((1_i64 << 61) - 1)),
        &Rational::from((1_i64 << 61) - 1),
        Grid::WHOLE,
    )
    .unwrap();
    let many = vec![i64::MIN; 100_000];
    assert_eq!(total(&many, widest), -100_000 * ((1_i128 << 61) - 1));
    let many = vec![f64::MAX; 100_000];
    assert_eq!(total(&many, widest), 100_000 * ((1_i128 << 61) - 1));
    // 2^50 and just above: both sides of the fast path.
    for bound in [(1_i64 << 50), (1 << 50) + 1] {
        let clamp =
            Clamp::new(&Rational::from(-bound), &Rational::from(bound), Grid::WHOLE).unwrap();
        let data = vec![-1e300; 5000];
        assert_eq!(total(&data, clamp), -5000 * i128::from(bound));
    }
    // A release saturates, and says that it did.
    let sum = Sum::<i64>::new(widest, &pure("1"), Neighbours::AddRemove).unwrap();
    let release = answer_vec(&sum, vec![i64::MAX; 64], 1);
    assert_eq!(release.interval(0, 0.999_999_999).unwrap().upper, f64::INFINITY);
}

fn answer_vec<M: Mechanism<Input = [T]>, T: Clone>(
    mechanism: &M,
    data: Vec<T>,
    seed: u64,
) -> M::Output {
    // A slice of any length is private data too.
    let mut entropy = SeededEntropy::new(seed);
    macro_rules! of_length {
        ($($n:literal)*) => {
            match data.len() {
                $($n => {
                    let array: [T; $n] = data.try_into().ok().unwrap();
                    let data = Sensitive::new(array);
                    mechanism.run(data.as_slice(), free(mechanism), &mut entropy).unwrap().into_parts().0
                })*
                other => panic!("no array of {other}"),
            }
        };
    }
    of_length!(0 1 2 4 8 64)
}

#[test]
fn empty_data_and_one_row_are_answered() {
    for under in RELATIONS {
        let sum = Sum::<f64>::new(clamp("-1", "2", -10), &pure("1"), under).unwrap();
        for data in [vec![], vec![f64::NAN]] {
            let release = answer_vec(&sum, data, 7);
            let interval = release.interval(0, 0.999_999).unwrap();
            assert!(interval.lower <= 0.0 && 0.0 <= interval.upper);
            assert_eq!(release.uncovered().len(), 2);
        }
    }
}

#[test]
fn gaussian_sums_reach_their_target() {
    let target = throng_account::Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
    for under in RELATIONS {
        let sum =
            Sum::<f64>::new(clamp("0", "4", -20), &Protection::Target(target), under).unwrap();
        assert!(loss(&sum.spec(), under).delta(1.0).unwrap().upper <= 1e-6);
        let multiplier = Protection::Gaussian { multiplier: rational("2") };
        let sum = Sum::<i64>::new(clamp("0", "4", -20), &multiplier, under).unwrap();
        let delta = loss(&sum.spec(), under).delta(1.0).unwrap();
        // μ = 1/2: δ(1) = 0.00686...
        assert!(delta.upper > 0.006 && delta.upper < 0.0075, "{delta:?}");
    }
}

#[test]
fn an_audit_accepts_sums_and_refutes_forgotten_clamping() {
    let sum = Sum::<i64>::new(clamp("0", "3", 0), &pure("1"), Neighbours::AddRemove).unwrap();
    let claim = loss(&sum.spec(), Neighbours::AddRemove);
    let bin = |k: i64| k.clamp(-8, 16);
    let found = audit::refute(40_000, 1, &claim, |world, entropy| {
        let data = Sensitive::new([3, 1, if world { 100 } else { 0 }]);
        let release = sum.run(data.as_slice(), free(&sum), entropy).unwrap();
        bin(release.value().steps()[0])
    });
    assert!(found.is_none(), "{found:?}");
    let noise = throng_mechanism::AddNoise::new(sum.noise().clone());
    let found = audit::refute(40_000, 2, &claim, |world, entropy| {
        let unclamped = 4 + if world { 100 } else { 0 };
        let data = Sensitive::new([unclamped]);
        let release = noise.run(data.as_slice(), free(&noise), entropy).unwrap();
        bin(release.value().steps()[0])
    });
    assert!(found.is_some());
}

/// The exact law of the released sum, over all neighbouring pairs of small tables.
#[test]
fn all_small_neighbours_are_within_the_claim_exactly() {
    let clamp = clamp("-1", "2", 0);
    let rows = [f64::NAN, f64::NEG_INFINITY, 0.5, 7.0];
    let tables: Vec<Vec<f64>> =
        rows.iter().flat_map(|x| rows.iter().map(move |y| vec![*x, *y])).collect();
    for (under, scale) in
        [(Neighbours::AddRemove, 2.0), (Neighbours::ZeroOut, 2.0), (Neighbours::Replace, 3.0)]
    {
        let sum = Sum::<f64>::new(clamp, &pure("1"), under).unwrap();
        let claim = loss(&sum.spec(), under);
        let law = |data: &[f64]| -> Law<i64> {
            let total = i64::try_from(total(data, clamp)).unwrap();
            (-90..=90).map(|k| (k, laplace(k - total, scale))).collect()
        };
        for table in &tables {
            let neighbours: Vec<Vec<f64>> = match under {
                Neighbours::AddRemove => vec![vec![table[0]]],
                Neighbours::ZeroOut => vec![vec![table[0], f64::NAN]],
                Neighbours::Replace => rows.iter().map(|x| vec![table[0], *x]).collect(),
            };
            for neighbour in neighbours {
                assert_within(&law(table), &law(&neighbour), &claim, 1e-12);
            }
        }
        // Two records at once are too many.
        let claimed = violates(&law(&[7.0, 7.0]), &law(&[-7.0, -7.0]), &claim);
        assert!(claimed);
    }
}

#[test]
fn an_interval_of_one_point_is_served() {
    for under in RELATIONS {
        for point in ["0", "1"] {
            for protection in [pure("1"), Protection::Gaussian { multiplier: rational("3") }] {
                let sum = Sum::<f64>::new(clamp(point, point, 0), &protection, under).unwrap();
                answer_vec(&sum, vec![f64::INFINITY], 3);
                assert!(loss(&sum.spec(), under).delta(1.0).unwrap().upper <= 1e-2);
            }
        }
    }
}

#[test]
fn parameters_that_protect_nothing_are_refused() {
    for epsilon in ["0", "-1"] {
        assert!(Sum::<f64>::new(clamp("0", "1", 0), &pure(epsilon), Neighbours::Replace).is_err());
        let multiplier = Protection::Gaussian { multiplier: rational(epsilon) };
        assert!(Sum::<f64>::new(clamp("0", "1", 0), &multiplier, Neighbours::Replace).is_err());
    }
    let too_coarse = throng_account::Target::Gdp { mu: 100.0 };
    let target = Protection::Target(too_coarse);
    assert!(Sum::<f64>::new(clamp("0", "1", 0), &target, Neighbours::Replace).is_err());
}
