//! Trials side by side.
//!
//! The random bytes of up to [`LANES`] trials lie together: first a 32-bit word for each (its
//! rung and sign), then 16 bits for each (its acceptance), then its low part. Every bit belongs
//! to one of these and to one trial.

use super::rungs::Rungs;

/// Trials looked at together.
pub(super) const LANES: usize = 16;

/// Where the low part of a trial is drawn from: its leading bits.
pub(super) trait Low: Copy + Default {
    /// Bytes of one trial: 4 + 2 + those of this.
    const TRIAL: usize;
    /// Shifts up to this one fit.
    const MOST: u32;

    fn read(bytes: &[u8]) -> Self;

    /// The leading `shift` bits.
    fn low(self, shift: u32) -> u64;

    /// Zero if and only if the leading `shift` bits are.
    fn trace(self, shift: u32) -> u16;

    /// 2^shift rung + low, with the sign in the last bit of `word`.
    fn signed(self, rung: u16, shift: u32, word: u32) -> i64;

    /// The 16 leading bits, those beyond `shift` cleared.
    fn lead(self, shift: u32) -> u16;
}

/// Low parts of at most 16 bits: a magnitude has at most 26.
macro_rules! narrow {
    ($word:ty, $trial:literal) => {
        impl Low for $word {
            const TRIAL: usize = $trial;
            const MOST: u32 = Self::BITS;

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                bytes.as_chunks().0.first().map_or(0, |bytes| Self::from_le_bytes(*bytes))
            }

            #[inline]
            fn low(self, shift: u32) -> u64 {
                u64::from(self >> (Self::BITS - shift))
            }

            #[inline]
            fn lead(self, shift: u32) -> u16 {
                (u16::from(self) << (16 - Self::BITS)) & (u16::MAX << (16 - shift))
            }

            #[inline]
            fn trace(self, shift: u32) -> u16 {
                self.lead(shift)
            }

            #[inline]
            fn signed(self, rung: u16, shift: u32, word: u32) -> i64 {
                // In i32, of which twice as many as of i64 go into an instruction.
                let low = i32::from(self >> (Self::BITS - shift));
                let (magnitude, negative) =
                    ((i32::from(rung) << shift) + low, (word & 1).cast_signed());
                ((magnitude ^ -negative) + negative).into()
            }
        }
    };
}

narrow!(u8, 7);
narrow!(u16, 8);

impl Low for u64 {
    const TRIAL: usize = 14;
    const MOST: u32 = 40;

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        bytes.as_chunks().0.first().map_or(0, |bytes| Self::from_le_bytes(*bytes))
    }

    #[inline]
    fn low(self, shift: u32) -> u64 {
        self >> (Self::BITS - shift)
    }

    #[inline]
    fn signed(self, rung: u16, shift: u32, word: u32) -> i64 {
        super::signed(((u64::from(rung) << shift) + self.low(shift)).cast_signed(), word & 1)
    }

    #[inline]
    fn trace(self, shift: u32) -> u16 {
        u16::from(self.low(shift) != 0)
    }

    #[inline]
    fn lead(self, _: u32) -> u16 {
        (self >> 48) as u16
    }
}

/// The random bits of [`LANES`] trials, and their rungs.
#[derive(Default)]
pub(super) struct Lanes<L> {
    pub(super) words: [u32; LANES],
    pub(super) checks: [u16; LANES],
    pub(super) lows: [L; LANES],
    pub(super) rungs: [u16; LANES],
}

impl<L: Low> Lanes<L> {
    /// Reads the trials in `bytes`, at most [`LANES`]; the other lanes keep what they hold.
    #[inline(always)]
    pub(super) fn read(&mut self, bytes: &[u8], rungs: &Rungs) {
        let trials = bytes.len() / L::TRIAL;
        let (words, rest) = bytes.split_at(4 * trials);
        let (checks, lows) = rest.split_at(2 * trials);
        for (lane, bytes) in self.words.iter_mut().zip(words.as_chunks().0) {
            *lane = u32::from_le_bytes(*bytes);
        }
        for (lane, bytes) in self.checks.iter_mut().zip(checks.as_chunks().0) {
            *lane = u16::from_le_bytes(*bytes);
        }
        for (lane, bytes) in self.lows.iter_mut().zip(lows.chunks_exact(L::TRIAL - 6)) {
            *lane = L::read(bytes);
        }
        for (rung, word) in self.rungs.iter_mut().zip(&self.words) {
            *rung = rungs.pick(*word);
        }
        // What follows reads them several to an instruction; it is not to be woven into this.
        std::hint::black_box(&mut self.rungs);
    }

    /// Their signs: 0 or 1.
    #[inline(always)]
    pub(super) fn signs(&self) -> [u16; LANES] {
        let mut signs = [0; LANES];
        for (sign, word) in signs.iter_mut().zip(&self.words) {
            *sign = (word & 1) as u16;
        }
        signs
    }

    /// What they propose.
    #[inline(always)]
    pub(super) fn write(&self, shift: u32, values: &mut [i64; LANES]) {
        for lane in 0..LANES {
            values[lane] = self.lows[lane].signed(self.rungs[lane], shift, self.words[lane]);
        }
    }
}
