//! Minima of penalised losses, certified.
//!
//! The objective is J(θ) = Σ loss(x'θ) + Λ/2 |θ|² + b·θ over records with |x| <= 1. Output and objective
//! perturbation are proved for its exact minimum, which no computer has; what they need in truth is a point
//! within γ/Λ of it. J is Λ-strongly convex, so a point where the norm of ∇J is at most γ is one; and
//! *that* is proved here for the point that is returned, with all rounding counted. How the point
//! was found does not matter for the proof.
//!
//! # That there always is one
//! Newton's method with a search along the line finds it in ten or twenty steps ([`super::newton`]).
//! Should it ever not, steps of length |g|/(2M) from 0 do, where M = βn + Λ bounds the curvature: while
//! |g| > γ/2 for the computed gradient g, which is off by γ/4 at most ([`Tolerance`]), the exact one
//! along g is at least |g|²/2, so such a step lowers J by |g|²/(8M) at least, of which moving to the grid,
//! by no more than γ/(64M), leaves a quarter. J is at least -|b|²/(2Λ), so after a finite number of steps
//! |g| <= γ/2, and the certificate holds. The loop has no other end: a fit never fails by what is in
//! the table.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use throng_mechanism::MechanismError;
use throng_numeric::{Enclosure, NumericError};

use super::loss::Loss;
use super::newton::Newton;
use super::rows;
use super::tolerance::{BLOCK, Point, Tolerance, UNIT};
use crate::Matrix;
use crate::error::unless_given_up;
use crate::math::count;

/// Steps by Newton's method, of which few are ever needed.
const NEWTON: u32 = 300;

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
    pub(crate) tolerance: Tolerance,
}

