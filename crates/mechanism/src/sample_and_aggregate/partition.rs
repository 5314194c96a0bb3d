//! Which block a unit belongs to, whatever its data.

use throng_account::Neighbours;

use crate::MechanismError;

/// How many blocks there can be.
pub const MOST_BLOCKS: u32 = 1 << 20;

/// What names the unit that a row belongs to.
type Name<T> = Box<dyn Fn(&T) -> u64 + Send + Sync>;

enum By<T> {
    Unit { key: u64, name: Name<T> },
    Position,
}

/// An assignment of rows to blocks that no other row has a part in.
///
/// | rows go by | add or remove | replace | zero out |
/// |---|---|---|---|
/// | the name of their unit | 1 block | 2 blocks | 1 block |
/// | their position | refused | 1 block | 1 block |
///
/// A unit that is added, removed or emptied touches the block its name falls into, however many
/// rows it has. A unit that is replaced may come back under another name: two blocks. If a row is
/// added, all later positions move, and with them every block. By position a unit is one row.
pub struct Partition<T> {
    blocks: u32,
    by: By<T>,
}

impl<T> Partition<T> {
    /// All rows of a unit into one block, by its name and a key; the key makes blocks anew, and need
    /// not be secret.
    ///
    /// # Errors
    /// If there are no blocks or more than [`MOST_BLOCKS`].
    pub fn by_unit(
        blocks: u32,
        key: u64,
        name: impl Fn(&T) -> u64 + Send + Sync + 'static,
    ) -> Result<Self, MechanismError> {
        Self::of(blocks, By::Unit { key, name: Box::new(name) })
    }

    /// Row i into block i modulo the number of blocks.
    ///
    /// # Errors
    /// If there are no blocks or more than [`MOST_BLOCKS`].
    pub fn by_position(blocks: u32) -> Result<Self, MechanismError> {
        Self::of(blocks, By::Position)
    }

    fn of(blocks: u32, by: By<T>) -> Result<Self, MechanismError> {
        if !(1..=MOST_BLOCKS).contains(&blocks) {
            let allowed = "from 1 to 1048576";
            return Err(MechanismError::invalid("the number of blocks", blocks, allowed));
        }
        Ok(Self { blocks, by })
    }

    /// How many blocks there are.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// How many blocks differ between neighbours, at most; by the table above.
    ///
    /// # Errors
    /// If all of them can.
    pub fn touched(&self, under: Neighbours) -> Result<u32, MechanismError> {
        match (&self.by, under) {
            (By::Unit { .. }, Neighbours::AddRemove | Neighbours::ZeroOut)
            | (By::Position, Neighbours::Replace | Neighbours::ZeroOut) => Ok(1),
            (By::Unit { .. }, Neighbours::Replace) => Ok(2),
            (By::Position, Neighbours::AddRemove) => Err(MechanismError::refused(
                "a row that is added or removed moves all rows after it to other blocks",
                "assign rows to blocks by the unit they belong to",
            )),
        }
    }

    /// Whether each row is a unit.
    pub(super) const fn units_are_rows(&self) -> bool {
        matches!(self.by, By::Position)
    }

    /// The rows of each block, in the order they came.
    pub(super) fn split<'a>(&self, rows: &'a [T]) -> Vec<Vec<&'a T>> {
        let blocks = usize::try_from(self.blocks).unwrap_or(usize::MAX);
        let mut split: Vec<Vec<&T>> = (0..blocks).map(|_| Vec::new()).collect();
        for (position, row) in rows.iter().enumerate() {
            let block = match &self.by {
                By::Unit { key, name } => spread(name(row), *key, self.blocks),
                By::Position => position % blocks,
            };
            if let Some(block) = split.get_mut(block) {
                block.push(row);
            }
        }
        split
    }
}

/// A block below `blocks` for a name: two rounds of a mixing function of Steele, Lea, Flood
/// (*Fast splittable pseudorandom number generators*, 2014), scaled down. Privacy asks only that it
/// is a function of name and key; that blocks are even is for accuracy.
fn spread(name: u64, key: u64, blocks: u32) -> usize {
    let mixed = mix(mix(key).wrapping_add(name));
    let scaled = (u128::from(mixed) * u128::from(blocks)) >> 64;
    usize::try_from(scaled).unwrap_or(0)
}

const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^16 names in 16 blocks: 4096 each, with a standard deviation of 62.
    #[test]
    fn names_spread_evenly() {
        for key in [0, 1, u64::MAX] {
            let mut counts = [0_i32; 16];
            for name in 0..1 << 16 {
                counts[spread(name, key, 16)] += 1;
            }
            assert!(counts.iter().all(|count| (count - 4096).abs() < 6 * 62), "{counts:?}");
        }
        assert!((0..64).any(|name| spread(name, 0, 16) != spread(name, 1, 16)));
    }
}
