//! Specs made in code, checked as they are made.

use super::{Leaf, MechanismSpec};
use crate::AccountError;

impl From<Leaf> for MechanismSpec {
    /// The leaf as it is; [`MechanismSpec::leaf`] checks it as well.
    fn from(leaf: Leaf) -> Self {
        Self::Leaf(leaf)
    }
}

impl MechanismSpec {
    /// A mechanism that is not made of others.
    ///
    /// # Errors
    /// Those of [`MechanismSpec::validate`].
    pub fn leaf(leaf: Leaf) -> Result<Self, AccountError> {
        Self::Leaf(leaf).validated()
    }

    /// The same mechanism `times` times.
    ///
    /// # Errors
    /// Those of [`MechanismSpec::validate`].
    pub fn repeated(times: u64, inner: impl Into<Self>) -> Result<Self, AccountError> {
        Self::Repeated { times, inner: Box::new(inner.into()) }.validated()
    }

    /// All of them, on the same data.
    ///
    /// # Errors
    /// Those of [`MechanismSpec::validate`].
    pub fn composed(parts: Vec<Self>) -> Result<Self, AccountError> {
        Self::Composed(parts).validated()
    }

    /// Run on a sample that holds each unit independently with chance `rate`.
    ///
    /// # Errors
    /// Those of [`MechanismSpec::validate`].
    pub fn sampled(
        rate: throng_numeric::Rational,
        inner: impl Into<Self>,
    ) -> Result<Self, AccountError> {
        Self::Sampled { rate, inner: Box::new(inner.into()) }.validated()
    }

    /// The spec itself, if it is valid.
    ///
    /// # Errors
    /// Those of [`MechanismSpec::validate`].
    pub fn validated(self) -> Result<Self, AccountError> {
        self.validate()?;
        Ok(self)
    }
}
