//! Exact pairs of leaves against published numbers, closed forms and brute force.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain floating point")]
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use proptest::prelude::*;
use throng_account::pair::discrete::DiscretePair;
use throng_account::pair::{counts, distance, noise, polygon, quantised, response};
use throng_account::{Leaf, Neighbours};
use throng_numeric::{Enclosure, Rational};

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn holds(enclosure: Enclosure, value: f64, tolerance: f64) {
    let near = |x: f64| (x - value).abs() <= tolerance * value.abs() + 1e-300;
    assert!(near(enclosure.lower()) && near(enclosure.upper()), "{enclosure} is not {value}");
}

/// Both totals, both hockey-stick identities, and the swap.
fn coherent(pair: &DiscretePair) {
    pair.check().unwrap();
    pair.swapped().check().unwrap();
    assert_eq!(&pair.swapped().swapped(), pair);
    for epsilon in [-3.0, -0.7, 0.0, 0.3, 1.0, 2.5] {
        let gamma = Enclosure::point(epsilon).unwrap().exp();
        let there = pair.delta(epsilon);
        let back = Enclosure::ONE - gamma + gamma * pair.swapped().delta(-epsilon);
        assert!(there.intersect(back).is_ok(), "{there} and {back} at {epsilon}");
    }
}

#[test]
fn poisson_vectors() {
    let table = [
        ("1", "2", 0.190_928_962_398_392, 0.144_749_281_023_012, 0.105_041_755_357_891),
        ("4", "9", 0.610_748_617_834_683, 0.594_388_964_501_377, 0.537_107_457_054_001),
        ("100", "110", 0.232_082_520_697_854, 0.225_743_791_694_658, 0.124_275_026_460_669),
    ];
    for (mu1, mu2, back_half, half, back_one) in table {
        let pair = counts::poisson(&r(mu1), &r(mu2), 1e-200).unwrap();
        coherent(&pair);
        holds(pair.delta(0.5), half, 1e-13);
        holds(pair.swapped().delta(0.5), back_half, 1e-13);
        holds(pair.swapped().delta(1.0), back_one, 1e-13);
    }
    let pair = counts::poisson(&r("1"), &r("2"), 1e-200).unwrap();
    holds(pair.delta(0.0), 0.329_753_032_633_047, 1e-13);
    assert_eq!(pair.delta(1.1).lower(), 0.0);
    assert!(pair.swapped().renyi(2.0).unwrap().lower() > 1.0 - 1e-12);
    assert_eq!(pair.renyi(2.0).unwrap().upper(), f64::INFINITY);
    assert!((pair.renyi(1.0).unwrap().lower() - 0.306_852_819_440_055).abs() < 1e-12);
    coherent(&counts::poisson(&r("0"), &r("2"), 1e-20).unwrap());
    coherent(&counts::poisson(&r("3"), &r("0"), 1e-20).unwrap());
    let large = counts::poisson(&r("1000000"), &r("1001000"), 1e-60).unwrap();
    assert!(large.delta(0.5).width() < 1e-9 * large.delta(0.5).lower());
    coherent(&large);
}

#[test]
fn response_vectors() {
    let rr = response::pure(&r("1")).unwrap();
    coherent(&rr);
    holds(rr.renyi(2.0).unwrap(), 0.735_325_664_055_52, 1e-13);
    holds(rr.renyi(8.0).unwrap(), 0.955_248_374_054_86, 1e-13);
    let (p, q) = (1.0_f64.exp() / (1.0 + 1.0_f64.exp()), 1.0 / (1.0 + 1.0_f64.exp()));
    holds(rr.delta(0.25), p - 0.25_f64.exp() * q, 1e-14);
    let bit = response::randomised_response(&r("1/4"), &r("1/4")).unwrap();
    holds(bit.atoms[1].loss, 3.0_f64.ln(), 1e-15);
    assert_eq!(bit.delta(1.1).upper(), 0.0);
    coherent(&response::randomised_response(&r("0"), &r("1/3")).unwrap());
    coherent(&response::randomised_response(&r("1/2"), &r("1/2")).unwrap());
    for k in [2, 3, 10] {
        let pair = response::kary_response(k, &r("1")).unwrap();
        coherent(&pair);
        assert_eq!(pair.atoms.len(), if k == 2 { 2 } else { 3 });
    }
    let leaky = response::approx_dp(&r("1"), &r("1e-3")).unwrap();
    coherent(&leaky);
    holds(leaky.delta(1.0), 1e-3, 1e-15);
    holds(leaky.delta(5.0), 1e-3, 1e-15);
    coherent(&response::tv(&r("1/10")).unwrap());
    coherent(&response::uniform(&r("10"), &r("1")).unwrap());
    holds(response::uniform(&r("10"), &r("1")).unwrap().delta(3.0), 0.1, 1e-15);
    assert_eq!(response::uniform(&r("1"), &r("2")).unwrap(), response::nonprivate());
    coherent(&response::nonprivate());
}

