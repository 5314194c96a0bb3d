//! Entropy that says what a test tells it to.

use crate::{Entropy, EntropyError};

/// Hands out the given words in order, then zeros for ever.
pub(crate) struct Script {
    bytes: Vec<u8>,
    used: usize,
}

impl Script {
    pub(crate) fn new(words: &[u64]) -> Self {
        Self { bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(), used: 0 }
    }

    /// How many bytes it was asked for.
    pub(crate) fn used(&self) -> usize {
        self.used
    }
}

impl Entropy for Script {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for byte in bytes {
            *byte = self.bytes.get(self.used).copied().unwrap_or(0);
            self.used += 1;
        }
        Ok(())
    }
}
