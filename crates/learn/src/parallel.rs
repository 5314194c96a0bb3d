//! Work on many rows, divided among threads.
//!
//! Threads only compute sums of integers, which come out the same however the rows are divided; noise
//! is drawn by the one thread that called.

use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// A thread is worth its start from this many operations on.
const WORTH: usize = 1 << 23;

/// Runs `part` on ranges of 0..rows, each on its own thread, where a row takes about `work` operations;
/// the results are in the order of the ranges.
pub(crate) fn over_rows<R: Send>(
    rows: usize,
    work: usize,
    part: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    let most = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = most.min(rows.saturating_mul(work) / WORTH).max(1);
    if threads == 1 {
        return vec![part(0..rows)];
    }
    let each = rows.div_ceil(threads);
    let ranges = (0..threads).map(|k| (k * each).min(rows)..((k + 1) * each).min(rows));
    thread::scope(|scope| {
        let part = &part;
        let running: Vec<_> = ranges.map(|range| scope.spawn(move || part(range))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_done_once() {
        for rows in [0, 1, 2, 7, 1000] {
            let parts = over_rows(rows, WORTH, Vec::from_iter);
            assert_eq!(parts.concat(), Vec::from_iter(0..rows));
        }
    }
}
