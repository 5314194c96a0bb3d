//! Profiles against published numbers, closed forms and brute force.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain floating point")]
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::sync::Arc;

use proptest::prelude::*;
use throng_account::pair::amplified::{
    Group, MaxProfile, Sampled, SampledReplace, SampledReverse, WithoutReplacement,
};
use throng_account::pair::discretise::discretise;
use throng_account::pair::laplace::{LaplaceProfile, TruncatedLaplaceProfile};
use throng_account::pair::normal::{GaussianProfile, TruncatedGaussianProfile};
use throng_account::pair::stated::{ExponentialProfile, RenyiProfile, ZcdpProfile};
use throng_account::pair::{Profile, polygon, response};
use throng_numeric::{Enclosure, Rational};

fn x(value: f64) -> Enclosure {
    Enclosure::point(value).unwrap()
}

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn gaussian(mu: f64) -> GaussianProfile {
    GaussianProfile::new(x(mu)).unwrap()
}

fn holds(enclosure: Enclosure, value: f64, tolerance: f64) {
    let near = |x: f64| (x - value).abs() <= tolerance * value.abs();
    assert!(near(enclosure.lower()) && near(enclosure.upper()), "{enclosure} is not {value}");
}

/// Non-increasing and convex in e^ε, at least (1 - e^ε)_+, at most 1.
fn is_a_profile(profile: &dyn Profile) {
    let grid: Vec<f64> = (-60..=60).map(|i| f64::from(i) / 15.0).collect();
    let values: Vec<Enclosure> = grid.iter().map(|e| profile.delta(*e)).collect();
    for (e, value) in grid.iter().zip(&values) {
        assert!(value.lower() >= 0.0 && value.upper() <= 1.0);
        assert!(value.upper() >= -e.exp_m1() - 1e-15, "{profile:?} {e}");
    }
    for (e, v) in grid.windows(3).zip(values.windows(3)) {
        assert!(v[1].lower() <= v[0].upper() * (1.0 + 1e-12));
        let t = (e[1].exp() - e[0].exp()) / (e[2].exp() - e[0].exp());
        let chord = v[0].upper() * (1.0 - t) + v[2].upper() * t;
        assert!(v[1].lower() <= chord * (1.0 + 1e-9) + 1e-16, "{profile:?} {e:?} {v:?}");
    }
}

#[test]
fn gaussian_vectors() {
    let table = [
        (0.0, 0.382_924_922_548_03),
        (0.5, 0.238_421_708_134_88),
        (1.0, 0.126_936_737_506_64),
        (2.0, 0.020_923_635_821_114),
        (4.0, 4.712_241_200_793_1e-5),
    ];
    for (epsilon, delta) in table {
        holds(gaussian(1.0).delta(epsilon), delta, 2e-13);
        let gamma = f64::exp(-epsilon);
        holds(gaussian(1.0).delta(-epsilon), 1.0 - gamma + gamma * delta, 2e-13);
    }
    for mu in [1e-8, 1e-5, 1e-3, 0.1, 1.0, 5.0, 50.0] {
        is_a_profile(&gaussian(mu));
        for sds in [0.0, 1.0, 5.0, 25.0, 29.0] {
            let value = gaussian(mu).delta(mu * mu / 2.0 + sds * mu);
            assert!(
                value.lower() > 0.0 && value.width() < 1e-9 * value.lower(),
                "{mu} {sds} {value}"
            );
        }
    }
    assert!(GaussianProfile::new(x(0.0)).is_err());
}

#[test]
fn laplace_and_truncated_noise_by_integration() {
    holds(LaplaceProfile::new(x(1.0)).unwrap().delta(0.4), 1.0 - (-0.3_f64).exp(), 1e-14);
    is_a_profile(&LaplaceProfile::new(x(1.0)).unwrap());
    for (bound, shift) in [(3.0, 1.0), (1.0, 1.0), (1.0, 1.5), (4.0, 0.3), (1.0, 2.5)] {
        let laplace = TruncatedLaplaceProfile::new(x(bound), x(shift)).unwrap();
        let normal = TruncatedGaussianProfile::new(x(bound), x(shift)).unwrap();
        is_a_profile(&laplace);
        is_a_profile(&normal);
        let n = 400_000;
        let cell = 14.0 / f64::from(n);
        let places = || (0..n).map(|i| -7.0 + (f64::from(i) + 0.5) * cell);
        type Weight = fn(f64) -> f64;
        let weights: [Weight; 2] = [|y| (-y.abs()).exp(), |y| (-y * y / 2.0).exp()];
        for (profile, weight) in [&laplace as &dyn Profile, &normal].into_iter().zip(weights) {
            let f = |y: f64| if y.abs() <= bound { weight(y) } else { 0.0 };
            let total: f64 = places().map(f).sum();
            for epsilon in [-1.0_f64, -0.2, 0.0, 0.2, 0.7, 2.0] {
                let sum: f64 =
                    places().map(|y| (f(y - shift) - epsilon.exp() * f(y)).max(0.0)).sum();
                let (value, plain) = (profile.delta(epsilon), sum / total);
                assert!(
                    (value.lower() - plain).abs() < 2e-4,
                    "{profile:?} {epsilon} {value} {plain}"
                );
                assert!(value.width() < 1e-13);
            }
        }
    }
}

