//! Order statistics of clamped data, and how far its median can move.

use super::decay::{Decay, UNIT};
use crate::{Clamp, Neighbours};

/// Clamped data in order, x_1 <= ... <= x_n, with x_i = lo for i < 1 and x_i = hi for i > n.
///
/// Its median is x_m, m = ⌈n/2⌉; that of no data is lo.
// No Debug: private data.
pub(crate) struct OrderStatistics {
    sorted: Vec<i64>,
    clamp: Clamp,
    under: Neighbours,
}

impl OrderStatistics {
    /// Of values in steps, in any order.
    pub(crate) fn of(
        values: impl IntoIterator<Item = i64>,
        clamp: Clamp,
        under: Neighbours,
    ) -> Self {
        let mut sorted: Vec<i64> = values.into_iter().map(|x| clamp.clamp(x)).collect();
        sorted.sort_unstable();
        Self { sorted, clamp, under }
    }

    /// n.
    pub(crate) fn len(&self) -> i64 {
        i64::try_from(self.sorted.len()).unwrap_or(i64::MAX)
    }

    /// x_m.
    pub(crate) fn median(&self) -> i64 {
        self.at(self.middle())
    }

    fn middle(&self) -> i64 {
        self.len() / 2 + self.len() % 2
    }

    fn at(&self, i: i64) -> i64 {
        let index = if i < 1 { None } else { usize::try_from(i - 1).ok() };
        match index {
            None => self.clamp.lower(),
            Some(index) => self.sorted.get(index).copied().unwrap_or(self.clamp.upper()),
        }
    }

    /// A_k: the furthest that one unit can move the median after k others were changed; that is,
    /// the largest local sensitivity at distance at most k.
    ///
    /// # Why this is right
    /// What the smooth bound needs is A_0 = LS, the local sensitivity, and A_k(x) <= A_(k+1)(x') for
    /// neighbours x and x'.
    ///
    /// *Add or remove:* A_k = x_j - x_i with i = ⌊(n-k)/2⌋ and j = ⌊(n+k)/2⌋ + 1. With q = ⌊n/2⌋ the
    /// median is x_q if n is even and x_(q+1) if n is odd, that of every neighbour lies in
    /// [x_q, x_(q+1)], and the other end is reached by adding hi if n is even, lo if n is odd. So
    /// LS = A_0. If a value is added, x'_i <= x_i and x'_(j+1) >= x_j, and these are the places of
    /// n + 1 and k + 1; if one is removed, x'_(i-1) <= x_i and x'_j >= x_j, those of n - 1 and k + 1.
    ///
    /// *Replace:* A_k is the largest x_(m+t) - x_(m+t-k-1), t from 0 to k + 1. The median moves to
    /// x_(m+1) or x_(m-1) at most, and can; so LS = A_0. If a value is replaced by a larger one,
    /// x'_i lies in [x_i, x_(i+1)], so that the window of x lies in that of x' from m+t-k-2 to
    /// m+t; if by a smaller one, in that from m+t-k-1 to m+t+1. *Zero out* changes one value to a
    /// fixed one, which is to replace it, so the same bound holds.
    ///
    /// Both are the largest LS at distance k, so nothing is given away (tests look at all data
    /// sets on small grids).
    pub(crate) fn spread(&self, k: i64) -> i64 {
        match self.under {
            Neighbours::AddRemove => self.widest_gap(k),
            Neighbours::Replace | Neighbours::ZeroOut => {
                let windows = (0..=k.saturating_add(1)).map(|t| self.window(k, t));
                windows.max().unwrap_or(0)
            }
        }
    }

    /// x_(m+t) - x_(m+t-k-1).
    fn window(&self, k: i64, t: i64) -> i64 {
        let top = self.middle().saturating_add(t);
        self.at(top) - self.at(top.saturating_sub(k).saturating_sub(1))
    }

    fn widest_gap(&self, k: i64) -> i64 {
        let n = self.len();
        let (i, j) = ((n.saturating_sub(k)).div_euclid(2), n.saturating_add(k).div_euclid(2));
        self.at(j.saturating_add(1)) - self.at(i)
    }

    /// A lower and an upper bound on A_k, in O(1): the two outermost windows, and both together.
    fn spread_within(&self, k: i64) -> (i64, i64) {
        match self.under {
            Neighbours::AddRemove => (self.widest_gap(k), self.widest_gap(k)),
            Neighbours::Replace | Neighbours::ZeroOut => {
                let (low, high) = (self.window(k, 0), self.window(k, k.saturating_add(1)));
                (low.max(high), low + high)
            }
        }
    }

    /// max(1, max over k of w_k A_k) steps, in units of 2^-62 steps.
    ///
    /// # Why this is right
    /// For neighbours x and x', A_k(x) <= A_(k+1)(x') (what is k away from one is k + 1 away from
    /// the other) and w_k <= e^β w_(k+1), so max w_k A_k(x) <= e^β max w_(k+1) A_(k+1)(x'). The
    /// larger of two smooth bounds is one, and a constant is one; so the floor of one step does no
    /// harm. Beyond k = n the A_k no longer grow and the weights do not either; and once w_k times the
    /// width of the interval is at most what was found, nothing larger follows.
    ///
    /// Most k are ruled out by bounds that take O(1): A_k is between the wider of two windows and
    /// their sum.
    pub(crate) fn smooth_bound(&self, decay: &Decay) -> u128 {
        let scaled =
            |weight: u64, steps: i64| u128::from(weight) * u128::from(steps.unsigned_abs());
        let mut best = u128::from(UNIT);
        let mut open = Vec::new();
        for (k, weight) in (0..=self.len()).zip(decay.weights()) {
            if scaled(weight, self.clamp.width()) <= best {
                break;
            }
            let (low, high) = self.spread_within(k);
            best = best.max(scaled(weight, low));
            if low < high && scaled(weight, high) > best {
                open.push((k, weight, scaled(weight, high)));
            }
        }
        for (k, weight, most) in open {
            if most > best {
                best = best.max(scaled(weight, self.spread(k)));
            }
        }
        best
    }

    /// The least k with A_k > bound: how many units must change before the median can move by more
    /// than `bound` at once; `None` if it never can.
    ///
    /// # Guarantee
    /// Changes by at most 1 between neighbours, and is `None` for all data or for none: A_n is the
    /// width of the interval.
    pub(crate) fn distance_beyond(&self, bound: i64) -> Option<i64> {
        if self.clamp.width() <= bound {
            return None;
        }
        // A_k does not fall in k.
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.spread(middle) > bound { high = middle } else { low = middle + 1 }
        }
        Some(low)
    }
}
