use serde::{Deserialize, Serialize};

use crate::columns::Columns;
use crate::data::check_columns;
use crate::math::{argmax, softmax};
use crate::tree::codes::Codes;
use crate::tree::shape::Shape;
use crate::{Classes, Interval, LearnError, Matrix, Model, Predict, Predictions};

/// A tree: its shape, and what each leaf says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Tree {
    pub(super) shape: Shape,
    pub(super) values: Matrix<f64>,
}

/// The scores of rows: what all trees say together.
fn scores(
    columns: &Columns,
    trees: &[Tree],
    outputs: usize,
    features: &Matrix<f64>,
) -> Matrix<f64> {
    let codes = Codes::of(columns, features);
    let mut scores = Matrix::filled(features.rows(), outputs, 0.0);
    let mut leaves = Vec::new();
    for tree in trees {
        tree.shape.leaves_of(&codes, &mut leaves);
        let rows = scores.values_mut().chunks_exact_mut(outputs);
        for (row, leaf) in rows.zip(&leaves) {
            let said = tree.values.row(usize::from(*leaf));
            row.iter_mut().zip(said).for_each(|(score, x)| *score += x);
        }
    }
    scores
}

/// Boosted trees that tell classes apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoostedClassifier {
    pub(super) columns: Columns,
    pub(super) classes: Classes,
    pub(super) trees: Vec<Tree>,
}

impl Model for BoostedClassifier {
    const KIND: &'static str = "boosting";
}

impl Predict for BoostedClassifier {
    fn columns(&self) -> usize {
        self.columns.count()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let classes = self.classes.count();
        let outputs = if classes == 2 { 1 } else { classes };
        let scores = scores(&self.columns, &self.trees, outputs, features);
        let mut probabilities = Matrix::filled(features.rows(), classes, 0.0);
        let mut chosen = Vec::with_capacity(features.rows());
        for (place, found) in scores.iter().enumerate() {
            let row = probabilities.row_mut(place);
            // Two classes have one score, that of the second against the first.
            let own = row.len().saturating_sub(found.len());
            row.iter_mut().skip(own).zip(found).for_each(|(p, score)| *p = *score);
            softmax(row);
            chosen.push(argmax(row));
        }
        Ok(Predictions::Classes { chosen, probabilities: Some(probabilities) })
    }
}

/// Boosted trees that tell a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoostedRegressor {
    pub(super) columns: Columns,
    pub(super) label: Interval,
    pub(super) trees: Vec<Tree>,
}

impl Model for BoostedRegressor {
    const KIND: &'static str = "boosting-regression";
}

impl Predict for BoostedRegressor {
    fn columns(&self) -> usize {
        self.columns.count()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let scores = scores(&self.columns, &self.trees, 1, features);
        let number =
            |score: &f64| self.label.clamp(self.label.middle() + score * self.label.width() / 2.0);
        Ok(Predictions::Numbers(scores.values().iter().map(number).collect()))
    }
}