#[test]
fn staircase_against_integration() {
    for gamma in [0.0, 0.2, 0.5, 0.8, 1.0] {
        let pair = response::staircase(&r("1.5"), &Rational::from_f64(gamma).unwrap()).unwrap();
        coherent(&pair);
        let b = (-1.5_f64).exp();
        let a = (1.0 - b) / (2.0 * (gamma + b * (1.0 - gamma)));
        let f = |x: f64| a * b.powf((x.abs() + 1.0 - gamma).floor());
        let n = 200_000;
        let cell = 40.0 / f64::from(n);
        for epsilon in [0.0_f64, 0.7, 1.4] {
            let sum: f64 = (0..n)
                .map(|i| -20.0 + (f64::from(i) + 0.5) * cell)
                .map(|x| (f(x - 1.0) - epsilon.exp() * f(x)).max(0.0) * cell)
                .sum();
            assert!((sum - pair.delta(epsilon).lower()).abs() < 1e-3, "{gamma} {epsilon}");
        }
    }
}

#[test]
fn discrete_laplace_by_brute_force() {
    for (scale, s) in [(0.5, 1_i32), (2.0, 1), (1.5, 2), (10.0, 7)] {
        let shift = Rational::from(s);
        let pair = noise::discrete_laplace(&Rational::from_f64(scale).unwrap(), &shift).unwrap();
        coherent(&pair);
        let rate = (-1.0 / scale).exp();
        let c = (1.0 - rate) / (1.0 + rate);
        for epsilon in [-0.6_f64, 0.0, 0.05, 0.3, 1.0] {
            let sum: f64 = (-1000..1000_i32)
                .map(|k| {
                    let p = c * rate.powi((k - s).abs());
                    (p - epsilon.exp() * c * rate.powi(k.abs())).max(0.0)
                })
                .sum();
            let value = pair.delta(epsilon);
            assert!((value.lower() - sum).abs() < 1e-13 && value.width() < 1e-13);
        }
    }
}

#[test]
fn discrete_gaussian_by_brute_force() {
    for (sigma, s) in [("1", 1_i32), ("5/2", 2), ("20", 3)] {
        let pair = noise::discrete_gaussian(&r(sigma), &Rational::from(s), 1e-250).unwrap();
        coherent(&pair);
        let sd = r(sigma).to_f64_nearest();
        let g = |k: i32| (-f64::from(k * k) / (2.0 * sd * sd)).exp();
        let total: f64 = (-1000..=1000).map(g).sum();
        for epsilon in [-1.0_f64, 0.0, 0.2, 1.0, 3.0] {
            let sum: f64 =
                (-900..900).map(|k| (g(k - s) - epsilon.exp() * g(k)).max(0.0) / total).sum();
            let value = pair.delta(epsilon);
            assert!((value.lower() - sum).abs() < 1e-13 && value.width() < 1e-12 * value.upper());
        }
        assert!(pair.p_only.upper() <= 1e-250);
    }
}

