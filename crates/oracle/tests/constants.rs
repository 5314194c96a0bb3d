//! The constants of the special functions, digit by digit, against MPFR.
#![allow(clippy::disallowed_methods, reason = "inputs and working precisions need no proof")]

#[path = "../../numeric/src/constants.rs"]
mod constants;

/// Stands in for the type of the same name, which is private to its crate.
mod wide {
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Wide {
        pub(crate) hi: f64,
        pub(crate) lo: f64,
    }
}

use constants::{
    ERFCX, EXP2, FRAC_1_SQRT_2, FRAC_1_SQRT_PI, FRAC_1_SQRT_TAU, FRAC_PI_64, LN_2_PARTS,
    LN_SQRT_TAU, ONE_MINUS_EULER, ONE_TENTH, ONE_THIRD, RECIPROCALS, SINES, STIRLING, ZETA_TAIL,
};
use rug::Float;
use rug::float::Constant;
use rug::ops::Pow;
use wide::Wide;

const BITS: u32 = 400;

fn real(x: f64) -> Float {
    Float::with_val(BITS, x)
}

/// Asserts that a pair is the truth to 2^-105 of it, with a tail of at most half an ulp.
fn assert_wide(name: &str, pair: Wide, truth: &Float) {
    let error = (real(pair.hi) + pair.lo - truth).abs();
    let allowed = truth.clone().abs() * real(2.0).pow(-105);
    assert!(error <= allowed, "{name}: {pair:?} is not {truth:.40}");
    assert!(pair.hi + pair.lo == pair.hi, "{name}: {pair:?} overlaps");
}

#[test]
fn scalars() {
    let pi = Float::with_val(BITS, Constant::Pi);
    let tau = Float::with_val(BITS, &pi * 2u32);
    assert_wide("1/sqrt 2", FRAC_1_SQRT_2, &real(0.5).sqrt());
    assert_wide("pi/64", FRAC_PI_64, &(pi.clone() / 64u32));
    assert_wide("1/sqrt pi", FRAC_1_SQRT_PI, &pi.sqrt().recip());
    assert_wide("1/sqrt tau", FRAC_1_SQRT_TAU, &tau.clone().sqrt().recip());
    assert_wide("ln sqrt tau", LN_SQRT_TAU, &tau.sqrt().ln());
    assert_wide("1/10", ONE_TENTH, &(real(1.0) / 10u32));
    assert_wide("1/3", ONE_THIRD, &(real(1.0) / 3u32));
    let euler = Float::with_val(BITS, Constant::Euler);
    assert_wide("1 - gamma", ONE_MINUS_EULER, &(1u32 - euler));
}

#[test]
fn parts_of_ln_2() {
    let [head, middle, tail] = LN_2_PARTS;
    let error = (real(head) + middle + tail - Float::with_val(BITS, Constant::Log2)).abs();
    assert!(error <= real(2.0).pow(-118), "ln 2 is off by {error}");
    // At most 32 bits each, so that products with 20-bit integers are exact.
    for part in [head, middle] {
        assert!(part.to_bits().trailing_zeros() >= 52 - 31, "{part:e} has too many bits");
    }
}

#[test]
fn powers_of_two() {
    for (j, &power) in (0_u32..).zip(&EXP2) {
        let truth = (real(f64::from(j)) / 32u32).exp2();
        assert_wide("2^(j/32)", power, &truth);
    }
}

#[test]
fn sines() {
    let pi = Float::with_val(BITS, Constant::Pi);
    for (j, &sine) in (0_u32..).zip(&SINES) {
        if j % 32 == 0 {
            let exact = [0.0, 1.0, 0.0, -1.0][j as usize / 32];
            assert!(sine.hi == exact && sine.lo == 0.0, "sin({j} pi/64) = {sine:?}");
        } else {
            assert_wide("sin(j pi/64)", sine, &(pi.clone() * j / 64u32).sin());
        }
    }
}

#[test]
fn reciprocals() {
    for (j, &(r, ln)) in (0_u32..).zip(&RECIPROCALS) {
        let halved = if j >= 106 { 2.0 } else { 1.0 };
        for k in [j, j + 1] {
            let m = (1.0 + f64::from(k) / 256.0) / halved;
            assert!((m * r - 1.0).abs() <= 1.0 / 256.0, "{r} is no reciprocal of {m}");
        }
        assert!(r.to_bits().trailing_zeros() >= 52 - 10, "{r} has too many bits");
        if r == 1.0 {
            assert!(ln.hi == 0.0 && ln.lo == 0.0);
        } else {
            assert_wide("-ln r", ln, &-real(r).ln());
        }
    }
    assert!(RECIPROCALS[0].0 == 1.0 && RECIPROCALS[255].0 == 1.0);
}

/// `B_2k` = 2 (-1)^(k+1) (2k)! zeta(2k) / (2 pi)^2k.
#[test]
fn stirling() {
    for (k, &coefficient) in (1_u32..).zip(&STIRLING) {
        let zeta = Float::with_val(BITS, Float::zeta_u(2 * k));
        let factorial = Float::with_val(BITS, Float::factorial(2 * k));
        let tau = Float::with_val(BITS, Constant::Pi) * 2u32;
        let bernoulli = zeta * factorial * 2u32 / tau.pow(2 * k);
        let signed = if k % 2 == 1 { bernoulli } else { -bernoulli };
        assert_wide("Stirling", coefficient, &(signed / (2 * k * (2 * k - 1))));
    }
}

#[test]
fn zeta() {
    for (k, &coefficient) in (2_u32..).zip(&ZETA_TAIL) {
        let magnitude = (Float::with_val(BITS, Float::zeta_u(k)) - 1u32) / k;
        let truth = if k % 2 == 0 { magnitude } else { -magnitude };
        assert_wide("zeta", coefficient, &truth);
    }
}

/// The recurrence `(n + 1) c_(n+1) = 2 (x c_n + c_(n-1))` from y' = 2xy - 2/sqrt(pi).
#[test]
fn erfcx_nodes() {
    for (index, node) in ERFCX.iter().enumerate() {
        let j = f64::from(u32::try_from(index % 16).unwrap_or(0));
        let x = match index / 16 {
            0 => (j + 0.5) / 16.0,
            e => 2.0_f64.powi(i32::try_from(e).unwrap_or(0) - 1) * (1.0 + (j + 0.5) / 16.0),
        };
        let x = Float::with_val(800, x);
        let constant = Float::with_val(800, Constant::Pi).sqrt().recip() * 2u32;
        let first = Float::with_val(800, x.square_ref()).exp() * x.clone().erfc();
        let mut c = vec![first.clone(), Float::with_val(800, &first * &x) * 2u32 - constant];
        for n in 1_u32..14 {
            let m = n as usize;
            let next = (Float::with_val(800, &c[m] * &x) + &c[m - 1]) * 2u32 / (n + 1);
            c.push(next);
        }
        for (n, truth) in c.iter().enumerate() {
            if n < 4 {
                assert_wide("erfcx", node.head[n], truth);
            } else {
                assert!(node.tail[n - 4] == truth.to_f64(), "erfcx node {index}, term {n}");
            }
        }
    }
}
