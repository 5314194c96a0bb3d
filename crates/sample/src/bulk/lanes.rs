//! Trials side by side.
//!
//! The random bytes of up to [`LANES`] trials lie together: first a 32-bit word for each (its
//! rung and sign), then 16 bits for each (its acceptance), then its low part. Every bit belongs to
//! one of these and to one trial. Where the acceptance needs 16 bits more, they come from [`Finer`].

use fearless_simd::{prelude::*, u32x8};

use super::rungs::Rungs;
use crate::{Entropy, EntropyError};

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

/// Low parts of more than 16 bits.
macro_rules! broad {
    ($word:ty, $trial:literal, $most:literal) => {
        impl Low for $word {
            const TRIAL: usize = $trial;
            const MOST: u32 = $most;

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                bytes.as_chunks().0.first().map_or(0, |bytes| Self::from_le_bytes(*bytes))
            }

            #[inline]
            fn low(self, shift: u32) -> u64 {
                (self >> (Self::BITS - shift)).into()
            }

            #[inline]
            fn signed(self, rung: u16, shift: u32, word: u32) -> i64 {
                let magnitude = (u64::from(rung) << shift) + self.low(shift);
                super::signed(magnitude.cast_signed(), word & 1)
            }

            #[inline]
            fn trace(self, shift: u32) -> u16 {
                u16::from(self.low(shift) != 0)
            }

            #[inline]
            fn lead(self, _: u32) -> u16 {
                (self >> (Self::BITS - 16)) as u16
            }
        }
    };
}

broad!(u32, 10, 32);
broad!(u64, 14, 40);

/// The random bits of [`LANES`] trials, and their rungs.
#[derive(Default)]
pub(super) struct Lanes<L> {
    pub(super) words: [u32; LANES],
    /// The 16 leading bits of 1 - U.
    pub(super) checks: [u16; LANES],
    pub(super) lows: [L; LANES],
    pub(super) rungs: [u16; LANES],
}

impl<L: Low> Lanes<L> {
    /// Reads the trials in `bytes`, at most [`LANES`]; the other lanes keep what they hold. The
    /// rungs are not picked yet.
    #[inline(always)]
    pub(super) fn read(&mut self, bytes: &[u8]) {
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
    }

    /// The same for all lanes, which leaves nothing to ask.
    #[inline(always)]
    pub(super) fn read_all(&mut self, bytes: &[u8]) {
        self.read(&bytes[..LANES * L::TRIAL]);
    }

    /// The rungs of what was read, looked up one by one.
    #[inline(always)]
    pub(super) fn pick(&mut self, rungs: &Rungs) {
        for (rung, word) in self.rungs.iter_mut().zip(&self.words) {
            *rung = rungs.pick(*word);
        }
    }

    /// The same where the cells of the table were looked up beforehand ([`cells`]).
    #[inline(always)]
    pub(super) fn pick_from<S: Simd>(&mut self, simd: S, cells: &[u32; LANES]) {
        Rungs::pick_from(simd, cells, &self.words, &mut self.rungs);
    }

    /// Their signs: 0 or 1.
    #[inline(always)]
    pub(super) fn signs<S: Simd>(&self, simd: S) -> [u16; LANES] {
        let mut signs = [0; LANES];
        let half = |at: usize| u32x8::from_slice(simd, &self.words[at..at + 8]);
        (half(0).narrow(half(8)) & 1).store_slice(&mut signs);
        signs
    }

    /// The 32 leading bits of U, of which the last 16 are given.
    #[inline(always)]
    pub(super) fn uniform(&self, lane: usize, finer: u16) -> u32 {
        u32::from(!self.checks[lane]) << 16 | u32::from(finer)
    }

    /// What they propose.
    #[inline(always)]
    pub(super) fn write(&self, shift: u32, values: &mut [i64; LANES]) {
        for (lane, value) in values.iter_mut().enumerate() {
            *value = self.lows[lane].signed(self.rungs[lane], shift, self.words[lane]);
        }
    }
}

/// The cells of a table that the words of all lanes, first in `bytes`, lead to.
///
/// These are the only look-ups of a trial. They are made for many blocks at a time and left in
/// memory, from where what follows reads several to an instruction.
#[inline(always)]
pub(super) fn cells(bytes: &[u8], rungs: &Rungs, cells: &mut [u32; LANES]) {
    for (cell, bytes) in cells.iter_mut().zip(bytes.as_chunks().0) {
        *cell = rungs.cell(u32::from_le_bytes(*bytes));
    }
}

/// The next 16 bits of U, for the lanes that ask for them: fetched some at a time, each handed out
/// once, and what is left at the end of a fill thrown away.
pub(super) struct Finer {
    bytes: [u8; FINER],
    used: usize,
}

/// Bytes fetched at a time.
pub(super) const FINER: usize = 16 * LANES;

