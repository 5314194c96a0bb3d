//! Minima of penalised losses, certified.
//!
//! The objective is J(θ) = Σ loss(x'θ) + Λ/2 |θ|² + b·θ over records with |x| <= 1. Output and objective
//! perturbation are proved for its exact minimum, which no computer has; what they need in truth is a point
//! at which the norm of ∇J is at most γ, and *that* is proved here for the point that is returned, with
//! all rounding counted. How the point was found does not matter for the proof.
//!
//! # That there always is one
//! With B = β X'X + Λ, β the largest curvature of the loss, J lies below its expansion with B, so
//! each step θ - B⁻¹∇J(θ) lowers J by at least ∇J'B⁻¹∇J/2, and J - min J shrinks by a factor of
//! 1 - Λ/|B| or more. So ∇J comes as near to 0 as rounding lets it, about 10^-13 per record.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Solve;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use throng_mechanism::MechanismError;
use throng_numeric::{Enclosure, NumericError};

use super::loss::Loss;
use super::rows;
use crate::Matrix;
use crate::math::count;

/// γ: the largest norm of the gradient at the point returned.
pub(crate) const GAMMA: f64 = 1.0 / 8192.0;

/// Steps with momentum, then steps without, of which few are ever needed.
const FAST: u32 = 3000;
const ALL: u32 = 100_000;

/// Records summed at a time.
const BLOCK: usize = 4096;

/// A penalised loss of records.
pub(crate) struct Objective<'a> {
    pub(crate) loss: Loss,
    /// Rows of integers.
    pub(crate) table: &'a Matrix<f64>,
    pub(crate) labels: &'a [usize],
    /// Their largest norm: a row divided by it is x.
    pub(crate) most: f64,
    /// Λ.
    pub(crate) penalty: f64,
    /// b, as θ: a row for each column of the table, a column for each score.
    pub(crate) tilt: Vec<f64>,
}

