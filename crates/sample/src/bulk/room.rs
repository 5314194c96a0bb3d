//! Room for the random bytes of a fill, and for what they lead to in a table.

use super::lanes::LANES;

/// Random bytes fetched at a time: small enough to stay in the first-level cache together with a
/// table, large enough that the fork check of [`crate::OsEntropy`] does not show.
const BYTES: usize = 8192;
/// Up to so many samples fit a small room.
const FEW: usize = 16;
/// Bytes of a trial and of its finer bits, at most.
const MOST: usize = 16;
/// Blocks whose cells are looked up before the first is used.
const BLOCKS: usize = BYTES / (LANES * 7);
/// Behind the trials there is room for the finer bits of fewer than [`LANES`].
pub(super) const BEHIND: usize = 2 * LANES;

/// Where a fill works.
pub(super) struct Room<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) cells: &'a mut [[u32; LANES]],
}

/// Runs a fill of so many samples: a few need not pay for a large room.
pub(super) fn with_room<T>(samples: usize, fill: impl FnOnce(Room<'_>) -> T) -> T {
    if samples <= FEW {
        fill(Room { bytes: &mut [0; MOST * FEW], cells: &mut [[0; LANES]] })
    } else {
        fill(Room { bytes: &mut [0; BYTES + BEHIND], cells: &mut [[0; LANES]; BLOCKS] })
    }
}
