//! Models by name: one learner and one model for whoever chooses at run time.

mod images;
mod judge;
mod kinds;
mod learners;
mod models;

use crate::schema::Encoding;
use crate::{Classified, LearnError, Matrix, Measured};
pub use images::Images;
pub use judge::AnyJudge;
pub use kinds::KINDS;
pub use learners::AnyLearner;
pub use models::AnyModel;

/// What a model learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Which class a row is of.
    Classes,
    /// A number for each row.
    Number,
    /// Which group a row belongs to.
    Clusters,
    /// New features for each row.
    Features,
    /// How rows are distributed.
    Distribution,
}

impl Task {
    /// In a word.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Classes => "classes",
            Self::Number => "a number",
            Self::Clusters => "clusters",
            Self::Features => "features",
            Self::Distribution => "a distribution",
        }
    }
}

/// What is known of a kind of model before it is fitted.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What it learns.
    pub task: Task,
    /// How it wants categories.
    pub encoding: Encoding,
    /// Its options, with their usual values.
    pub options: fn() -> serde_json::Value,
}

/// The kind of a name.
///
/// # Errors
/// If there is none.
pub fn kind(name: &str) -> Result<&'static Kind, LearnError> {
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        LearnError::invalid("the model", name, format!("one of {}", names.join(", ")))
    })
}

/// Examples of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Table {
    /// With classes.
    Classified(Classified),
    /// With numbers.
    Measured(Measured),
    /// Without labels.
    Plain(Matrix<f64>),
}

impl Table {
    /// The features.
    #[must_use]
    pub const fn features(&self) -> &Matrix<f64> {
        match self {
            Self::Classified(examples) => examples.features(),
            Self::Measured(examples) => examples.features(),
            Self::Plain(features) => features,
        }
    }
}
