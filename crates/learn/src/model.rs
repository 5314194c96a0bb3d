//! Fitted models: what they say about new rows, and how they are kept.
//!
//! A saved model is its parameters and a [`Card`]: what it is, what it was fitted under, what was
//! declared. It has two forms with the same content: JSON, for people; and safetensors, whose header
//! holds the JSON without its large tables ([`Saved::to_safetensors`]).

mod card;
pub(crate) mod saved;

use serde::Serialize;
use serde::de::DeserializeOwned;
use throng_account::MechanismSpec;
use throng_mechanism::MechanismError;

use crate::{LearnError, Matrix};
pub use card::Card;
pub use saved::Saved;

/// A fitted model, as data.
pub trait Model: Serialize + DeserializeOwned {
    /// What it is called in a saved file and on the command line: `logistic`, `k-means`, ...
    const KIND: &'static str;

    /// What all that led to it costs, if that is more than the release that it came with: part of a
    /// training knows what the whole costs.
    fn paid(&self) -> Option<MechanismSpec> {
        None
    }
}

/// What a model says about rows it is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// The likeliest class of each row, and how likely each class is (rows × classes) if the model
    /// knows.
    Classes {
        /// The number of the class.
        chosen: Vec<u32>,
        /// One row for each row, one column for each class; rows sum to 1.
        probabilities: Option<Matrix<f64>>,
    },
    /// A number for each row.
    Numbers(Vec<f64>),
    /// The cluster of each row.
    Clusters(Vec<u32>),
    /// New features for each row.
    Features(Matrix<f64>),
}

/// A model that can be asked about new rows.
///
/// # Contract
/// What it says about a row depends on that row alone: not on the rows around it, their number or
/// its place among them, down to the last bit. Else a record that is removed could change what is said about
/// others, and evaluation on private examples would cost more than it says.
pub trait Predict {
    /// How many columns a row must have.
    fn columns(&self) -> usize;

    /// What it says about each row. Numbers that are not finite or out of bounds count as in the
    /// fit.
    ///
    /// # Errors
    /// If the rows have another number of columns.
    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError>;

    /// Makes sure, without any data, that the contract holds on this machine; to be said by models
    /// that multiply rows in blocks.
    ///
    /// # Errors
    /// If it does not hold.
    fn check_machine(&self) -> Result<(), MechanismError> {
        Ok(())
    }
}

impl<P: Predict + ?Sized> Predict for &P {
    fn columns(&self) -> usize {
        (**self).columns()
    }

    fn predict(&self, features: &Matrix<f64>) -> Result<Predictions, LearnError> {
        (**self).predict(features)
    }

    fn check_machine(&self) -> Result<(), MechanismError> {
        (**self).check_machine()
    }
}
