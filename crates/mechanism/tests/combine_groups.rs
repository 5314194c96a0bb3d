//! What is promised to several units together.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests may fail, and compare with plain numbers"
)]

use crate::support::exact::{Law, assert_within, violates};
use crate::support::{loss, rational};
use throng_account::MechanismSpec;
use throng_mechanism::combine::{Both, Grouped};
use throng_mechanism::contribution::Rows;
use throng_mechanism::histogram::{Histogram, ThresholdHistogram};
use throng_mechanism::{Mechanism, Neighbours};
use throng_numeric::Enclosure;

use Neighbours::AddRemove;

fn point(x: f64) -> Enclosure {
    Enclosure::point(x).unwrap()
}

/// Discrete Laplace noise around a centre, from -100 to 100.
fn laplace(centre: i64, scale: f64) -> Law<i64> {
    let weight = |k: i64| (-(point(k.abs() as f64) / point(scale))).exp();
    let total = (-400..=400).fold(Enclosure::ZERO, |sum, k| sum + weight(k));
    (-100..=100).map(|k| (k, weight(k - centre) / total)).collect()
}

/// One key with so many rows: its count if that is shown, else nothing.
fn shown(rows: i64, scale: f64, threshold: i64) -> Law<Option<i64>> {
    let mut law = Law::from([(None, if rows == 0 { Enclosure::ONE } else { Enclosure::ZERO })]);
    for (count, chance) in laplace(rows, scale) {
        let outcome = Some(count).filter(|count| *count >= threshold);
        if rows > 0 {
            let entry = law.entry(outcome).or_insert(Enclosure::ZERO);
            *entry = *entry + chance;
        }
    }
    law
}

/// A key of two units is shown e^(1/scale) times as often as a key of one.
#[test]
fn a_group_gets_past_a_threshold_more_than_twice_as_often() {
    let (scale, threshold) = (0.5, 6);
    let one = ThresholdHistogram::<u8, _>::laplace_at(Rows, &rational("1/2"), threshold, AddRemove);
    let two = Grouped::new(2, one.clone().unwrap()).unwrap();
    let claim = loss(&two.spec(), AddRemove);
    for (before, after) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (5, 7)] {
        let (p, q) = (shown(before, scale, threshold), shown(after, scale, threshold));
        assert_within(&p, &q, &claim, 1e-12);
    }
    // Taken apart, into noise that moves by 2 and twice the leak, it would be too little.
    let apart = MechanismSpec::Group { size: 2, inner: Box::new(one.unwrap().spec()) };
    let apart = loss(&apart, AddRemove);
    assert!(violates(&shown(0, scale, threshold), &shown(2, scale, threshold), &apart));
}

/// Noise is taken apart: as exact as before.
#[test]
fn noise_on_cells_moves_by_the_sum() {
    let histogram = || Histogram::pure([1_u8, 2], Rows, &rational("1"), AddRemove).unwrap();
    let both = Both::new(histogram(), histogram()).unwrap();
    assert_eq!(
        Grouped::new(3, both).unwrap().spec().to_string(),
        "group(discrete_laplace(scale=1) + discrete_laplace(scale=1), size=3)"
    );
}

/// Moves of cells with one sum and one bound: fewer cells by the whole bound tell most.
#[test]
fn uneven_moves_of_cells_tell_more() {
    // The law of the sum of the clipped outcomes, which is all that tells.
    let clipped = |shift: i64, scale: f64, moved: bool| -> Law<i64> {
        let mut law = Law::new();
        for (x, chance) in laplace(if moved { shift } else { 0 }, scale) {
            let entry = law.entry(x.clamp(0, shift)).or_insert(Enclosure::ZERO);
            *entry = *entry + chance;
        }
        law
    };
    let sum = |shifts: &[i64], scale: f64, moved: bool| {
        shifts.iter().fold(Law::from([(0, Enclosure::ONE)]), |law, shift| {
            let mut next = Law::new();
            for (x, p) in &law {
                for (y, q) in clipped(*shift, scale, moved) {
                    let entry = next.entry(x + y).or_insert(Enclosure::ZERO);
                    *entry = *entry + *p * q;
                }
            }
            next
        })
    };
    for scale in [0.5, 1.0, 3.0] {
        for (even, uneven) in [
            (&[2, 2][..], &[3, 1][..]),
            (&[3, 3], &[4, 2]),
            (&[2, 2, 2], &[3, 3]),
            (&[1, 1, 1, 1], &[2, 2]),
            (&[4, 4, 4], &[6, 6]),
        ] {
            let delta = |shifts: &[i64], epsilon: f64| {
                let (p, q) = (sum(shifts, scale, true), sum(shifts, scale, false));
                crate::support::exact::hockey_stick(&p, &q, epsilon)
            };
            for epsilon in crate::support::exact::EPSILONS {
                let (small, large) = (delta(even, epsilon), delta(uneven, epsilon));
                assert!(small.lower() <= large.upper() + 1e-12, "{even:?} {epsilon}");
            }
        }
    }
}
