//! Laws of noise: variances, tails and error bounds.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare with plain numbers, and may fail"
)]

use crate::support::{loss, rational};
use proptest::prelude::*;
use throng_account::{Leaf, Target};
use throng_mechanism::noise::Staircase;
use throng_mechanism::{
    Grid, L1, MechanismSpec, Neighbours, Noise, NoiseLaw, Noisy, PerCell, Sensitivity,
};
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::SeededEntropy;

/// A law so fine that it cannot be told from the continuous one at 1e-5.
const FINE: &str = "1000000";

fn laplace(scale: &str) -> NoiseLaw {
    NoiseLaw::laplace(rational(scale)).unwrap()
}

fn gaussian(sigma: &str) -> NoiseLaw {
    NoiseLaw::gaussian(rational(sigma)).unwrap()
}

fn near(x: f64, y: f64, tolerance: f64) {
    assert!((x - y).abs() <= tolerance, "{x} is not {y}");
}

fn steps(w: &Natural) -> f64 {
    Rational::from(w.clone()).to_f64_nearest()
}

#[test]
fn chances_and_tails_add_up() {
    let stairs = Staircase::new(rational("1/2"), 5, 2).unwrap();
    let normal = ["1/9", "1/2", "1.9", "2", "3", "40"].map(gaussian);
    let laws = [laplace("1/5"), laplace("3"), NoiseLaw::Staircase(stairs)];
    for law in laws.into_iter().chain(normal) {
        let chances = law.chances(9).unwrap();
        assert_eq!(chances.len(), 10);
        for t in 1..=10_u32 {
            let inner = chances.iter().skip(1).take(t as usize - 1);
            let side = inner.fold(Enclosure::ZERO, |sum, p| sum + *p);
            let whole = chances[0] + side + side + law.beyond(&t.into()).unwrap();
            // The tail of a wide Gaussian is known to 1/(4σ²) of its place.
            let tolerance = if law == gaussian("2") || law == gaussian("3") { 0.1 } else { 1e-3 };
            assert!(whole.contains(1.0) && whole.width() < tolerance, "{law:?} {t} {whole}");
        }
    }
    for (k, own) in (0..).zip(laplace("3").chances(9).unwrap()) {
        assert!(own.intersect(crate::support::exact::laplace(k, 3.0)).is_ok());
    }
    assert!(gaussian(FINE).chances(9).is_err());
}

#[test]
fn bounds_of_all_coordinates_have_the_continuous_limit() {
    let fine = 1e6;
    let w = laplace(FINE).half_width_of_all(10, 0.05).unwrap();
    near(steps(&w) / fine, 5.275_343_910_505, 3e-6);
    let w = gaussian(FINE).half_width_of_all(10, 0.05).unwrap();
    near(steps(&w) / fine, 2.799_625_219_301_1, 3e-6);
}

#[test]
fn the_norm_of_gaussian_noise_is_at_most_its_quantile() {
    // χ²_10 at 0.95 is 18.307038053275146.
    let exact = 18.307_038_053_275_146_f64.sqrt();
    let found = gaussian(FINE).norm_of_all(10, 0.05).unwrap() / 1e6;
    near(found, exact, 1e-5);
    assert!(found >= exact && found <= 5.610_024_490_849_2);
    // One coordinate: the normal quantile.
    near(gaussian(FINE).norm_of_all(1, 0.05).unwrap() / 1e6, 1.959_963_984_540_054, 1e-5);
}

#[test]
fn the_norm_of_laplace_noise_beats_both_simple_bounds() {
    for (count, beta) in [(2_u64, 0.05), (10, 0.05), (1000, 0.05), (1000, 1e-9)] {
        let law = laplace(FINE);
        let found = law.norm_of_all(count, beta).unwrap() / 1e6;
        let flat = steps(&law.half_width_of_all(count, beta).unwrap()) / 1e6;
        assert!(found <= flat * (count as f64).sqrt() * 1.000_001);
        // E‖X‖² = 2k, and no bound at a small beta can be below the root of half of it.
        assert!(found >= (count as f64).sqrt());
        if count == 1000 {
            assert!(found < 0.7 * flat * (count as f64).sqrt(), "{found} {flat}");
        }
    }
}

#[test]
fn variances_are_exact() {
    let near_point = |law: &NoiseLaw, x: f64| {
        let variance = law.variance().unwrap();
        assert!(variance.lower() <= x * (1.0 + 1e-12) && variance.upper() >= x * (1.0 - 1e-12));
        assert!(variance.width() < 1e-12 * x);
    };
    near_point(&laplace("1"), 1.841_347_188_415_58);
    near_point(&gaussian("1000"), 1e6);
    let sum = |weight: &dyn Fn(f64) -> f64| {
        let all = (-400..=400).map(f64::from);
        let (mass, square) =
            all.fold((0.0, 0.0), |(m, s), k| (m + weight(k), s + k * k * weight(k)));
        square / mass
    };
    near_point(&gaussian("3/4"), sum(&|k| (-k * k / 1.125).exp()));
    near_point(&laplace("7/3"), sum(&|k| (-k.abs() * 3.0 / 7.0).exp()));
}