#[test]
fn chances_and_knots() {
    let p = [r("0.6"), r("0.3"), r("0.1")];
    let q = [r("0.2"), r("0.3"), r("0.5")];
    let pair = polygon::discrete(&p, &q).unwrap();
    coherent(&pair);
    holds(pair.delta(2.0_f64.ln()), 0.2, 1e-14);
    coherent(
        &polygon::discrete(&[r("1/2"), r("1/2"), r("0")], &[r("1/2"), r("0"), r("1/2")]).unwrap(),
    );
    assert!(polygon::discrete(&p, &q[..2]).is_err());
    assert!(polygon::discrete(&[r("1/2")], &[r("1")]).is_err());

    // The curve of the pair itself gives the pair back: steepest side first.
    let knots = [(r("0"), r("1")), (r("0.1"), r("0.5")), (r("0.4"), r("0.2")), (r("1"), r("0"))];
    assert_eq!(polygon::tradeoff(&knots).unwrap(), pair);
    let leaky = polygon::tradeoff(&[(r("0"), r("0.9")), (r("0.9"), r("0"))]).unwrap();
    assert_eq!(leaky, response::tv(&r("0.1")).unwrap());
    coherent(&polygon::tradeoff(&[(r("0.2"), r("0.5"))]).unwrap());
    assert!(polygon::tradeoff(&[(r("0.5"), r("0.6"))]).is_err());

    // One knot is leaky randomised response, however large epsilon.
    for (epsilon, delta) in [("1", "1e-6"), ("0.01", "0"), ("60", "1e-3")] {
        let one = polygon::profile(&[(r(epsilon), r(delta))]).unwrap();
        let leaky = response::approx_dp(&r(epsilon), &r(delta)).unwrap();
        coherent(&one);
        for x in [-70.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 59.0] {
            let (a, b) = (one.delta(x), leaky.delta(x));
            assert!(a.intersect(b).is_ok() && a.width() <= 1e-12 * a.upper(), "{a} {b} {x}");
        }
    }
    let knots =
        [(r("0"), r("0.4")), (r("0.5"), r("0.2")), (r("1"), r("0.15")), (r("3"), r("0.01"))];
    let pair = polygon::profile(&knots).unwrap();
    coherent(&pair);
    for (epsilon, delta) in &knots {
        let (x, d) = (epsilon.to_f64_nearest(), delta.to_f64_nearest());
        assert!(pair.delta(x).upper() <= d * (1.0 + 1e-12), "{x}");
        assert!(pair.swapped().delta(x).upper() <= d * (1.0 + 1e-9), "{x}");
    }
}

#[test]
fn quantised_gaussian_vectors() {
    // Miss rates of unit cells, at false-alarm rates .01, .05, .1, from the trade-off duality
    // T(Q, P)(α) = sup over ε of 1 - δ(ε) - e^ε α.
    let table = [
        ("1/2", [0.969_296_449_841_766, 0.884_724_281_108_683, 0.795_790_790_622_993]),
        ("1", [0.922_316_208_552_426, 0.772_902_886_373_994, 0.647_320_884_354_032]),
        ("2", [0.703_371_167_304_206, 0.431_558_140_305_451, 0.305_976_138_285_489]),
    ];
    let cuts: Vec<Rational> = (-12..=14).map(Rational::from).collect();
    for (mu, misses) in table {
        let leaf = Leaf::Gaussian { sigma: r("1"), sensitivity: r(mu) };
        let pair = quantised::quantised(&leaf, &cuts, Neighbours::AddRemove).unwrap();
        coherent(&pair);
        for (alpha, miss) in [0.01, 0.05, 0.1].into_iter().zip(misses) {
            let best = pair
                .atoms
                .iter()
                .map(|atom| atom.loss.lower())
                .map(|loss| 1.0 - pair.delta(loss).lower() - loss.exp() * alpha)
                .fold(0.0, f64::max);
            assert!((best - miss).abs() < 1e-13, "{mu} {alpha}: {best} {miss}");
        }
    }
}

