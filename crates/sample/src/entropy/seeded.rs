//! Reproducible entropy for tests.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use super::{Entropy, EntropyError};

/// A reproducible stream for tests, benchmarks and examples; only with the feature
/// `test-util`, because noise that can be repeated is no noise.
#[derive(Debug)]
pub struct SeededEntropy(ChaCha20Rng);

impl SeededEntropy {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}
