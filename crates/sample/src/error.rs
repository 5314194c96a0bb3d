use crate::entropy::EntropyError;

/// Why a sampler could not be built or could not draw.
///
/// Messages name the parameter, never a drawn or private value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A parameter lies outside its allowed range.
    #[error("{name} is {value}, but must be {allowed}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// What was given (shortened if very long).
        value: String,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// A list that must not be empty is.
    #[error("{name} is empty, but must hold at least one element")]
    Empty {
        /// The parameter.
        name: &'static str,
    },
    /// The operating system gave no randomness; nothing was drawn.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// A bug of ours: a computation that cannot fail did.
    #[error("internal error: {what}")]
    Internal {
        /// What went wrong.
        what: String,
    },
}

impl SampleError {
    /// A parameter out of range; its text is cut so that a number of 10^4 digits stays readable.
    pub(crate) fn range(name: &'static str, value: &impl ToString, allowed: &'static str) -> Self {
        const LONGEST: usize = 60;
        let mut value = value.to_string();
        if value.chars().count() > LONGEST {
            value = value.chars().take(LONGEST).chain("...".chars()).collect();
        }
        Self::OutOfRange { name, value, allowed }
    }
}

/// Only reachable when an argument our own code guarantees is violated.
impl From<throng_numeric::NumericError> for SampleError {
    fn from(error: throng_numeric::NumericError) -> Self {
        Self::Internal { what: error.to_string() }
    }
}
