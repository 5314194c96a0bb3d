//! Rows of integers with a proved norm.

use throng_account::Neighbours;
use throng_numeric::Rational;

use crate::math::wide;
use crate::{Bounds, Interval, Matrix};

/// Steps from 0 to 1 on the grid of rows, 2^13.
pub(crate) const LEVELS: f64 = 8192.0;

/// The same as an integer.
pub(crate) const LEVELS_INTEGER: i64 = 8192;

/// What a factor is lowered by so that no rounding lifts a product above its real value, 2^-30: the sum
/// of squares of k numbers is off by at most k roundings of relative error 2^-53, its root by half of
/// that, and a few roundings come on top; for k up to 2^22 that is less.
const SLACK: f64 = 1.0 - 1.0 / 1_073_741_824.0;

/// How far the sum over all records moves, if one record contributes a vector of this norm.
///
/// # Guarantee
/// One contribution is there or not; or two of them, each of that norm, are exchanged.
pub(crate) fn distance(contribution: &Rational, under: Neighbours) -> Rational {
    contribution * &Rational::from(crate::contribution::times(under))
}

/// A number on the way from -1 to 1, in steps of a grid with so many from 0 to 1.
pub(crate) fn steps(interval: Interval, x: f64, levels: f64) -> f64 {
    nearest(interval.symmetric(x) * levels)
}

/// The nearest integer, for numbers below 2^51 in size.
///
/// There the sum has a spacing of 1, so the addition rounds and the subtraction is exact.
pub(crate) const fn nearest(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    (x + SHIFT) - SHIFT
}

/// The number rounded towards 0, and 0 for NaN; exact below 2^53, which all that is put in here is.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "said so")]
const fn integer_part(x: f64) -> f64 {
    x as i64 as f64
}

/// x².
pub(crate) const fn squared(x: f64) -> f64 {
    x * x
}

/// The sum of squares: exact for integers as long as it is below 2^53.
pub(crate) fn square(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum()
}

/// The sum of sizes: exact for integers as long as it is below 2^53.
pub(crate) fn size(row: &[f64]) -> f64 {
    row.iter().map(|x| x.abs()).sum()
}

/// Shrinks a row by a factor `most`/`norm`, if that is below 1, towards 0 onto the integers.
///
/// # Guarantee
/// If `norm` is the row's norm up to a relative error of 2^-32, the norm is at most `most`
/// afterwards: the factor is lowered by 2^-30, so each computed product is no larger than the real
/// one (its roundings are smaller than that), and rounding towards 0 shrinks it further; a norm
/// that looks at sizes only follows.
pub(crate) fn shrink(row: &mut [f64], norm: f64, most: f64) {
    if norm <= most * SLACK {
        return;
    }
    let factor = most / norm * SLACK;
    for x in row {
        *x = integer_part(*x * factor);
    }
}

/// Records as rows (features, 1) with features from -1 to 1, in steps, no longer than `most` steps.
pub(crate) fn bounded(bounds: &Bounds, records: &[&[f64]], most: i64) -> Matrix<f64> {
    let mut table = Matrix::filled(records.len(), bounds.columns().saturating_add(1), 0.0);
    for (place, features) in records.iter().enumerate() {
        let row = table.row_mut(place);
        let numbers = bounds.intervals().iter().zip(*features);
        let numbers = numbers.map(|(unit, x)| steps(*unit, *x, LEVELS));
        for (cell, x) in row.iter_mut().zip(numbers.chain([LEVELS])) {
            *cell = x;
        }
        let norm = square(row).sqrt();
        shrink(row, norm, crate::math::number(most));
    }
    table
}

