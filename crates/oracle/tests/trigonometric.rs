//! Cosines and sines against MPFR.
#![allow(clippy::disallowed_methods, reason = "inputs and working precisions need no proof")]

use rug::Float;
use rug::float::Constant;
use throng_numeric::trigonometric::{cos_minus_one_sin, cos_sin};
use throng_numeric::widths::Function;
use throng_oracle::inputs::{Random, reals};
use throng_oracle::{CASES, Comparison, exact};

/// How far arguments are reduced.
const RANGE: f64 = 1_073_741_824.0;

/// Besides the usual inputs, the `f64` next to multiples of π/128: zeros of the functions, nodes
/// of the table, and the places where one node takes over from another.
fn angles(seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut all = reals(seed, CASES, -200.0, 200.0);
    let pi = Float::with_val(256, Constant::Pi);
    for i in 0..CASES / 4 {
        let multiple = if i < 1024 { i as u64 } else { random.log_integer(1, 43_000_000_000) };
        let x = (pi.clone() * multiple / 128u32).to_f64();
        all.extend([x, -x.next_up(), x.next_down()]);
        all.push(random.between(-RANGE, RANGE));
    }
    all.extend([RANGE, -RANGE, RANGE.next_up()]);
    all
}

#[test]
fn cosines_and_sines() {
    let cosines = Comparison::of(Function::Cos);
    let sines = Comparison::of(Function::Sin);
    for x in angles(11) {
        let (cos, sin) = cos_sin(x);
        let (true_sin, true_cos) = exact(x).sin_cos(Float::new(256));
        if x.abs() <= RANGE {
            cosines.check(x, cos, &true_cos);
            sines.check(x, sin, &true_sin);
        } else {
            cosines.check_inside(x, cos, &true_cos);
            sines.check_inside(x, sin, &true_sin);
        }
    }
}

/// Next to 0 the sine has no absolute part: two ulps, down to the least number.
#[test]
fn small_sines_are_known_relatively() {
    let mut random = Random::new(12);
    for _ in 0..CASES {
        let x = random.log_between(f64::from_bits(1), 0.0245);
        let (_, sin) = cos_sin(x);
        let truth = exact(x).sin();
        assert!(truth >= sin.lower() && truth <= sin.upper(), "sin {x:e}");
        assert!(sin.upper() <= sin.lower().next_up().next_up(), "sin {x:e} = {sin}");
    }
}

#[test]
fn estimates_keep_to_their_bound() {
    let mut worst: f64 = 0.0;
    for x in angles(13) {
        let (cos_minus_one, sin, bound) = cos_minus_one_sin(x);
        if x == 0.0 {
            continue;
        }
        let half_sine = (exact(x) / 2u32).sin();
        let true_cosine: Float = -(half_sine.square() * 2u32);
        let errors = [true_cosine - cos_minus_one, exact(x).sin() - sin];
        for error in errors {
            let error = error.abs();
            assert!(error <= bound, "{x:e}: {error:e} exceeds {bound:e}");
            if x.abs() <= RANGE && bound > 1e-290 {
                worst = worst.max((error / bound).to_f64());
            }
        }
        if x.abs() <= RANGE {
            let promised = 3.3 * 2.0_f64.powi(-53) * x.abs().min(2.0) + f64::MIN_POSITIVE;
            assert!(bound <= promised, "{x:e}: {bound:e} is more than promised");
        }
    }
    assert!(worst > 0.3, "the bound is {worst:.2} times what is needed: too generous");
}
