//! Positive numbers of 64 leading bits, rounded up.

use dashu_base::BitTest;
use throng_numeric::fixed;
use throng_numeric::{Natural, Rational};

use crate::SampleError;

/// Energies are looked at in steps of 1/256.
pub(super) const LEVELS: u32 = 256;

/// mantissa 2^exponent with 2^63 <= mantissa < 2^64; every operation rounds up. Ordered by value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Magnitude {
    exponent: i64,
    mantissa: u64,
}

impl Magnitude {
    const ONE: Self = Self { exponent: -63, mantissa: 1 << 63 };

    /// At least a positive natural number.
    pub(super) fn above(value: &Natural) -> Self {
        let beyond = value.bit_len().saturating_sub(128);
        let top = u128::try_from(value >> beyond).unwrap_or(u128::MAX);
        // What was cut off is less than one; a top of 128 ones has nowhere to go but up.
        let cut = beyond > 0;
        let exponent = i64::try_from(beyond).unwrap_or(i64::MAX / 2);
        match top.checked_add(u128::from(cut)) {
            Some(top) => Self::rounded_up(top, exponent),
            None => Self { exponent: exponent + 65, mantissa: 1 << 63 },
        }
    }

    /// At least wide 2^exponent, for wide > 0.
    fn rounded_up(wide: u128, exponent: i64) -> Self {
        let spare = wide.leading_zeros();
        if spare >= 64 {
            let mantissa = u64::try_from(wide << (spare - 64)).unwrap_or(u64::MAX);
            return Self { exponent: exponent - i64::from(spare - 64), mantissa };
        }
        let shift = 64 - spare;
        let top = wide >> shift;
        let up = if top << shift == wide { top } else { top + 1 };
        let exponent = exponent + i64::from(shift);
        // The only other possibility is 2^64.
        u64::try_from(up).map_or(Self { exponent: exponent + 1, mantissa: 1 << 63 }, |mantissa| {
            Self { exponent, mantissa }
        })
    }

    /// At least the product.
    pub(super) fn times(self, other: Self) -> Self {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Self::rounded_up(product, self.exponent + other.exponent)
    }

    /// The exponent of the last of the 64 bits.
    pub(super) fn exponent(&self) -> i64 {
        self.exponent
    }

    /// At least this in units of 2^unit, for a unit that is not smaller than the last bit.
    pub(super) fn units(self, unit: i64) -> u64 {
        match u32::try_from(unit - self.exponent) {
            Ok(shift @ 0..=63) => self.mantissa.div_ceil(1 << shift),
            _ => 1,
        }
    }
}

/// Upper bounds of e^(-level/256).
pub(super) struct Falls {
    /// e^(-2^t/256), t = 0, 1, ...; each is the square of the one before. The first is off by a
    /// relative 2^-62 and squaring doubles that and adds 2^-63, so the last is off by less than
    /// 2^-15, and a product of all of them by less than 2^-14.
    powers: Vec<Magnitude>,
}

impl Falls {
    /// Levels beyond 2^47 - 1 count as that: e^(-2^39) is less than any weight that matters, for
    /// multiplicities have at most 2^16 bits.
    const POWERS: usize = 47;

    pub(super) fn new() -> Result<Self, SampleError> {
        let first = fixed::exp_neg(&Rational::new(1, LEVELS)?, 64)?.upper;
        let mut power = Magnitude::above(&first);
        power.exponent -= 64;
        let mut powers = Vec::with_capacity(Self::POWERS);
        for _ in 0..Self::POWERS {
            powers.push(power);
            power = power.times(power);
        }
        Ok(Self { powers })
    }

    /// At least e^(-level/256).
    pub(super) fn after(&self, level: u64) -> Magnitude {
        let mut level = level.min((1 << Self::POWERS) - 1);
        let mut product = Magnitude::ONE;
        for power in &self.powers {
            if level == 0 {
                break;
            }
            if level & 1 == 1 {
                product = product.times(*power);
            }
            level >>= 1;
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(magnitude: Magnitude) -> Rational {
        let mantissa = Natural::from(magnitude.mantissa);
        let size = usize::try_from(magnitude.exponent.unsigned_abs()).unwrap_or(0);
        if magnitude.exponent < 0 {
            Rational::new(mantissa, Natural::ONE << size).unwrap_or(Rational::ZERO)
        } else {
            Rational::from(mantissa << size)
        }
    }

    proptest! {
        #[test]
        fn rounding_is_up_and_close(a: u128, beyond in 0..200_usize, b: u64) {
            prop_assume!(a > 0 && b > 0);
            let exact = (Natural::from(a) << beyond) + Natural::from(b);
            let up = value(Magnitude::above(&exact));
            let exact = Rational::from(exact);
            let factor = |k: usize| &Rational::ONE + &Rational::new(1, Natural::ONE << k).unwrap_or(Rational::ONE);
            prop_assert!(exact <= up && up <= &exact * &factor(62));
            let other = Magnitude::above(&Natural::from(b));
            let product = &up * &value(other);
            let rounded = value(Magnitude::above(&Natural::from(a)).times(other));
            let true_product = &Rational::from(a) * &Rational::from(b);
            prop_assert!(true_product <= rounded && rounded <= &true_product * &factor(61));
            prop_assert!(product >= true_product);
        }

        #[test]
        fn falls_are_above_and_close(level in prop_oneof![0..2_000_u64, 0..200_000_u64]) {
            let falls = Falls::new().map_err(|e| TestCaseError::fail(e.to_string()))?;
            let bits = 1300;
            let x = Rational::new(level, LEVELS).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let exact = fixed::exp_neg(&x, bits).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let unit = Rational::from(Natural::ONE << bits);
            let fall = &value(falls.after(level)) * &unit;
            prop_assert!(fall >= Rational::from(exact.lower.clone()));
            let most = exact.upper + (exact.lower >> 40);
            prop_assert!(fall <= Rational::from(most));
        }
    }

    #[test]
    fn units_are_rounded_up_and_never_zero() {
        let three = Magnitude::above(&Natural::from(3_u8)); // 3 2^62 in units of 2^-62
        assert_eq!(three.exponent, -62);
        assert_eq!(three.units(-62), 3 << 62);
        assert_eq!(three.units(0), 3);
        assert_eq!(three.units(1), 2);
        assert_eq!(three.units(2), 1);
        assert_eq!(three.units(i64::MAX / 2), 1);
        let full = Magnitude::above(&(Natural::from(u128::MAX) << 5));
        assert_eq!(full, Magnitude { exponent: 70, mantissa: 1 << 63 });
        let cut = Magnitude::above(&((Natural::from(u128::MAX) << 5) + 1_u8));
        assert_eq!(cut, Magnitude { exponent: 70, mantissa: 1 << 63 });
    }
}
