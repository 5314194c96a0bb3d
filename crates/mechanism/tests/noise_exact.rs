//! Noise is described by what hides no better, and its error bars hold.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use crate::support::exact::{Law, assert_within, violates};
use crate::support::{loss, rational};
use throng_account::PrivacyLoss;
use throng_mechanism::{Budget, Grid, L1, L2, Neighbours, Noise, NoiseLaw, PerCell, Sensitivity};
use throng_numeric::{Enclosure, Natural, Rational};

use Neighbours::{AddRemove, Replace, ZeroOut};

const ALL: [Neighbours; 3] = [AddRemove, Replace, ZeroOut];

/// The law of one noise, moved, on the places within `far`.
fn law(noise: &NoiseLaw, far: i64) -> impl Fn(i64) -> Vec<(i64, Enclosure)> {
    let energy = |k: i64| match noise {
        NoiseLaw::DiscreteLaplace { scale } => Rational::from(k.abs()).checked_div(scale).unwrap(),
        NoiseLaw::DiscreteGaussian { sigma } => {
            let square = Rational::from(k).checked_div(sigma).unwrap().square();
            square * rational("1/2")
        }
        NoiseLaw::Staircase(_) => unreachable!("staircase noise is tested elsewhere"),
    };
    let weight = |k: i64| (-Enclosure::of_rational(&energy(k))).exp();
    let weights: Vec<Enclosure> = (0..=2 * far).map(weight).collect();
    let sides = weights.iter().skip(1).fold(Enclosure::ZERO, |sum, w| sum + *w);
    let total = weights[0] + sides + sides;
    move |centre| {
        let chance = |k: i64| weights[usize::try_from((k - centre).abs()).unwrap()] / total;
        (-far..=far).map(|k| (k, chance(k))).collect()
    }
}

/// Independent noise on two cells.
fn two(noise: &NoiseLaw, far: i64, centre: [i64; 2]) -> Law<(i64, i64)> {
    let law = law(noise, far);
    let (a, b) = (law(centre[0]), law(centre[1]));
    a.iter().flat_map(|(x, p)| b.iter().map(move |(y, q)| ((*x, *y), *p * *q))).collect()
}

/// Every move of two cells that the sensitivity allows is within the claim, one larger is not.
fn covers(noise: &Noise, far: i64, moves: &[[i64; 2]], beyond: [i64; 2]) {
    let claim: PrivacyLoss = loss(noise.spec(), noise.neighbours());
    let still = two(noise.law(), far, [0, 0]);
    for centre in moves {
        assert_within(&still, &two(noise.law(), far, *centre), &claim, 1e-9);
    }
    assert!(violates(&still, &two(noise.law(), far, beyond), &claim), "{}", noise.spec());
}

#[test]
fn vectors_of_laplace_noise_are_covered() {
    for under in ALL {
        let three = Sensitivity::<L1>::of(rational("7/2"), under).unwrap();
        let noise = Noise::laplace(&rational("2"), &three, Grid::WHOLE).unwrap();
        covers(&noise, 45, &[[3, 0], [2, 1], [-1, 2], [1, 0]], [4, 0]);
        let cells = PerCell::of(2, rational("1"), under).unwrap();
        let noise = Noise::laplace_per_cell(&rational("2"), &cells, Grid::WHOLE).unwrap();
        covers(&noise, 45, &[[1, 1], [-1, 1], [0, 1]], [2, 1]);
    }
}

#[test]
fn vectors_of_gaussian_noise_are_covered() {
    for under in ALL {
        // As zCDP below two steps, as normal noise from there on.
        for sigma in ["3/2", "2", "5/2"] {
            let five = Sensitivity::<L2>::of_square(&rational("5"), under).unwrap();
            let noise = Noise::gaussian(&rational(sigma), &five, Grid::WHOLE).unwrap();
            let moves = [[2, 1], [-1, 2], [2, 0], [1, 1]];
            covers(&noise, 18, &moves, if sigma == "3/2" { [4, 2] } else { [3, 1] });
        }
        let cells = PerCell::of(2, rational("1"), under).unwrap();
        let noise = Noise::gaussian_per_cell(&rational("1"), &cells, Grid::WHOLE).unwrap();
        covers(&noise, 12, &[[1, 1], [-1, 1], [0, 1]], [2, 1]);
    }
}