/// Multiplies the numbers of each record by `scale`, or by as much less as keeps `norm` times their norm within
/// `most`, and rounds towards 0. There are as many numbers for each output as there are `norms`, output by
/// output, so that many records go into an instruction; what becomes of one depends on it alone.
///
/// # Guarantee
/// `norm` times the norm of what they become is at most `most`, by the reasons given for [`shrink`].
/// If one of them is not finite, all become 0.
pub(crate) fn scale_by_output(numbers: &mut [f64], norms: &[f64], scale: f64, most: f64) {
    let mut factors = vec![0.0; norms.len()];
    let (records, factors) = (norms.len().max(1), factors.as_mut_slice());
    wide!({
        for output in numbers.chunks_exact(records) {
            factors.iter_mut().zip(output).for_each(|(square, x)| *square += x * x);
        }
        for (factor, norm) in factors.iter_mut().zip(norms) {
            let length = factor.sqrt() * norm;
            let most = scale.min(most / length * SLACK);
            *factor = if length.is_finite() { most } else { 0.0 };
        }
        for output in numbers.chunks_exact_mut(records) {
            for (x, factor) in output.iter_mut().zip(&*factors) {
                let product = (*x * factor).trunc();
                // NaN becomes 0.
                *x = if product.is_nan() { 0.0 } else { product };
            }
        }
    });
}

/// The same for one record, as a second source.
#[cfg(test)]
fn scale(numbers: &mut [f64], norm: f64, scale: f64, most: f64) {
    let length = square(numbers).sqrt() * norm;
    let factor = if length.is_finite() { scale.min(most / length * SLACK) } else { 0.0 };
    for x in numbers {
        // NaN, from a number that is not finite times 0, becomes 0.
        *x = integer_part(*x * factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_shrunk_row_has_its_norm_exactly(
            row in prop::collection::vec(-8192_i64..=8192, 1..20),
            most in 1_i64..20_000,
        ) {
            let mut found: Vec<f64> = row.iter().map(|x| crate::math::number(*x)).collect();
            let norm = square(&found).sqrt();
            shrink(&mut found, norm, crate::math::number(most));
            let square: i64 = found.iter().map(|x| crate::math::nearest(*x).pow(2)).sum();
            prop_assert!(square <= most * most);
            let mut found: Vec<f64> = row.iter().map(|x| crate::math::number(*x)).collect();
            let norm = size(&found);
            shrink(&mut found, norm, crate::math::number(most));
            let size: i64 = found.iter().map(|x| crate::math::nearest(*x).abs()).sum();
            prop_assert!(size <= most);
        }
    }

    #[test]
    fn many_records_are_scaled_like_one() {
        let hostile = [f64::NAN, f64::INFINITY, -0.0, 0.0, 1e-320, 1e200, -0.7, 0.3, 1.0, -1.0];
        let (records, outputs) = (1000, 4);
        let number = |record: usize, output: usize| hostile[record / [1, 7, 49, 343][output] % 10];
        let norm = |record: usize| [0.0, 1.0, 77.5, 30_000.0, 1e300][record % 5];
        for (scale, most) in [(1e6, 16_777_216.0), (16_777_216.0 / 300.0, 16_777_216.0)] {
            let norms: Vec<f64> = (0..records).map(norm).collect();
            let mut all: Vec<f64> =
                (0..outputs * records).map(|at| number(at % records, at / records)).collect();
            scale_by_output(&mut all, &norms, scale, most);
            for record in 0..records {
                let mut one: Vec<f64> = (0..outputs).map(|output| number(record, output)).collect();
                super::scale(&mut one, norm(record), scale, most);
                for (output, x) in one.iter().enumerate() {
                    assert_eq!(all[output * records + record], *x, "{record} {output}");
                }
            }
        }
    }

    #[test]
    fn hostile_numbers_become_steps() {
        let interval = Interval::new(-3.0, 5.0).unwrap();
        let found = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, 5.0, 1e308]
            .map(|x| steps(interval, x, LEVELS));
        assert_eq!(found, [0.0, 8192.0, -8192.0, 0.0, 8192.0, 8192.0]);
    }
}
