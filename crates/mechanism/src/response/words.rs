//! Random words for one release of many answers.

use throng_sample::Entropy;

use crate::MechanismError;

/// How many bytes are fetched at a time.
const FETCH: usize = 1 << 14;

/// Hands out words, each once. It lives for one run: nothing is kept where a fork could copy it.
pub(super) struct Words<'a> {
    entropy: &'a mut dyn Entropy,
    buffer: Vec<u8>,
    used: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(entropy: &'a mut dyn Entropy) -> Self {
        Self { entropy, buffer: vec![0; FETCH], used: FETCH }
    }

    /// 64 fresh bits.
    #[inline]
    pub(super) fn next(&mut self) -> Result<u64, MechanismError> {
        if self.used >= FETCH {
            self.refill()?;
        }
        let mut bytes = [0; 8];
        if let Some(fresh) = self.buffer.get(self.used..self.used + 8) {
            bytes.copy_from_slice(fresh);
        }
        self.used += 8;
        Ok(u64::from_le_bytes(bytes))
    }

    #[cold]
    fn refill(&mut self) -> Result<(), MechanismError> {
        self.entropy.fill(&mut self.buffer)?;
        self.used = 0;
        Ok(())
    }

    /// Uniform below a bound of at least 1, exactly: the top bits of words until they fall below.
    pub(super) fn below(&mut self, bound: u32) -> Result<u32, MechanismError> {
        let spare = bound.saturating_sub(1).leading_zeros();
        loop {
            let high = u32::try_from(self.next()? >> 32).unwrap_or(0);
            let candidate = high.checked_shr(spare).unwrap_or(0);
            if candidate < bound.max(1) {
                return Ok(candidate);
            }
        }
    }
}
