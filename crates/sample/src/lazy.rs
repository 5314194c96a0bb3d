//! Comparing a uniform random number with a real number known only by bounds.
//!
//! A uniform U in [0, 1) is drawn bit by bit, and a real y is bounded ever more finely, until
//! the question "is U < y?" is decided. The answer is *exactly* Bernoulli(y): it is the answer
//! for the true y and the whole infinite expansion of U, of which we merely stop reading as
//! soon as the rest cannot matter. If the bounds of y shrink to width O(1) units at every
//! precision, each 64 further bits leave it undecided with probability O(2^-64), so it ends
//! with probability 1.

use throng_numeric::fixed::FixedBounds;
use throng_numeric::{Natural, NumericError};

use crate::words::Words;
use crate::{EntropyError, SampleError};

/// The bits of U read so far: `bits` of them, as the integer `prefix` below 2^bits.
#[derive(Default)]
pub(crate) struct Prefix {
    pub(crate) prefix: Natural,
    pub(crate) bits: usize,
}

impl Prefix {
    /// Nothing read yet.
    pub(crate) const EMPTY: Self = Self { prefix: Natural::ZERO, bits: 0 };

    /// One word read.
    pub(crate) fn of_word(words: &mut Words) -> Result<Self, EntropyError> {
        Ok(Self { prefix: words.word()?.into(), bits: 64 })
    }

    /// Reads one word more.
    pub(crate) fn extend(&mut self, words: &mut Words) -> Result<(), EntropyError> {
        let read = std::mem::take(&mut self.prefix);
        self.prefix = (read << 64) + words.word()?;
        self.bits += 64;
        Ok(())
    }
}

/// Whether U < y, where U starts with the bits in `read` and `bounds(b)` bounds y in units of
/// 2^-b.
pub(crate) fn is_below(
    mut read: Prefix,
    bounds: impl Fn(usize) -> Result<FixedBounds, NumericError>,
    words: &mut Words,
) -> Result<bool, SampleError> {
    loop {
        let y = bounds(read.bits)?;
        // U lies in [prefix, prefix + 1) units.
        if read.prefix < y.lower {
            return Ok(true);
        }
        if read.prefix >= y.upper {
            return Ok(false);
        }
        read.extend(words)?;
    }
}
