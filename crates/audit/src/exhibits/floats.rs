//! Floating-point noise: what the real numbers hide, their representation shows.

use super::{Exhibit, by};
use crate::dice::{Dice, real, whole};
use crate::{Neighbours, Outcome};

const MIRONOV: &str = "Mironov, On significance of the least significant bits, CCS 2012";

/// A value in whole steps of 2^-10, with Laplace noise of scale 1: the sum is exact.
fn laplace_on_grid(dice: &mut Dice, steps: i64) -> Outcome {
    Outcome::Number(real(steps + dice.two_sided(1024.0)) / 1024.0)
}

/// The same with normal noise.
fn normal_on_grid(dice: &mut Dice, steps: i64, deviation: f64) -> Outcome {
    Outcome::Number(real(steps + dice.normal_steps(1024.0 * deviation)) / 1024.0)
}

/// Laplace noise of scale 1 by inversion, from a generator of 15 bits.
#[expect(clippy::disallowed_methods, reason = "an exhibit of floating-point noise")]
fn laplace_of_15_bits(dice: &mut Dice) -> f64 {
    let u = (real(i64::try_from(dice.bits() >> 49).unwrap_or(0)) + 0.5) / 32768.0 - 0.5;
    -u.signum() * (1.0 - 2.0 * u.abs()).ln()
}

/// To single precision and back.
#[expect(clippy::cast_possible_truncation, reason = "the rounding is what is exhibited")]
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Rounds to eleven significant bits of another number.
fn to_precision_of(x: f64, of: f64) -> f64 {
    let exponent = i32::try_from(of.to_bits() >> 52).unwrap_or(0) - 1023;
    let step = f64::from(exponent - 10).exp2();
    real(whole(x / step)) * step
}

