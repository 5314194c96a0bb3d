use throng_numeric::Natural;

use super::{Interval, LazyUniform};
use crate::words::Words;
use crate::{Entropy, SampleError};

/// A number of the standard exponential law, P(E > x) = e^-x, drawn bit by bit.
///
/// # Guarantee
/// Exactly this law.
///
/// # Why this is right
/// A uniform f is kept with probability e^-f (the parity of a descending chain, proved at
/// `chain_is_even`), else drawn again. What is kept has density e^-f / (1 - 1/e) on [0, 1), and
/// the number k of those that were not is independent of it, P(k) = (1 - 1/e) e^-k, for each is
/// refused with probability 1/e. So k + f has density e^-(k + f).
///
/// Time: depends on the number drawn.
///
/// # Reference
/// Von Neumann (1951).
///
/// ```
/// use throng_sample::{OsEntropy, real::LazyExponential};
/// let waited = LazyExponential::draw(&mut OsEntropy)?.bounds(64, &mut OsEntropy)?;
/// assert!(waited.from >= 0.into());
/// # Ok::<(), throng_sample::SampleError>(())
/// ```
// No Debug: it is noise.
pub struct LazyExponential {
    whole: u64,
    fraction: LazyUniform,
}

impl LazyExponential {
    /// One independent number, of which as little is drawn as its law needs.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(entropy: &mut dyn Entropy) -> Result<Self, SampleError> {
        Self::draw_from(&mut Words::new(entropy))
    }

    pub(crate) fn draw_from(words: &mut Words) -> Result<Self, SampleError> {
        let mut whole = 0;
        loop {
            let mut fraction = LazyUniform::new();
            if fraction.chain_is_even(|_, _| Ok(true), words)? {
                return Ok(Self { whole, fraction });
            }
            whole += 1;
        }
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

    /// The integer part and the first `bits` bits of the fraction, as one integer.
    pub(crate) fn leading(
        &mut self,
        bits: usize,
        words: &mut Words,
    ) -> Result<Natural, SampleError> {
        Ok((Natural::from(self.whole) << bits) + self.fraction.leading(bits, words)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    /// A chain compares the new link's word with the last one's; both are drawn when first needed,
    /// the new one first.
    #[test]
    fn the_parity_of_the_chain_decides() -> Result<(), SampleError> {
        let draw = |words: &[u64]| -> Result<Natural, SampleError> {
            let script = &mut Script::new(words);
            let words = &mut Words::new(script);
            LazyExponential::draw_from(words)?.leading(64, words)
        };
        let one = Natural::ONE << 64;
        assert_eq!(draw(&[6, 5])?, 5_u8.into(), "no link: kept");
        assert_eq!(draw(&[4, 5, 6, 7, 2])?, &one + 2_u8, "one link: refused; none: kept");
        assert_eq!(draw(&[4, 5, 3, 9])?, 5_u8.into(), "two links: kept");
        assert_eq!(draw(&[5, 5, 1, 0])?, 5_u8.into(), "a tie, and then no link: kept");
        let tie = draw(&[5, 5, 0, 1, 9, 9, 8, 7])?;
        assert_eq!(tie, one + 7_u8, "a tie, then one link: refused; none: kept");
        Ok(())
    }
}
