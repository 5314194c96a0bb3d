//! Conversions against values computed with 30 to 400 digits.
#![allow(
    clippy::disallowed_methods,
    clippy::excessive_precision,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests compare with ordinary arithmetic and stop at the first surprise"
)]

use proptest::prelude::*;
use throng_account::AccountError;
use throng_account::conversion::zcdp::{self, Zcdp};
use throng_account::conversion::{divergence, duality, gaussian, group, renyi};
use throng_numeric::{Enclosure, Rational};

fn e(x: f64) -> Enclosure {
    Enclosure::point(x).unwrap()
}

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The enclosure is true up to the digits of the reference, and narrow.
fn near(found: Enclosure, wanted: f64, tolerance: f64) {
    let size = wanted.abs().max(f64::MIN_POSITIVE);
    assert!(
        found.lower() <= wanted + tolerance * size && found.upper() >= wanted - tolerance * size,
        "{found} does not hold {wanted}"
    );
    assert!(found.width() <= 1e-9 * size, "{found} is wide");
}

#[test]
fn gaussian_profile_far_into_the_tail() {
    let table = [
        (1e-6, 0.0, 3.989_422_804_014_160_4e-7),
        (1e-6, 1e-6, 8.331_551_224_542_539_2e-8),
        (1e-6, 5e-6, 5.346_178_899_262_712_1e-14),
        (1e-6, 3e-5, 1.631_981_213_625_701_1e-205),
        (1e-6, 3.69e-5, 6.252_535_585_680_532_9e-306),
        (1e-3, 0.0, 3.989_422_637_788_382_9e-4),
        (1e-3, 1e-3, 8.335_713_212_520_849_4e-5),
        (1e-3, 3.6e-2, 1.181_123_818_161_647_6e-288),
        (0.0078, 0.1, 3.977_548_810_254_966_1e-41),
        (0.0078, 0.28, 4.179_340_296_494_583_3e-286),
        (0.0079, 0.1, 3.264_981_438_099_449_4e-40),
        (0.0079, 0.28, 4.752_621_974_235_32e-279),
        (1.0, 0.0, 0.382_924_922_548_026_21),
        (1.0, 0.5, 0.238_421_708_134_88),
        (1.0, 1.0, 0.126_936_737_506_643_95),
        (1.0, 2.0, 0.020_923_635_821_114),
        (1.0, 4.0, 4.712_241_200_793_1e-5),
        (1.0, 20.0, 2.664_706_705_365_497_7e-86),
        (1.0, 36.5, 1.128_770_736_999_730_9e-285),
        (30.0, 450.0, 0.486_716_650_646_016_21),
        (30.0, 1000.0, 1.389_915_337_566_352_7e-75),
        (30.0, 1500.0, 5.188_392_756_401_289_2e-269),
        (1000.0, 4e5, 1.0),
        (1000.0, 5e5, 0.499_601_058_118_539_65),
        (1000.0, 5.1e5, 7.543_668_954_024_447_2e-24),
        (1000.0, 5.36e5, 4.037_170_077_995_450_4e-284),
    ];
    for (mu, epsilon, delta) in table {
        near(gaussian::delta(e(epsilon), e(mu)).unwrap(), delta, 1e-12);
    }
}

#[test]
fn gaussian_epsilon_and_sigma() {
    for (mu, wanted) in
        [(0.5, 1.993_091_404_415_1), (1.0, 4.377_178_095_681_2), (2.0, 9.997_256_146_434_3)]
    {
        let found = gaussian::epsilon(1e-5, e(mu)).unwrap();
        assert!((found.upper - wanted).abs() < 1e-11 && found.width() < 1e-11, "{found}");
        assert!(gaussian::delta(e(found.upper), e(mu)).unwrap().upper() <= 1e-5);
    }
    let sigmas = [
        (1.0, 1e-5, 3.730_631_634_815_9),
        (0.5, 1e-6, 8.057_618_480_725),
        (0.1, 1e-5, 30.749_566_131_977),
        (4.0, 1e-6, 1.193_518_587_158),
        (10.0, 1e-5, 0.499_888_619_709_01),
        (1.0, 0.1, 1.085_877_765_191_9),
        (1.0, (-1.0_f64).exp(), 0.617_190_923_838_05),
    ];
    for (epsilon, delta, sigma) in sigmas {
        let mu = gaussian::mu(e(epsilon), delta).unwrap();
        assert!((1.0 / mu.lower - sigma).abs() < 1e-10 * sigma, "{mu} for {sigma}");
        assert!(gaussian::delta(e(epsilon), e(mu.lower)).unwrap().upper() <= delta);
    }
    assert_eq!(gaussian::epsilon(0.5, e(1.0)).unwrap().upper, 0.0);
    assert!(gaussian::epsilon(0.0, e(1.0)).is_err());
    assert!(gaussian::delta(e(1.0), e(-1.0)).is_err());
}

