//! Random orders and random subsets.

use std::collections::HashSet;

use crate::choice::index_below;
use crate::reservoir::Reservoir;
use crate::uniform::below_word;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// Puts the items into a uniformly random order.
///
/// # Guarantee
/// Each of the n! orders has probability 1/n!, exactly.
///
/// # Why this is right
/// Fisher and Yates: the last place receives each item with probability 1/n, and given that, the
/// rest are put into a uniformly random order of n - 1 by the same rule.
///
/// Time: O(n); the entropy used does not depend on the items.
///
/// # Errors
/// If the entropy source fails; then the items are partly shuffled, and none is lost.
///
/// ```
/// use throng_sample::{OsEntropy, shuffle};
/// let mut items = ["a", "b", "c"];
/// shuffle(&mut items, &mut OsEntropy)?;
/// # Ok::<(), throng_sample::SampleError>(())
/// ```
pub fn shuffle<T>(items: &mut [T], entropy: &mut dyn Entropy) -> Result<(), SampleError> {
    let mut reservoir = Reservoir::new(entropy);
    let words = &mut Words::new(&mut reservoir);
    for last in (1..items.len()).rev() {
        items.swap(last, index_below(last + 1, words)?);
    }
    Ok(())
}

/// A uniformly random subset of fixed size of {0, ..., population - 1}.
///
/// # Guarantee
/// Each subset of the given size has the same probability, exactly. It is returned in increasing
/// order, which carries no information.
///
/// # Why this is right
/// Floyd: for j = n-k, ..., n-1, draw t uniformly from {0, ..., j} and insert t, or j if t is
/// already there. By induction the set is a uniform subset of {0, ..., j} of its size i: an S that
/// holds j arises from S without {j}, by t = j or t among its i - 1 members, i of the j + 1 values,
/// so with probability C(j, i-1)^-1 i/(j+1) = C(j+1, i)^-1. An S without j arises from
/// any of the i sets that lack one of its members, by that t: i C(j, i-1)^-1 /(j+1), the same.
///
/// Time: O(k log k), independent of the population; the entropy used does not depend on the
/// subset.
///
/// # Reference
/// Bentley, Floyd, *Programming pearls: a sample of brilliance* (1987).
///
/// ```
/// use throng_sample::{OsEntropy, Subset};
/// let jury = Subset::new(1_000_000, 12)?.draw(&mut OsEntropy)?;
/// assert_eq!(jury.len(), 12);
/// # Ok::<(), throng_sample::SampleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subset {
    population: u64,
    size: u64,
}

impl Subset {
    /// The largest subset: its members are held in memory.
    pub const MAX_SIZE: u64 = 1 << 26;

    /// Subsets of `size` among `population`.
    ///
    /// # Errors
    /// If the size is above the population or [`Subset::MAX_SIZE`].
    pub fn new(population: u64, size: u64) -> Result<Self, SampleError> {
        if size > population {
            return Err(SampleError::range("size", &size, "at most the population"));
        }
        if size > Self::MAX_SIZE {
            return Err(SampleError::range("size", &size, "at most 2^26"));
        }
        Ok(Self { population, size })
    }

    /// One independent subset, in increasing order.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<Vec<u64>, SampleError> {
        let mut reservoir = Reservoir::new(entropy);
        let words = &mut Words::new(&mut reservoir);
        let mut members = HashSet::new();
        for j in self.population - self.size..self.population {
            // j < population, so j + 1 is still a word.
            let t = below_word(j + 1, words)?;
            if !members.insert(t) {
                members.insert(j);
            }
        }
        let mut sorted: Vec<u64> = members.into_iter().collect();
        sorted.sort_unstable();
        Ok(sorted)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::hash::Hash;

    use super::*;
    use crate::script::Script;

    /// How often each outcome occurs when the first 16 bits take all their values and the rest
    /// are zero.
    fn census<T: Eq + Hash>(
        outcome: impl Fn(&mut Script) -> Result<T, SampleError>,
    ) -> Result<HashMap<T, u32>, SampleError> {
        let mut counts = HashMap::new();
        for pattern in 0..1_u64 << 16 {
            *counts.entry(outcome(&mut Script::new(&[pattern << 48]))?).or_insert(0) += 1;
        }
        Ok(counts)
    }

    /// A shuffle of 4 uses 2 + 2 + 1 bits and 2 more whenever the choice among three is repeated,
    /// which has probability 1/4. So all but 4^-6 of the patterns of 16 bits decide it, and a
    /// uniform law gives every order 2^16/24 patterns but for at most 2^16 4^-6 = 16.
    #[test]
    fn all_orders_of_four_are_equally_likely() -> Result<(), SampleError> {
        let counts = census(|script| {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut items, script)?;
            Ok(items)
        })?;
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| count.abs_diff((1 << 16) / 24) <= 17), "{counts:?}");
        Ok(())
    }

    /// Subsets of 2 or 3 out of 4 use choices among (2,) 3 and 4: at most 5 bits, and 2 more
    /// whenever the choice among three is repeated. As above.
    #[test]
    fn all_subsets_of_four_are_equally_likely() -> Result<(), SampleError> {
        for (size, subsets) in [(2, 6), (3, 4)] {
            let counts = census(|script| Subset::new(4, size)?.draw(script))?;
            assert_eq!(counts.len(), subsets);
            let share = (1 << 16) / u32::try_from(subsets).unwrap_or(1);
            assert!(counts.values().all(|count| count.abs_diff(share) <= 17), "{counts:?}");
        }
        Ok(())
    }

    #[test]
    fn the_whole_population_and_nothing_are_subsets() -> Result<(), SampleError> {
        let script = &mut Script::new(&[7, 9]);
        assert_eq!(Subset::new(4, 4)?.draw(script)?, [0, 1, 2, 3]);
        assert!(Subset::new(u64::MAX, 0)?.draw(script)?.is_empty());
        assert_eq!(Subset::new(u64::MAX, 1)?.draw(script)?.len(), 1);
        assert!(Subset::new(3, 4).is_err());
        assert!(Subset::new(u64::MAX, u64::MAX).is_err());
        Ok(())
    }
}