#[test]
fn quantised_others_keep_their_totals() {
    let cuts = ["-3", "-0.5", "0", "1/3", "1", "2", "7.5"].map(r);
    let leaves = [
        Leaf::Laplace { scale: r("2"), sensitivity: r("1") },
        Leaf::DiscreteLaplace { scale: r("2"), sensitivity: r("1") },
        Leaf::DiscreteGaussian { sigma: r("2"), sensitivity: r("1") },
        Leaf::Gaussian { sigma: r("2"), sensitivity: r("1") },
        Leaf::Poisson { mu1: r("1"), mu2: r("2") },
        Leaf::RandomisedResponse { p: r("1/4"), q: r("1/5") },
        Leaf::Discrete {
            p: vec![r("1/2"), r("1/4"), r("1/4")],
            q: vec![r("1/4"), r("1/4"), r("1/2")],
        },
    ];
    for leaf in &leaves {
        for under in [Neighbours::AddRemove, Neighbours::Replace] {
            let pair = quantised::quantised(leaf, &cuts, under).unwrap();
            coherent(&pair);
            assert!(pair.total_p().width() < 1e-12, "{leaf:?}");
        }
    }
    let refused = quantised::quantised(&Leaf::NonPrivate, &cuts, Neighbours::AddRemove);
    assert!(refused.is_err());
    assert!(quantised::quantised(&leaves[0], &[r("1"), r("1")], Neighbours::AddRemove).is_err());
    assert_eq!(distance(&r("3/2"), Neighbours::Replace), r("3"));
    assert_eq!(distance(&r("3/2"), Neighbours::ZeroOut), r("3/2"));
}

#[test]
fn fine_cells_lose_nothing_of_discrete_noise() {
    let cuts: Vec<Rational> = (-400..400).map(Rational::from).collect();
    let leaf = Leaf::DiscreteLaplace { scale: r("3"), sensitivity: r("2") };
    let cells = quantised::quantised(&leaf, &cuts, Neighbours::AddRemove).unwrap();
    let pair = noise::discrete_laplace(&r("3"), &r("2")).unwrap();
    let leaf = Leaf::DiscreteGaussian { sigma: r("3"), sensitivity: r("2") };
    let normal_cells = quantised::quantised(&leaf, &cuts, Neighbours::AddRemove).unwrap();
    let normal = noise::discrete_gaussian(&r("3"), &r("2"), 1e-300).unwrap();
    for epsilon in [-0.5, 0.0, 0.1, 0.6] {
        assert!(cells.delta(epsilon).intersect(pair.delta(epsilon)).is_ok());
        assert!(normal_cells.delta(epsilon).intersect(normal.delta(epsilon)).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_chances_match_the_plain_sum(
        p in proptest::collection::vec(0_u32..50, 2..8),
        q in proptest::collection::vec(0_u32..50, 8),
        epsilon in -3.0_f64..3.0,
    ) {
        let q = &q[..p.len()];
        let (total_p, total_q) = (p.iter().sum::<u32>(), q.iter().sum::<u32>());
        prop_assume!(total_p > 0 && total_q > 0);
        let share = |x: &u32, total: u32| Rational::new(*x, total).unwrap();
        let ps: Vec<_> = p.iter().map(|x| share(x, total_p)).collect();
        let qs: Vec<_> = q.iter().map(|x| share(x, total_q)).collect();
        let pair = polygon::discrete(&ps, &qs).unwrap();
        coherent(&pair);
        let sum: f64 = p.iter().zip(q).map(|(a, b)| {
            let (a, b) = (f64::from(*a) / f64::from(total_p), f64::from(*b) / f64::from(total_q));
            (a - epsilon.exp() * b).max(0.0)
        }).sum();
        let value = pair.delta(epsilon);
        prop_assert!((value.lower() - sum).abs() < 1e-13 && value.width() < 1e-13);
    }

    #[test]
    fn larger_shifts_reveal_more(s in 1_u32..6, epsilon in -1.0_f64..2.0, scale in 0.3_f64..5.0) {
        let scale = Rational::from_f64(scale).unwrap();
        let near = noise::discrete_laplace(&scale, &Rational::from(s)).unwrap();
        let far = noise::discrete_laplace(&scale, &Rational::from(s + 1)).unwrap();
        prop_assert!(near.delta(epsilon).lower() <= far.delta(epsilon).upper());
        let near = noise::discrete_gaussian(&scale, &Rational::from(s), 1e-30).unwrap();
        let far = noise::discrete_gaussian(&scale, &Rational::from(s + 1), 1e-30).unwrap();
        prop_assert!(near.delta(epsilon).lower() <= far.delta(epsilon).upper());
    }
}
