//! Means, variances and bounds.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare with plain numbers, and may fail"
)]

use crate::support::exact::{Law, assert_within, laplace, violates};
use crate::support::{audit, costs_at_most, free, loss, rational};
use proptest::prelude::*;
use throng_mechanism::bounds::Bounds;
use throng_mechanism::mean::{Mean, quotient};
use throng_mechanism::noise::Protection;
use throng_mechanism::sum::Sum;
use throng_mechanism::variance::Variance;
use throng_mechanism::{
    AddNoise, Clamp, Grid, L1, Mechanism, Neighbours, Noise, NoiseLaw, Sensitive, Sensitivity,
};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

const HOSTILE: [f64; 8] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 5e-324, 0.3, 1.0];

fn unit() -> Clamp {
    Clamp::between(&Rational::ZERO, &Rational::ONE).unwrap()
}

fn pure(epsilon: &str) -> Protection {
    Protection::Pure { epsilon: rational(epsilon) }
}

fn gaussian(multiplier: &str) -> Protection {
    Protection::Gaussian { multiplier: rational(multiplier) }
}

fn run<M: Mechanism<Input = [f64]>, const N: usize>(
    mechanism: &M,
    data: [f64; N],
    entropy: &mut SeededEntropy,
) -> M::Output {
    let data = Sensitive::new(data);
    mechanism.run(data.as_slice(), free(mechanism), entropy).unwrap().into_parts().0
}

/// 1000 numbers in [0, 1] with mean near 0.36.
fn thousand() -> [f64; 1000] {
    std::array::from_fn(|i| ((i as f64 * 0.754_877_666) % 1.0) * 0.72)
}

fn mean_and_variance(data: &[f64]) -> (f64, f64) {
    let n = data.len() as f64;
    let mean = data.iter().sum::<f64>() / n;
    (mean, data.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n)
}

#[test]
fn replace_and_add_remove_differ_in_spec_noise_and_error() {
    let private = Mean::<f64>::new(unit(), &pure("1")).unwrap();
    let public =
        Mean::<f64>::of_public_count(unit(), &pure("1"), 1000, Neighbours::Replace).unwrap();
    assert_eq!(private.neighbours(), Neighbours::AddRemove);
    assert_eq!(public.neighbours(), Neighbours::Replace);
    assert_ne!(private.spec(), public.spec());
    let mut entropy = SeededEntropy::new(1);
    let (a, b) = (run(&private, thousand(), &mut entropy), run(&public, thousand(), &mut entropy));
    assert_eq!((a.parts().len(), b.parts().len()), (2, 1));
    let width = |i: throng_mechanism::Interval| i.upper - i.lower;
    assert!(width(a.interval(0.9).unwrap()) > width(b.interval(0.9).unwrap()));
    // What one calls n, the other has to estimate.
    assert_eq!(b.records(), 1000.0);
    assert_ne!(a.records(), 1000.0);
    let refused =
        Mean::<f64>::of_public_count(unit(), &pure("1"), 1000, Neighbours::AddRemove).unwrap_err();
    assert!(refused.to_string().contains("private"));
}

#[test]
fn each_relation_costs_what_was_asked() {
    for under in [Neighbours::Replace, Neighbours::ZeroOut] {
        let mean = Mean::<f64>::of_public_count(unit(), &pure("1"), 5, under).unwrap();
        let variance = Variance::<f64>::of_public_count(unit(), &pure("1"), 5, under).unwrap();
        assert!(costs_at_most(&mean, "1") && !costs_at_most(&mean, "0.999"));
        assert!(costs_at_most(&variance, "1") && !costs_at_most(&variance, "0.999"));
    }
    let mean = Mean::<f64>::new(unit(), &pure("1")).unwrap();
    let variance = Variance::<f64>::new(unit(), &pure("1")).unwrap();
    assert!(costs_at_most(&mean, "1") && !costs_at_most(&mean, "0.999"));
    assert!(costs_at_most(&variance, "1") && !costs_at_most(&variance, "0.999"));
    // With Gaussian noise of twice the distance: μ = 1/2.
    let mean = Mean::<f64>::new(unit(), &gaussian("2")).unwrap();
    let delta = loss(&mean.spec(), Neighbours::AddRemove).delta(1.0).unwrap();
    assert!(delta.upper < 0.0075 && delta.lower > 0.006, "{delta:?}");
}

