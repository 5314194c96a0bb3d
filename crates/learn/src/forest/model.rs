use serde::{Deserialize, Serialize};

use crate::columns::Columns;
use crate::data::check_columns;
use crate::math::argmax;
use crate::tree::codes::Codes;
use crate::tree::shape::Shape;
use crate::{Interval, LearnError, Matrix, Model, Predict, Predictions};

/// A tree: its shape, and what each leaf knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Tree {
    pub(super) shape: Shape,
    pub(super) values: Matrix<f64>,
}

/// What the leaves of each row know, added up; each number first changed by `read`.
fn totals(
    columns: &Columns,
    trees: &[Tree],
    features: &Matrix<f64>,
    read: impl Fn(f64) -> f64,
) -> Matrix<f64> {
    let codes = Codes::of(columns, features);
    let width = trees.first().map_or(0, |tree| tree.values.columns());
    let mut totals = Matrix::filled(features.rows(), width, 0.0);
    let mut leaves = Vec::new();
    for tree in trees {
        tree.shape.leaves_of(&codes, &mut leaves);
        for (row, leaf) in leaves.iter().enumerate() {
            let known = tree.values.row(usize::from(*leaf));
            totals.row_mut(row).iter_mut().zip(known).for_each(|(sum, x)| *sum += read(*x));
        }
    }
    totals
}

/// Random trees that tell classes apart, with noisy counts in their leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForestClassifierModel {
    pub(super) columns: Columns,
    pub(super) trees: Vec<Tree>,
}

impl ForestClassifierModel {
    /// What was declared about the columns.
    #[must_use]
    pub const fn declared(&self) -> &Columns {
        &self.columns
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
        let mut probabilities = totals(&self.columns, &self.trees, features, |x| x.max(0.0));
        let mut chosen = Vec::with_capacity(features.rows());
        for place in 0..features.rows() {
            let row = probabilities.row_mut(place);
            chosen.push(argmax(row));
            // All classes are as likely as each other where nothing is known.
            let total: f64 = row.iter().map(|x| x + 1e-9).sum();
            row.iter_mut().for_each(|x| *x = (*x + 1e-9) / total);
        }
        Ok(Predictions::Classes { chosen, probabilities: Some(probabilities) })
    }
}

/// Random trees that tell a number, with a noisy count and a noisy sum in their leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForestRegressorModel {
    pub(super) columns: Columns,
    pub(super) label: Interval,
    pub(super) trees: Vec<Tree>,
    /// A standard deviation of the noise: fewer records than this are taken for as many.
    pub(super) least: f64,
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
        let totals = totals(&self.columns, &self.trees, features, |x| x);
        let number = |known: &[f64]| {
            let records = known.first().copied().unwrap_or(0.0).max(self.least);
            let mean = (known.get(1).copied().unwrap_or(0.0) / records).clamp(-1.0, 1.0);
            self.label.clamp(self.label.middle() + mean * self.label.width() / 2.0)
        };
        Ok(Predictions::Numbers(totals.iter().map(number).collect()))
    }
}
