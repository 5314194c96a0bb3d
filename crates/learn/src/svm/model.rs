//! A fitted support vector machine.

use serde::{Deserialize, Serialize};
use throng_mechanism::MechanismError;

use super::kernel::Features;
use crate::data::check_columns;
use crate::erm::scores::Scores;
use crate::{Classes, LearnError, Matrix, Model, Predict, Predictions};

/// Scores that are linear in the features, or in random features of them.
///
/// Released: weights and intercepts, computed from what left with noise, and random features that were drawn
/// without the data. Nothing else of the data is inside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvmModel {
    classes: Classes,
    scores: Scores,
    features: Option<Features>,
}

impl SvmModel {
    pub(super) const fn new(scores: Scores, classes: Classes, features: Option<Features>) -> Self {
        Self { classes, scores, features }
    }

    /// The change of a score for a change of 1 of each feature (of each random feature, with a
    /// kernel), in the units of the data: one row if there are two classes, else one for each class.
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

    /// The scores of each row: one if there are two classes, above 0 for class 1; else one for each class.
    ///
    /// # Errors
    /// If the rows have another number of columns.
    pub fn scores(&self, features: &Matrix<f64>) -> Result<Matrix<f64>, LearnError> {
        check_columns(features.columns(), self.columns())?;
        match &self.features {
            Some(random) => self.scores.of(&random.of(features)),
            None => self.scores.of(features),
        }
    }
}

impl Model for SvmModel {
    const KIND: &'static str = "svm";
}

impl Predict for SvmModel {
    fn columns(&self) -> usize {
        self.features.as_ref().map_or_else(|| self.scores.bounds().columns(), Features::columns)
    }

    fn check_machine(&self) -> Result<(), MechanismError> {
        self.features.as_ref().map_or(Ok(()), Features::check_machine)
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        let chosen = Scores::chosen(&self.scores(features)?);
        Ok(Predictions::Classes { chosen, probabilities: None })
    }
}
