//! Where randomness comes from.

mod os;
#[cfg(any(test, feature = "test-util"))]
mod seeded;

pub use os::OsEntropy;
#[cfg(any(test, feature = "test-util"))]
pub use seeded::SeededEntropy;

/// A source of independent, uniformly distributed bytes.
///
/// The exactness of every sampler is relative to this: if the bytes are uniform and
/// independent, the noise has exactly the stated law.
pub trait Entropy {
    /// Fills `bytes` with fresh randomness: no byte is ever handed out twice.
    ///
    /// # Errors
    /// If the source fails. Then the content of `bytes` is unspecified and must not be used.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError>;
}

impl<E: Entropy + ?Sized> Entropy for &mut E {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        (**self).fill(bytes)
    }
}

/// The source of randomness failed. There is no fallback: without entropy, no release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the entropy source failed: {reason}\nhint: no noise can be drawn until it works again; nothing was released"
)]
pub struct EntropyError {
    reason: String,
}

impl EntropyError {
    /// A failure, in words.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