/// 1025 steps and more are described by continuous noise.
#[test]
fn fine_laplace_noise_is_covered() {
    for under in ALL {
        let one = Sensitivity::<L1>::of(Rational::ONE, under).unwrap();
        for (scale, exponent) in [("1/2", -11), ("1/100", -11), ("1/2048", -11)] {
            let grid = Grid::new(exponent).unwrap();
            let noise = Noise::laplace(&rational(scale), &one, grid).unwrap();
            assert!(noise.spec().to_string().starts_with("laplace"), "{}", noise.spec());
            let claim = loss(noise.spec(), under);
            // The outcomes beyond both centres tell as much as the centres; see the accountant.
            let NoiseLaw::DiscreteLaplace { scale } = noise.law() else { continue };
            let b = Enclosure::of_rational(scale);
            let steps: u32 = 2048;
            let fall = |k: u32| (-(Enclosure::point(f64::from(k)).unwrap() / b)).exp();
            let r = fall(1);
            let end = Enclosure::ONE / (Enclosure::ONE + r);
            let one = (Enclosure::ONE - r) * end;
            let unmoved: Law<u32> = (0..=steps)
                .map(|k| (k, if k == 0 || k == steps { end * fall(k) } else { one * fall(k) }))
                .collect();
            let moved: Law<u32> = unmoved.iter().map(|(k, p)| (steps - k, *p)).collect();
            assert_within(&unmoved, &moved, &claim, 0.0);
        }
    }
}

#[test]
fn pure_noise_is_pure() {
    for under in ALL {
        for (distance, exponent) in [("1", 0), ("1/3", -4), ("5", -11), ("1000", -11)] {
            let sensitivity = Sensitivity::<L1>::of(rational(distance), under).unwrap();
            let grid = Grid::new(exponent).unwrap();
            let noise = Noise::pure(&rational("3/4"), &sensitivity, grid).unwrap();
            let mut budget = Budget::pure(rational("3/4"), under).unwrap();
            assert!(budget.authorise(noise.spec()).is_ok(), "{}", noise.spec());
        }
    }
}

fn laws() -> Vec<NoiseLaw> {
    let gaussian = |s: &str| NoiseLaw::gaussian(rational(s)).unwrap();
    let laplace = |s: &str| NoiseLaw::laplace(rational(s)).unwrap();
    let sigmas = ["1/20", "1/2", "1", "1.999", "2", "2.001", "7", "60"];
    let scales = ["1/20", "1/2", "1", "10/3", "40"];
    sigmas.iter().map(|s| gaussian(s)).chain(scales.iter().map(|s| laplace(s))).collect()
}

/// P(|Z| >= t) and the variance, summed.
#[test]
fn tails_variances_and_half_widths_are_those_of_the_law() {
    for noise in laws() {
        let chances = law(&noise, 1500)(0);
        let beyond = |t: i64| {
            let far = chances.iter().filter(|(k, _)| k.abs() >= t);
            far.fold(Enclosure::ZERO, |sum, (_, p)| sum + *p)
        };
        for t in [0_i64, 1, 2, 3, 5, 9, 20, 80, 81, 200] {
            let (stated, summed) =
                (noise.beyond(&Natural::from(t.unsigned_abs())).unwrap(), beyond(t));
            assert!(stated.lower() <= summed.upper() + 1e-13, "{noise:?} {t}");
            assert!(stated.upper() >= summed.lower() - 1e-13, "{noise:?} {t}");
        }
        let square = |(k, p): &(i64, Enclosure)| Enclosure::point((k * k) as f64).unwrap() * *p;
        let variance = chances.iter().fold(Enclosure::ZERO, |sum, x| sum + square(x));
        let stated = noise.variance().unwrap();
        assert!(stated.lower() <= variance.upper() * (1.0 + 1e-9), "{noise:?}");
        assert!(stated.upper() >= variance.lower() * (1.0 - 1e-9), "{noise:?}");
        for beta in [0.9, 0.5, 0.3, 0.05, 1e-3, 1e-9] {
            let width = i64::try_from(noise.half_width(beta).unwrap()).unwrap();
            assert!(beyond(width + 1).lower() <= beta, "{noise:?} {beta}");
            // And it is the smallest or the next.
            assert!(width < 2 || beyond(width - 1).upper() > beta, "{noise:?} {beta}");
            let all = i64::try_from(noise.half_width_of_all(50, beta).unwrap()).unwrap();
            let miss = 1.0 - (1.0 - beyond(all + 1).lower()).powi(50);
            assert!(miss <= beta + 1e-12, "{noise:?} {beta}");
        }
    }
}

#[test]
fn budgets_of_pairs_have_a_delta_of_at_most_one() {
    assert!(Budget::approx(Rational::ONE, rational("3/2"), AddRemove).is_err());
    assert!(Budget::approx(Rational::ONE, rational("-1/2"), AddRemove).is_err());
    assert!(Budget::approx(Rational::ONE, rational("1"), AddRemove).is_ok());
}
