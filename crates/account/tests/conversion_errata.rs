//! Statements found in print that are wrong, and must stay rejected. Each test computes the truth,
//! shows that the printed formula contradicts it, and that ours does not.
#![allow(
    clippy::disallowed_methods,
    clippy::excessive_precision,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tests compare with ordinary arithmetic and stop at the first surprise"
)]

use throng_account::classical::homogeneous_delta;
use throng_account::conversion::{divergence, gaussian, group, renyi};
use throng_account::filter::cost;
use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational};

fn e(x: f64) -> Enclosure {
    Enclosure::point(x).unwrap()
}

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn law(text: &str) -> Vec<Rational> {
    text.split(' ').map(r).collect()
}

/// The sign of the exponent in the conversion of approximate Renyi divergence.
#[test]
fn sign_of_the_exponent() {
    let (order, bound) = (8.0, 16.0); // Gaussian μ = 2: aμ²/2
    for (epsilon, truth) in [(10.0, 9.94e-6), (1.0, 0.509_86)] {
        let factor = (1.0 / order) * f64::powf(1.0 - 1.0 / order, order - 1.0);
        let printed = ((order - 1.0) * (epsilon - bound)).exp() * factor;
        let exact = gaussian::delta(e(epsilon), e(2.0)).unwrap();
        assert!((exact.upper() / truth - 1.0).abs() < 1e-3);
        assert!(printed < exact.lower());
        let ours = renyi::approximate_delta(e(order), e(bound), e(0.0), e(epsilon)).unwrap();
        assert!(ours.upper() >= exact.upper());
    }
}

/// ½ε²δ instead of ½ε²λ.
#[test]
fn divergence_of_approximate_privacy() {
    let printed = 0.0; // δ = 0
    let truth = divergence::randomised_response(e(2.0), e(1.0)).unwrap();
    assert!((truth.lower() - 0.735_326).abs() < 1e-6 && printed < truth.lower());
    let ours = renyi::of_approximate_privacy(e(2.0), e(1.0)).unwrap();
    assert!(ours.upper() >= truth.upper() && ours.upper() <= 0.5 * 1.0 * 2.0);
}

/// The order at which the first divergence of the triangle inequality is needed.
#[test]
fn order_of_the_triangle() {
    let (p, q, w) = (law("0.5 0.5"), law("0.2 0.8"), law("0.05 0.95"));
    let truth = divergence::discrete(e(2.0), &p, &w).unwrap();
    assert!((truth.lower() - 1.660_731).abs() < 1e-6);
    let second = divergence::discrete(e(3.0), &q, &w).unwrap();
    let with = |first: Enclosure| (e(1.5) * first + second).upper();
    let at_three = with(divergence::discrete(e(3.0), &p, &q).unwrap());
    assert!((at_three - 1.563_225).abs() < 1e-6 && at_three < truth.lower());
    let at_one = with(divergence::discrete(e(1.000_001), &p, &q).unwrap());
    assert!((at_one - 0.997_896).abs() < 1e-4 && at_one < truth.lower());
    let ours = renyi::triangle(
        e(2.0),
        e(3.0),
        |order| divergence::discrete(order, &p, &q),
        |order| divergence::discrete(order, &q, &w),
    );
    let ours = ours.unwrap();
    assert!((ours.upper() - 1.698_796).abs() < 1e-6 && ours.lower() >= truth.upper());
}

/// The same delta at every distance.
#[test]
fn delta_grows_with_the_group() {
    let mu = Enclosure::ONE / e(3.730_631_634_815_94);
    let table = [(2_u64, 3.22e-5), (3, 7.64e-5), (5, 3.0e-4), (10, 4.1e-3), (20, 0.112)];
    for (k, wanted) in table {
        let size = Enclosure::of_rational(&Rational::from(k));
        let truth = gaussian::delta(size, group::gdp(k, mu).unwrap()).unwrap();
        assert!((truth.upper() / wanted - 1.0).abs() < 0.02);
        assert!(truth.lower() > 1e-5); // the printed claim
        let (_, ours) = group::approximate(k, e(1.0), e(1.0001e-5)).unwrap();
        assert!(ours.upper() >= truth.lower());
    }
    let spec = MechanismSpec::Group {
        size: 3,
        inner: Box::new(MechanismSpec::Leaf(Leaf::ApproxDp {
            epsilon: r("1/2"),
            delta: r("1e-6"),
        })),
    };
    let cost = cost::approximate(&spec, Neighbours::AddRemove).unwrap();
    assert!((cost.delta.to_f64_up() / 5.367_003_099_159_2e-6 - 1.0).abs() < 1e-12);
}

/// "The max-divergence up to δ adds over independent coordinates".
#[test]
fn approximate_divergence_does_not_add() {
    // RR(1), δ = 0.1: twice .852905 is less than the pair's 1.792841.
    let at = |times, epsilon: f64| homogeneous_delta(times, e(1.0), e(0.0), e(epsilon)).unwrap();
    // D^δ of one is ln((p - δ)/q).
    let (p, q) = (1.0_f64.exp() / (1.0 + 1.0_f64.exp()), 1.0 / (1.0 + 1.0_f64.exp()));
    let single = ((p - 0.1) / q).ln();
    assert!((single - 0.852_905).abs() < 1e-6);
    let pair = ((p * p - 0.1) / (q * q)).ln();
    assert!((pair - 1.792_841).abs() < 1e-6 && 2.0 * single < pair);
    // And so composing twice at 2 × single is not 0.1-private by addition of D^δ: at the largest
    // set, P(S) - e^ε Q(S) exceeds 0.1.
    assert!(p * p - (2.0 * single).exp() * q * q > 0.1);
    assert!(at(2, 2.0 * single).upper() > 0.1);
}

