/// What can be wrong with the arguments of a numeric routine.
///
/// Every variant is the caller's to fix; none carries data, only parameter names and values.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NumericError {
    /// A floating-point argument was NaN or infinite where a real number is needed.
    #[error("{name} is {value}, but must be a finite number")]
    NotFinite {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// An argument lies outside the domain of the function.
    #[error("{name} is {value}, but must be {allowed}")]
    OutOfDomain {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: String,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// An interval whose ends are the wrong way round, or one of them NaN.
    #[error("[{lower}, {upper}] is not an interval: the lower end must not exceed the upper")]
    NotAnInterval {
        /// The end given as lower.
        lower: f64,
        /// The end given as upper.
        upper: f64,
    },
    /// A denominator or divisor was zero.
    #[error("{name} is zero, but must not be")]
    Zero {
        /// The parameter.
        name: &'static str,
    },
    /// The answer exists but is too large to be represented or computed here.
    #[error("{what} is too large: at most {limit} is supported")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The largest supported size, in words.
        limit: String,
    },
    /// The ends of a search do not enclose what is sought.
    #[error("the ends of the search do not bracket the answer: {reason}")]
    NotBracketed {
        /// Which end is wrong, in words.
        reason: &'static str,
    },
    /// A sequence without entries was given where at least one is needed.
    #[error("{name} is empty, but must have at least one entry")]
    Empty {
        /// The parameter.
        name: &'static str,
    },
}

/// Only reachable when a length this crate has chosen does not fit.
impl From<throng_fourier::FourierError> for NumericError {
    fn from(error: throng_fourier::FourierError) -> Self {
        Self::domain("the transform", error, "given buffers of its own length")
    }
}

impl NumericError {
    #[expect(clippy::needless_pass_by_value, reason = "callers hand over literals and copies")]
    pub(crate) fn domain(name: &'static str, value: impl ToString, allowed: &'static str) -> Self {
        Self::OutOfDomain { name, value: value.to_string(), allowed }
    }
}
