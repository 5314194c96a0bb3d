//! Trees whose shape is drawn without looking at the data.
//!
//! A tree asks questions about one column each. Either all rows of a level are asked the same
//! question, and the answers together are the leaf; or each node asks its own. Where a column is divided
//! is drawn at random within what is declared about it, so the shape of a tree says nothing about
//! anybody. What is learnt, and takes noise, is what its leaves say.

pub(crate) mod codes;
pub(crate) mod shape;

use serde::{Deserialize, Serialize};

use crate::columns::Columns;
use crate::{LearnError, Matrix};
use codes::Codes;
use shape::Shape;

/// A tree: its shape, and what each leaf says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tree {
    pub(crate) shape: Shape,
    /// A row for each leaf.
    pub(crate) values: Matrix<f64>,
}

/// Makes sure that what was read are trees: about these columns, with finite numbers, so many in each
/// leaf.
pub(crate) fn check(trees: &[Tree], columns: &Columns, width: usize) -> Result<(), LearnError> {
    let fits = |tree: &Tree| {
        tree.shape.fits(columns)
            && tree.values.rows() == tree.shape.leaves()
            && tree.values.columns() == width
            && tree.values.values().iter().all(|x| x.is_finite())
    };
    if !trees.is_empty() && width > 0 && trees.iter().all(fits) {
        return Ok(());
    }
    Err(LearnError::malformed("a tree is none, or not one of these columns"))
}

/// What the leaves of each row say, put together by `add`, leaf by leaf.
pub(crate) fn totals(
    columns: &Columns,
    trees: &[Tree],
    features: &Matrix<f64>,
    add: impl Fn(&mut [f64], &[f64]),
) -> Matrix<f64> {
    let codes = Codes::of(columns, features);
    let width = trees.first().map_or(0, |tree| tree.values.columns());
    let mut totals = Matrix::filled(features.rows(), width, 0.0);
    let mut leaves = Vec::new();
    for tree in trees {
        tree.shape.leaves_of(&codes, &mut leaves);
        for (row, leaf) in leaves.iter().enumerate() {
            add(totals.row_mut(row), tree.values.row(usize::from(*leaf)));
        }
    }
    totals
}

/// Adds numbers to others.
pub(crate) fn plus(sums: &mut [f64], said: &[f64]) {
    sums.iter_mut().zip(said).for_each(|(sum, x)| *sum += x);
}
