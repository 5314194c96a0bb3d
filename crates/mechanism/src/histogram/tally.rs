//! Rows counted by keys that are not known in advance.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use crate::contribution::Layout;
use crate::{MechanismError, Run};

/// The keys of the rows that survive, in rising order, with the number of those rows: at least 1.
///
/// One pass over the rows. A key is cloned when it is first seen: a table of references would
/// save that, but then every row would be compared with a key somewhere else in memory, which
/// takes half as long again.
pub(super) fn counted<K, L, H>(
    layout: &L,
    rows: &[L::Row],
    wanted: impl Fn(&K) -> bool,
    hasher: H,
    run: &mut Run<'_>,
) -> Result<(Vec<K>, Vec<i64>), MechanismError>
where
    K: Ord + Hash + Clone,
    L: Layout<K>,
    H: BuildHasher,
{
    let mut counts: HashMap<K, i64, H> = HashMap::with_hasher(hasher);
    for key in layout.keys(rows, &wanted, run)? {
        // There are fewer than 2^63 rows.
        if let Some(count) = counts.get_mut(key) {
            *count += 1;
        } else if wanted(key) {
            counts.insert(key.clone(), 1);
        }
    }
    let mut cells: Vec<(K, i64)> = counts.into_iter().collect();
    cells.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(cells.into_iter().unzip())
}