#[test]
fn pure_privacy_is_gaussian_privacy() {
    // The polygon of randomised response lies above the curve and touches it at the corner.
    for epsilon in [0.01, 0.5, 1.0, 3.0, 10.0] {
        let mu = gaussian::mu_of_pure(e(epsilon)).unwrap();
        for i in 1..100 {
            let alpha = f64::from(i) / 100.0;
            let polygon = (1.0 - epsilon.exp() * alpha).max((-epsilon).exp() * (1.0 - alpha));
            let curve = gaussian::miss_rate(e(alpha), e(mu.upper())).unwrap();
            assert!(curve.lower() <= polygon + 1e-15, "{epsilon} {alpha}");
        }
        let corner = 1.0 / (1.0 + epsilon.exp());
        let curve = gaussian::miss_rate(e(corner), mu).unwrap();
        assert!((curve.upper() - corner).abs() < 1e-12);
    }
}

#[test]
fn renyi_to_epsilon_delta() {
    near(renyi::delta(e(8.0), e(0.5), e(2.0)).unwrap(), 1.351_681_358_029_8e-6, 1e-12);
    near(renyi::epsilon(e(8.0), e(0.5), 1e-5).unwrap(), 1.714_109_167_845_5, 1e-12);
    let approximate = renyi::approximate_delta(e(8.0), e(0.5), e(1e-6), e(2.0)).unwrap();
    near(approximate, 2.351_680_006_348_4e-6, 1e-12);
    assert!(renyi::delta(e(1.0), e(0.5), e(2.0)).is_err());
    assert!(renyi::epsilon_of_table(&[], 1e-5).is_err());
}

#[test]
fn concentrated_to_epsilon_delta() {
    let table = [
        (0.5, 1e-5, 5.298_525_912_188_1, 4.728_386_985, 4.377_178_095_681_2),
        (0.1, 1e-6, 2.450_788_000_476_8, 2.141_938_928, 1.994_526_900_696_3),
    ];
    for (rho, delta, classical, best, truth) in table {
        near(zcdp::classical_epsilon(e(rho), delta).unwrap(), classical, 1e-12);
        let bound = Zcdp::of_rho(e(rho)).unwrap();
        let found = zcdp::epsilon(bound, delta).unwrap();
        assert!((found.value.upper() - best).abs() < 1e-8, "{found:?}");
        let gauss = gaussian::epsilon(delta, e(2.0 * rho).sqrt().unwrap()).unwrap();
        assert!((gauss.upper - truth).abs() < 1e-10 && gauss.upper < found.value.upper());
        let back = zcdp::delta(bound, e(found.value.upper())).unwrap();
        assert!((back.value.upper() / delta - 1.0).abs() < 1e-9);
        let text = format!("{}", found.value.upper());
        let largest = zcdp::largest_rho(&r(&text), delta).unwrap();
        assert!((largest.to_f64_nearest() / rho - 1.0).abs() < 1e-9);
    }
    let tiny = zcdp::delta(Zcdp::of_rho(e(0.5)).unwrap(), e(37.0)).unwrap();
    assert!(tiny.value.upper() > 1e-300 && tiny.value.upper() < 1e-280);
    assert!(tiny.value.width() < 1e-9 * tiny.value.upper());
    // A general curve finds the same optimum as the formula.
    let curve = renyi::epsilon_of_curve(|a| divergence::gaussian(a, Enclosure::ONE), 1e-5).unwrap();
    assert!((curve.value.upper() - 4.728_386_985).abs() < 1e-8);
    let delta =
        renyi::delta_of_curve(|a| divergence::gaussian(a, Enclosure::ONE), e(4.728_386_985));
    assert!((delta.unwrap().value.upper() / 1e-5 - 1.0).abs() < 1e-8);
}