impl Finer {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; FINER], used: FINER }
    }

    /// These come next, two bytes for each of at most [`LANES`]; what was left is thrown away.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.used = FINER - bytes.len();
        self.bytes[self.used..].copy_from_slice(bytes);
    }

    pub(super) fn next(&mut self, entropy: &mut dyn Entropy) -> Result<u16, EntropyError> {
        if self.used == FINER {
            entropy.fill(&mut self.bytes)?;
            self.used = 0;
        }
        let finer = u16::from_le_bytes([self.bytes[self.used], self.bytes[self.used + 1]]);
        self.used += 2;
        Ok(finer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededEntropy;
    use crate::bulk::energy::Energy;
    use crate::bulk::rungs::BothSigns;
    use crate::script::Script;
    use fearless_simd::{Level, dispatch};
    use std::collections::BTreeSet;
    use throng_numeric::Rational;

    fn rungs() -> Rungs {
        let energy = Energy::quadratic(&Rational::from(10_000)).unwrap();
        Rungs::new(energy, BothSigns::DrawnApart).unwrap()
    }

    /// Every bit of the bytes is one bit of one field of one trial, and no two are the same.
    fn every_bit_is_used_once<L: Low + Into<u64>>(trials: usize) {
        let mut seen = BTreeSet::new();
        for bit in 0..8 * trials * L::TRIAL {
            let mut bytes = vec![0_u8; trials * L::TRIAL];
            bytes[bit / 8] = 1 << (bit % 8);
            let mut lanes = Lanes::<L>::default();
            lanes.read(&bytes);
            let words = lanes.words.iter().map(|word| u64::from(*word));
            let checks = lanes.checks.iter().map(|check| u64::from(*check));
            let lows = lanes.lows.iter().map(|low| (*low).into());
            let fields: Vec<u64> = words.chain(checks).chain(lows).collect();
            let set: Vec<usize> = (0..fields.len()).filter(|field| fields[*field] != 0).collect();
            assert_eq!(set.len(), 1, "one field of one trial");
            assert!(fields[set[0]].is_power_of_two(), "one bit of it");
            assert!(set[0] % LANES < trials, "a trial that was asked for");
            assert!(seen.insert((set[0], fields[set[0]])), "a bit that no other sets");
        }
    }

    #[test]
    fn the_bits_of_trials_do_not_overlap() {
        for trials in [1, 7, LANES] {
            every_bit_is_used_once::<u8>(trials);
            every_bit_is_used_once::<u16>(trials);
            every_bit_is_used_once::<u32>(trials);
            every_bit_is_used_once::<u64>(trials);
        }
    }

    /// The low part is the leading bits and nothing else, whichever way it is read.
    fn low_part_is_the_leading_bits<L: Low>(
        bits: u32,
        shifts: std::ops::RangeInclusive<u32>,
        of: fn(u64) -> L,
    ) {
        for shift in shifts {
            for low in [0, 1, (1 << shift) / 3, (1 << shift) - 1] {
                for spare in [0, u64::MAX] {
                    let word = of((low << (64 - shift) | spare >> shift) >> (64 - bits));
                    assert_eq!(word.low(shift), low);
                    assert_eq!(u64::from(word.lead(shift)), (low << (64 - shift)) >> 48);
                    assert_eq!(word.trace(shift) == 0, low == 0);
                    let magnitude = (5 << shift) + i64::try_from(low).unwrap();
                    assert_eq!(word.signed(5, shift, 0xffff_fffe), magnitude);
                    assert_eq!(word.signed(5, shift, 1), -magnitude);
                }
            }
        }
    }

    #[test]
    fn low_parts() {
        low_part_is_the_leading_bits::<u8>(8, 1..=8, |word| u8::try_from(word).unwrap());
        low_part_is_the_leading_bits::<u16>(16, 1..=16, |word| u16::try_from(word).unwrap());
        low_part_is_the_leading_bits::<u32>(32, 17..=32, |word| u32::try_from(word).unwrap());
        low_part_is_the_leading_bits::<u64>(64, 17..=40, |word| word);
    }

    /// Looking up beforehand picks the same rungs.
    #[test]
    fn both_ways_to_pick_agree() {
        let (rungs, mut entropy) = (rungs(), SeededEntropy::new(11));
        for _ in 0..1000 {
            let mut bytes = [0; LANES * <u16 as Low>::TRIAL];
            entropy.fill(&mut bytes).unwrap();
            let (mut one, mut other) = (Lanes::<u16>::default(), Lanes::<u16>::default());
            one.read(&bytes);
            one.pick(&rungs);
            let mut found = [0; LANES];
            cells(&bytes, &rungs, &mut found);
            other.read_all(&bytes);
            dispatch!(Level::new(), simd => other.pick_from(simd, &found));
            assert_eq!(one.rungs, other.rungs);
        }
    }

    /// What was put comes first, in order; then what is fetched; nothing twice.
    #[test]
    fn finer_bits_are_handed_out_once() {
        let words: Vec<u64> = (100..).take(2 * FINER / 8).collect();
        let (mut script, mut finer) = (Script::new(&words), Finer::new());
        finer.put(&[1, 0, 2, 0]);
        let found: Vec<u16> =
            (0..2 + FINER / 2 + 1).map(|_| finer.next(&mut script).unwrap()).collect();
        let fetched = words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let fetched = fetched.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
        let expected: Vec<u16> = [1, 2].into_iter().chain(fetched).take(found.len()).collect();
        assert_eq!(found, expected);
        assert_eq!(script.used(), 2 * FINER);
    }
}