impl Objective<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.table.columns(), self.loss.outputs())
    }

    /// A point where the norm of the gradient is at most [`GAMMA`].
    ///
    /// # Errors
    /// If none is found, which the proof above excludes for all tables that fit into a memory.
    pub(crate) fn minimum(&self) -> Result<Vec<f64>, MechanismError> {
        let (p, k) = self.shape();
        let bound = self.bound();
        let Ok(factor) = bound.llt(Side::Lower) else { return Err(uncertified()) };
        let mut place = vec![0.0; p * k];
        let mut ahead = place.clone();
        let mut age = 0.0;
        for step in 0..ALL {
            let gradient = self.gradient(&ahead);
            let near = rows::square(&gradient).sqrt() <= 0.5 * GAMMA;
            if near && self.gradient_norm(&ahead)? <= GAMMA {
                return Ok(ahead);
            }
            let mut change = Mat::from_fn(p, k, |i, j| at(&gradient, i * k + j));
            factor.solve_in_place(&mut change);
            let next: Vec<f64> =
                ahead.iter().enumerate().map(|(i, x)| x - change[(i / k, i % k)]).collect();
            // Momentum starts again where it points uphill.
            let moved = next.iter().zip(&place).map(|(a, b)| a - b);
            let uphill: f64 = moved.zip(&gradient).map(|(d, g)| d * g).sum();
            age = if uphill > 0.0 || step >= FAST { 0.0 } else { age + 1.0 };
            let keep = age / (age + 3.0);
            ahead = next.iter().zip(&place).map(|(a, b)| a + keep * (a - b)).collect();
            place = next;
        }
        Err(uncertified())
    }

    /// B = β X'X + Λ.
    fn bound(&self) -> Mat<f64> {
        let p = self.table.columns();
        let mut found = Mat::<f64>::identity(p, p) * faer::Scale(self.penalty);
        let scale = self.loss.curvature() / (self.most * self.most);
        let table = self.table.view();
        matmul(&mut found, Accum::Add, table.transpose(), table, scale, Par::Seq);
        found
    }

    /// Scores times `most` of some rows.
    fn scores(&self, place: &[f64], start: usize, rows: usize) -> Vec<f64> {
        let (p, k) = self.shape();
        let mut cells = vec![0.0; rows * k];
        let out = MatMut::from_row_major_slice_mut(&mut cells, rows, k);
        let place = MatRef::from_row_major_slice(place, p, k);
        let table = self.table.view().subrows(start, rows);
        matmul(out, Accum::Replace, table, place, 1.0, Par::Seq);
        cells
    }

    /// Adds the products of rows and slopes.
    fn collect(&self, sums: &mut [f64], slopes: &[f64], start: usize, rows: usize) {
        let (p, k) = self.shape();
        let slopes = MatRef::from_row_major_slice(slopes, rows, k);
        let out = MatMut::from_row_major_slice_mut(sums, p, k);
        let table = self.table.view().subrows(start, rows);
        matmul(out, Accum::Add, table.transpose(), slopes, 1.0, Par::Seq);
    }

    fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let all = self.table.rows();
        (0..all).step_by(BLOCK).map(move |start| (start, BLOCK.min(all - start)))
    }

    /// The gradient, as ordinary numbers.
    fn gradient(&self, place: &[f64]) -> Vec<f64> {
        let k = self.loss.outputs();
        let mut sums = vec![0.0; place.len()];
        for (start, rows) in self.blocks() {
            let mut cells = self.scores(place, start, rows);
            let labels = self.labels.iter().skip(start);
            for (scores, label) in cells.chunks_mut(k).zip(labels) {
                for score in scores.iter_mut() {
                    *score /= self.most;
                }
                self.loss.slopes(scores, *label);
            }
            self.collect(&mut sums, &cells, start, rows);
        }
        let rest = place.iter().zip(&self.tilt);
        sums.iter().zip(rest).map(|(s, (w, b))| s / self.most + self.penalty * w + b).collect()
    }

    /// The norm of the gradient, rounded up with everything that rounding may hide.
    ///
    /// # Guarantee
    /// With u = 2^-53, N the norm of rows, p columns:
    /// * a score times N is a sum of p products, off by at most 1.01 p u N |θ_c|, whatever the order and
    ///   with or without fused operations; slopes are computed with intervals from there;
    /// * the sum over records of the middles m of these intervals times rows adds at most K = 4096 +
    ///   (number of blocks) + 1 numbers one after another, so its error, as a matrix, has a norm of at most
    ///   1.01 K u Σ |m_i| N;
    /// * the middles are off by at most the widths w of the intervals: Σ |w_i| N.
    ///
    /// The rest (division by N, penalty, tilt, norm) is done with intervals. The sums of norms are
    /// ordinary sums of positive numbers, off by less than a factor of 1.001 below 2^40 records.
    fn gradient_norm(&self, place: &[f64]) -> Result<f64, NumericError> {
        let (p, k) = self.shape();
        let unit = f64::EPSILON / 2.0;
        let most = Enclosure::point(self.most)?;
        let mut sums = vec![0.0; place.len()];
        let (mut middles, mut widths, mut blocks) = (0.0, 0.0, 0_usize);
        let lengths: Vec<f64> = (0..k)
            .map(|c| place.iter().skip(c).step_by(k).map(|x| x * x).sum::<f64>().sqrt())
            .collect();
        for (start, rows) in self.blocks() {
            let mut cells = self.scores(place, start, rows);
            let labels = self.labels.iter().skip(start);
            for (scores, label) in cells.chunks_mut(k).zip(labels) {
                let mut held = Vec::with_capacity(k);
                for (score, length) in scores.iter().zip(&lengths) {
                    let off = 1.02 * count(p) * unit * self.most * length;
                    let score = Enclosure::new((score - off).next_down(), (score + off).next_up())?;
                    held.push(score / most);
                }
                self.loss.enclosed(&mut held, *label)?;
                let mut width = 0.0;
                for (cell, held) in scores.iter_mut().zip(&held) {
                    *cell = held.lower() + held.width() / 2.0;
                    width += held.width() * held.width();
                }
                widths += width.sqrt();
                middles += rows::square(scores).sqrt();
            }
            self.collect(&mut sums, &cells, start, rows);
            blocks += 1;
        }
        let mut square = Enclosure::ZERO;
        let penalty = Enclosure::point(self.penalty)?;
        for (sum, (w, b)) in sums.iter().zip(place.iter().zip(&self.tilt)) {
            let all = Enclosure::point(*sum)? / most
                + penalty * Enclosure::point(*w)?
                + Enclosure::point(*b)?;
            square = square + all.square();
        }
        let added = count(BLOCK + blocks + 1);
        let hidden = 1.001 * (1.02 * added * unit * middles + widths);
        Ok((square.sqrt()?.upper() + hidden).next_up())
    }
}