#[test]
fn closed_divergences() {
    near(divergence::randomised_response(e(2.0), e(1.0)).unwrap(), 0.735_325_664_055_52, 1e-12);
    near(divergence::randomised_response(e(8.0), e(1.0)).unwrap(), 0.955_248_374_054_86, 1e-12);
    near(divergence::laplace(e(2.0), e(1.0)).unwrap(), 0.619_123_629_998_59, 1e-12);
    near(divergence::laplace(e(8.0), e(1.0)).unwrap(), 0.910_198_801_177_45, 1e-12);
    let (one, two) = (r("1"), r("2"));
    near(divergence::poisson(e(2.0), &two, &one).unwrap(), 1.0, 1e-12);
    near(divergence::poisson(e(2.0), &one, &two).unwrap(), 0.5, 1e-12);
    near(divergence::poisson(e(8.0), &two, &one).unwrap(), 35.285_714_285_714_3, 1e-12);
    let jumps = [(one.clone(), two.clone())];
    near(divergence::infinitely_divisible(e(2.0), &r("1/4"), &jumps).unwrap(), 1.25, 1e-12);
    let swapped = [(two, one)];
    near(divergence::infinitely_divisible(e(2.0), &r("1/4"), &swapped).unwrap(), 0.75, 1e-12);
    let sampled = divergence::sampled_gaussian(8, &r("0.01"), e(1.0)).unwrap();
    near(sampled, 8.936_439_076_060_4e-4, 1e-10);
    let table: Vec<_> = (2..=64)
        .map(|a| {
            let step = divergence::sampled_gaussian(a, &r("0.01"), e(1.0)).unwrap();
            (e(f64::from(a)), e(1000.0) * step)
        })
        .collect();
    let found = renyi::epsilon_of_table(&table, 1e-5).unwrap();
    assert_eq!(found.order, 8.0);
    near(found.value, 2.107_753_075_451_58, 1e-9);
    // k answers: two is randomised response, more is a discrete pair.
    let (p, q) = ([r("1/2"), r("1/4"), r("1/4")], [r("1/4"), r("1/2"), r("1/4")]);
    let pair = divergence::discrete(e(3.0), &p, &q).unwrap();
    let ln2 = e(2.0).ln().unwrap();
    let kary = divergence::kary_response(e(3.0), 3, ln2).unwrap();
    assert!((pair.upper() - kary.upper()).abs() < 1e-12);
}

#[test]
fn groups() {
    let (epsilon, delta) = group::approximate(3, e(0.5), e(1e-6)).unwrap();
    near(epsilon, 1.5, 1e-15);
    near(delta, 5.367_003_099_159_2e-6, 1e-12);
    near(group::approximate(3, e(0.0), e(1e-6)).unwrap().1, 3e-6, 1e-15);
    near(group::gdp(3, e(0.5)).unwrap(), 1.5, 1e-15);
    near(group::zcdp(3, e(0.5)).unwrap(), 4.5, 1e-15);
}

#[test]
fn poisson_symmetrised_is_a_hull() {
    // Part A4's trap: the least of f and its inverse is not convex.
    let knots: Vec<(Rational, Rational)> = poisson_knots(1.0, 2.0);
    let f = duality::Polygon::hull(&knots).unwrap();
    let symmetric = f.symmetrised().unwrap();
    for (alpha, least, hull) in [
        ("0.3", 0.379_695_934_403_407, 0.370_246_967_366_953),
        ("0.4", 0.272_403_913_722_47, 0.270_246_967_366_953),
    ] {
        let f0 = f.miss_rate(&r(alpha)).unwrap().to_f64_nearest();
        let f1 = f.inverse().unwrap().miss_rate(&r(alpha)).unwrap().to_f64_nearest();
        assert!((f0.min(f1) - least).abs() < 1e-9);
        let found = symmetric.miss_rate(&r(alpha)).unwrap().to_f64_nearest();
        assert!((found - hull).abs() < 1e-9);
    }
    // Orientation: 1 - γα - f(α) at its largest is the divergence of Q from P.
    let forward = f.delta_at(e(0.5));
    assert!((forward.upper() - 0.190_928_962_398_392).abs() < 1e-9);
    let backward = f.inverse().unwrap().delta_at(e(0.5));
    assert!((backward.upper() - 0.144_749_281_023_012).abs() < 1e-9);
}

