//! Failures as exceptions, in the words of the command.

use pyo3::prelude::*;
use throng_cli::{Failure, Kind};

/// What a function of this crate answers: an exception may come from us or from Python itself.
pub(crate) type Answer<T> = Result<T, Raised>;

/// Something to raise.
pub(crate) enum Raised {
    /// What we have to say.
    Ours(Failure),
    /// What Python has to say.
    Theirs(PyErr),
}

/// The caller can fix it.
pub(crate) fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Raised {
    Raised::Ours(Failure::usage(message, hint))
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self::Theirs(error)
    }
}

macro_rules! told {
    ($($error:ty),*) => {
        $(impl From<$error> for Raised {
            fn from(error: $error) -> Self {
                Self::Ours(error.into())
            }
        })*
    };
}

told!(
    throng_account::AccountError,
    throng_audit::AuditError,
    throng_learn::LearnError,
    throng_ledger::LedgerError,
    throng_mechanism::MechanismError,
    throng_query::QueryError,
    std::io::Error,
    serde_json::Error
);

impl From<Failure> for Raised {
    fn from(failure: Failure) -> Self {
        Self::Ours(failure)
    }
}

impl From<throng_numeric::NumericError> for Raised {
    fn from(error: throng_numeric::NumericError) -> Self {
        throng_account::AccountError::from(error).into()
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        match raised {
            Raised::Theirs(error) => error,
            Raised::Ours(failure) => Python::attach(|py| exception(py, &failure)),
        }
    }
}

/// The exception of `throng._errors` that stands for a failure.
fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    let class = match failure.kind() {
        Kind::Invalid => "InvalidInput",
        Kind::Refused => "Refused",
        Kind::Exhausted => "BudgetExhausted",
        Kind::Bug => "InternalError",
    };
    let (message, hint) = failure.words();
    let made = py
        .import("throng._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1((message, hint)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