fn at(values: &[f64], place: usize) -> f64 {
    values.get(place).copied().unwrap_or(0.0)
}

fn uncertified() -> MechanismError {
    MechanismError::Refused {
        what: "no minimum could be certified".to_owned(),
        hint: "use the method `gradient`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(loss: Loss, penalty: f64, rows: usize) -> (Matrix<f64>, Vec<usize>, f64, Loss, f64) {
        let value = |i: usize| crate::math::number(i64::try_from(i * 7919 % 4001).unwrap() - 2000);
        let table = Matrix::new(rows, 3, (0..rows * 3).map(value).collect()).unwrap();
        let labels = (0..rows).map(|i| i * 31 % 7 % loss.outputs().max(2)).collect();
        (table, labels, 3465.0, loss, penalty)
    }

    #[test]
    fn minima_are_certified_for_hostile_tables() {
        for loss in [
            Loss::Logistic { classes: 2 },
            Loss::Logistic { classes: 3 },
            Loss::Hinge { classes: 2, width: 0.1 },
            Loss::Hinge { classes: 3, width: 0.5 },
        ] {
            for (penalty, rows) in [(0.01, 300), (1.0, 1), (50.0, 0), (3.0, 5000)] {
                let (table, labels, most, loss, penalty) = example(loss, penalty, rows);
                let cells = 3 * loss.outputs();
                let tilt: Vec<f64> = (0..cells).map(|i| 0.5 * count(i) - 1.0).collect();
                let objective =
                    Objective { loss, table: &table, labels: &labels, most, penalty, tilt };
                let found = objective.minimum().unwrap();
                assert!(objective.gradient_norm(&found).unwrap() <= GAMMA);
                // The certificate is not vacuous: elsewhere it says how large the gradient is.
                let far: Vec<f64> = found.iter().map(|x| x + 1.0).collect();
                let plain = rows::square(&objective.gradient(&far)).sqrt();
                let proved = objective.gradient_norm(&far).unwrap();
                assert!(proved >= plain * (1.0 - 1e-12) && proved <= plain + 1e-6);
            }
        }
    }

    #[test]
    fn one_record_more_moves_the_minimum_by_the_steepness_over_the_penalty() {
        for loss in [Loss::Logistic { classes: 2 }, Loss::Logistic { classes: 4 }] {
            let (table, labels, most, loss, penalty) = example(loss, 0.5, 9);
            let tilt = vec![0.0; 3 * loss.outputs()];
            let minimum = |rows: usize| {
                let table = table.select(&(0..rows).collect::<Vec<_>>());
                let labels = &labels[..rows];
                let tilt = tilt.clone();
                Objective { loss, table: &table, labels, most, penalty, tilt }.minimum().unwrap()
            };
            for rows in 1..=9 {
                let (a, b) = (minimum(rows), minimum(rows - 1));
                let gap: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
                let steep = crate::math::number(i64::try_from(loss.steepness()).unwrap()).sqrt();
                assert!(gap.sqrt() <= (steep + 2.0 * GAMMA) / penalty);
                assert!(gap.sqrt() > 0.0);
            }
        }
    }
}
