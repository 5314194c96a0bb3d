//! The `ChaCha20` key stream, as many blocks at a time as a vector has lanes.
//!
//! The cipher's own crate works on four blocks at a time. Here a vector holds the same word of
//! 8 (AVX2) or 16 (AVX-512) blocks, so that the rounds need no shuffles: the same blocks, in a
//! half to a quarter of the time. Which instructions there are is asked at run time.
//!
//! # Guarantee
//! The bytes are the key stream of `ChaCha20` (20 rounds, nonce 0, blocks 0, 1, ...), each byte
//! once, in another order: word 0 of all blocks side by side, then word 1, and so on. A fixed
//! order of bytes is no less random than another. Additions, exclusive ors and rotations only:
//! the time does not depend on the key.
//!
//! # Reference
//! Bernstein (2008); RFC 8439.

use fearless_simd::{Level, dispatch, prelude::*};

/// "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
/// Words of a block.
const WORDS: usize = 16;
/// Twice as many rounds.
const DOUBLE_ROUNDS: usize = 10;
/// The widest vectors have so many lanes.
const MOST_LANES: usize = 16;
/// The numbers of the first blocks.
const NUMBERS: [u32; MOST_LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The key of one request.
pub(super) type Key = [u8; 32];

/// Vectors that are worth it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide(Level);

impl Wide {
    /// The bytes of a request for which this pays.
    pub(super) const LEAST: usize = 4 * WORDS * MOST_LANES;

    /// If this machine has vectors wider than those the cipher's own crate fills.
    pub(super) fn available() -> Option<Self> {
        let level = Level::new();
        (lanes(level) >= 8).then_some(Self(level))
    }

    /// Fills `bytes` with the key stream of `key`.
    pub(super) fn fill(self, key: &Key, bytes: &mut [u8]) {
        let Self(level) = self;
        dispatch!(level, simd => fill(simd, key, bytes));
    }
}

/// How many words of 32 bits a vector holds.
fn lanes(level: Level) -> usize {
    #[inline(always)]
    fn of<S: Simd>(_: S) -> usize {
        S::u32s::LEN
    }
    dispatch!(level, simd => of(simd))
}

#[inline(always)]
fn fill<S: Simd>(simd: S, key: &Key, bytes: &mut [u8]) {
    let mut start = start(simd, key);
    let step = S::u32s::splat(simd, NUMBERS[S::u32s::LEN - 1] + 1);
    let mut runs = bytes.chunks_exact_mut(WORDS * S::u8s::LEN);
    for run in &mut runs {
        store::<S>(&stream::<S>(&start), run);
        start[12] += step;
    }
    let rest = runs.into_remainder();
    if !rest.is_empty() {
        let mut last = [0; Wide::LEAST];
        store::<S>(&stream::<S>(&start), &mut last);
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// The rows, one after the other.
#[inline(always)]
fn store<S: Simd>(rows: &[S::u32s; WORDS], bytes: &mut [u8]) {
    for (bytes, row) in bytes.chunks_exact_mut(S::u8s::LEN).zip(rows) {
        row.to_bytes().store_slice(bytes);
    }
}

/// The state before the rounds: constants, key, the numbers of the blocks, and the nonce 0.
#[inline(always)]
fn start<S: Simd>(simd: S, key: &Key) -> [S::u32s; WORDS] {
    let mut start = [S::u32s::splat(simd, 0); WORDS];
    let key = key.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    for (row, word) in start.iter_mut().zip(CONSTANTS.into_iter().chain(key)) {
        *row = S::u32s::splat(simd, word);
    }
    start[12] = S::u32s::from_slice(simd, &NUMBERS[..S::u32s::LEN]);
    start
}

/// The rounds, and what they started from added to the result.
#[inline(always)]
fn stream<S: Simd>(start: &[S::u32s; WORDS]) -> [S::u32s; WORDS] {
    let mut state = *start;
    for _ in 0..DOUBLE_ROUNDS {
        for column in [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]] {
            quarter_round::<S>(&mut state, column);
        }
        for diagonal in [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]] {
            quarter_round::<S>(&mut state, diagonal);
        }
    }
    for (word, start) in state.iter_mut().zip(start) {
        *word += *start;
    }
    state
}

#[inline(always)]
fn quarter_round<S: Simd>(state: &mut [S::u32s; WORDS], [a, b, c, d]: [usize; 4]) {
    for [left, right] in [[16, 12], [8, 7]] {
        state[a] += state[b];
        state[d] = rotated::<S>(state[d] ^ state[a], left);
        state[c] += state[d];
        state[b] = rotated::<S>(state[b] ^ state[c], right);
    }
}

/// To the left.
#[inline(always)]
fn rotated<S: Simd>(words: S::u32s, by: u32) -> S::u32s {
    (words << by) | (words >> (32 - by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Rng;
    use chacha20::rand_core::{Rng, SeedableRng};

    /// Every kind of vector this machine has.
    fn levels() -> Vec<Level> {
        let best = Level::new();
        let mut levels = vec![best, Level::baseline()];
        #[cfg(target_arch = "x86_64")]
        levels.extend(best.as_avx2().map(Simd::level));
        levels
    }

    /// The key stream of the cipher's own crate, with the same word of `lanes` blocks side by side.
    fn expected(key: &Key, lanes: usize, length: usize) -> Vec<u8> {
        let mut stream = vec![0; length.next_multiple_of(4 * WORDS * lanes)];
        ChaCha20Rng::from_seed(*key).fill_bytes(&mut stream);
        let words = stream.as_chunks::<4>().0;
        let mut bytes = Vec::new();
        for run in words.chunks_exact(WORDS * lanes) {
            for word in 0..WORDS {
                bytes.extend((0..lanes).flat_map(|block| run[WORDS * block + word]));
            }
        }
        bytes.truncate(length);
        bytes
    }

    /// Requests that end anywhere in a run, with keys in which every byte counts.
    #[test]
    fn it_is_the_key_stream_of_the_cipher() {
        for level in levels() {
            for (seed, length) in (0..).zip([0, 1, 63, 1024, 1025, 4096 + 13, 100_000, 1 << 20]) {
                let mut key = Key::default();
                ChaCha20Rng::seed_from_u64(seed).fill_bytes(&mut key);
                let mut bytes = vec![0; length];
                Wide(level).fill(&key, &mut bytes);
                let expected = expected(&key, lanes(level), length);
                assert!(bytes == expected, "{level:?}, {length} bytes");
            }
        }
    }

    #[test]
    fn vectors_no_wider_than_those_of_the_crate_are_not_used() {
        assert!(Wide::available().is_none_or(|wide| lanes(wide.0) >= 8));
    }
}
