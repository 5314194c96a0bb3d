use serde::{Deserialize, Serialize};

use super::record::Reader;
use super::softmax::CONSTANT;
use super::whitening::Whitening;
use super::{ImageClassifier, Scattering, Shape};
use crate::data::check_columns;
use crate::math::{argmax, softmax};
use crate::{Interval, LearnError, Matrix, Model, Predict, Predictions};

/// A fitted [`ImageClassifier`]: weights for scattering features.
///
/// What is released is these weights and constants, nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct ImageModel {
    scattering: Scattering,
    pixels: Interval,
    /// classes × features.
    weights: Matrix<f64>,
    constants: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    shape: Shape,
    pixels: Interval,
    weights: Matrix<f64>,
    constants: Vec<f64>,
}

impl TryFrom<Stored> for ImageModel {
    type Error = LearnError;

    fn try_from(stored: Stored) -> Result<Self, LearnError> {
        let scattering = Scattering::new(stored.shape)?;
        let Stored { pixels, weights, constants, .. } = stored;
        check_columns(weights.columns(), scattering.features())?;
        if weights.rows() != constants.len() || constants.len() < 2 {
            return Err(LearnError::malformed("it has not one constant for each class"));
        }
        if !weights.values().iter().chain(&constants).all(|x| x.is_finite()) {
            return Err(LearnError::malformed("a weight is not finite"));
        }
        Ok(Self { scattering, pixels, weights, constants })
    }
}

impl From<ImageModel> for Stored {
    fn from(model: ImageModel) -> Self {
        let ImageModel { scattering, pixels, weights, constants } = model;
        Self { shape: scattering.shape(), pixels, weights, constants }
    }
}

impl ImageModel {
    pub(super) fn new(
        of: &ImageClassifier,
        whitening: &Whitening,
        weights: &[f64],
        unit: f64,
    ) -> Self {
        let features = of.scattering.features();
        let mut all = Matrix::filled(of.classes.count(), features, 0.0);
        let mut constants = vec![0.0; of.classes.count()];
        for (class, weights) in weights.chunks(features + 1).enumerate() {
            let scaled: Vec<f64> = weights.iter().map(|w| finite(w * unit)).collect();
            let (folded, constant) = whitening.folded(&scaled, f64::from(CONSTANT));
            for (place, weight) in all.row_mut(class).iter_mut().zip(folded) {
                *place = finite(weight);
            }
            if let Some(place) = constants.get_mut(class) {
                *place = finite(constant);
            }
        }
        Self { scattering: of.scattering.clone(), pixels: of.pixels, weights: all, constants }
    }

    /// The shape of the images.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.scattering.shape()
    }

    /// classes × features.
    #[must_use]
    pub const fn weights(&self) -> &Matrix<f64> {
        &self.weights
    }

    /// One for each class.
    #[must_use]
    pub fn constants(&self) -> &[f64] {
        &self.constants
    }

    fn scores(&self, features: &[f32], scores: &mut [f64]) {
        for ((score, weights), constant) in
            scores.iter_mut().zip(self.weights.iter()).zip(&self.constants)
        {
            let products = weights.iter().zip(features).map(|(w, x)| w * f64::from(*x));
            *score = finite(constant + products.sum::<f64>());
        }
    }
}

/// Noise may be as large as one likes; a model is finite all the same.
fn finite(x: f64) -> f64 {
    let most = 1e30;
    if x.is_nan() { 0.0 } else { x.clamp(-most, most) }
}

impl Model for ImageModel {
    const KIND: &'static str = "image-classifier";
}

impl Predict for ImageModel {
    fn columns(&self) -> usize {
        self.scattering.shape().len()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        check_columns(features.columns(), self.columns())?;
        let mut reader = Reader::new(&self.scattering, self.pixels);
        let mut found = vec![0.0; self.scattering.features()];
        let mut probabilities = Matrix::filled(features.rows(), self.constants.len(), 0.0);
        let mut chosen = Vec::with_capacity(features.rows());
        for (row, image) in features.iter().enumerate() {
            reader.features(image.iter().copied(), &mut found);
            let scores = probabilities.row_mut(row);
            self.scores(&found, scores);
            chosen.push(argmax(scores));
            softmax(scores);
        }
        Ok(Predictions::Classes { chosen, probabilities: Some(probabilities) })
    }
}
