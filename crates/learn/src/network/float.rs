//! Single precision, in loops that become vector instructions on every machine.

use faer::{Accum, MatMut, MatRef, Par};

use crate::math::single;
pub(super) use crate::math::wide;

/// Adding and subtracting it rounds to a whole number: 1.5 · 2^23, beyond which singles are whole.
const ROUND: f32 = 12_582_912.0;

/// The nearest whole number (even if halfway) within ±`most`; `most` is whole and at most 2^22. NaN is
/// -`most`.
///
/// # Guarantee
/// The result is a whole number: a single of size 2^23 to 2^24 is, and so is the difference of two, which
/// is exact.
#[inline(always)]
pub(super) fn whole(x: f32, most: f32) -> f32 {
    let within = x.max(-most).min(most);
    (within + ROUND) - ROUND
}

/// One of the two nearest whole numbers, the nearer the likelier, within ±`most`; a whole number of at most 2^12
/// is itself.
///
/// Rounding to the nearest makes 0 of all that is small, so that sums of small numbers vanish. Here the bits
/// of `seed`, mixed, decide: over many numbers the errors cancel. Nothing secret is drawn, and none is
/// needed: the result is a function of the arguments.
///
/// # Guarantee
/// As for [`whole`].
#[inline(always)]
pub(super) fn either(x: f32, seed: f32, most: f32) -> f32 {
    let mixed = seed.to_bits().wrapping_mul(0x9E37_79B1);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA6B);
    // 23 bits as the fraction of a number in [1, 2); a little less than that, so that a whole number
    // below 2^12 does not come halfway to the next, also rounded.
    let shift = 0.999 * (f32::from_bits(mixed >> 9 | 0x3F80_0000) - 1.5);
    whole(x + shift, most)
}

/// factor · whole, number by number.
pub(super) fn scale(whole: &[i64], factor: f32, out: &mut [f32]) {
    wide!({
        for (out, whole) in out.iter_mut().zip(whole) {
            *out = factor * single(rounded(*whole));
        }
    });
}

/// The nearest double: the upper and the lower half of the bits, each exact as the last bits of a large
/// number, with one rounding where they meet. This becomes vector instructions, which `as` does not.
#[inline(always)]
fn rounded(n: i64) -> f64 {
    /// 2^52, and 2^84 + 2^63.
    const LOWER: u64 = 0x4330_0000_0000_0000;
    const UPPER: u64 = 0x4530_0000_8000_0000;
    let bits = n.cast_unsigned();
    let lower = f64::from_bits(LOWER | (bits & 0xFFFF_FFFF));
    let upper = f64::from_bits(UPPER ^ (bits >> 32));
    (upper - f64::from_bits(0x4530_0000_8010_0000)) + lower
}

/// A count.
#[expect(clippy::cast_precision_loss, reason = "counts below 2^24 are exact, others are rounded")]
pub(super) const fn float(n: usize) -> f32 {
    n as f32
}

/// e^x to about 2e-7 of itself, for |x| <= 87; beyond that as at the ends.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    #[expect(clippy::manual_clamp, reason = "NaN must become a number")]
    let x = x.max(-87.0).min(87.0);
    // x = k ln 2 + r with |r| <= ln(2)/2; ln 2 in two parts, the first with few digits.
    let shifted = x * LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * 0.693_359_4) + k * 2.121_944_4e-4;
    let series = 1.0 / 720.0;
    let series = series * r + 1.0 / 120.0;
    let series = series * r + 1.0 / 24.0;
    let series = series * r + 1.0 / 6.0;
    let series = series * r + 0.5;
    let series = (series * r + 1.0) * r + 1.0;
    // The low bits of `shifted` are k + 2^22 in two's complement; as an exponent, 2^k.
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    series * power
}

/// The hyperbolic tangent, to about 2e-7.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// What is multiplied: numbers row by row, and how many columns a row has.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    values: &'a [f32],
    columns: usize,
}

/// Rows of so many columns.
pub(super) const fn rows(values: &[f32], columns: usize) -> Rows<'_> {
    Rows { values, columns }
}

impl<'a> Rows<'a> {
    fn view(self) -> MatRef<'a, f32> {
        let rows = self.values.len().checked_div(self.columns).unwrap_or(0);
        MatRef::from_row_major_slice(self.values, rows, self.columns)
    }

    /// out += scale · self · other.
    pub(super) fn times(self, other: Self, scale: f32, out: &mut [f32]) {
        product(self.view(), other.view(), scale, Accum::Add, out);
    }

    /// Some of the rows.
    pub(super) fn part(self, rows: std::ops::Range<usize>) -> Self {
        let range = rows.start * self.columns..rows.end * self.columns;
        Self { values: self.values.get(range).unwrap_or(&[]), ..self }
    }

    /// out = selfᵀ · other.
    pub(super) fn transposed_times(self, other: Self, out: &mut [f32]) {
        self.along_rows(other, Accum::Replace, out);
    }

    /// out += selfᵀ · other.
    pub(super) fn add_transposed_times(self, other: Self, out: &mut [f32]) {
        self.along_rows(other, Accum::Add, out);
    }

    /// Sums over rows, at most [`DEPTH`] at a time.
    fn along_rows(self, other: Self, mut how: Accum, out: &mut [f32]) {
        let rows = self.view().nrows();
        for start in (0..rows.max(1)).step_by(DEPTH) {
            let part = start..(start + DEPTH).min(rows);
            let (left, right) = (self.part(part.clone()), other.part(part));
            product(left.view().transpose(), right.view(), 1.0, how, out);
            how = Accum::Add;
        }
    }

    /// out = self · otherᵀ.
    pub(super) fn times_transposed(self, other: Self, out: &mut [f32]) {
        product(self.view(), other.view().transpose(), 1.0, Accum::Replace, out);
    }
}

