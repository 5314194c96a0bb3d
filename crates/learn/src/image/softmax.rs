//! The gradient of a linear softmax, record by record on integers, summed exactly.

use std::ops::Range;

use faer::{Accum, MatMut, MatRef, Par};
use throng_mechanism::MechanismError;

use super::whitening::CLAMP;
use crate::alike;
use crate::correlated::Gradients;
use crate::math::{count, nearest, number, single, softmax};
use crate::parallel::over_rows;

/// Residuals are multiples of 2^-11.
pub(super) const RESIDUALS: f64 = 2048.0;

/// Rows of a block: 64 products of at most 127 · 2048 stay below 2^24, so single precision is exact.
const BLOCK: usize = 64;
const _: () = assert!(CLAMP <= 127 && CONSTANT <= CLAMP && RESIDUALS <= 2048.0 && BLOCK <= 64);

/// The feature that is the same for all.
pub(super) const CONSTANT: i16 = 100;

/// Records with a label that is declared, as integers within ±127, and how long a contribution may be.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) steps: &'a [i16],
    pub(super) labels: &'a [usize],
    /// The squared norm of each record, with its constant.
    pub(super) squares: &'a [i64],
    pub(super) features: usize,
    pub(super) classes: usize,
    /// The norm of a contribution, in steps of features times steps of residuals.
    pub(super) reach: u64,
    /// What a feature of one step counts.
    pub(super) unit: f64,
}

impl Rows<'_> {
    const fn width(&self) -> usize {
        self.features + 1
    }

    /// The residual as integers r, with |x| |r| <= reach for the record's features x.
    ///
    /// # Guarantee
    /// A contribution is x r', of norm |x| |r|. It is checked, in integers, that its square is at most reach²
    /// and that no |r_j| exceeds 2048; a residual that fails is all 0. None does: before rounding, which moves r by
    /// at most √k/2, it was made no longer than reach/|x| - √k/2.
    fn clipped(&self, residual: &mut [f64], square: i64) {
        let norm = number(square).sqrt().max(1.0);
        let slack = count(residual.len()).sqrt() / 2.0;
        let most = (reach_f64(self.reach) * (1.0 - 1e-12) / norm - slack).max(0.0);
        let length = RESIDUALS * residual.iter().map(|r| r * r).sum::<f64>().sqrt();
        let factor = if length > most { RESIDUALS * most / length } else { RESIDUALS };
        residual.iter_mut().for_each(|r| *r = (*r * factor).round_ties_even());
        let steps = residual.iter().map(|r| i128::from(nearest(*r)));
        let within = residual.iter().all(|r| r.abs() <= RESIDUALS)
            && steps.map(|r| r * r).sum::<i128>() * i128::from(square)
                <= i128::from(self.reach) * i128::from(self.reach);
        if !within {
            residual.fill(0.0);
        }
    }

    /// Probabilities minus the label.
    fn residual(&self, scores: &[f32], label: usize, residual: &mut [f64]) {
        for (r, score) in residual.iter_mut().zip(scores) {
            *r = f64::from(*score);
        }
        softmax(residual);
        if let Some(right) = residual.get_mut(label) {
            *right -= 1.0;
        }
    }

    fn read(&self, records: &[usize], block: &mut [f32]) {
        for (row, record) in block.chunks_mut(self.width()).zip(records) {
            let steps = self.steps.get(record * self.features..(record + 1) * self.features);
            for (x, steps) in row.iter_mut().zip(steps.unwrap_or(&[])) {
                *x = f32::from(*steps);
            }
            if let Some(last) = row.last_mut() {
                *last = f32::from(CONSTANT);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "only what is checked again in integers")]
const fn reach_f64(reach: u64) -> f64 {
    reach as f64
}

/// The scores of a block, which always has [`BLOCK`] rows: see [`crate::alike`].
fn scored(x: MatRef<'_, f32>, weights: MatRef<'_, f32>, scores: &mut [f32]) {
    let out = MatMut::from_row_major_slice_mut(scores, BLOCK, weights.ncols());
    faer::linalg::matmul::matmul(out, Accum::Replace, x, weights, 1.0, Par::Seq);
}

/// Makes sure that this machine gives a row the same scores wherever it is.
pub(super) fn check_machine(features: usize, classes: usize) -> Result<(), MechanismError> {
    let width = features + 1;
    let weights: Vec<f32> =
        (0..width * classes).map(|at| f32::from(alike::made_up(at, 7)) / 123_457.0).collect();
    let weights = MatRef::from_column_major_slice(&weights, width, classes);
    alike::check(BLOCK, width, classes, |table, scores| {
        scored(MatRef::from_row_major_slice(table, BLOCK, width), weights, scores);
    })
}

impl Gradients for Rows<'_> {
    /// Class by class, features and constant.
    fn weights(&self) -> usize {
        self.width() * self.classes
    }

    fn records(&self) -> usize {
        self.labels.len()
    }

    /// Parts of the records on threads of their own: sums of integers do not show who added what.
    fn clipped_sum(&self, weights: &[f64], records: &[usize]) -> Vec<i64> {
        let weights: Vec<f32> = weights.iter().map(|w| single(w * self.unit)).collect();
        let part = |range: Range<usize>| self.part(&weights, records.get(range).unwrap_or(&[]));
        let parts = over_rows(records.len(), 4 * weights.len(), part);
        let mut totals = vec![0_i64; weights.len()];
        for part in parts {
            let both = totals.iter_mut().zip(part);
            both.for_each(|(total, sum)| *total = total.saturating_add(sum));
        }
        totals
    }
}

