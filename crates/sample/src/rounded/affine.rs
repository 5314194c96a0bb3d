//! The map from noise to the grid.

use dashu_base::{BitTest, DivEuclid};
use throng_numeric::{Integer, Natural, Rational};

use crate::SampleError;
use crate::real::Interval;

/// v -> c + s v, rounded to the nearest integer: ⌊c + s v + 1/2⌋ = ⌊(offset + slope v) / unit⌋.
// No Debug: the centre is private data.
#[derive(Clone)]
pub(super) struct Affine {
    offset: Integer,
    slope: Integer,
    unit: Integer,
    /// How many bits of v are worth one unit of the grid, at least 0.
    bits: usize,
}

impl Affine {
    /// For a positive scale s. With c = a/b and s = p/q the fraction is
    /// (2 a q + b q + 2 p b v) / (2 b q).
    pub(super) fn new(centre: &Rational, scale: &Rational) -> Self {
        let (a, b) = (centre.numerator(), Integer::from(centre.denominator().clone()));
        let (p, q) = (scale.numerator(), Integer::from(scale.denominator().clone()));
        let bits = p.bit_len().saturating_sub(q.bit_len()) + 1;
        let unit = (&b * &q) << 1;
        Self { offset: ((a * &q) << 1) + &b * &q, slope: (p * b) << 1, unit, bits }
    }

    /// The nearest integer to c + s v for a v that is known by ever finer bounds: `interval(b)`
    /// has a width of O(2^-b).
    ///
    /// Both ends of an interval round to the same integer unless a tie lies between (or at one of
    /// them), and rounding does not decrease in v: if they do, v rounds to it as well. The first
    /// interval is narrower than 2^-38 steps of the grid (times the size of the noise), so it nearly
    /// always suffices; each further 64 bits divide the chance that it does not by 2^64.
    pub(super) fn nearest(
        &self,
        mut interval: impl FnMut(usize) -> Result<Interval, SampleError>,
    ) -> Result<Integer, SampleError> {
        let mut bits = (self.bits + 40).next_multiple_of(64);
        loop {
            let Interval { from, to, bits: unit } = interval(bits)?;
            let lowest = self.floor(&from, unit);
            if lowest == self.floor(&to, unit) {
                return Ok(lowest);
            }
            bits += 64;
        }
    }

    /// ⌊(offset + slope v) / unit⌋ at v = at 2^-bits.
    fn floor(&self, at: &Integer, bits: usize) -> Integer {
        let numerator = (&self.offset << bits) + &self.slope * at;
        numerator.div_euclid(&self.unit << bits)
    }
}

/// The least number a at which c + s a rounds to more than k, as numerator and denominator:
/// (k + 1/2 - c) / s, which for c = a/b, s = p/q is ((2k + 1) b - 2a) q / (2 b p).
pub(super) fn step_above(k: &Integer, centre: &Rational, scale: &Rational) -> (Integer, Natural) {
    let half_up = (k << 1) + Integer::ONE;
    let distance =
        half_up * Integer::from(centre.denominator().clone()) - (centre.numerator() << 1);
    let numerator = distance * Integer::from(scale.denominator().clone());
    (numerator, (centre.denominator() * scale.magnitude_of_numerator()) << 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap_or(Rational::ZERO)
    }

    #[test]
    fn a_number_rounds_to_the_nearest_integer() -> Result<(), SampleError> {
        for (centre, scale, v, expected) in [
            ("0", "1", 3_i64, 3), // v in units of 2^-2: 3/4 rounds to 1 below
            ("1/3", "1", 0, 0),
            ("-7/3", "1", 0, -2),
            ("-8/3", "1", 0, -3),
            ("100", "5/2", -8, 80), // 100 - 20
        ] {
            let map = Affine::new(&rational(centre), &rational(scale));
            let point = Interval { from: v.into(), to: v.into(), bits: 0 };
            assert_eq!(map.nearest(|_| Ok(point.clone()))?, expected.into(), "{centre} {scale}");
        }
        Ok(())
    }

    /// A tie inside the interval asks for more bits, for as long as it lasts.
    #[test]
    fn a_tie_in_the_interval_is_refined() -> Result<(), SampleError> {
        let map = Affine::new(&Rational::ZERO, &Rational::ONE);
        let mut asked = Vec::new();
        let rounded = map.nearest(|bits| {
            asked.push(bits);
            let half = Integer::ONE << (bits - 1);
            let below = if asked.len() < 4 { 1 } else { 3 };
            Ok(Interval { from: &half - below, to: half - below + 2, bits })
        })?;
        assert_eq!(rounded, Integer::ZERO);
        assert_eq!(asked, [64, 128, 192, 256]);
        Ok(())
    }

    #[test]
    fn the_step_above_an_integer_is_where_rounding_changes() {
        // (7 + 1/2 - 1/3) / (5/2) = 43/15
        let (num, den) = step_above(&7.into(), &rational("1/3"), &rational("5/2"));
        assert_eq!(Rational::new(num, den).ok(), Some(rational("43/15")));
    }
}