impl Objective<'_> {
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.table.columns(), self.loss.outputs())
    }

    /// A point no further than γ/Λ from the minimum.
    ///
    /// # Errors
    /// If whoever waits gives up; else never for a table of numbers: see the module.
    pub(crate) fn minimum(&self) -> Result<Vec<f64>, MechanismError> {
        let mut newton = Newton::new(self);
        let mut point = Point::origin(self.tilt.len());
        for _ in 0..NEWTON {
            unless_given_up()?;
            let gradient = self.gradient(&point);
            if self.is_near(&gradient) && self.certified(&point)?.bound <= self.tolerance.gamma {
                return Ok(point.weights());
            }
            let Some(next) = newton.step(&point, &gradient) else { break };
            point = next;
        }
        self.descended()
    }

    /// The same by steps that are proved to get there.
    fn descended(&self) -> Result<Vec<f64>, MechanismError> {
        let most = self.loss.curvature() * count(self.table.rows()) + self.penalty;
        let mut point = Point::origin(self.tilt.len());
        loop {
            unless_given_up()?;
            let found = self.certified(&point)?;
            if self.is_near(&found.gradient) && found.bound <= self.tolerance.gamma {
                return Ok(point.weights());
            }
            point = point.moved(&found.gradient, -0.5 / most, &self.tolerance);
        }
    }

    fn is_near(&self, gradient: &[f64]) -> bool {
        rows::square(gradient).sqrt() <= 0.5 * self.tolerance.gamma
    }

    /// Products of some rows with one part of a point.
    fn products(&self, part: &[f64], start: usize, rows: usize) -> Vec<f64> {
        let (p, k) = self.shape();
        let mut cells = vec![0.0; rows * k];
        let out = MatMut::from_row_major_slice_mut(&mut cells, rows, k);
        let part = MatRef::from_row_major_slice(part, p, k);
        let table = self.table.view().subrows(start, rows);
        matmul(out, Accum::Replace, table, part, 1.0, Par::Seq);
        cells
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let all = self.table.rows();
        (0..all).step_by(BLOCK).map(move |start| (start, BLOCK.min(all - start)))
    }

    /// The sum over records of rows times slopes.
    ///
    /// `slopes` gets both parts of the scores of a record, times N, and its label, and puts the slopes into
    /// the first. Sums of blocks are added exactly, as multiples of [`TINY`].
    fn sums<E>(
        &self,
        point: &Point,
        mut slopes: impl FnMut(&mut [f64], &mut [f64], usize) -> Result<(), E>,
    ) -> Result<Vec<f64>, E> {
        let (p, k) = self.shape();
        let mut totals = vec![0_i128; p * k];
        let mut sums = vec![0.0; p * k];
        for (start, rows) in self.blocks() {
            let mut high = self.products(&point.high, start, rows);
            let mut low = self.products(&point.low, start, rows);
            let labels = self.labels.iter().skip(start);
            for ((high, low), label) in high.chunks_mut(k).zip(low.chunks_mut(k)).zip(labels) {
                slopes(high, low, *label)?;
            }
            let slopes = MatRef::from_row_major_slice(&high, rows, k);
            let out = MatMut::from_row_major_slice_mut(&mut sums, p, k);
            let table = self.table.view().subrows(start, rows);
            matmul(out, Accum::Replace, table.transpose(), slopes, 1.0, Par::Seq);
            totals.iter_mut().zip(&sums).for_each(|(total, sum)| *total += fixed(*sum));
        }
        Ok(totals.into_iter().map(float).collect())
    }

    /// The gradient, as ordinary numbers.
    fn gradient(&self, point: &Point) -> Vec<f64> {
        let sums = self.sums(point, |high, low, label| {
            for (high, low) in high.iter_mut().zip(low) {
                *high = (*high + *low) / self.most;
            }
            self.loss.slopes(high, label);
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(sums) = sums;
        let weights = point.weights();
        let rest = weights.iter().zip(&self.tilt);
        sums.iter().zip(rest).map(|(s, (w, b))| s / self.most + self.penalty * w + b).collect()
    }

    /// The gradient, with everything that rounding may hide.
    ///
    /// # Guarantee
    /// With u = 2^-53 and N the norm of rows:
    /// * scores times N are exact in two parts ([`Point::is_exact`]; if not, the bound is infinite); so
    ///   are differences of such parts; slopes are computed with intervals from there;
    /// * the middles m of these intervals times rows are summed in blocks, each entry one after another in
    ///   some order, so the error of a block, as a matrix, has a norm of at most 1.01 · 128 u Σ |m_i| N;
    ///   sums of blocks are cut to multiples of 2^-60, then added exactly and rounded once;
    /// * the middles are off by at most the widths w of the intervals: Σ |w_i| N.
    ///
    /// The rest (division by N, penalty, tilt, norm) is done with intervals. The sums of norms are
    /// ordinary sums of positive numbers, off by less than a factor of 1.001 below 2^40 records. What is
    /// returned has each weight rounded to one number, u of its size away: Λ u |θ|.
    fn certified(&self, point: &Point) -> Result<Certified, NumericError> {
        let most = Enclosure::point(self.most)?;
        let (mut middles, mut widths) = (0.0, 0.0);
        let mut held = Vec::with_capacity(self.loss.outputs());
        let sums = self.sums(point, |high, low, label| {
            self.loss.shift(high, low);
            held.clear();
            for (high, low) in high.iter().zip(low) {
                held.push((Enclosure::point(*high)? + Enclosure::point(*low)?) / most);
            }
            self.loss.enclosed(&mut held, label)?;
            let mut width = 0.0;
            for (cell, held) in high.iter_mut().zip(&held) {
                *cell = held.lower() + held.width() / 2.0;
                width += held.width() * held.width();
            }
            widths += width.sqrt();
            middles += rows::square(high).sqrt();
            Ok::<(), NumericError>(())
        })?;
        let mut square = Enclosure::ZERO;
        let penalty = Enclosure::point(self.penalty)?;
        let mut gradient = Vec::with_capacity(sums.len());
        let weights = point.high.iter().zip(&point.low);
        for (sum, ((high, low), b)) in sums.iter().zip(weights.zip(&self.tilt)) {
            let weight = Enclosure::point(*high)? + Enclosure::point(*low)?;
            let all = Enclosure::point(*sum)? / most + penalty * weight + Enclosure::point(*b)?;
            gradient.push(all.lower() + all.width() / 2.0);
            square = square + all.square();
        }
        let cut = count(self.table.rows().div_ceil(BLOCK)) * count(sums.len()).sqrt() * TINY;
        let summed = 1.02 * (count(BLOCK) + 2.0) * UNIT * middles;
        let length = rows::square(&point.weights()).sqrt();
        let hidden = 1.001 * (summed + widths + cut + self.penalty * UNIT * length);
        let exact = point.is_exact(self.loss.outputs(), self.most, &self.tolerance);
        let bound = (square.sqrt()?.upper() + hidden).next_up();
        Ok(Certified { gradient, bound: if exact { bound } else { f64::INFINITY } })
    }
}

/// What is known about a point.
struct Certified {
    gradient: Vec<f64>,
    /// Λ times how far what is returned may be from the minimum.
    bound: f64,
}

/// Sums of blocks are multiples of it, 2^-60.
const TINY: f64 = 1.0 / 1_152_921_504_606_846_976.0;

/// A number in units of [`TINY`], cut; it is far below 2^67, so it fits.
#[expect(clippy::cast_possible_truncation, reason = "cutting is meant")]
const fn fixed(x: f64) -> i128 {
    (x / TINY) as i128
}

/// And back, rounded to nearest.
#[expect(clippy::cast_precision_loss, reason = "rounding is meant")]
const fn float(x: i128) -> f64 {
    x as f64 * TINY
}

#[cfg(test)]
mod tests;
