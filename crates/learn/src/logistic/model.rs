//! A fitted logistic regression.

use serde::{Deserialize, Serialize};

use crate::erm::scores::Scores;
use crate::math::{exp, softmax};
use crate::{Classes, LearnError, Matrix, Model, Predict, Predictions};

/// Log-odds that are linear in the features.
///
/// Released: weights and intercepts, computed from what left with noise. Nothing else of the data is
/// inside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogisticModel {
    classes: Classes,
    scores: Scores,
}

impl LogisticModel {
    pub(super) const fn new(scores: Scores, classes: Classes) -> Self {
        Self { classes, scores }
    }

    /// The change of a score for a change of 1 of each feature, in the units of the data: one row for the
    /// log-odds of class 1 if there are two classes, else one row for each class.
    #[must_use]
    pub fn coefficients(&self) -> Matrix<f64> {
        self.scores.coefficients()
    }

    /// The scores where all features are 0, in the units of the data.
    #[must_use]
    pub fn intercepts(&self) -> Vec<f64> {
        self.scores.intercepts()
    }

    /// How many classes.
    #[must_use]
    pub const fn classes(&self) -> Classes {
        self.classes
    }

    /// The scores of each row: the log-odds of class 1 if there are two classes; else one score for each class.
    ///
    /// # Errors
    /// If the rows have another number of columns.
    pub fn scores(&self, features: &Matrix<f64>) -> Result<Matrix<f64>, LearnError> {
        self.scores.of(features)
    }
}

impl Model for LogisticModel {
    const KIND: &'static str = "logistic";
}

impl Predict for LogisticModel {
    fn columns(&self) -> usize {
        self.scores.bounds().columns()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        let scores = self.scores.of(features)?;
        let chosen = Scores::chosen(&scores);
        let mut probabilities = Matrix::filled(scores.rows(), self.classes.count(), 0.0);
        for (place, scores) in scores.iter().enumerate() {
            match (probabilities.row_mut(place), scores) {
                ([zero, one], [score]) => {
                    *one = 1.0 / (1.0 + exp(-score));
                    *zero = 1.0 - *one;
                }
                (row, scores) => {
                    for (cell, score) in row.iter_mut().zip(scores) {
                        *cell = *score;
                    }
                    softmax(row);
                }
            }
        }
        Ok(Predictions::Classes { chosen, probabilities: Some(probabilities) })
    }
}
