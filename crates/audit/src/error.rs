use throng_account::AccountError;
use throng_mechanism::MechanismError;
use throng_numeric::NumericError;

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
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
    /// The outcomes do not allow a verdict.
    #[error("{what}\nhint: {hint}")]
    Outcomes {
        /// What is wrong with them.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The target did not do what was asked of it.
    #[error("the target {what}\nhint: {hint}")]
    Target {
        /// What it did instead.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The claim has no curve to hold outcomes against.
    #[error(transparent)]
    Claim(AccountError),
    /// A mechanism under audit failed.
    #[error(transparent)]
    Mechanism(MechanismError),
    /// Whoever waited gave up ([`throng_numeric::patience`]); there is no verdict.
    #[error("interrupted")]
    Interrupted,
    /// A certified computation refused its arguments.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

impl AuditError {
    #[expect(clippy::needless_pass_by_value, reason = "callers hand over literals and copies")]
    pub(crate) fn invalid(
        name: impl Into<String>,
        value: impl ToString,
        allowed: impl Into<String>,
    ) -> Self {
        Self::Invalid { name: name.into(), value: value.to_string(), allowed: allowed.into() }
    }

    pub(crate) fn outcomes(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Outcomes { what: what.into(), hint: hint.into() }
    }

    /// The target did not do what was asked of it.
    pub fn target(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Target { what: what.into(), hint: hint.into() }
    }
}

impl From<AccountError> for AuditError {
    fn from(error: AccountError) -> Self {
        if error == AccountError::Interrupted { Self::Interrupted } else { Self::Claim(error) }
    }
}

impl From<MechanismError> for AuditError {
    fn from(error: MechanismError) -> Self {
        if error == MechanismError::Interrupted {
            Self::Interrupted
        } else {
            Self::Mechanism(error)
        }
    }
}

/// Asked on the way through everything that takes long.
pub(crate) fn unless_given_up() -> Result<(), AuditError> {
    if throng_numeric::patience::given_up() { Err(AuditError::Interrupted) } else { Ok(()) }
}
