//! Staircase noise.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare with plain numbers, and may fail"
)]

use crate::support::exact::{Law, assert_within, violates};
use crate::support::{answer_slice, audit, loss, rational};
use throng_mechanism::noise::Staircase;
use throng_mechanism::{AddNoise, Grid, Mechanism, Neighbours, Noise, NoiseLaw, PerCell};
use throng_numeric::Rational;
use throng_sample::SeededEntropy;

fn law(epsilon: &str, period: i64, inner: i64) -> Staircase {
    Staircase::new(rational(epsilon), period, inner).unwrap()
}

fn noise(law: &Staircase, distance: i64, under: Neighbours) -> Noise {
    let cell = PerCell::of(1, Rational::from(distance), under).unwrap();
    Noise::of_staircase(law.clone(), &cell, Grid::WHOLE).unwrap()
}

/// The law of x + noise within ±reach.
fn outcomes(law: &Staircase, x: i64, reach: i64) -> Law<i64> {
    (-reach..=reach).map(|k| (k, law.chance(k - x))).collect()
}

#[test]
fn every_shift_up_to_the_period_is_within_the_claim() {
    for (epsilon, period, inner) in [("1", 1, 1), ("1", 4, 1), ("1/2", 5, 3), ("2", 6, 6)] {
        let law = law(epsilon, period, inner);
        for under in [Neighbours::AddRemove, Neighbours::Replace, Neighbours::ZeroOut] {
            let claim = loss(noise(&law, period, under).spec(), under);
            for shift in 1..=period {
                assert_within(&outcomes(&law, 0, 500), &outcomes(&law, shift, 500), &claim, 1e-12);
            }
        }
        // One step more is too much.
        let claim = loss(noise(&law, period, Neighbours::AddRemove).spec(), Neighbours::AddRemove);
        assert!(violates(&outcomes(&law, 0, 500), &outcomes(&law, period + 1, 500), &claim));
    }
}

#[test]
fn the_claim_is_pure_and_tight() {
    let law = law("1", 4, 2);
    let claim = loss(noise(&law, 4, Neighbours::AddRemove).spec(), Neighbours::AddRemove);
    assert!(claim.delta(1.0).unwrap().upper <= 1e-12);
    assert!(claim.delta(0.99).unwrap().lower > 0.0);
}

#[test]
fn a_distance_beyond_the_period_is_refused() {
    let cell = PerCell::of(1, Rational::from(5), Neighbours::AddRemove).unwrap();
    assert!(Noise::of_staircase(law("1", 4, 2), &cell, Grid::WHOLE).is_err());
    for (epsilon, period, inner) in [("0", 4, 2), ("1", 0, 1), ("1", 4, 0), ("1", 4, 5)] {
        assert!(Staircase::new(rational(epsilon), period, inner).is_err());
    }
}

#[test]
fn with_period_one_it_is_the_discrete_laplace_law() {
    let (stairs, laplace) = (law("2/3", 1, 1), NoiseLaw::laplace(rational("3/2")).unwrap());
    let variance = laplace.variance().unwrap();
    let own = NoiseLaw::Staircase(stairs.clone()).variance().unwrap();
    assert!((variance.lower() - own.lower()).abs() < 1e-12);
    for k in 0..20 {
        assert_eq!(stairs.level(k), k.unsigned_abs());
    }
}

#[test]
fn variance_and_mass_are_those_of_the_sum() {
    for (epsilon, period, inner) in [("1", 7, 2), ("1/4", 3, 3), ("3", 10, 1)] {
        let law = law(epsilon, period, inner);
        let reach = 2000;
        let (mut mass, mut square) = (0.0, 0.0);
        for k in -reach..=reach {
            let p = law.chance(k).lower();
            mass += p;
            square += p * (k * k) as f64;
        }
        let variance = NoiseLaw::Staircase(law).variance().unwrap();
        assert!((mass - 1.0).abs() < 1e-12, "{mass}");
        assert!((square - variance.lower()).abs() < 1e-9 * square, "{square} {variance:?}");
    }
}