/// A few more than so many at once take the library an eighth longer than apart.
const DEPTH: usize = 256;

/// Products of fewer columns are formed column by column: the library fills its vectors along the columns of what it
/// writes.
const NARROW: usize = 16;

fn product(left: MatRef<'_, f32>, right: MatRef<'_, f32>, scale: f32, how: Accum, out: &mut [f32]) {
    let (rows, columns) = (left.nrows(), right.ncols());
    if columns == 0 || columns >= NARROW {
        let out = MatMut::from_row_major_slice_mut(out, rows, columns);
        return faer::linalg::matmul::matmul(out, how, left, right, scale, Par::Seq);
    }
    let mut turned = vec![0.0; rows * columns];
    let by_column = MatMut::from_column_major_slice_mut(&mut turned, rows, columns);
    faer::linalg::matmul::matmul(by_column, Accum::Replace, left, right, scale, Par::Seq);
    for (place, row) in out.chunks_exact_mut(columns).enumerate() {
        for (cell, column) in row.iter_mut().zip(turned.chunks_exact(rows.max(1))) {
            *cell = match how {
                Accum::Add => *cell + column[place],
                Accum::Replace => column[place],
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_and_tangent_are_close() {
        for k in -8600..=8600_i16 {
            let x = f32::from(k) / 100.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-6, "{x}");
            assert!((tanh(x) - x.tanh()).abs() < 4e-7, "{x}");
        }
        assert!(
            (tanh(f32::INFINITY) - 1.0).abs() < 1e-6
                && (tanh(f32::NEG_INFINITY) + 1.0).abs() < 1e-6
        );
        assert!(exp(f32::NAN).is_finite());
    }

    /// Narrow and wide, few rows and more than are summed at once; replaced and added to.
    #[test]
    fn products_of_whole_numbers_are_exact() {
        let made = |count: usize, salt: usize| -> Vec<f32> {
            (0..count).map(|at| f32::from(crate::alike::made_up(at, salt) % 50)).collect()
        };
        for (count, inner, columns) in
            [(3, 5, 1), (40, 7, 3), (600, 4, 15), (600, 9, 20), (0, 4, 3)]
        {
            let (left, right) = (made(count * inner, 1), made(count * columns, 2));
            let sum = |row: usize, column: usize| -> f32 {
                (0..count).map(|at| left[at * inner + row] * right[at * columns + column]).sum()
            };
            let mut out = vec![7.0; inner * columns];
            rows(&left, inner).transposed_times(rows(&right, columns), &mut out);
            let right_one = |at: usize| sum(at / columns, at % columns);
            assert!(out.iter().enumerate().all(|(at, x)| *x == right_one(at)), "{count} {columns}");
            rows(&left, inner).add_transposed_times(rows(&right, columns), &mut out);
            assert!(out.iter().enumerate().all(|(at, x)| *x == 2.0 * right_one(at)));
            let weights = made(inner * columns, 3);
            let mut scores = vec![1.0; count * columns];
            rows(&left, inner).times(rows(&weights, columns), 1.0, &mut scores);
            for (at, score) in scores.iter().enumerate() {
                let own = &left[at / columns * inner..][..inner];
                let weights = weights.iter().skip(at % columns).step_by(columns);
                let found: f32 = own.iter().zip(weights).map(|(x, w)| x * w).sum();
                assert_eq!(*score, found + 1.0);
            }
        }
    }

    #[test]
    fn whole_numbers_become_the_nearest_doubles() {
        let mut n = 1_i64;
        for k in 0..2000_i64 {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(k);
            for n in [n, n >> 11, n >> 30, n >> 45, k, -k, i64::MAX - k, i64::MIN + k] {
                assert_eq!(rounded(n), crate::math::number(n), "{n}");
            }
        }
    }

    #[test]
    fn either_neighbour_is_taken_and_the_mean_stays() {
        for target in [0.02_f32, 0.3, -0.5, 7.9, -1000.25] {
            let mut sum = 0.0_f64;
            for k in 0..40_000_u16 {
                let seed = target * (1.0 + f32::from(k) * 1e-6);
                let found = either(target, seed, 4096.0);
                assert!(found == target.floor() || found == target.ceil(), "{found}");
                sum += f64::from(found);
            }
            assert!((sum / 40_000.0 - f64::from(target)).abs() < 0.01, "{target} {sum}");
        }
        for k in -4096..=4096_i16 {
            for seed in [0.0, 1.5, -3e-7, f32::MAX, f32::NAN] {
                assert_eq!(either(f32::from(k), seed, 4096.0), f32::from(k));
            }
        }
        assert_eq!(either(f32::INFINITY, 1.0, 4096.0), 4096.0);
        assert_eq!(either(f32::NAN, f32::NAN, 4096.0), -4096.0);
    }

    #[test]
    fn rounding_gives_whole_numbers_within_the_end() {
        for x in [0.4, -0.6, 0.5, 1.5, 2.5, 1e9, -1e9, f32::INFINITY, 2047.6, -2047.4] {
            let found = whole(x, 2048.0);
            assert_eq!(found, x.clamp(-2048.0, 2048.0).round_ties_even(), "{x}");
        }
        assert_eq!(whole(f32::NAN, 2048.0), -2048.0);
        assert_eq!(whole(f32::NAN, 2048.0).fract(), 0.0);
    }
}
