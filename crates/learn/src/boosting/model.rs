use serde::{Deserialize, Serialize};

use super::loss::Loss;
use crate::columns::Columns;
use crate::data::check_columns;
use crate::math::{argmax, softmax};
use crate::tree::{self, Tree};
use crate::{Classes, Interval, LearnError, Matrix, Model, Predict, Predictions};

/// Boosted trees that tell classes apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredClassifier")]
pub struct BoostedClassifier {
    pub(super) columns: Columns,
    pub(super) classes: Classes,
    pub(super) trees: Vec<Tree>,
}

/// What a file says.
#[derive(Deserialize)]
struct StoredClassifier {
    columns: Columns,
    classes: Classes,
    trees: Vec<Tree>,
}

impl TryFrom<StoredClassifier> for BoostedClassifier {
    type Error = LearnError;

    fn try_from(stored: StoredClassifier) -> Result<Self, LearnError> {
        let StoredClassifier { columns, classes, trees } = stored;
        tree::check(&trees, &columns, Loss::of_classes(classes).outputs())?;
        Ok(Self { columns, classes, trees })
    }
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
        let scores = tree::totals(&self.columns, &self.trees, features, tree::plus);
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
#[serde(try_from = "StoredRegressor")]
pub struct BoostedRegressor {
    pub(super) columns: Columns,
    pub(super) label: Interval,
    pub(super) trees: Vec<Tree>,
}

/// What a file says.
#[derive(Deserialize)]
struct StoredRegressor {
    columns: Columns,
    label: Interval,
    trees: Vec<Tree>,
}

impl TryFrom<StoredRegressor> for BoostedRegressor {
    type Error = LearnError;

    fn try_from(stored: StoredRegressor) -> Result<Self, LearnError> {
        let StoredRegressor { columns, label, trees } = stored;
        tree::check(&trees, &columns, 1)?;
        Ok(Self { columns, label, trees })
    }
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
        let scores = tree::totals(&self.columns, &self.trees, features, tree::plus);
        let number =
            |score: &f64| self.label.clamp(self.label.middle() + score * self.label.width() / 2.0);
        Ok(Predictions::Numbers(scores.values().iter().map(number).collect()))
    }
}
