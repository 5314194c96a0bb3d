//! Ranges of numbers, with errors that name the argument.

use std::sync::LazyLock;

use throng_numeric::Rational;

use super::{MAX_NUMBER_BITS, too_large};
use crate::AccountError;
use crate::spec::text::number::print;
use crate::spec::vocabulary::Word;

/// 1/2^[`MAX_NUMBER_BITS`].
static SMALLEST: LazyLock<Rational> = LazyLock::new(|| {
    let half = Rational::new(1, 2_u8).unwrap_or(Rational::ONE);
    (0..MAX_NUMBER_BITS.ilog2()).fold(half, |power, _| power.square())
});

/// Checks the arguments of one word.
#[derive(Clone, Copy)]
pub(super) struct Check {
    word: Word,
}

impl Check {
    pub(super) fn of(word: Word) -> Self {
        Self { word }
    }

    pub(super) fn name(self, argument: &str) -> String {
        format!("{}.{argument}", self.word.entry().name)
    }

    /// An error about one number.
    fn wrong(self, argument: &str, value: &Rational, allowed: &str) -> AccountError {
        AccountError::invalid(self.name(argument), print(value), allowed)
    }

    /// An error about one item of a list.
    pub(super) fn wrong_item(
        self,
        argument: &str,
        index: usize,
        value: impl ToString,
        allowed: &str,
    ) -> AccountError {
        AccountError::invalid(self.name(&format!("{argument}[{index}]")), value, allowed)
    }

    /// Any number of a reasonable size.
    pub(super) fn size(self, argument: &str, value: &Rational) -> Result<(), AccountError> {
        let limit = SMALLEST.denominator();
        if value.denominator() > limit || value.magnitude_of_numerator() > *limit {
            let what = format!("the number of bits of {}", self.name(argument));
            return Err(too_large(what, MAX_NUMBER_BITS));
        }
        Ok(())
    }

    pub(super) fn at_least_zero(
        self,
        argument: &str,
        value: &Rational,
    ) -> Result<(), AccountError> {
        self.size(argument, value)?;
        if value.is_negative() {
            return Err(self.wrong(argument, value, "at least 0"));
        }
        Ok(())
    }

    /// A whole number or a half: twice a half is a whole distance under replace, where
    /// contributions may be counted from the middle of their range.
    pub(super) fn half_whole(self, argument: &str, value: &Rational) -> Result<(), AccountError> {
        self.size(argument, value)?;
        if value.is_negative() || !(value + value).is_integer() {
            return Err(self.wrong(argument, value, "a whole number or a half, at least 0"));
        }
        Ok(())
    }

    pub(super) fn chance(self, argument: &str, value: &Rational) -> Result<(), AccountError> {
        self.size(argument, value)?;
        if value.is_negative() || *value > Rational::ONE {
            return Err(self.wrong(argument, value, "in [0, 1]"));
        }
        Ok(())
    }

    pub(super) fn count(
        self,
        argument: &str,
        value: u64,
        least: u64,
        most: u64,
        allowed: &str,
    ) -> Result<(), AccountError> {
        if (least..=most).contains(&value) {
            return Ok(());
        }
        Err(AccountError::invalid(self.name(argument), value, allowed))
    }

    /// Chances of sum exactly 1.
    pub(super) fn distribution<'a>(
        self,
        argument: &str,
        chances: impl Iterator<Item = &'a Rational>,
    ) -> Result<(), AccountError> {
        let mut sum = Rational::ZERO;
        for (index, chance) in chances.enumerate() {
            let item = format!("{argument}[{index}]");
            self.chance(&item, chance)?;
            sum = &sum + chance;
            // Without this, many unlike denominators make an enormous common one.
            self.size(&format!("sum({argument}[0..={index}])"), &sum)?;
        }
        if sum != Rational::ONE {
            return Err(self.wrong(&format!("sum({argument})"), &sum, "exactly 1"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_number_has_the_bits_it_says() {
        let halves = (0..MAX_NUMBER_BITS)
            .fold(Rational::ONE, |power, _| &power * &Rational::new(1, 2_u8).unwrap());
        assert_eq!(*SMALLEST, halves);
    }
}