/// Joint release against half the budget for each of sum and count.
#[test]
fn the_joint_release_is_narrower_than_a_noisy_sum_over_a_noisy_count() {
    let under = Neighbours::AddRemove;
    let joint = Mean::<f64>::new(unit(), &pure("1")).unwrap();
    let sum = Sum::<f64>::new(unit(), &pure("1/2"), under).unwrap();
    let one = Sensitivity::<L1>::of(1.into(), under).unwrap();
    let count = AddNoise::new(Noise::pure(&rational("1/2"), &one, Grid::WHOLE).unwrap());
    let mut entropy = SeededEntropy::new(2);
    let truth = mean_and_variance(&thousand()).0;
    let (mut narrow, mut wide, mut misses) = (0.0, 0.0, 0);
    for _ in 0..200 {
        let found = run(&joint, thousand(), &mut entropy);
        let interval = found.interval(0.9).unwrap();
        narrow += interval.upper - interval.lower;
        misses += u32::from(truth < interval.lower - 1e-6 || truth > interval.upper + 1e-6);
        let noisy = run(&sum, thousand(), &mut entropy);
        let n = Sensitive::new([1000]);
        let n = count.run(n.as_slice(), free(&count), &mut entropy).unwrap().into_parts().0;
        let (value, classic) = quotient(&noisy, &n, (0.0, 1.0), 0.9).unwrap();
        assert!(classic.lower <= value && value <= classic.upper);
        wide += classic.upper - classic.lower;
    }
    assert!(narrow < 0.75 * wide, "{narrow} {wide}");
    // P(Bin(200, 0.1) > 55) < 1e-9.
    assert!(misses <= 55, "{misses}");
}

#[test]
fn intervals_cover_under_every_relation_and_noise() {
    let truth = mean_and_variance(&thousand());
    let mut entropy = SeededEntropy::new(3);
    for protection in [pure("1/2"), gaussian("3")] {
        let public =
            |under| Mean::<f64>::of_public_count(unit(), &protection, 1000, under).unwrap();
        let spread =
            |under| Variance::<f64>::of_public_count(unit(), &protection, 1000, under).unwrap();
        let (private, private_spread) = (
            Mean::<f64>::new(unit(), &protection).unwrap(),
            Variance::<f64>::new(unit(), &protection).unwrap(),
        );
        let means = [private, public(Neighbours::Replace), public(Neighbours::ZeroOut)];
        let spreads = [private_spread, spread(Neighbours::Replace), spread(Neighbours::ZeroOut)];
        for (mean, variance) in means.iter().zip(&spreads) {
            let mut misses = (0, 0);
            for _ in 0..100 {
                let i = run(mean, thousand(), &mut entropy).interval(0.8).unwrap();
                // The grid moves the truth by at most 1e-6.
                misses.0 += u32::from(truth.0 < i.lower - 1e-6 || truth.0 > i.upper + 1e-6);
                let found = run(variance, thousand(), &mut entropy);
                let i = found.interval(0.8).unwrap();
                misses.1 += u32::from(truth.1 < i.lower - 1e-5 || truth.1 > i.upper + 1e-5);
                assert!(i.lower <= found.value() && found.value() <= i.upper);
            }
            // P(Bin(100, 0.2) > 47) < 1e-9.
            assert!(misses.0 <= 47 && misses.1 <= 47, "{misses:?}");
        }
    }
}

