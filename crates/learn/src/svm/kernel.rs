//! Random features in the place of a kernel.

use faer::{Accum, MatMut, MatRef, Par};
use serde::{Deserialize, Serialize};
use throng_mechanism::MechanismError;
use throng_sample::Entropy;

use crate::draws::Draws;
use crate::error::positive;
use crate::math::{cos, ln};
use crate::{Bounds, LearnError, Matrix, alike};

/// The Gaussian kernel e^(-|x - y|²/(2 scale²)), where features run from -1 to 1.
///
/// # Reference
/// A. Rahimi, B. Recht, "Random features for large-scale kernel machines" (2007).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kernel {
    /// How far records see each other.
    pub scale: f64,
    /// How many random features stand for the kernel.
    pub features: u32,
}

impl Default for Kernel {
    fn default() -> Self {
        Self { scale: 1.0, features: 200 }
    }
}

/// cos(direction · x + phase) for random directions and phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Features {
    bounds: Bounds,
    /// One row for each.
    directions: Matrix<f64>,
    phases: Vec<f64>,
}

impl Kernel {
    /// The bounds of its features.
    pub(super) fn bounds(&self) -> Result<Bounds, LearnError> {
        positive("the scale of the kernel", self.scale)?;
        if !(1e-6..=1e6).contains(&self.scale) {
            let allowed = "from 1e-6 to 1e6";
            return Err(LearnError::invalid("the scale of the kernel", self.scale, allowed));
        }
        if !(1..=10_000).contains(&self.features) {
            let allowed = "from 1 to 10000";
            return Err(LearnError::invalid("the number of features", self.features, allowed));
        }
        Bounds::same(usize::try_from(self.features).unwrap_or(1), -1.0, 1.0)
    }

    /// Draws features, without a look at any data. No guarantee rests on their law.
    pub(super) fn draw(
        &self,
        bounds: &Bounds,
        entropy: &mut dyn Entropy,
    ) -> Result<Features, MechanismError> {
        let count = usize::try_from(self.features).unwrap_or(1);
        let mut draws = Draws::new(entropy);
        let mut directions = Matrix::filled(count, bounds.columns(), 0.0);
        for cell in directions.values_mut() {
            let (a, b) = (draws.fraction()?, draws.fraction()?);
            // 1 - a is above 0.
            *cell = (-2.0 * ln(1.0 - a)).sqrt() * cos(std::f64::consts::TAU * b) / self.scale;
        }
        let mut phases = Vec::with_capacity(count);
        for _ in 0..count {
            phases.push(std::f64::consts::TAU * draws.fraction()?);
        }
        Ok(Features { bounds: bounds.clone(), directions, phases })
    }
}

impl Features {
    /// How many columns a row must have.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.bounds.columns()
    }

    /// Makes sure that this machine gives a row the same features wherever it is.
    pub(super) fn check_machine(&self) -> Result<(), MechanismError> {
        check_machine(self.bounds.columns(), self.phases.len())
    }

    /// The features of each row, in [-1, 1].
    #[must_use]
    pub fn of(&self, rows: &Matrix<f64>) -> Matrix<f64> {
        let mut scaled = rows.clone();
        for place in 0..scaled.rows() {
            let cells = scaled.row_mut(place).iter_mut().zip(self.bounds.intervals());
            for (x, interval) in cells {
                *x = interval.symmetric(*x);
            }
        }
        let mut found = Matrix::filled(rows.rows(), self.phases.len(), 0.0);
        let (n, k) = (rows.rows(), self.phases.len());
        if self.directions.rows() != k || self.directions.columns() != rows.columns() {
            return found; // A file that was tampered with: all the same, and no panic.
        }
        let directions = self.directions.view().transpose();
        let width = rows.columns();
        // Blocks of one shape, filled up with zeros: see [`crate::alike`].
        let (mut block, mut sums) = (vec![0.0; BLOCK * width], vec![0.0; BLOCK * k]);
        let parts = scaled.values().chunks((BLOCK * width).max(1));
        for (part, places) in parts.zip(found.values_mut().chunks_mut((BLOCK * k).max(1))) {
            block.fill(0.0);
            block.iter_mut().zip(part).for_each(|(cell, x)| *cell = *x);
            projected(MatRef::from_row_major_slice(&block, BLOCK, width), directions, &mut sums);
            places.iter_mut().zip(&sums).for_each(|(place, x)| *place = *x);
        }
        for place in 0..n {
            for (x, phase) in found.row_mut(place).iter_mut().zip(&self.phases) {
                *x = cos(*x + phase);
            }
        }
        found
    }
}

/// Rows in a block.
const BLOCK: usize = 128;

fn projected(table: MatRef<'_, f64>, directions: MatRef<'_, f64>, sums: &mut [f64]) {
    let out = MatMut::from_row_major_slice_mut(sums, BLOCK, directions.ncols());
    faer::linalg::matmul::matmul(out, Accum::Replace, table, directions, 1.0, Par::Seq);
}

/// Makes sure that this machine gives a row the same features wherever it is.
pub(super) fn check_machine(columns: usize, features: usize) -> Result<(), MechanismError> {
    let directions: Vec<f64> =
        (0..columns * features).map(|at| f64::from(alike::made_up(at, 7)) / 1_234_567.0).collect();
    let directions = MatRef::from_row_major_slice(&directions, features, columns).transpose();
    alike::check(BLOCK, columns, features, |table, sums| {
        projected(MatRef::from_row_major_slice(table, BLOCK, columns), directions, sums);
    })
}
