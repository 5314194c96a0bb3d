//! Numbers for made-up data: from a seed, not for noise.

/// A small generator (xorshift with a multiplication).
#[derive(Debug)]
pub(super) struct Draw(u64);

impl Draw {
    /// The same numbers for the same seed.
    pub(super) fn seeded(seed: u64) -> Self {
        let mut draw = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        draw.next();
        draw.next();
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number from 0 up to but without `end`.
    pub(super) fn below(&mut self, end: i64) -> i64 {
        let number = self.next() % end.unsigned_abs().max(1);
        i64::try_from(number).unwrap_or(0)
    }

    /// True once in so many times.
    pub(super) fn one_in(&mut self, times: i64) -> bool {
        self.below(times) == 0
    }
}
