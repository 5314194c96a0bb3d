//! Private models: a crowd's pattern, and nobody's row.
//!
//! A [`Learner`] is a [`Mechanism`](throng_mechanism::Mechanism) whose input is a table of examples and whose output is a model.
//! It is *described* (its parameters are checked, its noise calibrated and its spec certified when it
//! is made), *paid* for (a permit from a budget or a ledger), *fitted* once on
//! [`Sensitive`](throng_mechanism::Sensitive) data, and *handed over* with its guarantee; see [`model`] for saving
//! and loading.
//!
//! # What holds for every learner
//! * Bounds, classes and all else that shapes a model are declared by the caller or bought privately;
//!   nothing is read silently from the data, not even how many records there are.
//! * Whatever the records contain, fitting succeeds: numbers are clamped to their bounds, NaN counts as
//!   the middle of its bounds, a record whose label is not declared is left out. Wrong shapes
//!   and parameters are refused before anything is paid.
//! * Contributions of records are put on a grid of integers and clipped there, so sums are exact,
//!   the same for every order and number of threads, and a sensitivity is proved for the numbers
//!   that are computed, not for the real numbers they stand for.
//!
//! # Core
//! | module | what it holds |
//! |---|---|
//! | [`data`], [`matrix`], [`bounds`] | examples, tables of numbers, what is declared about them |
//! | [`schema`] | columns with names: from cells to numbers |
//! | [`privacy`] | a target and how it is shared among releases |
//! | [`exact`] | sums of products that are exact in floating point |
//! | [`any`] | learners and models by name |
//! | [`model`] | fitted models: prediction, cards, JSON and safetensors |
//!
//! # Models
//! | module | what it fits |
//! |---|---|
//! | [`linear`] | linear regression from noisy second moments |
//! | [`logistic`] | logistic regression, two classes or more |
//! | [`svm`] | support vector machines, linear or with a kernel |
//! | [`boosting`], [`forest`] | trees drawn without data, noise in their leaves |
//! | [`pca`], [`scaler`] | principal components, standard scores |
//! | [`naive_bayes`] | naive Bayes, numbers and categories |
//! | [`kmeans`] | clusters |
//! | [`conjugate`] | chances, means and rates with conjugate priors |
//! | [`histogram`], [`marginals`] | counts in the cells of one table, of several |
//! | [`synthetic`] | tables to draw rows from |
//! | [`network`] | neural networks by private gradient descent, for classes or a number |
//! | [`image`] | images by scattering features and a linear softmax |
//!
//! # Around models
//! | module | what it does |
//! |---|---|
//! | [`evaluate`] | how good a model is, on private or public examples |
//! | [`pipeline`] | standard scores or components first, then a model, under one budget |
//! | [`tuning`] | the best of several settings, with what the search costs |
//! | [`correlated`] | noise for training without sampling, and descent with it |
//! | [`scattering`] | features of images that are fixed in advance |

mod alike;
pub mod any;
pub mod boosting;
pub mod bounds;
pub mod columns;
pub mod conjugate;
mod contribution;
pub mod correlated;
pub mod data;
mod draws;
mod erm;
mod error;
pub mod evaluate;
pub mod exact;
pub mod forest;
pub mod histogram;
pub mod image;
pub mod kmeans;
mod learner;
pub mod linear;
pub mod logistic;
pub mod marginals;
mod math;
pub mod matrix;
pub mod model;
pub mod naive_bayes;
pub mod network;
mod parallel;
pub mod pca;
pub mod pipeline;
pub mod privacy;
pub mod scaler;
pub mod scattering;
pub mod schema;
pub mod summary;
pub mod svm;
pub mod synthetic;
mod tree;
pub mod tuning;
#[cfg(test)]
mod vectors;

pub use bounds::{Bounds, Classes, Interval};
pub use data::{Classified, Examples, Measured};
pub use error::LearnError;
pub use learner::Learner;
pub use matrix::Matrix;
pub use model::{Card, Model, Predict, Predictions, Saved};
pub use privacy::Privacy;
pub use schema::Schema;
pub use summary::{Estimate, Summary};