#[test]
fn with_little_noise_they_are_the_mean_and_the_variance() {
    let (mean, variance) = mean_and_variance(&thousand());
    let mut entropy = SeededEntropy::new(4);
    for _ in 0..3 {
        let found =
            run(&Mean::<f64>::new(unit(), &pure("1000")).unwrap(), thousand(), &mut entropy);
        assert!((found.value() - mean).abs() < 1e-4, "{}", found.value());
        let found = Variance::<f64>::new(unit(), &pure("1000")).unwrap();
        let found = run(&found, thousand(), &mut entropy);
        assert!((found.value() - variance).abs() < 1e-4, "{} {variance}", found.value());
        assert!((found.standard_deviation() - variance.sqrt()).abs() < 1e-3);
        let found =
            Variance::<f64>::of_public_count(unit(), &pure("1000"), 1000, Neighbours::Replace);
        let found = run(&found.unwrap(), thousand(), &mut entropy);
        assert!((found.value() - variance).abs() < 1e-4, "{} {variance}", found.value());
    }
}

#[test]
fn nothing_and_hostile_rows_are_answered_within_the_bounds() {
    let clamp = Clamp::between(&rational("-2"), &rational("6")).unwrap();
    let mut entropy = SeededEntropy::new(5);
    for _ in 0..50 {
        let mean = Mean::<f64>::new(clamp, &pure("1/10")).unwrap();
        let empty = run(&mean, [], &mut entropy);
        let hostile = run(&mean, HOSTILE, &mut entropy);
        for found in [empty, hostile] {
            assert!((-2.0..=6.0).contains(&found.value()));
            let interval = found.interval(0.99).unwrap();
            assert!(-2.0 <= interval.lower && interval.upper <= 6.0);
        }
        let variance = Variance::<f64>::new(clamp, &pure("1/10")).unwrap();
        let found = run(&variance, HOSTILE, &mut entropy);
        assert!((0.0..=16.0).contains(&found.value()));
    }
    for under in [Neighbours::Replace, Neighbours::ZeroOut] {
        let mean = Mean::<f64>::of_public_count(clamp, &pure("1"), 0, under).unwrap();
        let found = run(&mean, [], &mut entropy);
        assert_eq!(found.value(), 2.0);
        assert_eq!(found.interval(0.5).unwrap().lower, -2.0);
        let variance = Variance::<f64>::of_public_count(clamp, &pure("1"), 0, under).unwrap();
        assert_eq!(run(&variance, [], &mut entropy).value(), 8.0);
    }
    let point = Clamp::between(&Rational::ONE, &Rational::ONE).unwrap();
    assert!(Mean::<f64>::new(point, &pure("1")).is_err());
    assert!(Variance::<f64>::new(point, &pure("1")).is_err());
}

#[test]
fn the_middle_is_the_answer_when_the_noisy_count_is_not_above_zero() {
    let mean = Mean::<f64>::new(unit(), &pure("1")).unwrap();
    let mut entropy = SeededEntropy::new(6);
    let answers: Vec<f64> = (0..200).map(|_| run(&mean, [], &mut entropy).value()).collect();
    assert!(answers.iter().filter(|x| (**x - 0.5).abs() < 1e-5).count() > 20);
}