#[test]
fn bounded_range_is_the_best_two_point_pair() {
    let profile = ExponentialProfile::new(x(1.3)).unwrap();
    is_a_profile(&profile);
    for epsilon in [-1.5_f64, -1.0, -0.3, 0.0, 0.4, 1.0, 1.29, 1.4] {
        let best = (0..=10_000)
            .map(|i| 1.3 * f64::from(i) / 10_000.0)
            .map(|t| {
                let p = (1.3_f64.exp() - t.exp()) / 1.3_f64.exp_m1();
                let far = (1.0 - p) * (1.0 - (epsilon - t + 1.3).exp()).max(0.0);
                p * (1.0 - (epsilon - t).exp()).max(0.0) + far
            })
            .fold(0.0, f64::max);
        assert!((best - profile.delta(epsilon).lower()).abs() < 1e-7, "{epsilon}");
    }
}

#[test]
fn renyi_statements() {
    let table = RenyiProfile::new(&[(r("8"), r("1/2"))]).unwrap();
    holds(table.delta(2.0), 1.351_681_358_029_8e-6, 1e-12);
    let zcdp = ZcdpProfile::new(x(0.5), x(0.0)).unwrap();
    // At 4.728386985 the published curve reaches 1e-5.
    assert!((zcdp.delta(4.728_386_985).upper() / 1e-5 - 1.0).abs() < 1e-6);
    for i in 0..50 {
        let epsilon = f64::from(i) / 5.0;
        assert!(zcdp.delta(epsilon).upper() >= gaussian(1.0).delta(epsilon).lower());
    }
    assert!(RenyiProfile::new(&[(r("1"), r("1"))]).is_err());
    let (upper, _) = discretise(&zcdp, 0.0, 300).unwrap();
    upper.check().unwrap();
}

#[test]
fn sampling_of_finite_pairs_is_exact() {
    let p = [0.6, 0.3, 0.1];
    let q = [0.2, 0.3, 0.5];
    let vector = |v: &[f64]| v.iter().map(|x| x.to_string().parse().unwrap()).collect::<Vec<_>>();
    let pair = polygon::discrete(&vector(&p), &vector(&q)).unwrap();
    let (there, back) = (Arc::new(pair.clone()), Arc::new(pair.swapped()));
    for rate in [0.01, 0.3, 1.0] {
        let sampled = Sampled::new(there.clone(), x(rate)).unwrap();
        let reverse = SampledReverse::new(back.clone(), x(rate)).unwrap();
        is_a_profile(&sampled);
        is_a_profile(&reverse);
        for i in -30..=30 {
            let gamma = f64::exp(f64::from(i) / 20.0);
            let mixed = p.iter().zip(&q).map(|(p, q)| (rate * p + (1.0 - rate) * q, *q));
            let h: f64 = mixed.clone().map(|(a, b)| (a - gamma * b).max(0.0)).sum();
            let g: f64 = mixed.map(|(a, b)| (b - gamma * a).max(0.0)).sum();
            assert!((sampled.delta(f64::from(i) / 20.0).lower() - h).abs() < 1e-14);
            assert!((reverse.delta(f64::from(i) / 20.0).lower() - g).abs() < 1e-14);
        }
    }
    let fixed = WithoutReplacement::new(there, x(0.3)).unwrap();
    // Randomised response of epsilon becomes that of ln(1 + q (e^epsilon - 1)).
    let rr: Arc<dyn Profile> = Arc::new(response::pure(&r("1")).unwrap());
    let fewer = WithoutReplacement::new(rr.clone(), x(0.3)).unwrap();
    let least = (0.3 * 1.0_f64.exp_m1()).ln_1p();
    assert_eq!(fewer.delta(least + 1e-12).lower(), 0.0);
    assert!(fewer.delta(least - 1e-3).lower() > 0.0);
    is_a_profile(&fewer);
    assert!(fixed.delta(0.0).upper() <= 0.3 * pair.delta(0.0).upper() * (1.0 + 1e-14));
    let group = Group::new(rr.clone(), 3).unwrap();
    assert_eq!(group.delta(3.0 + 1e-9).lower(), 0.0);
    assert!(Group::new(rr.clone(), 1).unwrap().delta(0.4).intersect(rr.delta(0.4)).is_ok());
    let envelope = MaxProfile::new(vec![rr.clone(), Arc::new(gaussian(0.5))]).unwrap();
    is_a_profile(&envelope);
    assert!(envelope.delta(2.0).lower() > 0.0 && rr.delta(2.0).upper() == 0.0);
    let near: Arc<dyn Profile> = Arc::new(gaussian(0.5));
    let far: Arc<dyn Profile> = Arc::new(gaussian(1.0));
    let replaced = SampledReplace::new(near.clone(), far.clone(), x(0.1)).unwrap();
    is_a_profile(&replaced);
    // A rate of 1 is no sampling; half a rate reveals less.
    let all = SampledReplace::new(near, far.clone(), x(1.0)).unwrap();
    assert!(all.delta(0.7).intersect(far.delta(0.7)).is_ok());
    assert!(replaced.delta(0.7).upper() < far.delta(0.7).lower());
}

