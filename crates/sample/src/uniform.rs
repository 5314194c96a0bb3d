//! Uniform integers.

use dashu_base::BitTest;
use throng_numeric::Natural;

use crate::words::Words;
use crate::{Entropy, SampleError};

/// The uniform law on {0, 1, ..., bound - 1}.
///
/// # Guarantee
/// P(k) = 1 / bound for every k below the bound, exactly, for a bound of any size.
///
/// # Why this is right
/// With b bits, 2^(b-1) <= bound < 2^b, an integer below 2^b is drawn until it falls below the
/// bound. Given that it does, it is uniform there; this happens with probability
/// bound / 2^b >= 1/2, so fewer than 2 rounds are needed on average.
///
/// Time: the number of rounds is independent of the value returned.
///
/// ```
/// use throng_sample::{OsEntropy, Uniform};
/// let die = Uniform::below(6_u8)?;
/// assert!(die.draw(&mut OsEntropy)? < 6_u8.into());
/// # Ok::<(), throng_sample::SampleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uniform {
    bound: Natural,
}

impl Uniform {
    /// The uniform law below a bound.
    ///
    /// # Errors
    /// If the bound is 0: there is no natural number below it.
    pub fn below(bound: impl Into<Natural>) -> Result<Self, SampleError> {
        let bound = bound.into();
        if bound.is_zero() {
            return Err(SampleError::range("bound", &bound, "at least 1"));
        }
        Ok(Self { bound })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<Natural, SampleError> {
        below(&self.bound, &mut Words::new(entropy))
    }
}

/// Uniform below a positive bound of any size.
pub(crate) fn below(bound: &Natural, words: &mut Words) -> Result<Natural, SampleError> {
    if let Ok(bound) = u64::try_from(bound) {
        return Ok(below_word(bound, words)?.into());
    }
    loop {
        let candidate = bits(bound.bit_len(), words)?;
        if candidate < *bound {
            return Ok(candidate);
        }
    }
}

/// Uniform below a machine word, which must be positive: nothing lies below 0, and the loop would
/// not end. (A bound of 1 draws nothing: 0 is the only value.)
pub(crate) fn below_word(bound: u64, words: &mut Words) -> Result<u64, SampleError> {
    debug_assert!(bound > 0, "nothing lies below 0");
    let bits = u64::BITS - bound.saturating_sub(1).leading_zeros();
    loop {
        let candidate = words.bits(bits)?;
        if candidate < bound {
            return Ok(candidate);
        }
    }
}

/// Uniform below 2^count.
fn bits(count: usize, words: &mut Words) -> Result<Natural, SampleError> {
    let mut bytes = Vec::with_capacity(count / 8 + 8);
    for _ in 0..count / 64 {
        bytes.extend(words.word()?.to_le_bytes());
    }
    let rest = u32::try_from(count % 64).unwrap_or(0);
    bytes.extend(words.bits(rest)?.to_le_bytes());
    Ok(Natural::from_le_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    /// Every value below the bound comes from exactly one pattern of leading bits, and every
    /// other pattern leads to another round: that is uniformity, proved by enumeration.
    #[test]
    fn each_bit_pattern_gives_one_value_or_another_round() -> Result<(), SampleError> {
        for bound in 1..=70_u64 {
            let bits = (bound - 1).checked_ilog2().map_or(0, |log| log + 1);
            for pattern in 0..1_u64 << bits {
                // A rejected pattern is followed by zeros, so a second round gives 0.
                let mut script = Script::new(&[pattern.checked_shl(64 - bits).unwrap_or(0)]);
                let drawn = Uniform::below(bound)?.draw(&mut script)?;
                let expected = if pattern < bound { pattern } else { 0 };
                assert_eq!(drawn, expected.into(), "bound {bound} pattern {pattern}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_large_bound_takes_whole_words_and_the_rest_in_bits() -> Result<(), SampleError> {
        let bound = (Natural::ONE << 65) + 5_u8;
        // 66 bits: a low word, then two bits from the top of another, which serves both rounds.
        // The first round, 2^65 + 5, is one too large.
        let mut script = Script::new(&[5, 0b1010 << 60, 4]);
        assert_eq!(Uniform::below(bound.clone())?.draw(&mut script)?, bound - 1_u8);
        Ok(())
    }
}
