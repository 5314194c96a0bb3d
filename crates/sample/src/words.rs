//! Random words and bits for one draw.

use crate::{Entropy, EntropyError};

/// How many bytes are fetched at a time: a draw of an exact sampler uses a few dozen words.
const FETCH: usize = 128;

/// Hands out the entropy of *one* draw in words and bits, each bit once.
///
/// What is left over at the end of the draw is thrown away and never crosses into another
/// draw; so no randomness is held where a fork could copy it (see [`crate::OsEntropy`]).
pub(crate) struct Words<'a> {
    entropy: &'a mut dyn Entropy,
    buffer: [u8; FETCH],
    used: usize,
    spare_bits: u64,
    spare_count: u32,
}

impl<'a> Words<'a> {
    pub(crate) fn new(entropy: &'a mut dyn Entropy) -> Self {
        Self { entropy, buffer: [0; FETCH], used: FETCH, spare_bits: 0, spare_count: 0 }
    }

    /// 64 fresh bits.
    pub(crate) fn word(&mut self) -> Result<u64, EntropyError> {
        if self.used == FETCH {
            self.entropy.fill(&mut self.buffer)?;
            self.used = 0;
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.buffer[self.used..self.used + 8]);
        self.used += 8;
        Ok(u64::from_le_bytes(bytes))
    }

    /// `count` fresh bits as an integer below 2^count, for count <= 64.
    pub(crate) fn bits(&mut self, count: u32) -> Result<u64, EntropyError> {
        if count > self.spare_count {
            // The few spare bits are dropped rather than spliced: a bit is never used twice.
            self.spare_bits = self.word()?;
            self.spare_count = 64;
        }
        let taken = if count == 0 { 0 } else { self.spare_bits >> (64 - count) };
        self.spare_bits = self.spare_bits.checked_shl(count).unwrap_or(0);
        self.spare_count -= count;
        Ok(taken)
    }

    /// One fair coin.
    pub(crate) fn coin(&mut self) -> Result<bool, EntropyError> {
        Ok(self.bits(1)? == 1)
    }
}
