use throng_account::AccountError;
use throng_mechanism::MechanismError;
use throng_numeric::NumericError;

/// Why a learner could not be made, or a model not be read or asked.
///
/// Texts name parameters, columns and shapes, never a value of a record.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
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
    /// A saved model cannot be read.
    #[error("the saved model cannot be read: {reason}")]
    Malformed {
        /// What is wrong with it.
        reason: String,
    },
    /// A mechanism refused its parameters, its noise could not be drawn, or whoever waited gave up.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}

impl LearnError {
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

    /// Whether it only says that whoever waited gave up ([`throng_numeric::patience`]).
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        *self == Self::Mechanism(MechanismError::Interrupted)
    }

    pub(crate) fn malformed(reason: impl Into<String>) -> Self {
        Self::Malformed { reason: reason.into() }
    }
}

/// Asked before each step of everything that takes many, on the thread that coordinates it; what was paid
/// for the steps that are not taken stays paid.
pub(crate) fn unless_given_up() -> Result<(), MechanismError> {
    if throng_numeric::patience::given_up() { Err(MechanismError::Interrupted) } else { Ok(()) }
}

impl From<AccountError> for LearnError {
    fn from(error: AccountError) -> Self {
        Self::Mechanism(error.into())
    }
}

impl From<NumericError> for LearnError {
    fn from(error: NumericError) -> Self {
        Self::Mechanism(error.into())
    }
}

impl From<LearnError> for MechanismError {
    fn from(error: LearnError) -> Self {
        match error {
            LearnError::Invalid { name, value, allowed } => Self::Invalid { name, value, allowed },
            LearnError::Refused { what, hint } => Self::Refused { what, hint },
            LearnError::Malformed { reason } => {
                Self::Refused { what: reason, hint: "fit the model again".to_owned() }
            }
            LearnError::Mechanism(error) => error,
        }
    }
}

/// A finite number above 0.
pub(crate) fn positive(name: &str, value: f64) -> Result<f64, LearnError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(LearnError::invalid(name, value, "finite and above 0"))
}
