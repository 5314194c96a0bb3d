use serde::{Deserialize, Serialize};

use super::Transform;
use crate::data::check_columns;
use crate::{Bounds, LearnError, Matrix, Model, Predict, Predictions};

/// A fitted transformation and the model that was fitted after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<A, B>",
    bound(deserialize = "A: Transform + Deserialize<'de>, B: Predict + Deserialize<'de>")
)]
pub struct PipelineModel<A, B> {
    pub(super) first: A,
    /// What the second model counts of the features of the first.
    pub(super) bounds: Bounds,
    pub(super) then: B,
}

/// What a file says.
#[derive(Deserialize)]
struct Stored<A, B> {
    first: A,
    bounds: Bounds,
    then: B,
}

impl<A: Transform, B: Predict> TryFrom<Stored<A, B>> for PipelineModel<A, B> {
    type Error = LearnError;

    fn try_from(stored: Stored<A, B>) -> Result<Self, LearnError> {
        let Stored { first, bounds, then } = stored;
        let columns = first.output_bounds()?.columns();
        if bounds.columns() == columns && then.columns() == columns {
            return Ok(Self { first, bounds, then });
        }
        Err(LearnError::malformed("its second model is not one of the features of its first"))
    }
}

impl<A, B> PipelineModel<A, B> {
    /// The transformation.
    pub const fn first(&self) -> &A {
        &self.first
    }

    /// What the second model counts of the features of the first.
    pub const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The model of its features, each column in [-1, 1].
    pub const fn then(&self) -> &B {
        &self.then
    }
}

/// The features that the second learner sees: those of the first, each put on [-1, 1].
pub(super) fn between<A: Transform>(
    first: &A,
    bounds: &Bounds,
    rows: &Matrix<f64>,
) -> Result<Matrix<f64>, LearnError> {
    let mut features = first.transform(rows)?;
    check_columns(features.columns(), bounds.columns())?;
    for row in 0..features.rows() {
        for (x, interval) in features.row_mut(row).iter_mut().zip(bounds.intervals()) {
            *x = interval.symmetric(*x);
        }
    }
    Ok(features)
}

impl<A: Model + Transform, B: Model + Predict> Model for PipelineModel<A, B> {
    const KIND: &'static str = "pipeline";
}

impl<A: Transform, B: Predict> Predict for PipelineModel<A, B> {
    fn columns(&self) -> usize {
        self.first.columns()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        self.then.predict(&between(&self.first, &self.bounds, features)?)
    }
}