/// The chance of |Z| <= w by summing the law itself.
fn inside(law: &NoiseLaw, w: i64) -> f64 {
    let weight = |k: i64| law.ln_weight(k).exp();
    let all: f64 = (-3000..=3000).map(weight).sum();
    (-w..=w).map(weight).sum::<f64>() / all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn half_widths_cover_and_no_smaller_one_does(
        kind in 0..3, scale in 1_i64..60, beta in 1e-6_f64..0.9
    ) {
        let scale = Rational::from(scale) * rational("1/4");
        let law = match kind {
            0 => NoiseLaw::laplace(scale).unwrap(),
            1 => NoiseLaw::gaussian(scale).unwrap(),
            _ => {
                let period = i64::try_from(scale.ceil()).unwrap();
                NoiseLaw::Staircase(Staircase::of_least_error(rational("0.7"), period).unwrap())
            }
        };
        let w = i64::try_from(law.half_width(beta).unwrap()).unwrap();
        prop_assert!(inside(&law, w) >= 1.0 - beta - 1e-12);
        // The Gaussian bound by the normal law may be one step too wide, no more.
        let spare = i64::from(kind == 1);
        if w > spare {
            prop_assert!(inside(&law, w - 1 - spare) <= 1.0 - beta + 1e-9);
        }
        let tail = law.beyond(&Natural::try_from(w + 1).unwrap()).unwrap();
        let truth = 1.0 - inside(&law, w);
        prop_assert!(tail.lower() <= truth + 1e-10 && truth <= tail.upper() + 1e-10);
    }

    /// Two coordinates, all outcomes.
    #[test]
    fn norms_cover_by_the_exact_law(kind in 0..3, quarter in 2_i64..24, beta in 1e-3_f64..0.5) {
        let scale = Rational::from(quarter) * rational("1/4");
        let law = match kind {
            0 => NoiseLaw::laplace(scale).unwrap(),
            1 => NoiseLaw::gaussian(scale).unwrap(),
            _ => NoiseLaw::Staircase(Staircase::new(rational("1"), quarter, 1).unwrap()),
        };
        let bound = law.norm_of_all(2, beta).unwrap();
        let chance: Vec<f64> = {
            let weight = |k: i64| law.ln_weight(k).exp();
            let all: f64 = (-2000..=2000).map(weight).sum();
            (0..=400).map(|k| weight(k) * if k == 0 { 1.0 } else { 2.0 } / all).collect()
        };
        let mut covered = 0.0;
        for (i, p) in chance.iter().enumerate() {
            for (j, q) in chance.iter().enumerate() {
                if ((i * i + j * j) as f64).sqrt() <= bound {
                    covered += p * q;
                }
            }
        }
        prop_assert!(covered >= 1.0 - beta - 1e-9, "{covered} at {bound}");
    }
}

#[test]
fn many_draws_stay_within_the_norm() {
    let one = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove).unwrap();
    let noise = Noise::laplace(&5.into(), &one, Grid::WHOLE).unwrap();
    let sampler = noise.law().sampler().unwrap();
    let mut entropy = SeededEntropy::new(5);
    let bound = Noisy::new(vec![0; 200], &noise, Vec::new()).norm_of_all(0.5).unwrap();
    let mut missed = 0;
    for _ in 0..400 {
        let mut draws = [0; 200];
        sampler.fill(&mut entropy, &mut draws).unwrap();
        let square: f64 = draws.iter().map(|k| (*k as f64) * (*k as f64)).sum();
        missed += u64::from(square.sqrt() > bound);
    }
    // At most half; by chance above 260 of 400 with less than 1e-9.
    assert!(missed <= 260, "{missed}");
}

#[test]
fn hostile_parameters_are_refused() {
    for beta in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(laplace("1").half_width(beta).is_err());
        assert!(gaussian("1").norm_of_all(3, beta).is_err());
    }
    assert!(gaussian("1").norm_of_all(0, 0.1).is_err());
    assert!(NoiseLaw::laplace(rational("-1")).is_err());
    // Any count is served.
    let vast = gaussian("3").norm_of_all(u64::MAX, 1e-200).unwrap();
    assert!(vast.is_finite() && vast >= 3.0 * 4.29e9);
    assert!(laplace("3").norm_of_all(u64::MAX, 1e-200).unwrap().is_finite());
}

/// Where the accountant goes from the discrete law to the normal one: the target is reached on
/// either side, also if the normal law would need just less than the last σ of the discrete ones.
#[test]
fn a_target_is_reached_where_the_description_changes() {
    let under = Neighbours::AddRemove;
    let one = PerCell::of(1, Rational::ONE, under).unwrap();
    let target = |epsilon: f64| Target::Epsilon { epsilon, delta: 1e-6 };
    let normal = |epsilon: f64| {
        let noise = Noise::gaussian_for(&target(epsilon), &one.l2().unwrap(), Grid::WHOLE).unwrap();
        noise.spec().clone()
    };
    let needs_less = |epsilon: f64| {
        let MechanismSpec::Leaf(Leaf::Gaussian { sigma, .. }) = normal(epsilon) else { panic!() };
        sigma <= Rational::from(32)
    };
    let (mut low, mut high) = (0.05, 0.5);
    for _ in 0..24 {
        let middle = f64::midpoint(low, high);
        if needs_less(middle) { high = middle } else { low = middle }
    }
    for epsilon in [low, high, high * 1.000_1, high * 1.001] {
        let noise = Noise::gaussian_per_cell_for(&target(epsilon), &one, Grid::WHOLE).unwrap();
        let delta = loss(noise.spec(), under).delta(epsilon).unwrap().upper;
        assert!(delta <= 1e-6, "{} {delta}", noise.spec());
    }
}