#[test]
fn group_vector() {
    let one = Arc::new(response::approx_dp(&r("1/2"), &r("1e-6")).unwrap());
    holds(Group::new(one, 3).unwrap().delta(1.5), 5.367_003_099_159_2e-6, 1e-9);
}

#[test]
fn continuous_profiles_between_finite_pairs() {
    let sampled = Sampled::new(Arc::new(gaussian(1.0)), x(0.01)).unwrap();
    let reverse = SampledReverse::new(Arc::new(gaussian(1.0)), x(0.01)).unwrap();
    let profiles: [(&dyn Profile, f64); 6] = [
        (&gaussian(1.0), 8.0),
        (&gaussian(1e-3), 0.02),
        (&LaplaceProfile::new(x(0.7)).unwrap(), 1.0),
        (&TruncatedLaplaceProfile::new(x(10.0), x(1.0)).unwrap(), 3.0),
        (&sampled, 3.0),
        (&reverse, 0.02),
    ];
    for (profile, reach) in profiles {
        let mut gaps = Vec::new();
        for cells in [100, 1000] {
            let (upper, lower) = discretise(profile, 1.0, cells).unwrap();
            upper.check().unwrap();
            lower.check().unwrap();
            let mut gap = 0.0_f64;
            for i in -400..=400 {
                let epsilon = reach * f64::from(i) / 400.0;
                let exact = profile.delta(epsilon);
                let (above, below) = (upper.delta(epsilon), lower.delta(epsilon));
                assert!(above.upper() >= exact.lower(), "{profile:?} {epsilon}: {above} {exact}");
                assert!(below.lower() <= exact.upper(), "{profile:?} {epsilon}: {below} {exact}");
                if i % 40 == 0 && cells == 1000 {
                    println!("{epsilon} {exact} {above} {below}");
                }
                gap = gap.max((above.upper() - below.lower()) * epsilon.exp());
            }
            gaps.push(gap / profile.delta(0.0).upper());
        }
        println!("{profile:?} {gaps:?}");
        assert!(gaps[1] < gaps[0] / 20.0 || gaps[1] < 1e-9, "{profile:?} {gaps:?}");
        assert!(gaps[1] < 1e-3, "{profile:?} {gaps:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn more_shift_reveals_more(mu in 1e-4_f64..3.0, epsilon in -2.0_f64..4.0) {
        let (near, far) = (gaussian(mu), gaussian(mu * 1.01));
        prop_assert!(near.delta(epsilon).lower() <= far.delta(epsilon).upper());
        let a = TruncatedGaussianProfile::new(x(4.0), x(mu)).unwrap();
        let b = TruncatedGaussianProfile::new(x(4.0), x(mu * 1.01)).unwrap();
        prop_assert!(a.delta(epsilon).lower() <= b.delta(epsilon).upper());
        let a = TruncatedLaplaceProfile::new(x(2.0), x(mu)).unwrap();
        let b = TruncatedLaplaceProfile::new(x(2.0), x(mu * 1.01)).unwrap();
        prop_assert!(a.delta(epsilon).lower() <= b.delta(epsilon).upper());
    }
}