#[test]
fn the_optimal_widths_are_within_one_of_the_best() {
    let absolute = |law: &Staircase| -> f64 {
        (-4000..=4000_i64).map(|k| law.chance(k).lower() * k.abs() as f64).sum()
    };
    let variance = |law: &Staircase| NoiseLaw::Staircase(law.clone()).variance().unwrap().lower();
    for epsilon in ["1/4", "1", "3", "8"] {
        let all: Vec<_> = (1..=24).map(|inner| law(epsilon, 24, inner)).collect();
        let best = |cost: &dyn Fn(&Staircase) -> f64| {
            all.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap().inner()
        };
        let least = Staircase::of_least_error(rational(epsilon), 24).unwrap();
        assert!((least.inner() - best(&absolute)).abs() <= 1, "{epsilon}");
        let least = Staircase::of_least_variance(rational(epsilon), 24).unwrap();
        assert!((least.inner() - best(&variance)).abs() <= 1, "{epsilon}");
    }
}

#[test]
fn it_beats_laplace_noise_of_the_same_epsilon() {
    let stairs = Staircase::of_least_variance(rational("5"), 1000).unwrap();
    let laplace = NoiseLaw::laplace(rational("200")).unwrap().variance().unwrap();
    let own = NoiseLaw::Staircase(stairs).variance().unwrap();
    assert!(own.upper() < 0.6 * laplace.lower(), "{own:?} {laplace:?}");
}

/// Each count of 40000 draws lies where a binomial count does but for 1e-9; a law with the wrong
/// width does not.
#[test]
fn draws_have_the_law() {
    let right = law("1", 3, 2);
    let counts = tally(&right, 40_000, 11);
    assert!(fits(&counts, &right, 40_000));
    assert!(!fits(&counts, &law("1", 3, 1), 40_000));
    assert!(!fits(&counts, &law("6/5", 3, 2), 40_000));
}

fn tally(law: &Staircase, runs: u64, seed: u64) -> Vec<u64> {
    let mut entropy = SeededEntropy::new(seed);
    let mut counts = vec![0; 41];
    for _ in 0..runs {
        let k = law.draw(&mut entropy).unwrap().clamp(-20, 20);
        counts[usize::try_from(k + 20).unwrap()] += 1;
    }
    counts
}

fn fits(counts: &[u64], law: &Staircase, runs: u64) -> bool {
    (-19..=19_i64).all(|k| {
        let hits = counts[usize::try_from(k + 20).unwrap()];
        let level = 1e-9 / 80.0;
        let (low, high) =
            (audit::lower_bound(hits, runs, level), audit::upper_bound(hits, runs, level));
        (low..=high).contains(&law.chance(k).lower())
    })
}

#[test]
fn extreme_parameters_draw_in_no_time() {
    let mut entropy = SeededEntropy::new(3);
    let widest = (1_i64 << 62) - 1;
    for (epsilon, period, inner) in [
        ("1000", widest, 1),
        ("1/1000000", widest, widest),
        ("40", 1 << 40, 1),
        ("1/1000000000000", 1, 1),
        ("1e-40", 5, 2),
    ] {
        let law = law(epsilon, period, inner);
        for _ in 0..20 {
            law.draw(&mut entropy).unwrap();
        }
        assert!(NoiseLaw::Staircase(law).half_width(1e-9).is_ok());
    }
}

#[test]
fn an_audit_accepts_it_and_refutes_a_period_too_short() {
    let law = law("1", 3, 2);
    let mechanism = AddNoise::new(noise(&law, 3, Neighbours::AddRemove));
    let claim = loss(&mechanism.spec(), Neighbours::AddRemove);
    for (distance, seed, refuted) in [(3, 1, false), (6, 2, true)] {
        let found = audit::refute(40_000, seed, &claim, |world, entropy| {
            let x = if world { distance } else { 0 };
            answer_slice(&mechanism, [x], entropy).steps()[0].clamp(-12, 16)
        });
        assert_eq!(found.is_some(), refuted, "{found:?}");
    }
}