/// Shares of a record, read off releases with the same noise: exact sensitivities.
#[test]
fn one_record_moves_the_released_numbers_by_what_is_claimed() {
    let steps = |mechanism: &Mean<f64>, data: &[f64]| -> Vec<i64> {
        let mut entropy = SeededEntropy::new(7);
        let part = match data {
            [] => run(mechanism, [], &mut entropy),
            [x] => run(mechanism, [*x], &mut entropy),
            _ => run(mechanism, [data[0], data[1]], &mut entropy),
        };
        part.parts().steps().to_vec()
    };
    let spread = |mechanism: &Variance<f64>, data: &[f64]| -> Vec<i64> {
        let mut entropy = SeededEntropy::new(7);
        let part = match data {
            [] => run(mechanism, [], &mut entropy),
            [x] => run(mechanism, [*x], &mut entropy),
            _ => run(mechanism, [data[0], data[1]], &mut entropy),
        };
        part.parts().steps().to_vec()
    };
    let moved = |a: &[i64], b: &[i64]| -> (i64, f64) {
        let gaps: Vec<i64> = a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect();
        let square: f64 = gaps.iter().map(|d| (*d as f64) * (*d as f64)).sum();
        (gaps.iter().sum(), square.sqrt())
    };
    let clamp = Clamp::between(&rational("-2"), &rational("6")).unwrap();
    let width = clamp.width();
    let whole = 1_i64 << 20;
    let points: Vec<f64> =
        HOSTILE.into_iter().chain((0..60).map(|i| -2.5 + f64::from(i) * 0.151)).collect();
    let (mean, variance) =
        (Mean::new(clamp, &pure("1")).unwrap(), Variance::new(clamp, &pure("1")).unwrap());
    let fixed = Mean::of_public_count(clamp, &pure("1"), 2, Neighbours::Replace).unwrap();
    let fixed_spread =
        Variance::of_public_count(clamp, &pure("1"), 2, Neighbours::Replace).unwrap();
    for x in &points {
        assert_eq!(moved(&steps(&mean, &[*x]), &steps(&mean, &[])).0, width);
        let (l1, l2) = moved(&spread(&variance, &[*x]), &spread(&variance, &[]));
        assert_eq!(l1, whole);
        assert!(l2 <= whole as f64);
        for y in &points {
            let (l1, _) = moved(&steps(&fixed, &[*x]), &steps(&fixed, &[*y]));
            assert!(l1 <= width);
            let (l1, l2) = moved(&spread(&fixed_spread, &[*x]), &spread(&fixed_spread, &[*y]));
            assert!(l1 <= whole * 9 / 4 + 2 && l2 <= (2 * whole + 2) as f64, "{x} {y}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The interval of a variance holds every variance of the box: here, of the value itself.
    #[test]
    fn intervals_of_variances_hold_their_value(seed in any::<u64>(), n in 0..3_usize) {
        let mut entropy = SeededEntropy::new(seed);
        let variance = Variance::<f64>::new(unit(), &pure("1/3")).unwrap();
        let found = match n {
            0 => run(&variance, [], &mut entropy),
            1 => run(&variance, [0.0, 1.0, 1.0, 0.5, 0.2], &mut entropy),
            _ => run(&variance, thousand(), &mut entropy),
        };
        let mut before: Option<throng_mechanism::Interval> = None;
        for confidence in [0.01, 0.3, 0.9, 0.999] {
            let interval = found.interval(confidence).unwrap();
            prop_assert!(interval.lower <= found.value() && found.value() <= interval.upper);
            if let Some(before) = before {
                prop_assert!(interval.lower <= before.lower && before.upper <= interval.upper);
            }
            before = Some(interval);
        }
    }
}

#[test]
fn an_audit_accepts_means_and_refutes_a_private_count_used_as_if_public() {
    let clamp = Clamp::new(&0.into(), &3.into(), Grid::WHOLE).unwrap();
    let mean = Mean::<f64>::new(clamp, &pure("1")).unwrap();
    let claim = loss(&mean.spec(), Neighbours::AddRemove);
    let bin = |parts: &[i64]| (parts[0].clamp(-4, 9) / 2, parts[1].clamp(-4, 9) / 2);
    let found = audit::refute(40_000, 1, &claim, |world, entropy| {
        let found = if world {
            run(&mean, [1.0, 2.0, f64::INFINITY], entropy)
        } else {
            run(&mean, [1.0, 2.0], entropy)
        };
        bin(found.parts().steps())
    });
    assert!(found.is_none(), "{found:?}");
    // Broken: the noise on the mean itself, scaled to W/n with the n of the data at hand.
    let sampler = NoiseLaw::laplace(3.into()).unwrap().sampler().unwrap();
    let found = audit::refute(40_000, 2, &claim, |world, entropy| {
        let (sum, n) = if world { (3, 3) } else { (3, 1) };
        let mut noise = [0];
        sampler.fill(entropy, &mut noise).unwrap();
        // In units of 1/3: noise of scale 3/n, so multiples of 3/n.
        (3 * (sum + noise[0])).div_euclid(n).clamp(-30, 30)
    });
    assert!(found.is_some());
}

#[test]
fn bounds_are_found_and_empty_bins_do_not_show() {
    let beta = 1e-3;
    let bounds =
        |under| Bounds::<f64>::new(Grid::new(-4).unwrap(), &pure("1"), beta, under).unwrap();
    let mut entropy = SeededEntropy::new(8);
    for under in [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut] {
        let mechanism = bounds(under);
        assert!(costs_at_most(&mechanism, "1") && !costs_at_most(&mechanism, "0.999"));
        let data: [f64; 600] = std::array::from_fn(|i| match i % 3 {
            0 => -3.0,
            1 => 70.0,
            _ => f64::NAN,
        });
        let found = run(&mechanism, data, &mut entropy).clamp().unwrap();
        // -3 is in (-4, -2], 70 in [64, 128).
        assert_eq!(found.grid().to_f64(found.lower()), -4.0 + 1.0 / 16.0);
        assert_eq!(found.grid().to_f64(found.upper()), 128.0 - 1.0 / 16.0);
        let nothing = (0..200).filter(|_| run(&mechanism, [], &mut entropy).clamp().is_some());
        // P(Bin(200, 0.001) > 7) < 1e-9.
        assert!(nothing.count() <= 7);
    }
}

#[test]
fn bounds_take_every_number() {
    let mechanism =
        Bounds::<f64>::new(Grid::new(0).unwrap(), &pure("100"), 1e-6, Neighbours::AddRemove)
            .unwrap();
    let mut entropy = SeededEntropy::new(9);
    let many = |x: f64| [x; 64];
    let edge = ((1_i64 << 61) - 1, 1_i64 << 60);
    for (x, lower, upper) in [
        (0.0, 0, 0),
        (-0.0, 0, 0),
        (1.0, 1, 1),
        (-1.0, -1, -1),
        (2.5, 2, 3),
        (1023.0, 512, 1023),
        (1024.0, 1024, 2047),
        (f64::INFINITY, edge.1, edge.0),
        (f64::MIN, -edge.0, -edge.1),
        (5e-324, 0, 0),
    ] {
        let found = run(&mechanism, many(x), &mut entropy).clamp().unwrap();
        assert_eq!((found.lower(), found.upper()), (lower, upper), "{x}");
    }
    assert!(run(&mechanism, many(f64::NAN), &mut entropy).clamp().is_none());
    let under = Neighbours::AddRemove;
    for beta in [0.0, 1.0, f64::NAN] {
        assert!(Bounds::<f64>::new(Grid::WHOLE, &pure("1"), beta, under).is_err());
    }
    let integers = Bounds::<i64>::new(Grid::WHOLE, &pure("100"), 1e-6, under).unwrap();
    let data = Sensitive::new([i64::MIN; 64]);
    let found = integers.run(data.as_slice(), free(&integers), &mut entropy).unwrap();
    assert_eq!(found.value().clamp().unwrap().lower(), -edge.0);
}

/// The largest variance, W²/4, lies in the interval even if W² is not an `f64`.
#[test]
fn the_largest_variance_is_covered() {
    let width = (1_i64 << 27) + 1;
    let clamp = Clamp::new(&0.into(), &width.into(), Grid::WHOLE).unwrap();
    let mechanism =
        Variance::<f64>::of_public_count(clamp, &pure("1000"), 2, Neighbours::Replace).unwrap();
    let found = run(&mechanism, [0.0, width as f64], &mut SeededEntropy::new(21));
    let truth = Rational::from(width).square() * rational("1/4");
    let interval = found.interval(0.999_999).unwrap();
    assert!(Rational::from_f64(interval.upper).unwrap() >= truth);
    assert!(Rational::from_f64(interval.lower).unwrap() <= truth);
}

/// An integer cannot be NaN: one that is zeroed out becomes 0 and leaves one bin for another.
#[test]
fn an_integer_that_is_zeroed_out_changes_two_bins() {
    let scale = |under| {
        let mechanism = Bounds::<i64>::new(Grid::WHOLE, &pure("1"), 0.1, under).unwrap();
        assert!(costs_at_most(&mechanism, "1"));
        let NoiseLaw::DiscreteLaplace { scale } = mechanism.noise().law().clone() else { panic!() };
        (scale.to_f64_nearest(), mechanism)
    };
    // What is left out only makes it harder to tell the two apart.
    let law = |scale: f64, at: (i64, i64)| -> Law<(i64, i64)> {
        let places = (-4..=5).flat_map(|j| (-4..=5).map(move |k| (j, k)));
        places.map(|(j, k)| ((j, k), laplace(j - at.0, scale) * laplace(k - at.1, scale))).collect()
    };
    for (under, moved, broken) in [
        (Neighbours::ZeroOut, (0, 1), false),
        (Neighbours::Replace, (0, 1), false),
        (Neighbours::AddRemove, (0, 0), false),
        (Neighbours::AddRemove, (0, 1), true),
    ] {
        let (scale, mechanism) = scale(under);
        let claim = loss(&mechanism.spec(), under);
        assert_eq!(violates(&law(scale, (1, 0)), &law(scale, moved), &claim), broken, "{under}");
    }
}

/// The exact joint law of (A, B), with and without each possible record.
#[test]
fn the_joint_law_is_within_the_claim_exactly() {
    let clamp = Clamp::new(&0.into(), &2.into(), Grid::WHOLE).unwrap();
    let mean = Mean::<f64>::new(clamp, &pure("1")).unwrap();
    let claim = loss(&mean.spec(), Neighbours::AddRemove);
    assert_eq!(*mean.noise().law(), NoiseLaw::laplace(2.into()).unwrap());
    let law = |a: i64, b: i64| -> Law<(i64, i64)> {
        let chance = |k| laplace(k, 2.0);
        (-45..=45)
            .flat_map(|i| (-45..=45).map(move |j| ((i, j), chance(i - a) * chance(j - b))))
            .collect()
    };
    let nothing = law(0, 0);
    for (a, b) in [(0, 2), (1, 1), (2, 0)] {
        assert_within(&nothing, &law(a, b), &claim, 1e-8);
    }
    // A count that is as exact as the sum costs more.
    assert!(violates(&nothing, &law(2, 2), &claim));
}

/// A record that becomes nothing is read as the point nearest to 0.
#[test]
fn zeroing_out_moves_the_sum_by_at_most_the_distance_from_nothing() {
    for (lower, upper, most) in [("-2", "6", 6.0), ("3", "6", 3.0), ("-9", "-4", 5.0)] {
        let clamp = Clamp::new(&rational(lower), &rational(upper), Grid::new(-4).unwrap()).unwrap();
        let mean = Mean::<f64>::of_public_count(clamp, &pure("1"), 1, Neighbours::ZeroOut).unwrap();
        let at = |x: f64| run(&mean, [x], &mut SeededEntropy::new(1)).parts().value(0);
        let farthest = (-400..=400)
            .map(|i| (at(f64::from(i) / 16.0) - at(f64::NAN)).abs())
            .fold(0.0, f64::max);
        assert_eq!(farthest, most);
        let scale = rational("16") * Rational::from_f64(most).unwrap();
        assert_eq!(*mean.noise().law(), NoiseLaw::laplace(scale).unwrap());
    }
}
