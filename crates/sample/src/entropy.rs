//! Where randomness comes from.

mod os;
#[cfg(any(test, feature = "test-util"))]
mod seeded;
mod wide;

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

    /// Makes sure that what follows is independent of all earlier states of the machine; a
    /// mechanism calls it at the start of every release.
    ///
    /// [`OsEntropy`] takes a new key, so that a machine resumed twice from one snapshot does not
    /// draw the same noise twice. A source that holds no state has nothing to do, which is the
    /// default; one that wraps another must pass the call on.
    ///
    /// # Errors
    /// If the source fails. Then nothing may be released.
    fn refresh(&mut self) -> Result<(), EntropyError> {
        Ok(())
    }

    /// Takes note of what a mechanism is about to do with the bytes that follow; the events are
    /// those of `throng_mechanism::replay`. An auditor's source does, all others do nothing.
    #[cfg(feature = "replay")]
    fn observe(&mut self, event: &dyn std::any::Any) {
        let _ = event;
    }

    /// Takes note of what a mechanism is about to hand over. An auditor's source may put another answer in
    /// its place, so that two runs go on from the same; all others do nothing.
    #[cfg(feature = "replay")]
    fn settle(&mut self, answer: &mut [i64]) {
        let _ = answer;
    }
}

impl<E: Entropy + ?Sized> Entropy for &mut E {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        (**self).fill(bytes)
    }

    fn refresh(&mut self) -> Result<(), EntropyError> {
        (**self).refresh()
    }

    #[cfg(feature = "replay")]
    fn observe(&mut self, event: &dyn std::any::Any) {
        (**self).observe(event);
    }

    #[cfg(feature = "replay")]
    fn settle(&mut self, answer: &mut [i64]) {
        (**self).settle(answer);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts how often it is refreshed.
    struct Refreshed(u32);

    impl Entropy for Refreshed {
        fn fill(&mut self, _: &mut [u8]) -> Result<(), EntropyError> {
            Ok(())
        }

        fn refresh(&mut self) -> Result<(), EntropyError> {
            self.0 += 1;
            Ok(())
        }
    }

    /// Through the concrete type, as a generic mechanism calls it.
    fn refresh(mut entropy: impl Entropy) -> Result<(), EntropyError> {
        entropy.refresh()
    }

    #[test]
    fn a_reference_passes_the_call_on() -> Result<(), EntropyError> {
        let mut source = Refreshed(0);
        refresh(&mut source)?;
        refresh(&mut &mut source)?;
        let object: &mut dyn Entropy = &mut source;
        refresh(object)?;
        assert_eq!(source.0, 3);
        Ok(())
    }

    /// Seeded streams must not change when a release begins: tests would not be reproducible.
    #[test]
    fn a_seeded_stream_goes_on_as_before() -> Result<(), EntropyError> {
        let (mut once, mut again) = ([0; 8], [0; 8]);
        SeededEntropy::new(1).fill(&mut once)?;
        let mut source = SeededEntropy::new(1);
        source.refresh()?;
        source.fill(&mut again)?;
        assert_eq!(once, again);
        Ok(())
    }
}
