//! A non-negative fraction, ready for comparison with random words.

use throng_numeric::{Natural, Rational};

/// num / den with den > 0, not necessarily in lowest terms: the samplers compare it with random
/// bits and never need the gcd, whose price they would pay at every draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) num: Natural,
    pub(crate) den: Natural,
}

impl Ratio {
    /// The magnitude of a rational; callers have checked the sign.
    pub(crate) fn of(value: &Rational) -> Self {
        Self { num: value.magnitude_of_numerator(), den: value.denominator().clone() }
    }

    /// Numerator and denominator as machine words, if both are that small.
    pub(crate) fn as_words(&self) -> Option<(u64, u64)> {
        Some((u64::try_from(&self.num).ok()?, u64::try_from(&self.den).ok()?))
    }
}
