//! Noise added to numbers.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests compare with plain numbers, and may fail"
)]

use crate::support::{answer_slice, audit, costs_at_most, loss, rational};
use proptest::prelude::*;
use throng_mechanism::noise::Protection;
use throng_mechanism::{
    AddNoise, AddNoiseReal, Grid, L1, L2, Mechanism, Neighbours, Noise, NoiseLaw, PerCell,
    Sensitivity,
};
use throng_sample::SeededEntropy;

#[test]
fn an_audit_refutes_half_the_noise_and_accepts_all_of_it() {
    let one = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove).unwrap();
    let two = Sensitivity::<L1>::of(2.into(), Neighbours::AddRemove).unwrap();
    let noise = |s| AddNoise::new(Noise::laplace(&rational("2"), s, Grid::WHOLE).unwrap());
    let (right, wrong) = (noise(&one), noise(&two));
    let claim = loss(&right.spec(), Neighbours::AddRemove);
    let bin = |x: i64| x.clamp(-6, 6);
    let found = audit::refute(40_000, 1, &claim, |world, entropy| {
        bin(answer_slice(&right, [i64::from(world)], entropy).steps()[0])
    });
    assert!(found.is_none(), "{found:?}");
    let found = audit::refute(40_000, 2, &claim, |world, entropy| {
        bin(answer_slice(&wrong, [2 * i64::from(world)], entropy).steps()[0])
    });
    assert!(found.is_some());
}

fn distances(l1: &str, l2: &str, under: Neighbours) -> (Sensitivity<L1>, Sensitivity<L2>) {
    (Sensitivity::of(rational(l1), under).unwrap(), Sensitivity::of(rational(l2), under).unwrap())
}

#[test]
fn rounding_adds_one_step_for_each_coordinate() {
    let (l1, l2) = distances("3", "2", Neighbours::AddRemove);
    let half = Grid::new(-1).unwrap();
    assert_eq!(*l1.rounded(4, half).unwrap().distance(), rational("5"));
    assert_eq!(*l2.rounded(4, half).unwrap().distance(), rational("3"));
    assert!(*l2.rounded(2, half).unwrap().distance() >= rational("2.70710678"));
    let cells = PerCell::of(2, rational("3"), Neighbours::AddRemove).unwrap();
    assert_eq!(*cells.rounded(half).unwrap().distance(), rational("3.5"));
    // ε = 1 on distance (3 + 4/2) = 10 half steps.
    let pure = Protection::Pure { epsilon: 1.into() };
    let mechanism = AddNoiseReal::new(&pure, &l1, &l2, 4, half).unwrap();
    assert_eq!(*mechanism.noise().law(), NoiseLaw::laplace(10.into()).unwrap());
}

proptest! {
    /// The bound holds for any two vectors, and one step less would not.
    #[test]
    fn rounded_vectors_are_within_the_bound(
        x in prop::collection::vec(-50.0..50.0_f64, 3),
        y in prop::collection::vec(-50.0..50.0_f64, 3),
        exponent in -4..3_i32,
    ) {
        let grid = Grid::new(exponent).unwrap();
        let step = grid.to_f64(1);
        let gaps = x.iter().zip(&y).map(|(x, y)| (x - y).abs());
        let moved = x.iter().zip(&y).map(|(x, y)| grid.nearest(*x).unwrap() - grid.nearest(*y).unwrap());
        let (mut l1, mut l2) = (0.0, 0.0);
        for steps in moved {
            let d = grid.to_f64(steps);
            l1 += d.abs();
            l2 += d * d;
        }
        let (own1, own2) = gaps.fold((0.0, 0.0), |(a, b), d| (a + d, b + d * d));
        prop_assert!(l1 <= own1 + 3.0 * step + 1e-9);
        prop_assert!(l2.sqrt() <= own2.sqrt() + 3.0_f64.sqrt() * step + 1e-9);
    }
}

#[test]
fn without_the_step_for_rounding_an_audit_would_complain() {
    // Distance 1/5 on a grid of step 1: 0.4 and 0.6 are a whole step apart.
    let under = Neighbours::AddRemove;
    let (l1, l2) = distances("1/5", "1/5", under);
    let pure = Protection::Pure { epsilon: 1.into() };
    let right = AddNoiseReal::new(&pure, &l1, &l2, 1, Grid::WHOLE).unwrap();
    let claim = loss(&right.spec(), under);
    let run = |mechanism: &AddNoiseReal, world: bool, entropy: &mut SeededEntropy| {
        let x = if world { 0.6 } else { 0.4 };
        answer_slice(mechanism, [x], entropy).steps()[0].clamp(-5, 6)
    };
    let found = audit::refute(40_000, 1, &claim, |world, entropy| run(&right, world, entropy));
    assert!(found.is_none(), "{found:?}");
    // Noise for the distance alone would be of scale 1/5.
    let small = Sensitivity::<L1>::of(rational("1/5"), under).unwrap();
    let wrong = AddNoise::new(Noise::laplace(&rational("1/5"), &small, Grid::WHOLE).unwrap());
    let found = audit::refute(40_000, 2, &claim, |world, entropy| {
        answer_slice(&wrong, [i64::from(world)], entropy).steps()[0].clamp(-5, 6)
    });
    assert!(found.is_some());
}

#[test]
fn hostile_vectors_are_answered() {
    let under = Neighbours::Replace;
    let (l1, l2) = distances("1", "1", under);
    let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 5e-324];
    let target = throng_account::Target::Gdp { mu: 1.0 };
    for protection in [Protection::Pure { epsilon: 1.into() }, Protection::Target(target)] {
        let grid = Grid::under(&1.into()).unwrap();
        let mechanism = AddNoiseReal::new(&protection, &l1, &l2, 8, grid).unwrap();
        let found = answer_slice(&mechanism, hostile, &mut SeededEntropy::new(1));
        // Two more than there were, as zeros; none that is NaN.
        assert_eq!(found.len(), 8);
        assert!(found.values().iter().all(|x| x.is_finite()));
        assert!(found.value(0).abs() < 200.0 && found.value(7).abs() < 200.0);
        assert_eq!(found.interval(1, 0.9).unwrap().upper, f64::INFINITY);
    }
    let pure = Protection::Pure { epsilon: 1.into() };
    assert!(AddNoiseReal::new(&pure, &l1, &l2, 0, Grid::WHOLE).is_err());
    let cells = PerCell::of(2, rational("1"), under).unwrap();
    let mechanism = AddNoiseReal::per_cell(&pure, &cells, 5, Grid::new(-10).unwrap()).unwrap();
    assert!(costs_at_most(&mechanism, "1") && !costs_at_most(&mechanism, "0.99"));
}
