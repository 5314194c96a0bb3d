use serde::{Deserialize, Serialize};

use crate::columns::Columns;
use crate::data::check_columns;
use crate::math::argmax;
use crate::tree::{self, Tree};
use crate::{Interval, LearnError, Matrix, Model, Predict, Predictions};

/// Random trees that tell classes apart, with noisy counts in their leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredClassifier")]
pub struct ForestClassifierModel {
    pub(super) columns: Columns,
    pub(super) trees: Vec<Tree>,
    /// A standard deviation of the noise: a leaf with as many records is half believed.
    pub(super) doubt: f64,
}

/// What a file says.
#[derive(Deserialize)]
struct StoredClassifier {
    columns: Columns,
    trees: Vec<Tree>,
    doubt: f64,
}

impl TryFrom<StoredClassifier> for ForestClassifierModel {
    type Error = LearnError;

    fn try_from(stored: StoredClassifier) -> Result<Self, LearnError> {
        let StoredClassifier { columns, trees, doubt } = stored;
        let classes = trees.first().map_or(0, |tree| tree.values.columns());
        tree::check(&trees, &columns, classes)?;
        let doubt = crate::error::positive("the doubt", doubt)?;
        Ok(Self { columns, trees, doubt })
    }
}

impl ForestClassifierModel {
    /// What was declared about the columns.
    #[must_use]
    pub const fn declared(&self) -> &Columns {
        &self.columns
    }

    /// How frequent each class is in all leaves together.
    fn usual(&self) -> Vec<f64> {
        let mut usual = vec![0.0; self.trees.first().map_or(0, |tree| tree.values.columns())];
        for leaf in self.trees.iter().flat_map(|tree| tree.values.iter()) {
            tree::plus(&mut usual, leaf);
        }
        usual.iter_mut().for_each(|x| *x = x.max(1.0));
        let total: f64 = usual.iter().sum();
        usual.iter_mut().for_each(|x| *x /= total);
        usual
    }

    /// Adds how likely each class is by one leaf: as it counts, the less so the fewer it counts beside
    /// the noise, and for the rest as usual.
    fn add_chances(&self, sums: &mut [f64], known: &[f64], usual: &[f64]) {
        let total: f64 = known.iter().map(|x| x.max(0.0)).sum();
        for ((sum, x), usual) in sums.iter_mut().zip(known).zip(usual) {
            *sum += (x.max(0.0) + self.doubt * usual) / (total + self.doubt);
        }
    }
}

impl Model for ForestClassifierModel {
    const KIND: &'static str = "forest";
}

impl Predict for ForestClassifierModel {
    fn columns(&self) -> usize {
        self.columns.count()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let usual = self.usual();
        let mut probabilities =
            tree::totals(&self.columns, &self.trees, features, |sums, known| {
                self.add_chances(sums, known, &usual);
            });
        let mut chosen = Vec::with_capacity(features.rows());
        for place in 0..features.rows() {
            let row = probabilities.row_mut(place);
            chosen.push(argmax(row));
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= total);
        }
        Ok(Predictions::Classes { chosen, probabilities: Some(probabilities) })
    }
}

/// Random trees that tell a number, with a noisy count and a noisy sum in their leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredRegressor")]
pub struct ForestRegressorModel {
    pub(super) columns: Columns,
    pub(super) label: Interval,
    pub(super) trees: Vec<Tree>,
    /// A standard deviation of the noise: fewer records than this are taken for as many.
    pub(super) least: f64,
}

/// What a file says.
#[derive(Deserialize)]
struct StoredRegressor {
    columns: Columns,
    label: Interval,
    trees: Vec<Tree>,
    least: f64,
}

impl TryFrom<StoredRegressor> for ForestRegressorModel {
    type Error = LearnError;

    fn try_from(stored: StoredRegressor) -> Result<Self, LearnError> {
        let StoredRegressor { columns, label, trees, least } = stored;
        tree::check(&trees, &columns, 2)?;
        let least = crate::error::positive("the least number of records", least)?;
        Ok(Self { columns, label, trees, least })
    }
}

impl ForestRegressorModel {
    /// What was declared about the columns.
    #[must_use]
    pub const fn declared(&self) -> &Columns {
        &self.columns
    }
}

impl Model for ForestRegressorModel {
    const KIND: &'static str = "forest-regression";
}

impl Predict for ForestRegressorModel {
    fn columns(&self) -> usize {
        self.columns.count()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let totals = tree::totals(&self.columns, &self.trees, features, tree::plus);
        let number = |known: &[f64]| {
            let records = known.first().copied().unwrap_or(0.0).max(self.least);
            let mean = (known.get(1).copied().unwrap_or(0.0) / records).clamp(-1.0, 1.0);
            self.label.clamp(self.label.middle() + mean * self.label.width() / 2.0)
        };
        Ok(Predictions::Numbers(totals.iter().map(number).collect()))
    }
}
