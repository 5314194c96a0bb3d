//! What leaves: a value with its guarantee.

use throng_account::filter::Budget as Amount;
use throng_account::{AccountError, Accuracy, Bracket, MechanismSpec, Neighbours, PrivacyLoss};

use crate::MechanismError;

/// What a released value is protected by, as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Guarantee {
    pub(crate) spec: MechanismSpec,
    pub(crate) under: Neighbours,
    /// What was charged; `None` once releases with costs in different currencies were joined.
    pub(crate) cost: Option<Amount>,
}

impl Guarantee {
    /// The mechanism that ran.
    #[must_use]
    pub const fn spec(&self) -> &MechanismSpec {
        &self.spec
    }

    /// What "differ in one unit" means for it.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// What was charged for it, if it was one charge.
    #[must_use]
    pub const fn cost(&self) -> Option<&Amount> {
        self.cost.as_ref()
    }

    /// Its privacy loss: every other notion is read off that.
    ///
    /// # Errors
    /// As for [`PrivacyLoss::of_spec`].
    pub fn loss(&self) -> Result<PrivacyLoss, AccountError> {
        PrivacyLoss::of_spec(&self.spec, self.under, Accuracy::default())
    }

    /// Its epsilon at a delta; the upper end is the promise.
    ///
    /// # Errors
    /// As for [`PrivacyLoss::epsilon`].
    pub fn epsilon(&self, delta: f64) -> Result<Bracket, AccountError> {
        self.loss()?.epsilon(delta)
    }
}

/// A value that has been paid for and may leave.
///
/// There is no `Deref` and no conversion that sheds the guarantee silently: read the value with
/// [`Release::value`], compute on it with [`Release::map`], part with the guarantee by
/// [`Release::into_parts`].
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub struct Release<T> {
    value: T,
    guarantee: Guarantee,
}

impl<T> Release<T> {
    pub(crate) const fn new(value: T, guarantee: Guarantee) -> Self {
        Self { value, guarantee }
    }

    /// What is released.
    pub const fn value(&self) -> &T {
        &self.value
    }

    /// What protects it.
    pub const fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// Anything computed from the value: post-processing, free of charge.
    ///
    /// # Guarantee
    /// Unchanged, provided that the function looks at nothing private but its argument.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Release<U> {
        Release { value: f(self.value), guarantee: self.guarantee }
    }

    /// Two releases as one.
    ///
    /// # Guarantee
    /// The composition of both.
    ///
    /// # Errors
    /// If they are for different relations.
    pub fn zip<U>(self, other: Release<U>) -> Result<Release<(T, U)>, MechanismError> {
        let (a, b) = (self.guarantee, other.guarantee);
        if a.under != b.under {
            return Err(MechanismError::refused(
                format!("one release is for {} and one for {} neighbours", a.under, b.under),
                "use one relation throughout",
            ));
        }
        let spec = MechanismSpec::composed(vec![a.spec, b.spec])?;
        let guarantee = Guarantee { spec, under: a.under, cost: None };
        Ok(Release { value: (self.value, other.value), guarantee })
    }

    /// The value and its guarantee, apart.
    pub fn into_parts(self) -> (T, Guarantee) {
        (self.value, self.guarantee)
    }
}
