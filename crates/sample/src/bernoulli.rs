//! Biased coins.

mod exponential;

use throng_numeric::{Natural, Rational};

use crate::ratio::Ratio;
use crate::words::Words;
use crate::{Entropy, SampleError};

pub use exponential::BernoulliExp;
pub(crate) use exponential::{exp_neg, exp_neg_of_one};

/// A coin that shows `true` with probability p.
///
/// # Guarantee
/// P(true) = p exactly, for every rational p in [0, 1]; Bernoulli(2^-200) is just that.
///
/// # Why this is right
/// Let U be uniform in [0, 1), so that U < p has probability p, and let w be its first 64 bits:
/// U = (w + U') / 2^64 with U' uniform in [0, 1) and independent of w. With p = num/den,
///
/// U < p  iff  U' < rest/den,  where  rest = 2^64 num - w den.
///
/// If rest <= 0 that is false, if rest >= den it is true, and otherwise it is the same question
/// with rest for num: a Bernoulli(rest/den) from fresh bits. One given w of the 2^64 leaves it
/// open, so a second word is read with probability at most 2^-64.
///
/// Time: one word but for a chance of 2^-64; it depends on the size of p, not on the outcome.
///
/// ```
/// use throng_sample::{Bernoulli, OsEntropy};
/// let coin = Bernoulli::new(&"1/3".parse()?)?;
/// let heads = coin.draw(&mut OsEntropy)?;
/// # let _ = heads;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bernoulli {
    p: Ratio,
}

impl Bernoulli {
    /// The coin of a probability.
    ///
    /// # Errors
    /// If p lies outside [0, 1].
    pub fn new(p: &Rational) -> Result<Self, SampleError> {
        if p.is_negative() || *p > Rational::ONE {
            return Err(SampleError::range("p", p, "between 0 and 1"));
        }
        Ok(Self { p: Ratio::of(p) })
    }

    /// One independent toss.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<bool, SampleError> {
        bernoulli(&self.p, &mut Words::new(entropy))
    }
}

/// Bernoulli(min(p, 1)).
pub(crate) fn bernoulli(p: &Ratio, words: &mut Words) -> Result<bool, SampleError> {
    match p.as_words() {
        Some((num, den)) => bernoulli_words(num, den, words),
        None => bernoulli_large(p, words),
    }
}

/// Bernoulli(min(num/den, 1)) for den > 0.
#[inline]
pub(crate) fn bernoulli_words(
    mut num: u64,
    den: u64,
    words: &mut Words,
) -> Result<bool, SampleError> {
    loop {
        let reached = u128::from(words.word()?) * u128::from(den);
        let goal = u128::from(num) << 64;
        if reached >= goal {
            return Ok(false);
        }
        match u64::try_from(goal - reached) {
            Ok(rest) if rest < den => num = rest,
            _ => return Ok(true),
        }
    }
}

fn bernoulli_large(p: &Ratio, words: &mut Words) -> Result<bool, SampleError> {
    let mut num: Natural = p.num.clone();
    loop {
        let reached = &p.den * words.word()?;
        let goal = num << 64;
        if reached >= goal {
            return Ok(false);
        }
        num = goal - reached;
        if num >= p.den {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn toss(p: &Rational, script: &[u64]) -> Result<bool, SampleError> {
        Bernoulli::new(p)?.draw(&mut Script::new(script))
    }

    /// 1/3 = 0.0101..., whose words are all 0x5555...: the outcome turns exactly there.
    #[test]
    fn the_outcome_turns_at_the_binary_expansion_of_p() -> Result<(), SampleError> {
        const THIRD: u64 = 0x5555_5555_5555_5555;
        let large = (Natural::ONE << 200) - 1_u8; // divisible by 3, and not a machine word
        let same = Ratio { num: &large / 3_u8, den: large };
        for depth in 0..4 {
            for (last, expected) in [(THIRD - 1, true), (THIRD + 1, false)] {
                let mut script = vec![THIRD; depth];
                script.push(last);
                assert_eq!(toss(&Rational::new(1, 3_u8)?, &script)?, expected);
                let words = &mut Script::new(&script);
                assert_eq!(bernoulli_large(&same, &mut Words::new(words))?, expected);
            }
        }
        Ok(())
    }

    /// 2^-200 is 0.000...01 with the one in place 200: bit 8 of the fourth word.
    #[test]
    fn a_probability_of_two_to_the_minus_200_is_exactly_that() -> Result<(), SampleError> {
        let tiny = Rational::new(1, Natural::ONE << 200)?;
        assert!(toss(&tiny, &[0, 0, 0, 0])?);
        assert!(toss(&tiny, &[0, 0, 0, (1 << 56) - 1, u64::MAX])?);
        assert!(!toss(&tiny, &[0, 0, 0, 1 << 56])?);
        assert!(!toss(&tiny, &[0, 0, 1, 0])?);
        assert!(!toss(&tiny, &[1, 0, 0, 0])?);
        Ok(())
    }

    #[test]
    fn certainty_and_impossibility_are_certain() -> Result<(), SampleError> {
        for word in [0, 1, 1 << 63, u64::MAX] {
            assert!(!toss(&Rational::ZERO, &[word])?);
            assert!(toss(&Rational::ONE, &[word])?);
            // den = 2^64 - 1 and 2^64, the edges of the machine-word path.
            assert!(toss(&Rational::new(u64::MAX, u64::MAX)?, &[word])?);
            let nearly = Rational::new(u64::MAX, Natural::ONE << 64)?;
            assert_eq!(toss(&nearly, &[word])?, word != u64::MAX);
        }
        Ok(())
    }
}