impl Rows<'_> {
    /// The sum over some records.
    fn part(&self, weights: &[f32], records: &[usize]) -> Vec<i64> {
        let (width, classes) = (self.width(), self.classes);
        let weights = MatRef::from_column_major_slice(weights, width, classes);
        let mut totals = vec![0_i64; width * classes];
        let mut block = vec![0.0_f32; BLOCK * width];
        let mut scores = vec![0.0_f32; BLOCK * classes];
        let mut sums = vec![0.0_f32; width * classes];
        let mut residual = vec![0.0; classes];
        for records in records.chunks(BLOCK) {
            block[records.len() * width..].fill(0.0);
            self.read(records, &mut block);
            let x = MatRef::from_row_major_slice(&block, BLOCK, width);
            scored(x, weights, &mut scores);
            for (scores, record) in scores.chunks_mut(classes).zip(records) {
                let label = self.labels.get(*record).copied().unwrap_or(usize::MAX);
                self.residual(scores, label, &mut residual);
                self.clipped(&mut residual, self.squares.get(*record).copied().unwrap_or(i64::MAX));
                scores.iter_mut().zip(&residual).for_each(|(score, r)| *score = single(*r));
            }
            scores[records.len() * classes..].fill(0.0);
            let r = MatRef::from_row_major_slice(&scores, BLOCK, classes);
            let out = MatMut::from_column_major_slice_mut(&mut sums, width, classes);
            faer::linalg::matmul::matmul(out, Accum::Replace, x.transpose(), r, 1.0, Par::Seq);
            for (total, sum) in totals.iter_mut().zip(&sums) {
                *total = total.saturating_add(nearest(f64::from(*sum)));
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::record::square;

    fn numbers(count: usize, turn: usize, most: usize) -> Vec<i16> {
        let number = |k: usize| (k * k * 131 + turn * k * 17 + k) % (2 * most + 1);
        (0..count)
            .map(|k| i16::try_from(number(k)).unwrap() - i16::try_from(most).unwrap())
            .collect()
    }

    #[test]
    fn one_record_moves_the_sum_by_no_more_than_the_reach() {
        let (features, classes, records) = (11, 3, 150);
        for (turn, reach) in [(1, 40_000), (2, 400_000), (3, 1), (4, 900), (5, 100_000_000)] {
            let steps = numbers(features * records, turn, 127);
            let constant = i64::from(CONSTANT) * i64::from(CONSTANT);
            let squares: Vec<i64> = steps.chunks(features).map(|x| square(x) + constant).collect();
            let labels: Vec<usize> = (0..records).map(|k| k * turn % classes).collect();
            let rows = Rows {
                steps: &steps,
                labels: &labels,
                squares: &squares,
                features,
                classes,
                reach,
                unit: 0.01,
            };
            let weights: Vec<f64> =
                numbers(rows.weights(), turn + 7, 90).into_iter().map(f64::from).collect();
            for weights in [weights, vec![f64::NAN; rows.weights()], vec![1e300; rows.weights()]] {
                let all: Vec<usize> = (0..records).collect();
                let total = rows.clipped_sum(&weights, &all);
                for left_out in [0, 63, 64, 149] {
                    let others: Vec<usize> =
                        all.iter().copied().filter(|k| *k != left_out).collect();
                    let sum = rows.clipped_sum(&weights, &others);
                    let distance: i128 =
                        total.iter().zip(&sum).map(|(a, b)| i128::from(a - b).pow(2)).sum();
                    assert!(distance <= i128::from(reach).pow(2), "{distance} {reach}");
                    // The sum of the parts, exactly.
                    let one = rows.clipped_sum(&weights, &[left_out]);
                    assert!(total.iter().zip(&sum).zip(&one).all(|((a, b), c)| a - b == *c));
                }
            }
            assert!(rows.clipped_sum(&vec![0.0; rows.weights()], &[]).iter().all(|x| *x == 0));
        }
    }

    #[test]
    fn contributions_that_are_short_enough_are_gradients() {
        let steps = numbers(4, 2, 50);
        let squares = [square(&steps) + 10_000];
        let rows = Rows {
            steps: &steps,
            labels: &[1],
            squares: &squares,
            features: 4,
            classes: 2,
            reach: 1 << 30,
            unit: 1.0,
        };
        let sum = rows.clipped_sum(&[0.0; 10], &[0]);
        // Both classes are as likely: residuals are 1/2 and -1/2.
        let expected = steps.iter().chain([&CONSTANT]).map(|x| i64::from(*x) * 1024);
        let expected: Vec<i64> = expected.clone().chain(expected.map(|x| -x)).collect();
        assert_eq!(sum, expected);
    }
}
