use serde::{Deserialize, Serialize};

use crate::data::check_columns;
use crate::{Bounds, LearnError, Matrix, Model, Predict, Predictions};

/// The centres of clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct KMeansModel {
    pub(super) bounds: Bounds,
    /// A centre in each row, each column in [-1, 1].
    pub(super) centres: Matrix<f64>,
}

/// What a file says.
#[derive(Deserialize)]
struct Stored {
    bounds: Bounds,
    centres: Matrix<f64>,
}

impl TryFrom<Stored> for KMeansModel {
    type Error = LearnError;

    fn try_from(Stored { bounds, centres }: Stored) -> Result<Self, LearnError> {
        let shaped = centres.rows() > 0 && centres.columns() == bounds.columns();
        if shaped && centres.values().iter().all(|x| x.abs() <= 1.0) {
            return Ok(Self { bounds, centres });
        }
        Err(LearnError::malformed("its centres are not within its bounds"))
    }
}

impl KMeansModel {
    /// The bounds that points are clamped to.
    #[must_use]
    pub const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The centres, one in each row, in the units of the columns.
    #[must_use]
    pub fn centres(&self) -> Matrix<f64> {
        let mut centres = self.centres.clone();
        for row in 0..centres.rows() {
            for (x, interval) in centres.row_mut(row).iter_mut().zip(self.bounds.intervals()) {
                *x = interval.clamp(interval.middle() + *x * interval.width() / 2.0);
            }
        }
        centres
    }
}

impl Model for KMeansModel {
    const KIND: &'static str = "k-means";
}

impl Predict for KMeansModel {
    fn columns(&self) -> usize {
        self.bounds.columns()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let points = scaled(&self.bounds, features);
        let nearest = points.iter().map(|point| nearest(point, &self.centres).0);
        Ok(Predictions::Clusters(nearest.map(|c| u32::try_from(c).unwrap_or(0)).collect()))
    }
}

/// Every column on [-1, 1]; rows have as many columns as have bounds.
pub(super) fn scaled(bounds: &Bounds, rows: &Matrix<f64>) -> Matrix<f64> {
    let mut points = rows.clone();
    for row in points.values_mut().chunks_exact_mut(bounds.columns().max(1)) {
        for (x, interval) in row.iter_mut().zip(bounds.intervals()) {
            *x = interval.symmetric(*x);
        }
    }
    points
}

/// The nearest centre, the first of equals, and its squared distance.
pub(super) fn nearest(point: &[f64], centres: &Matrix<f64>) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (place, centre) in centres.iter().enumerate() {
        let distance = squared_distance(point, centre);
        if distance < best.1 {
            best = (place, distance);
        }
    }
    best
}

pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
