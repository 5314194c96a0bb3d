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
    let step = S::u32s::splat(simd, S::u32s::LEN as u32);
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
    start[12] = S::u32s::from_fn(simd, |lane| lane as u32);
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
