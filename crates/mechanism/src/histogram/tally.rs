//! Rows counted by keys that are not known in advance.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use crate::contribution::Layout;
use crate::{MechanismError, Run};

/// The keys of the rows that survive, in rising order, with the number of those rows: at least 1.
///
/// One pass over the rows; nothing is cloned, and nothing is allocated for a row.
pub(super) fn counted<'a, K, L, H>(
    layout: &L,
    rows: &'a [L::Row],
    wanted: impl Fn(&K) -> bool,
    hasher: H,
    run: &mut Run<'_>,
) -> Result<(Vec<&'a K>, Vec<i64>), MechanismError>
where
    K: Ord + Hash,
    L: Layout<K>,
    H: BuildHasher,
{
    let mut counts: HashMap<&'a K, i64, H> = HashMap::with_hasher(hasher);
    for key in layout.keys(rows, &wanted, run)? {
        if wanted(key) {
            // There are fewer than 2^63 rows.
            *counts.entry(key).or_default() += 1;
        }
    }
    let mut cells: Vec<(&'a K, i64)> = counts.into_iter().collect();
    cells.sort_unstable_by(|a, b| a.0.cmp(b.0));
    Ok(cells.into_iter().unzip())
}