/// (max ε, max δ) for disjoint parts under replacement.
#[test]
fn parts_under_replacement() {
    // Both parts leak with chance 0.1, and a moved unit is in both: 1 - 0.9² = 0.19.
    let part = || MechanismSpec::Leaf(Leaf::Uniform { width: r("10"), sensitivity: r("1") });
    let spec = MechanismSpec::Parallel(vec![part(), part()]);
    assert_eq!(cost::approximate(&spec, Neighbours::AddRemove).unwrap().delta, r("0.1"));
    assert!(cost::approximate(&spec, Neighbours::Replace).unwrap().delta >= r("0.19"));
    // A part that states its guarantee for replacement says nothing about leaving it.
    let stated = || MechanismSpec::Leaf(Leaf::TotalVariation { delta: r("0.1") });
    let spec = MechanismSpec::Parallel(vec![stated(), stated()]);
    assert!(cost::approximate(&spec, Neighbours::Replace).is_err());
}

/// √k ε ln(1/δ') without the kε² term.
#[test]
fn advanced_composition_needs_its_drift() {
    for (epsilon, k, delta, truth) in
        [("1", 100_u64, 0.135, 0.9965), ("1", 400, 1e-3, 0.9941), ("0.1", 10_000, 1e-2, 0.614)]
    {
        let epsilon = Enclosure::of_rational(&r(epsilon));
        let root = f64::from(u32::try_from(k).unwrap()).sqrt();
        let printed = root * epsilon.upper() * -f64::ln(delta);
        let exact = homogeneous_delta(k, epsilon, e(0.0), e(printed)).unwrap();
        assert!((exact.upper() - truth).abs() < 6e-3, "{exact}");
        assert!(exact.lower() > delta);
        let spec = MechanismSpec::Repeated {
            times: k,
            inner: Box::new(MechanismSpec::Leaf(Leaf::Pure {
                epsilon: Rational::from_f64(epsilon.upper()).unwrap(),
            })),
        };
        let rows = throng_account::classical::table(&spec, Neighbours::AddRemove, delta).unwrap();
        for row in rows.iter().filter(|row| row.name != "central limit") {
            assert!(row.epsilon.unwrap() > printed, "{row:?}");
        }
    }
}

/// σ = √(2 ln(1.25/δ))/ε for any ε.
#[test]
fn classical_gaussian_noise_fails_for_large_epsilon() {
    let classical = |epsilon: f64, delta: f64| epsilon / (2.0 * (1.25 / delta).ln()).sqrt();
    let actual = gaussian::delta(e(10.0), e(classical(10.0, 1e-5))).unwrap();
    assert!((actual.upper() / 2.265e-5 - 1.0).abs() < 1e-3 && actual.lower() > 1e-5);
    for (edge, delta) in [(6.7718, 1e-2), (8.419_77, 1e-5), (8.782_09, 1e-6), (9.849_87, 1e-10)] {
        let at = |epsilon: f64| gaussian::delta(e(epsilon), e(classical(epsilon, delta))).unwrap();
        assert!(at(edge * 0.999).upper() < delta && at(edge * 1.001).lower() > delta);
    }
    let ours = gaussian::mu(e(10.0), 1e-5).unwrap().lower;
    assert!(ours < classical(10.0, 1e-5));
}

/// σ = 1, ε = 1, δ = 0.1 is not private, under either relation.
#[test]
fn the_example_that_is_not_private() {
    let added = gaussian::delta(e(1.0), e(1.0)).unwrap();
    assert!(added.lower() > 0.1);
    let replaced = gaussian::delta(e(1.0), e(2.0).sqrt().unwrap()).unwrap();
    assert!((replaced.upper() - 0.286_208_211_922_1).abs() < 1e-12);
    let needed = 1.0 / gaussian::mu(e(1.0), (-1.0_f64).exp()).unwrap().lower;
    assert!((needed - 0.617_190_923_838).abs() < 1e-10);
}

/// Noise scaled to the local sensitivity: the scale itself tells.
#[test]
fn local_sensitivity_leaks() {
    // f = (0, 0, 0, B): at 1 the scale is that of B/2, at 2 of B; both means are 0. The ratio of
    // the densities of N(0, s²) and N(0, 4s²) beyond the crossing gives the δ of the notes.
    let sigma = 3.730_631_634_815_9_f64;
    let (s, t) = (sigma / 2.0, sigma);
    // Small scale against large: p > e q inside |x| < c.
    let c = (2.0 * ((t / s).ln() - 1.0) / (1.0 / (s * s) - 1.0 / (t * t))).max(0.0).sqrt();
    let inside = |c: f64, s: f64| 1.0 - 2.0 * throng_numeric::normal::survival(e(c / s)).upper();
    let small = inside(c, s) - 1.0_f64.exp() * inside(c, t);
    // Large scale against small: p > e q outside |x| > d.
    let d = (2.0 * ((t / s).ln() + 1.0) / (1.0 / (s * s) - 1.0 / (t * t))).sqrt();
    let large = (1.0 - inside(d, t)) - 1.0_f64.exp() * (1.0 - inside(d, s));
    assert!((small.max(large) - 0.196_710_881_691).abs() < 1e-9, "{small} {large}");
}

/// For every pair (inf), not for some pair (sup): one bad pair breaks a guarantee.
#[test]
fn a_guarantee_is_about_the_worst_pair() {
    let parts = MechanismSpec::Parallel(vec![
        MechanismSpec::Leaf(Leaf::Pure { epsilon: r("1/10") }),
        MechanismSpec::Leaf(Leaf::Pure { epsilon: r("2") }),
    ]);
    assert_eq!(cost::pure(&parts, Neighbours::AddRemove).unwrap(), r("2"));
}
