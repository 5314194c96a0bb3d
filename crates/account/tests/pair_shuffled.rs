//! Shuffled reports against enumeration and published bounds.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain floating point")]
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use throng_account::pair::Profile;
use throng_account::pair::discretise::discretise;
use throng_account::pair::shuffled::{ShuffledProfile, shuffled_asymptotic};
use throng_numeric::Rational;

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn choose(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

/// H_γ of the pair with clones of chance p, by summing over all outcomes.
fn enumerated(e0: f64, others: u32, p: f64, gamma: f64) -> f64 {
    let (a, b) = (e0 / (1.0 + e0), 1.0 / (1.0 + e0));
    let mut sum = 0.0;
    for m in 0..=others {
        let weight = choose(others, m)
            * p.powi(m.cast_signed())
            * (1.0 - p).powi((others - m).cast_signed());
        let half = |j: i64| {
            u32::try_from(j)
                .ok()
                .filter(|j| *j <= m)
                .map_or(0.0, |j| choose(m, j) * 0.5_f64.powi(m.cast_signed()))
        };
        for j in 0..=i64::from(m) + 1 {
            let p = a * half(j - 1) + b * half(j);
            let q = b * half(j - 1) + a * half(j);
            sum += weight * (p - gamma * q).max(0.0);
        }
    }
    sum
}

#[test]
fn few_users_by_enumeration() {
    for epsilon0 in ["0.3", "1", "3"] {
        let e0 = r(epsilon0).to_f64_nearest().exp();
        for users in [1, 2, 3, 7, 30] {
            let profile = ShuffledProfile::pure(&r(epsilon0), users).unwrap();
            let others = u32::try_from(users).unwrap() - 1;
            for i in -20..=20 {
                let epsilon = f64::from(i) * e0.ln() / 17.0;
                let plain = enumerated(e0, others, 1.0 / e0, epsilon.exp());
                let value = profile.delta(epsilon);
                assert!((value.lower() - plain).abs() < 1e-9, "{users} {epsilon} {value} {plain}");
                assert!(value.width() < 1e-9, "{users} {epsilon} {value}");
            }
            for k in [2_u64, 5] {
                #[allow(clippy::cast_precision_loss, reason = "small")]
                let all = e0 + k as f64 - 1.0;
                let profile = ShuffledProfile::kary(k, &r(epsilon0), users).unwrap();
                let plain = (e0 + 1.0) / all * enumerated(e0, others, 2.0 / all, 0.1_f64.exp());
                assert!((profile.delta(0.1).lower() - plain).abs() < 1e-9);
            }
        }
    }
}

/// k-ary response itself: every histogram of a few users, the others holding any values.
#[test]
fn kary_bound_holds_for_real_histograms() {
    let (k, e0, users) = (3_usize, 2.0_f64, 3_u32);
    let all = e0 + 2.0;
    let report = |x: usize, y: usize| if x == y { e0 / all } else { 1.0 / all };
    let profile =
        ShuffledProfile::kary(3, &Rational::from_f64(e0.ln()).unwrap(), users.into()).unwrap();
    for others in [[0, 0], [0, 1], [1, 1], [2, 2], [0, 2]] {
        let mut laws = std::collections::BTreeMap::<Vec<u32>, (f64, f64)>::new();
        for a in 0..k {
            for b in 0..k {
                for c in 0..k {
                    let rest = report(others[0], b) * report(others[1], c);
                    let mut histogram = vec![0; k];
                    for y in [a, b, c] {
                        histogram[y] += 1;
                    }
                    let entry = laws.entry(histogram).or_default();
                    entry.0 += report(0, a) * rest;
                    entry.1 += report(1, a) * rest;
                }
            }
        }
        for i in 0..10 {
            let epsilon = f64::from(i) / 12.0;
            let h: f64 = laws.values().map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum();
            assert!(profile.delta(epsilon).upper() >= h - 1e-12, "{others:?} {epsilon}");
        }
    }
}

#[test]
fn many_users_are_tight_and_fast() {
    let started = std::time::Instant::now();
    let profile = ShuffledProfile::pure(&r("1"), 1_000_000).unwrap();
    let mut evaluations = 0;
    for i in 0..40 {
        let epsilon = f64::from(i) / 1000.0;
        let value = profile.delta(epsilon);
        evaluations += 1;
        if value.lower() > 1e-40 {
            assert!(value.width() < 1e-6 * value.lower(), "{epsilon} {value}");
        }
    }
    println!("{evaluations} evaluations in {:?}", started.elapsed());
    let delta = 1e-8;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if profile.delta(middle).upper() <= delta { high = middle } else { low = middle }
    }
    let closed = shuffled_asymptotic(1.0, 1_000_000, delta).unwrap();
    println!("numerical {high}, closed form {closed}");
    assert!(high < closed && high > closed / 10.0);
    assert!(shuffled_asymptotic(12.0, 1_000_000, delta).is_none());
    assert!(ShuffledProfile::pure(&r("0"), 10).is_err());
    assert!(profile.delta(0.9).upper() < 1e-50);
    let few = ShuffledProfile::pure(&r("2"), 1000).unwrap();
    let (upper, lower) = discretise(&few, 0.0, 300).unwrap();
    for i in -20..20 {
        let epsilon = f64::from(i) / 15.0;
        assert!(upper.delta(epsilon).upper() >= few.delta(epsilon).lower());
        assert!(lower.delta(epsilon).lower() <= few.delta(epsilon).upper());
    }
}
