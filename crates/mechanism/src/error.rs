use throng_account::AccountError;
use throng_numeric::NumericError;
use throng_sample::SampleError;

/// Why a mechanism could not be built or could not run.
///
/// Texts name parameters, never data, and are the same on neighbouring inputs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MechanismError {
    /// A parameter is not what it must be; the caller can fix it.
    #[error("{name} is {value}, but must be {allowed}")]
    Invalid {
        /// The parameter.
        name: String,
        /// What was given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// Privacy says no.
    #[error("{what}\nhint: {hint}")]
    Refused {
        /// What is refused and why.
        what: String,
        /// What to do instead.
        hint: String,
    },
    /// The accountant says no: a budget is exhausted, or a spec has no sound price.
    #[error(transparent)]
    Account(AccountError),
    /// No noise could be drawn; nothing was released.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// Whoever waited gave up ([`throng_numeric::patience`]); nothing was released, and what was paid
    /// stays paid.
    #[error("interrupted")]
    Interrupted,
    /// A certified computation refused its arguments.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

impl MechanismError {
    #[expect(clippy::needless_pass_by_value, reason = "callers hand over literals and copies")]
    pub(crate) fn invalid(
        name: impl Into<String>,
        value: impl ToString,
        allowed: impl Into<String>,
    ) -> Self {
        Self::Invalid { name: name.into(), value: value.to_string(), allowed: allowed.into() }
    }

    pub(crate) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }
}

impl From<AccountError> for MechanismError {
    fn from(error: AccountError) -> Self {
        if error == AccountError::Interrupted { Self::Interrupted } else { Self::Account(error) }
    }
}

impl From<throng_sample::EntropyError> for MechanismError {
    fn from(error: throng_sample::EntropyError) -> Self {
        Self::Sample(error.into())
    }
}