fn poisson_knots(s: f64, t: f64) -> Vec<(Rational, Rational)> {
    let (mut p, mut q) = ((-s).exp(), (-t).exp());
    let (mut alpha, mut beta) = (1.0, 0.0);
    let mut knots = vec![(r("0"), r("1"))];
    for k in 0..30 {
        knots.push((Rational::from_f64(alpha).unwrap(), Rational::from_f64(beta).unwrap()));
        (alpha, beta) = ((alpha - p).max(0.0), (beta + q).min(1.0));
        (p, q) = (p * s / f64::from(k + 1), q * t / f64::from(k + 1));
    }
    knots
}

#[test]
fn lines_and_polygons() {
    let lines = [(r("2"), r("1/10")), (r("4"), r("0"))];
    let polygon = duality::polygon_of_lines(&lines).unwrap();
    for (gamma, delta) in &lines {
        assert!(polygon.delta(gamma) <= *delta);
    }
    assert_eq!(polygon.symmetrised().unwrap(), polygon);
    assert_eq!(polygon.miss_rate(&r("0")).unwrap(), r("1"));
    let knots = [(r("0.5"), r("0.1"))];
    let found = duality::miss_rate_of_profile(&knots, &r("0.1")).unwrap();
    near(found, 0.9 - 0.1 * 0.5_f64.exp(), 1e-12);
    assert!(duality::Polygon::hull(&[(r("0"), r("1"))]).is_err());
}

fn chances(n: usize) -> impl Strategy<Value = Vec<Rational>> {
    proptest::collection::vec(1_u32..50, n).prop_map(|weights| {
        let total: u32 = weights.iter().sum();
        weights.iter().map(|w| Rational::new(*w, total).unwrap()).collect()
    })
}

fn renyi_of(a: f64, p: &[Rational], q: &[Rational]) -> Enclosure {
    divergence::discrete(e(a), p, q).unwrap()
}

/// sup over sets of P(S) - γ Q(S).
fn hockey(p: &[Rational], q: &[Rational], gamma: &Rational) -> Rational {
    p.iter().zip(q).fold(Rational::ZERO, |sum, (p, q)| {
        let gap = p - &(gamma * q);
        if gap.is_positive() { &sum + &gap } else { sum }
    })
}

