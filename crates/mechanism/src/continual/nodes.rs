//! The nodes of a binary tree over time, as they become complete.
//!
//! Node i of level l is the sum of the 2^l steps from i 2^l + 1 on; it is complete after step
//! (i + 1) 2^l, and then merges with its sibling if that is complete. Step t completes one
//! node of each of the levels 0, 1, ..., up to the number of times that 2 divides t.

use std::sync::Arc;

use super::estimate::{Estimate, Spread};
use super::levels::Levels;
use super::stream::Stream;
use crate::{Guarantee, MechanismError, Noise, Run};

/// How many steps are worked on at a time.
pub(super) const BATCH: usize = 1 << 12;

/// How many nodes step t completes, for t = 1, 2, ...
fn completed(step: u64, levels: usize) -> usize {
    let twos = usize::try_from(step.trailing_zeros()).unwrap_or(usize::MAX);
    twos.saturating_add(1).min(levels)
}

/// The exact sums of nodes that wait for their siblings. Private.
struct Sums {
    waiting: Vec<i64>,
    steps: u64,
}

impl Sums {
    fn new(levels: usize) -> Self {
        Self { waiting: vec![0; levels], steps: 0 }
    }

    /// Takes a step and appends the sums of the nodes that it completes, from below.
    fn push(&mut self, value: i64, complete: &mut Vec<i64>) {
        self.steps += 1;
        let last = completed(self.steps, self.waiting.len()).saturating_sub(1);
        let mut sum = value;
        complete.push(sum);
        for waiting in self.waiting.iter().take(last) {
            sum += *waiting;
            complete.push(sum);
        }
        if let Some(waiting) = self.waiting.get_mut(last) {
            *waiting = sum;
        }
    }
}

/// Estimates of nodes from the noisy nodes at and below them, that wait for their siblings. Public:
/// it sees noisy nodes only.
///
/// # Why this is right
/// Two estimates of a node are independent: its own noisy sum, of variance v, and the sum of the
/// estimates of its children, of variance 2 v_(l-1). Weights proportional to the inverse
/// variances make the variance least: v_l = 1/(1/v + 1/(2 v_(l-1))), so v_l = v 2^l/(2^(l+1) - 1),
/// and the weight of the node's own sum is v_l/v.
///
/// # Reference
/// Honaker, *Efficient Use of Differentially Private Binary Trees* (2015), estimation from below.
struct FromBelow {
    waiting: Vec<f64>,
    steps: u64,
}

/// v_l/v = 2^l/(2^(l+1) - 1), for levels below 32.
const SHARES: [f64; 32] = {
    let mut shares = [0.5; 32];
    let (mut level, mut leaves) = (0, 1.0);
    while level < shares.len() {
        shares[level] = leaves / (2.0 * leaves - 1.0);
        leaves *= 2.0;
        level += 1;
    }
    shares
};

/// The variance of the estimate of a node of this level, in units of that of the noise.
pub(super) fn share(level: usize) -> f64 {
    SHARES.get(level).copied().unwrap_or(0.5)
}

/// A noisy number of steps as a number.
#[expect(clippy::cast_precision_loss, reason = "after the noise, rounding is post-processing")]
pub(super) const fn to_f64(noisy: i64) -> f64 {
    noisy as f64
}

impl FromBelow {
    fn new(levels: usize) -> Self {
        Self { waiting: vec![0.0; levels], steps: 0 }
    }

    /// Takes the noisy nodes that a step completes, and hands their estimates over with their levels.
    fn push(&mut self, noisy: &mut impl Iterator<Item = i64>, mut each: impl FnMut(usize, f64)) {
        self.steps += 1;
        let last = completed(self.steps, self.waiting.len()).saturating_sub(1);
        let mut next = || to_f64(noisy.next().unwrap_or(0));
        let mut estimate = next();
        each(0, estimate);
        for (waiting, level) in self.waiting.iter().take(last).zip(1..) {
            let own = share(level);
            estimate = own * next() + (1.0 - own) * (*waiting + estimate);
            each(level, estimate);
        }
        if let Some(waiting) = self.waiting.get_mut(last) {
            *waiting = estimate;
        }
    }
}

/// A tree that a stream runs through: sums, noise, estimates.
pub(super) struct Nodes {
    stream: Stream,
    noise: Arc<Noise>,
    levels: u32,
    pub(super) guarantee: Guarantee,
    spread: Spread,
    sums: Sums,
    estimates: FromBelow,
}

impl Nodes {
    pub(super) fn new(levels: &Levels, guarantee: Guarantee) -> Result<Self, MechanismError> {
        let count = usize::try_from(levels.levels).unwrap_or(0);
        Ok(Self {
            stream: levels.stream,
            noise: Arc::clone(&levels.noise),
            levels: levels.levels,
            guarantee,
            spread: Spread::of(levels.noise.law(), levels.noise.grid())?,
            sums: Sums::new(count),
            estimates: FromBelow::new(count),
        })
    }

    /// How many steps were taken.
    pub(super) const fn steps(&self) -> u64 {
        self.estimates.steps
    }

