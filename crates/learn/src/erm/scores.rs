//! Linear scores.

use serde::{Deserialize, Serialize};

use crate::data::check_columns;
use crate::math::argmax;
use crate::{Bounds, LearnError, Matrix};

/// Scores that are linear in features scaled by their bounds to [-1, 1].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scores {
    bounds: Bounds,
    /// One row for each score, one column for each feature.
    weights: Matrix<f64>,
    intercepts: Vec<f64>,
}

impl Scores {
    /// Of a row of weights for each feature and a last one for the intercept, one column for each score,
    /// which belong to features minus `centre`.
    pub(crate) fn new(bounds: &Bounds, parameters: &Matrix<f64>, centre: &[f64]) -> Self {
        let (columns, outputs) = (bounds.columns(), parameters.columns());
        let mut weights = Matrix::filled(outputs, columns, 0.0);
        let mut intercepts = parameters.row(columns).to_vec();
        for (feature, (row, middle)) in parameters.iter().zip(centre).enumerate() {
            for (output, (weight, intercept)) in row.iter().zip(&mut intercepts).enumerate() {
                *intercept -= weight * middle;
                if let Some(cell) = weights.row_mut(output).get_mut(feature) {
                    *cell = *weight;
                }
            }
        }
        Self { bounds: bounds.clone(), weights, intercepts }
    }

    pub(crate) const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The weights in the units of the data, one row for each score.
    pub(crate) fn coefficients(&self) -> Matrix<f64> {
        let mut found = self.weights.clone();
        for output in 0..found.rows() {
            for (weight, unit) in found.row_mut(output).iter_mut().zip(self.bounds.intervals()) {
                *weight *= 2.0 / unit.width();
            }
        }
        found
    }

    /// The scores where all features are 0 in the units of the data.
    pub(crate) fn intercepts(&self) -> Vec<f64> {
        let coefficients = self.coefficients();
        let along = |row: &[f64]| -> f64 {
            let middles = self.bounds.intervals().iter().map(|unit| unit.middle());
            row.iter().zip(middles).map(|(weight, middle)| weight * middle).sum()
        };
        self.intercepts.iter().zip(coefficients.iter()).map(|(b, row)| b - along(row)).collect()
    }

    /// The scores of each row.
    pub(crate) fn of(&self, features: &Matrix<f64>) -> Result<Matrix<f64>, LearnError> {
        check_columns(features.columns(), self.bounds.columns())?;
        let outputs = self.intercepts.len();
        let mut found = Matrix::filled(features.rows(), outputs, 0.0);
        let mut scaled = vec![0.0; features.columns()];
        for (place, row) in features.iter().enumerate() {
            for ((cell, x), interval) in scaled.iter_mut().zip(row).zip(self.bounds.intervals()) {
                *cell = interval.symmetric(*x);
            }
            let parts = self.intercepts.iter().zip(self.weights.iter());
            for (score, (intercept, weights)) in found.row_mut(place).iter_mut().zip(parts) {
                let sum: f64 = weights.iter().zip(&scaled).map(|(w, x)| w * x).sum();
                *score = intercept + sum;
            }
        }
        Ok(found)
    }

    /// The class of each row of scores: the largest, or with one score whether it is above 0.
    pub(crate) fn chosen(scores: &Matrix<f64>) -> Vec<u32> {
        let one = |row: &[f64]| match row {
            [score] => u32::from(*score > 0.0),
            scores => argmax(scores),
        };
        scores.iter().map(one).collect()
    }
}