proptest! {
    #[test]
    fn a_pair_and_its_polygon_agree(p in chances(4), q in chances(4), g in 1_u32..40) {
        let f = duality::polygon_of_pair(&p, &q).unwrap();
        let gamma = Rational::new(g, 10_u32).unwrap();
        prop_assert_eq!(f.delta(&gamma), hockey(&q, &p, &gamma));
        prop_assert_eq!(f.inverse().unwrap().delta(&gamma), hockey(&p, &q, &gamma));
        prop_assert_eq!(f.inverse().unwrap(), duality::polygon_of_pair(&q, &p).unwrap());
        prop_assert_eq!(f.inverse().unwrap().inverse().unwrap(), f.clone());
        // H_γ(P||Q) = 1 - γ + γ H_(1/γ)(Q||P).
        let inverse = Rational::ONE.checked_div(&gamma).unwrap();
        let other = &(&Rational::ONE - &gamma) + &(&gamma * &hockey(&q, &p, &inverse));
        prop_assert_eq!(hockey(&p, &q, &gamma), other);
        let symmetric = f.symmetrised().unwrap();
        let worst = hockey(&p, &q, &gamma).max(hockey(&q, &p, &gamma));
        if gamma >= Rational::ONE {
            prop_assert_eq!(symmetric.delta(&gamma), worst);
        }
        // Chords between any points of the profile stay above it.
        let at = |g: &str| (r(g), hockey(&p, &q, &r(g)));
        let points = [at("1/2"), at("1"), at("2"), at("3")];
        prop_assert!(duality::delta_by_chords(&points, &gamma).unwrap() >= hockey(&p, &q, &gamma));
    }

    #[test]
    fn renyi_bounds_hold(p in chances(3), q in chances(3), w in chances(3), a in 1.1_f64..9.0, step in 0.1_f64..5.0) {
        let d = renyi_of(a, &p, &q);
        let higher = a + step;
        prop_assert!(d.lower() <= renyi_of(higher, &p, &q).upper()); // monotone
        let bound = renyi::triangle(e(a), e(higher), |o| divergence::discrete(o, &p, &q), |o| divergence::discrete(o, &q, &w)).unwrap();
        prop_assert!(renyi_of(a, &p, &w).lower() <= bound.upper());
        for gamma in ["1", "3/2", "4"] {
            let epsilon = Enclosure::of_rational(&r(gamma)).ln().unwrap();
            let truth = hockey(&p, &q, &r(gamma)).to_f64_down();
            prop_assert!(renyi::delta(e(a), d, epsilon).unwrap().upper() >= truth);
        }
        // D_a is at most that of randomised response, and a/8 times the squared range.
        let ratio = |p: &[Rational], q: &[Rational]| p.iter().zip(q).map(|(p, q)| p.checked_div(q).unwrap()).max().unwrap();
        let ln = |x: &Rational| Enclosure::of_rational(x).ln().unwrap();
        let (forward, backward) = (ln(&ratio(&p, &q)), ln(&ratio(&q, &p)));
        let worst = forward.max(backward).max(Enclosure::ZERO);
        prop_assert!(d.lower() <= divergence::randomised_response(e(a), worst).unwrap().upper());
        prop_assert!(d.lower() <= renyi::of_range(e(a), forward, backward).unwrap().upper());
        // Mixtures.
        let half = r("1/2");
        let mix = |x: &[Rational], y: &[Rational]| x.iter().zip(y).map(|(x, y)| &half * &(x + y)).collect::<Vec<_>>();
        let other = renyi_of(a, &w, &q);
        let bound = renyi::mixture(e(a), &[(e(0.5), d), (e(0.5), other)]).unwrap();
        prop_assert!(renyi_of(a, &mix(&p, &w), &q).lower() <= bound.upper());
    }

    #[test]
    fn gaussian_profile_is_monotone_and_tight(power in -6.0_f64..3.0, x in 0.0_f64..36.0) {
        let mu = 10.0_f64.powf(power);
        let epsilon = (x + mu / 2.0) * mu;
        let found = gaussian::delta(e(epsilon), e(mu)).unwrap();
        prop_assert!(found.width() <= 1e-9 * found.upper(), "{} at {} {}", found, mu, epsilon);
        let further = gaussian::delta(e(epsilon * 1.01), e(mu)).unwrap();
        prop_assert!(further.lower() <= found.upper());
        let noisier = gaussian::delta(e(epsilon), e(mu * 0.99)).unwrap();
        prop_assert!(noisier.lower() <= found.upper());
        // The concentrated bound is above the truth.
        let rho = zcdp::rho_of_gdp(e(mu)).unwrap();
        let bound = zcdp::delta(Zcdp::of_rho(rho).unwrap(), e(epsilon)).unwrap();
        prop_assert!(bound.value.upper() >= found.lower());
    }

    #[test]
    fn sampled_gaussian_amplifies(order in 2_u32..200, q in 1_u32..100, mu in 1e-4_f64..4.0) {
        let rate = Rational::new(q, 100_u32).unwrap();
        let sampled = divergence::sampled_gaussian(order, &rate, e(mu)).unwrap();
        let full = divergence::gaussian(e(f64::from(order)), e(mu)).unwrap();
        prop_assert!(sampled.lower() <= full.upper());
        prop_assert!(sampled.width() <= 1e-9 * sampled.upper());
    }
}

#[test]
fn errors_are_named() {
    assert!(matches!(renyi::epsilon(e(0.5), e(1.0), 0.1), Err(AccountError::Invalid { .. })));
}
