//! Random allocation against the normal profile, simulation and a published bracket.
#![allow(clippy::disallowed_methods, reason = "tests compare with plain floating point")]
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use throng_account::pair::Profile;
use throng_account::pair::allocated::{blocks, pairs};
use throng_account::pair::discrete::DiscretePair;
use throng_account::pair::normal::GaussianProfile;
use throng_numeric::Enclosure;

fn x(value: f64) -> Enclosure {
    Enclosure::point(value).unwrap()
}

/// The epsilons at which the two ends of a curve cross delta: certainly not yet, certainly below.
fn epsilon(upper: &DiscretePair, lower: &DiscretePair, delta: f64) -> (f64, f64) {
    let cross = |below: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0.0, 20.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if below(middle) { high = middle } else { low = middle }
        }
        high
    };
    (cross(&|e| lower.delta(e).lower() <= delta), cross(&|e| upper.delta(e).upper() <= delta))
}

#[test]
fn one_step_is_the_normal_pair() {
    for (mu, tolerance) in [(0.1, 1e-4), (1.0, 1e-2)] {
        let (upper, lower) = pairs(1, x(mu) * x(mu), 1e-12).unwrap();
        let exact = GaussianProfile::new(x(mu)).unwrap();
        for i in -40..=40 {
            let epsilon = mu * f64::from(i) / 10.0;
            for flipped in [false, true] {
                let turn =
                    |pair: &DiscretePair| if flipped { pair.swapped() } else { pair.clone() };
                let (above, below) = (turn(&upper).delta(epsilon), turn(&lower).delta(epsilon));
                let value = exact.delta(epsilon);
                assert!(above.upper() >= value.lower(), "{epsilon} {above} {value}");
                assert!(below.lower() <= value.upper(), "{epsilon} {below} {value}");
                assert!(above.upper() - below.lower() < tolerance, "{epsilon} {above} {below}");
            }
        }
    }
}

/// Two steps by a plain double integral.
#[test]
fn two_steps_by_integration() {
    let (upper, lower) = pairs(2, x(1.0), 1e-12).unwrap();
    let n = 2000_i32;
    let cell = 16.0 / f64::from(n);
    let normal = |y: f64| (-y * y / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * cell;
    let grid: Vec<(f64, f64)> = (0..n)
        .map(|i| -8.0 + (f64::from(i) + 0.5) * cell)
        .map(|z| ((z - 0.5).exp(), normal(z)))
        .collect();
    for epsilon in [-0.5_f64, 0.0, 0.5, 1.0, 2.0] {
        let (mut there, mut back) = (0.0, 0.0);
        for (y, p) in &grid {
            for (z, q) in &grid {
                let a = 0.5 * (y + z);
                there += p * q * (a - epsilon.exp()).max(0.0);
                back += p * q * (1.0 - epsilon.exp() * a).max(0.0);
            }
        }
        for (pair, low, plain) in
            [(&upper, &lower, there), (&upper.swapped(), &lower.swapped(), back)]
        {
            assert!(pair.delta(epsilon).upper() >= plain - 1e-6, "{epsilon}");
            assert!(low.delta(epsilon).lower() <= plain + 1e-6, "{epsilon}");
            assert!(pair.delta(epsilon).upper() - low.delta(epsilon).lower() < 1e-3);
        }
    }
}

#[test]
fn a_thousand_steps_match_the_published_bracket() {
    let started = std::time::Instant::now();
    let (upper, lower) = pairs(1000, x(1.0), 1e-12).unwrap();
    println!("{:?}, {} and {} outcomes", started.elapsed(), upper.atoms.len(), lower.atoms.len());
    upper.check().unwrap();
    lower.check().unwrap();
    let there = epsilon(&upper, &lower, 1e-6);
    let back = epsilon(&upper.swapped(), &lower.swapped(), 1e-6);
    println!("{there:?} {back:?}");
    let (low, high) = (there.0.max(back.0), there.1.max(back.1));
    assert!(low >= 0.1687 && high <= 0.1757, "{low} {high}");
    assert!(high - low < 1e-3, "{low} {high}");
}

#[test]
fn wide_and_narrow_noise() {
    for (steps, ratio) in [(10, 0.01), (100, 0.25), (3000, 0.5)] {
        let started = std::time::Instant::now();
        let (upper, lower) = pairs(steps, x(ratio), 1e-12).unwrap();
        upper.check().unwrap();
        lower.check().unwrap();
        let there = epsilon(&upper, &lower, 1e-6);
        println!("{steps} {ratio} {there:?} {:?}", started.elapsed());
        assert!(
            there.0 <= there.1 && there.1 - there.0 < 0.05 * there.1,
            "{steps} {ratio} {there:?}"
        );
        assert!(upper.atoms.len() < 8000);
    }
    assert!(pairs(0, x(1.0), 1e-12).is_err());
    assert!(pairs(10, x(100.0), 1e-12).is_err());
}

#[test]
fn blocks_cover_the_steps() {
    assert_eq!(blocks(3, 10).unwrap(), vec![(4, 1), (3, 2)]);
    assert_eq!(blocks(5, 10).unwrap(), vec![(2, 5)]);
    assert!(blocks(0, 5).is_err() && blocks(6, 5).is_err());
}