    /// Takes steps and reads an estimate after each.
    pub(super) fn advance(
        &mut self,
        values: &[i64],
        readout: &mut impl Readout,
        run: &mut Run<'_>,
    ) -> Result<Vec<Estimate>, MechanismError> {
        let mut estimates = Vec::with_capacity(values.len());
        let mut nodes = Vec::with_capacity(2 * values.len().min(BATCH));
        for batch in values.chunks(BATCH) {
            nodes.clear();
            for value in batch {
                self.sums.push(self.stream.clamp(*value), &mut nodes);
            }
            self.noise.add_repeated(&mut nodes, self.levels, run)?;
            let mut noisy = nodes.iter().copied();
            for _ in batch {
                self.estimates.push(&mut noisy, |level, node| readout.complete(level, node));
                let (value, weight) = readout.sum(self.steps(), &self.estimates.waiting);
                estimates.push(Estimate::new(self.steps(), value, weight, self.spread));
            }
        }
        Ok(estimates)
    }
}

/// A sum of estimates of disjoint nodes.
pub(super) trait Readout {
    /// A node of a level is complete, and estimated.
    fn complete(&mut self, level: usize, estimate: f64);

    /// The sum after so many steps and its variance, in units of that of the noise. Of the nodes that
    /// wait, that of level l is in use if bit l of the number of steps is set.
    fn sum(&self, steps: u64, waiting: &[f64]) -> (f64, f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All nodes that a stream completes, in order.
    fn nodes(stream: &[i64], levels: usize) -> Vec<i64> {
        let (mut sums, mut complete) = (Sums::new(levels), Vec::new());
        for value in stream {
            sums.push(*value, &mut complete);
        }
        complete
    }

    fn levels_for(horizon: usize) -> usize {
        usize::try_from(horizon.ilog2() + 1).unwrap()
    }

    #[test]
    fn one_step_moves_one_node_per_level_by_as_much() {
        for horizon in 1..=33 {
            let stream: Vec<i64> = (0..).take(horizon).map(|t| t * t % 7).collect();
            let levels = levels_for(horizon);
            let before = nodes(&stream, levels);
            for place in 0..horizon {
                let mut moved = stream.clone();
                moved[place] += 5;
                let after = nodes(&moved, levels);
                let changes: Vec<i64> =
                    before.iter().zip(&after).map(|(a, b)| b - a).filter(|d| *d != 0).collect();
                assert!(changes.len() <= levels && changes.iter().all(|d| *d == 5));
            }
        }
    }

    #[test]
    fn a_tree_with_a_top_never_has_larger_nodes() {
        let long = vec![1; 1000];
        assert_eq!(nodes(&long, 3).into_iter().max(), Some(4));
        let mut moved = long.clone();
        moved[517] = 0;
        let (before, after) = (nodes(&long, 3), nodes(&moved, 3));
        assert_eq!(before.iter().zip(&after).filter(|(a, b)| a != b).count(), 3);
    }

    /// The prefix estimates of noisy nodes.
    fn prefixes(noisy: &[i64], horizon: usize, levels: usize) -> Vec<(f64, f64)> {
        let mut estimates = FromBelow::new(levels);
        let mut noisy = noisy.iter().copied();
        (0..horizon)
            .map(|_| {
                estimates.push(&mut noisy, |_, _| {});
                let bits = (0..levels).filter(|level| estimates.steps >> level & 1 == 1);
                let sum = |f: &dyn Fn(usize) -> f64| bits.clone().map(f).sum();
                (sum(&|level| estimates.waiting[level]), sum(&share))
            })
            .collect()
    }

    #[test]
    fn without_noise_estimates_are_exact() {
        let stream: Vec<i64> = (1..=37).map(|t| t * 31 % 11 - 3).collect();
        let complete = nodes(&stream, 6);
        let mut sum = 0;
        for (value, (estimate, _)) in stream.iter().zip(prefixes(&complete, 37, 6)) {
            sum += value;
            assert!((estimate - to_f64(sum)).abs() < 1e-9);
        }
    }

    /// The whole covariance: the response to each single noise.
    #[test]
    fn the_stated_variance_is_the_sum_of_the_squared_weights() {
        let (horizon, levels) = (21, 5);
        let count = nodes(&vec![0; horizon], levels).len();
        let mut squares = vec![0.0; horizon];
        for place in 0..count {
            let mut noise = vec![0; count];
            noise[place] = 1;
            for (square, (weight, _)) in squares.iter_mut().zip(prefixes(&noise, horizon, levels)) {
                *square += weight * weight;
                assert!(weight.abs() <= 1.0);
            }
        }
        let stated = prefixes(&vec![0; count], horizon, levels);
        for (square, (_, stated)) in squares.iter().zip(stated) {
            assert!((square - stated).abs() < 1e-12, "{square} {stated}");
        }
        // Better than a plain sum of nodes, whose variance is the number of bits.
        assert!(squares[14] < 2.8 && 15_u32.count_ones() == 4);
    }
}
