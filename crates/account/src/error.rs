use throng_numeric::NumericError;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
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
    /// The text of a spec cannot be read.
    #[error("column {column}: {reason}")]
    Syntax {
        /// Where, counted from 1 in characters.
        column: usize,
        /// What is wrong there and what is allowed.
        reason: String,
    },
    /// There is no sound answer to this question.
    #[error("{what}; hint: {hint}")]
    Refused {
        /// What is refused and why.
        what: String,
        /// What to do instead.
        hint: String,
    },
    /// A budget does not cover what was asked; nothing was spent.
    #[error("the budget does not cover this: {asked} was asked and {left} is left")]
    Exhausted {
        /// What was asked.
        asked: String,
        /// What is left.
        left: String,
    },
    /// The answer would take more work than is allowed.
    #[error("{what} is too large: at most {limit} is supported")]
    TooLarge {
        /// What.
        what: String,
        /// The limit.
        limit: String,
    },
    /// Whoever waited gave up ([`throng_numeric::patience`]); no answer was made, and none is kept.
    #[error("interrupted")]
    Interrupted,
    /// A numeric routine refused its arguments.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

impl AccountError {
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

/// Asked on the way through everything that takes long.
pub(crate) fn unless_given_up() -> Result<(), AccountError> {
    if throng_numeric::patience::given_up() { Err(AccountError::Interrupted) } else { Ok(()) }
}
