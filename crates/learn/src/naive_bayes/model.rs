use serde::{Deserialize, Serialize};

use super::statistics::View;
use crate::columns::{Column, Columns, level};
use crate::data::check_columns;
use crate::math::{argmax, ln, softmax};
use crate::{LearnError, Matrix, Model, Predict, Predictions};

/// A fitted naive Bayes classifier.
///
/// What it holds is computed from one noisy vector: the logarithms of how frequent classes are,
/// means and variances of numbers (in units of half the width of their bounds, from the middle),
/// and the logarithms of how frequent levels are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NaiveBayesModel {
    pub(super) view: View,
    pub(super) prior: Vec<f64>,
    pub(super) means: Matrix<f64>,
    pub(super) variances: Matrix<f64>,
    pub(super) levels: Vec<Matrix<f64>>,
}

impl NaiveBayesModel {
    /// What was declared about the columns.
    #[must_use]
    pub const fn declared(&self) -> &Columns {
        &self.view.columns
    }

    /// The logarithm of the frequency of each class.
    #[must_use]
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    /// The means, a row for each class, a column for each column.
    #[must_use]
    pub const fn means(&self) -> &Matrix<f64> {
        &self.means
    }

    /// The variances, laid out as the means.
    #[must_use]
    pub const fn variances(&self) -> &Matrix<f64> {
        &self.variances
    }

    /// For each column, the logarithms of the frequencies of its levels, a row for each class; empty
    /// for a column of numbers.
    #[must_use]
    pub fn levels(&self) -> &[Matrix<f64>] {
        &self.levels
    }

    /// The logarithm of the joint likelihood of a row and a class, but for a constant.
    fn score(&self, class: usize, row: &[f64], numbers: &[f64]) -> f64 {
        let mut score = self.prior.get(class).copied().unwrap_or(0.0);
        let normals = self.means.row(class).iter().zip(self.variances.row(class));
        let columns = self.view.columns.as_slice().iter().zip(&self.levels);
        for (((column, table), (mean, variance)), (x, u)) in
            columns.zip(normals).zip(row.iter().zip(numbers))
        {
            score += match column {
                Column::Number(_) => {
                    let variance = variance.max(f64::MIN_POSITIVE);
                    -0.5 * (ln(variance) + (u - mean) * (u - mean) / variance)
                }
                Column::Category(levels) => level(*x, *levels)
                    .and_then(|level| table.row(class).get(level))
                    .copied()
                    .unwrap_or(0.0),
            };
        }
        score
    }
}

impl Model for NaiveBayesModel {
    const KIND: &'static str = "naive-bayes";
}

impl Predict for NaiveBayesModel {
    fn columns(&self) -> usize {
        self.view.columns.count()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let classes = self.prior.len();
        let mut probabilities = Matrix::filled(features.rows(), classes, 0.0);
        let mut chosen = Vec::with_capacity(features.rows());
        let mut numbers = Vec::new();
        for (place, row) in features.iter().enumerate() {
            self.view.numbers(row, &mut numbers);
            let scores = probabilities.row_mut(place);
            for (class, score) in scores.iter_mut().enumerate() {
                *score = self.score(class, row, &numbers);
            }
            softmax(scores);
            chosen.push(argmax(scores));
        }
        Ok(Predictions::Classes { chosen, probabilities: Some(probabilities) })
    }
}
