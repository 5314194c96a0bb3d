//! Single precision, in loops that become vector instructions on every machine.

use faer::{Accum, MatMut, MatRef, Par};

/// Adding and subtracting it rounds to a whole number: 1.5 · 2^23, beyond which singles are whole.
const ROUND: f32 = 12_582_912.0;

/// The nearest whole number (even if halfway) within ±`most`; `most` is whole and at most 2^22. NaN is
/// -`most`.
///
/// # Guarantee
/// The result is a whole number: a single of size 2^23 to 2^24 is, and so is the difference of two, which
/// is exact.
#[inline]
pub(super) fn whole(x: f32, most: f32) -> f32 {
    let within = x.max(-most).min(most);
    (within + ROUND) - ROUND
}

/// A count.
#[expect(clippy::cast_precision_loss, reason = "counts below 2^24 are exact, others are rounded")]
pub(super) const fn float(n: usize) -> f32 {
    n as f32
}

/// e^x to about 2e-7 of itself, for |x| <= 87; beyond that as at the ends.
#[inline]
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
#[inline]
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

    /// out = selfᵀ · other.
    pub(super) fn transposed_times(self, other: Self, out: &mut [f32]) {
        product(self.view().transpose(), other.view(), 1.0, Accum::Replace, out);
    }

    /// out += scale · selfᵀ · other.
    pub(super) fn add_transposed_times(self, other: Self, scale: f32, out: &mut [f32]) {
        product(self.view().transpose(), other.view(), scale, Accum::Add, out);
    }

    /// out = self · otherᵀ.
    pub(super) fn times_transposed(self, other: Self, out: &mut [f32]) {
        product(self.view(), other.view().transpose(), 1.0, Accum::Replace, out);
    }
}

fn product(left: MatRef<'_, f32>, right: MatRef<'_, f32>, scale: f32, how: Accum, out: &mut [f32]) {
    let out = MatMut::from_row_major_slice_mut(out, left.nrows(), right.ncols());
    faer::linalg::matmul::matmul(out, how, left, right, scale, Par::Seq);
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
