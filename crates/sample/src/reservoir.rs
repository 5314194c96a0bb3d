//! Entropy for draws that may need a lot of it.

use crate::{Entropy, EntropyError};

/// The most bytes fetched at a time.
const LARGEST: usize = 1 << 15;

/// Passes the first request on as it is and then fetches twice as much each time, so that a draw
/// of n words asks the source O(log n) times (each call to [`crate::OsEntropy`] costs two system
/// calls, to notice a fork) and takes at most about twice what it uses.
///
/// It lives for *one* draw, like [`crate::words::Words`]: nothing is kept where a fork could
/// copy it.
pub(crate) struct Reservoir<'a> {
    entropy: &'a mut dyn Entropy,
    buffer: Vec<u8>,
    used: usize,
}

impl<'a> Reservoir<'a> {
    pub(crate) fn new(entropy: &'a mut dyn Entropy) -> Self {
        Self { entropy, buffer: Vec::new(), used: 0 }
    }

    /// Replaces what is used up by twice as much. If the source fails, nothing is handed out.
    fn refill(&mut self, least: usize) -> Result<(), EntropyError> {
        let size = (2 * self.buffer.len()).clamp(least, LARGEST.max(least));
        self.buffer.resize(size, 0);
        self.used = size;
        self.entropy.fill(&mut self.buffer)?;
        self.used = 0;
        Ok(())
    }
}

impl Entropy for Reservoir<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        if self.buffer.len() - self.used < bytes.len() {
            // What is left is dropped rather than spliced: a byte is never handed out twice.
            self.refill(bytes.len())?;
        }
        let end = self.used + bytes.len();
        bytes.copy_from_slice(&self.buffer[self.used..end]);
        self.used = end;
        Ok(())
    }

    /// What was fetched before is thrown away.
    fn refresh(&mut self) -> Result<(), EntropyError> {
        self.used = self.buffer.len();
        self.entropy.refresh()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts upward, and notes how much was asked for at a time.
    struct Counter {
        next: u8,
        requests: Vec<usize>,
    }

    impl Entropy for Counter {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            self.requests.push(bytes.len());
            for byte in bytes {
                *byte = self.next;
                self.next = self.next.wrapping_add(1);
            }
            Ok(())
        }
    }

    #[test]
    fn every_byte_is_handed_out_once_and_in_order() -> Result<(), EntropyError> {
        let mut counter = Counter { next: 0, requests: Vec::new() };
        let mut reservoir = Reservoir::new(&mut counter);
        let mut seen = Vec::new();
        for _ in 0..7 {
            let mut bytes = [0; 32];
            reservoir.fill(&mut bytes)?;
            seen.extend(bytes);
        }
        assert_eq!(seen, (0..224).collect::<Vec<u8>>());
        assert_eq!(counter.requests, [32, 64, 128]);
        Ok(())
    }
}
