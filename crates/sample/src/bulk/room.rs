//! Room for the random bytes of a fill, and for what is found of them.

use super::lanes::LANES;

/// Random bytes that are worked on at a time: they stay in the first-level cache together with a table.
pub(super) const SLICE: usize = 8192;
/// Random bytes fetched at a time: so many that the fork check of [`crate::OsEntropy`] does not show.
const BYTES: usize = 4 * SLICE;
/// Up to so many samples fit a small room.
const FEW: usize = 16;
/// Bytes of a trial and of its finer bits, at most.
const MOST: usize = 16;
/// Up to so many samples fit a room of one slice.
const SOME: usize = SLICE / MOST;
/// Blocks that are looked up before the first is used.
const BLOCKS: usize = SLICE / (LANES * 7);
/// Behind the trials there is room for the finer bits of fewer than [`LANES`].
pub(super) const BEHIND: usize = 2 * LANES;

/// Where a fill works.
pub(super) struct Room<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) found: &'a mut [Found],
}

/// What is known of the trials of a block.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// The cells of the table that their words lead to.
    pub(super) cells: [u32; LANES],
    /// Their rungs.
    pub(super) rungs: [u16; LANES],
    /// Zero where a trial is certain to be accepted.
    pub(super) doubts: [u16; LANES],
}

impl Found {
    /// Nothing yet.
    pub(super) const NONE: Self = Self { cells: [0; LANES], rungs: [0; LANES], doubts: [0; LANES] };
}

/// Runs a fill of so many samples: a few need not pay for a large room.
pub(super) fn with_room<T>(samples: usize, fill: impl FnOnce(Room<'_>) -> T) -> T {
    if samples <= FEW {
        fill(Room { bytes: &mut [0; MOST * FEW], found: &mut [Found::NONE] })
    } else if samples <= SOME {
        fill(Room { bytes: &mut [0; SLICE + BEHIND], found: &mut [Found::NONE; BLOCKS] })
    } else {
        fill(Room { bytes: &mut [0; BYTES + BEHIND], found: &mut [Found::NONE; BLOCKS] })
    }
}
