//! Uniform numbers for what no guarantee rests on: the shape of trees, the starts of searches.

use throng_mechanism::MechanismError;
use throng_sample::Entropy;

use crate::math::{count, nearest};

/// How many bytes are asked for at a time.
const CHUNK: usize = 4096;

/// Draws from an entropy source, taken in chunks.
pub(crate) struct Draws<'a> {
    entropy: &'a mut dyn Entropy,
    bytes: Vec<u8>,
    used: usize,
}

impl<'a> Draws<'a> {
    pub(crate) const fn new(entropy: &'a mut dyn Entropy) -> Self {
        Self { entropy, bytes: Vec::new(), used: 0 }
    }

    fn word(&mut self) -> Result<u64, MechanismError> {
        if self.bytes.get(self.used..self.used + 8).is_none() {
            self.bytes.resize(CHUNK, 0);
            self.entropy.fill(&mut self.bytes)?;
            self.used = 0;
        }
        let word = self.bytes.get(self.used..self.used + 8);
        self.used += 8;
        Ok(word.and_then(|word| word.try_into().ok()).map_or(0, u64::from_le_bytes))
    }

    /// A number in [0, 1), a multiple of 2^-53.
    pub(crate) fn fraction(&mut self) -> Result<f64, MechanismError> {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        Ok((self.word()? >> 11) as f64 / 9_007_199_254_740_992.0)
    }

    /// An index below `bound`, which is above 0; as good as uniform for bounds far below 2^53.
    pub(crate) fn below(&mut self, bound: usize) -> Result<usize, MechanismError> {
        let place = nearest((self.fraction()? * count(bound)).floor());
        Ok(usize::try_from(place).unwrap_or(0).min(bound.saturating_sub(1)))
    }

    /// A random order of 0, ..., n - 1.
    pub(crate) fn order(&mut self, n: usize) -> Result<Vec<usize>, MechanismError> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            order.swap(last, self.below(last + 1)?);
        }
        Ok(order)
    }
}