/// A geometric number of scale 2^56: of scale 2^36 in units of 2^20, over which it is as good as uniform.
fn fine(dice: &mut Dice) -> i64 {
    let low = i64::try_from(dice.bits() >> 44).unwrap_or(0);
    (dice.geometric(f64::from(36).exp2()) << 20) + low
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "laplace-low-bits",
        title: "Laplace noise by inversion in floating point, sensitivity 1, scale 1",
        flaw: "The sum of 1 and noise is a multiple of 2^-54, the sum of 0 and noise need not be: \
               low-order bits tell the worlds apart.",
        cure: "Whole noise on a grid of 2^-10.",
        reference: MIRONOV,
        // A noise below 1/16 has bits below 2^-56: a chance of more than 0.06, against 0.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| Outcome::Number(by(world, 0.0, 1.0) + dice.laplace(1.0)),
        mended: Some(|dice, world| laplace_on_grid(dice, by(world, 0, 1024))),
    },
    Exhibit {
        name: "gaussian-low-bits",
        title: "Gaussian noise by Box and Muller in floating point",
        flaw: "The sum of a value and noise has the precision of the larger of them, so small sums show \
               whether the value is 0.",
        cure: "Whole noise on a grid of 2^-10.",
        reference: "Jin, McMurtry, Rubinstein, Ohrimenko, Are we there yet?, S&P 2022; Haney et al., \
                    Precision-based attacks and interval refining, 2022",
        claim: "approx_dp(epsilon=1, delta=1e-5)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| Outcome::Number(by(world, 0.0, 1.0) + dice.normal(4.85)),
        mended: Some(|dice, world| normal_on_grid(dice, by(world, 0, 1024), 4.85)),
    },
    Exhibit {
        name: "single-precision-noise",
        title: "Laplace noise drawn in single precision, added to a value in double precision",
        flaw: "The low-order 29 bits of the sum are those of the value.",
        cure: "The value rounded to a grid of 2^-10, whole noise on it.",
        reference: MIRONOV,
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| {
            Outcome::Number(by(world, 0.0, 1.0 / 3.0) + single(dice.laplace(1.0)))
        },
        mended: Some(|dice, world| laplace_on_grid(dice, by(world, 0, 341))),
    },
    Exhibit {
        name: "fifteen-bit-uniform",
        title: "Laplace noise from a generator of 15-bit numbers",
        flaw: "There are 32768 possible noises, so hardly any outcome is possible in both worlds.",
        cure: "Whole noise on a grid of 2^-10, from as many bits as it takes.",
        reference: "ISO C, rand() with RAND_MAX = 32767; Mironov 2012",
        // Ten thousand runs visit a quarter of all values, which the other world never takes.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| Outcome::Number(by(world, 0.0, 1.0) + laplace_of_15_bits(dice)),
        mended: Some(|dice, world| laplace_on_grid(dice, by(world, 0, 1024))),
    },
    Exhibit {
        name: "grid-of-the-data",
        title: "Laplace noise, then rounding to eleven significant bits",
        flaw: "The precision is that of the true value: just below a power of two the grid is half as wide \
               as above.",
        cure: "A grid that does not depend on the data.",
        reference: "Haney, Desfontaines, Hartman, Shrestha, Hay, Precision-based attacks, 2022",
        // Odd halves: half of all outcomes at 1023, none at 1024.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| {
            let value = by(world, 1023.0, 1024.0);
            Outcome::Number(to_precision_of(value + dice.laplace(1.0), value))
        },
        mended: Some(|dice, world| Outcome::Integer(by(world, 1023, 1024) + dice.two_sided(1.0))),
    },
    Exhibit {
        name: "gaussian-of-three-uniforms",
        title: "normal noise as a sum of uniform numbers",
        flaw: "The sum is bounded: beyond its end an outcome is possible in one world only.",
        cure: "Normal noise rounded to a grid of 2^-10.",
        reference: "Irwin 1927, Hall 1927: the law of the sum",
        // Above 3: (1/2)^3/6 = 0.0208 in world 1, and nothing in world 0.
        claim: "gdp(mu=1)",
        neighbours: Neighbours::AddRemove,
        runs: 50_000,
        broken: |dice, world| {
            let sum: f64 = (0..3).map(|_| dice.uniform()).sum();
            Outcome::Number(by(world, 0.0, 1.0) + real(whole(2048.0 * (sum - 1.5))) / 1024.0)
        },
        mended: Some(|dice, world| normal_on_grid(dice, by(world, 0, 1024), 1.0)),
    },
    Exhibit {
        name: "minus-zero",
        title: "a sum with Laplace noise, cut to whole numbers",
        flaw: "The sum of nobody's values is -0.0, as in some standard libraries, and survives as such when \
               the noise is -0.0 too.",
        cure: "Zero has no sign.",
        reference: "IEEE 754-2019, section 6.3: the sign of a sum of zeros",
        // -0.0: (1 - e^-1)/2 = 0.316 for nobody, never for somebody whose value is 0.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| Outcome::Number(by(world, -0.0, 0.0) + dice.laplace(1.0).trunc()),
        mended: Some(|dice, world| {
            Outcome::Number(by(world, -0.0, 0.0) + dice.laplace(1.0).trunc() + 0.0)
        }),
    },
    Exhibit {
        name: "noise-coarser-than-value",
        title: "a 64-bit fixed-point value with Laplace noise of scale 2^56",
        flaw: "The noise is drawn in double precision: when it is large, its last bits are zero, and those \
               of the sum are the value's.",
        cure: "Noise with all of its bits.",
        reference: MIRONOV,
        // A remainder of 1 modulo 4: more than 0.78 of the time in world 1, less than 0.06 in world 0.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| {
            Outcome::Integer(
                by(world, 0, 1) + (1 << 60) + whole(dice.laplace(f64::from(56).exp2())),
            )
        },
        mended: Some(|dice, world| {
            Outcome::Integer(by(world, 0, 1) + (1 << 60) + fine(dice) - fine(dice))
        }),
    },
    Exhibit {
        name: "noise-rounded-to-cents",
        title: "an amount with Laplace noise of scale 100, to two decimals",
        flaw: "The noise is rounded to two decimals, not the sum: further decimals are the amount's.",
        cure: "The amount is rounded to cents first, then whole noise is added.",
        reference: MIRONOV,
        // The third decimal: 4 in world 0, 7 in world 1, always. Neither sum is ever a binary fraction.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| {
            let noise = real(whole(dice.laplace(10_000.0))) / 100.0;
            Outcome::Number(by(world, 1.504, 1.507) + noise)
        },
        mended: Some(|dice, world| {
            Outcome::Number(real(by(world, 150, 151) + dice.two_sided(10_000.0)) / 100.0)
        }),
    },
];
