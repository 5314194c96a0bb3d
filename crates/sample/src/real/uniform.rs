use std::cmp::Ordering;

use throng_numeric::Natural;

use super::Interval;
use crate::lazy::Prefix;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// A number uniform in [0, 1), drawn bit by bit.
///
/// # Guarantee
/// The bits are independent and fair: the number is exactly uniform.
///
/// ```
/// use throng_sample::{OsEntropy, real::LazyUniform};
/// let mut uniform = LazyUniform::new();
/// let percent = uniform.bounds(7, &mut OsEntropy)?;
/// assert!(percent.to <= 128.into());
/// # Ok::<(), throng_sample::SampleError>(())
/// ```
// No Debug: it is noise.
#[derive(Default)]
pub struct LazyUniform {
    read: Prefix,
}

impl LazyUniform {
    /// A number of which nothing has been drawn yet.
    #[must_use]
    pub fn new() -> Self {
        Self { read: Prefix::EMPTY }
    }

    /// An interval of width 2^-bits that holds the number.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn bounds(
        &mut self,
        bits: usize,
        entropy: &mut dyn Entropy,
    ) -> Result<Interval, SampleError> {
        let leading = self.leading(bits, &mut Words::new(entropy))?;
        Ok(Interval::of_cell(leading, bits, false))
    }

    /// The first `bits` bits, as an integer.
    pub(crate) fn leading(
        &mut self,
        bits: usize,
        words: &mut Words,
    ) -> Result<Natural, SampleError> {
        while self.read.bits < bits {
            self.read.extend(words)?;
        }
        Ok(&self.read.prefix >> (self.read.bits - bits))
    }

    /// How many bits have been drawn.
    pub(crate) fn drawn(&self) -> usize {
        self.read.bits
    }

    /// Whether this number is below another. They differ in one of the first 64 k bits but for a
    /// chance of 2^(-64 k), so as many are drawn as are needed to tell.
    pub(crate) fn is_below(
        &mut self,
        other: &mut Self,
        words: &mut Words,
    ) -> Result<bool, SampleError> {
        let mut bits = self.drawn().max(other.drawn()).max(64);
        loop {
            match self.leading(bits, words)?.cmp(&other.leading(bits, words)?) {
                Ordering::Less => return Ok(true),
                Ordering::Greater => return Ok(false),
                Ordering::Equal => bits += 64,
            }
        }
    }

    /// Whether an even number of links follow this number x in a descending chain x > z₁ > z₂ > ...
    /// of fresh uniform numbers, where each link also has to pass a coin.
    ///
    /// Given x and a coin of probability c, at least n links follow with probability
    /// c^n P(x > z₁ > ... > zₙ) = (c x)^n / n!, so the number is even with probability
    /// 1 - c x + (c x)²/2! - ... = e^(-c x).
    pub(super) fn chain_is_even(
        &mut self,
        mut coin: impl FnMut(&mut Self, &mut Words) -> Result<bool, SampleError>,
        words: &mut Words,
    ) -> Result<bool, SampleError> {
        let mut last: Option<Self> = None;
        let mut even = true;
        loop {
            let mut next = Self::new();
            let descends = next.is_below(last.as_mut().unwrap_or(self), words)?;
            if !descends || !coin(self, words)? {
                return Ok(even);
            }
            even = !even;
            last = Some(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    #[test]
    fn bits_once_drawn_never_change() -> Result<(), SampleError> {
        let mut number = LazyUniform::new();
        let script = &mut Script::new(&[0x8123_4567_89ab_cdef]);
        assert!(number.bounds(0, script)?.from == 0.into());
        assert!(number.bounds(8, script)?.from == 0x81.into());
        // The draw above threw the rest of its fetch away; other words follow, the first stays.
        let other = &mut Script::new(&[u64::MAX]);
        assert!(number.bounds(64, other)?.from == 0x8123_4567_89ab_cdef_u64.into());
        let fine = number.bounds(72, other)?;
        assert!(fine.from == (Natural::from(0x8123_4567_89ab_cdef_u64) * 256_u32 + 255_u8).into());
        assert!(number.bounds(4, other)?.to == 9.into());
        Ok(())
    }

    #[test]
    fn equal_words_do_not_decide() -> Result<(), SampleError> {
        for (first, second, below) in [(1, 2, true), (2, 1, false)] {
            let words = &mut Script::new(&[7, 7, 5, 5, first, second]);
            let words = &mut Words::new(words);
            let (mut a, mut b) = (LazyUniform::new(), LazyUniform::new());
            assert_eq!(a.is_below(&mut b, words)?, below);
            assert_eq!((a.drawn(), b.drawn()), (192, 192));
        }
        Ok(())
    }
}
