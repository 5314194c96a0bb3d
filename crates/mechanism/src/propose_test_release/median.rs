//! The median.

use super::LocallyStable;
use crate::smooth::OrderStatistics;
use crate::{Clamp, Grid, Neighbours, Uncovered};

/// The median of clamped data, as [`crate::smooth::Median`]: the ⌈n/2⌉-th value in order.
///
/// Its distance is the least k at which k units can be changed so that one more moves the median by
/// more than the bound: exact, from order statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalMedian {
    clamp: Clamp,
    under: Neighbours,
}

impl LocalMedian {
    /// The median of data clamped to an interval.
    #[must_use]
    pub const fn new(clamp: Clamp, under: Neighbours) -> Self {
        Self { clamp, under }
    }

    fn order(&self, input: &[f64]) -> OrderStatistics {
        let steps = input.iter().map(|x| self.clamp.apply(*x));
        OrderStatistics::of(steps, self.clamp, self.under)
    }
}

impl LocallyStable for LocalMedian {
    type Input = [f64];

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        true
    }

    fn grid(&self) -> Grid {
        self.clamp.grid()
    }

    fn uncovered(&self) -> Vec<Uncovered> {
        vec![Uncovered::Clamping, Uncovered::Rounding]
    }

    fn value(&self, input: &[f64]) -> i64 {
        self.order(input).median()
    }

    fn distance(&self, input: &[f64], bound: i64) -> Option<u64> {
        self.order(input).distance_beyond(bound).map(i64::unsigned_abs)
    }
}
