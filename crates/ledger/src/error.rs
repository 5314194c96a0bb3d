//! What can go wrong, and what to do then.

use std::fmt;

use throng_account::AccountError;
use throng_account::filter::Budget as Amount;
use throng_numeric::NumericError;

use crate::Ticket;

/// Whose budget does not cover a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// The capacity for everybody together.
    Global,
    /// The quota of one analyst.
    Analyst(String),
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => write!(f, "the budget"),
            Self::Analyst(name) => write!(f, "the quota of {name:?}"),
        }
    }
}

/// Why the ledger did not do what it was asked.
///
/// Texts depend on the question and the ledger, never on data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// What was handed in is not what it must be; nothing was recorded.
    #[error("{what}\nhint: {hint}")]
    Invalid {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A rule of the ledger says no; nothing was recorded.
    #[error("{what}\nhint: {hint}")]
    Refused {
        /// What is refused and why.
        what: String,
        /// What to do instead.
        hint: String,
    },
    /// A budget does not cover the charge; nothing was recorded.
    #[error("{whose} does not cover this: {asked} was asked and {left} is left")]
    Exhausted {
        /// What the charge costs.
        asked: Box<Amount>,
        /// What is left.
        left: Box<Amount>,
        /// Of which budget.
        whose: Whose,
    },
    /// The same question is answered already; the stored answer is free. Nothing was recorded.
    #[error("this question is answered already, by receipt {0}\nhint: print the stored answer")]
    AlreadyAnswered(Ticket),
    /// The file is not a ledger, or not as it was written.
    #[error("the ledger is damaged: {what}\nhint: {hint}")]
    Corrupt {
        /// What was seen.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Another process held the ledger for longer than this one was willing to wait; nothing was
    /// recorded.
    #[error("the ledger is locked: {what}\nhint: {hint}")]
    Locked {
        /// Who waits for what.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Reading or writing failed; the charge may or may not be recorded, and this handle refuses
    /// every further one.
    #[error("the ledger cannot be read or written: {what}\nhint: {hint}")]
    Io {
        /// What failed.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The accountant has no sound price for the mechanism; nothing was recorded.
    #[error(transparent)]
    Account(#[from] AccountError),
}

pub(crate) type Result<T> = std::result::Result<T, LedgerError>;

const VERIFY: &str = "run `throng ledger verify`; restore from a copy only if its anchor is newer";

impl LedgerError {
    pub(crate) fn invalid(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Invalid { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into(), hint: VERIFY.into() }
    }

    pub(crate) fn io(what: impl Into<String>) -> Self {
        Self::Io {
            what: what.into(),
            hint: "make room or restore access, then open the ledger again".into(),
        }
    }

    pub(crate) fn locked(what: impl Into<String>) -> Self {
        Self::Locked { what: what.into(), hint: "try again when the other process is done".into() }
    }

    /// Whether the state of the file is unknown or bad after this error, so that the handle must
    /// not go on.
    pub(crate) fn is_fatal(&self) -> bool {
        match self {
            Self::Corrupt { .. } | Self::Io { .. } => true,
            Self::Invalid { .. }
            | Self::Refused { .. }
            | Self::Exhausted { .. }
            | Self::AlreadyAnswered(_)
            | Self::Locked { .. }
            | Self::Account(_) => false,
        }
    }
}

impl From<NumericError> for LedgerError {
    fn from(error: NumericError) -> Self {
        Self::Account(error.into())
    }
}

impl From<rusqlite::Error> for LedgerError {
    /// Everything that is not known to be harmless counts as a failure of the disk.
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ffi::ErrorCode::{
            DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase, TypeMismatch,
        };
        let what = error.to_string();
        if matches!(
            error,
            rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::Utf8Error(..)
                | rusqlite::Error::QueryReturnedNoRows
        ) {
            return Self::corrupt(what);
        }
        match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => {
                Self::locked("another process or thread is writing")
            }
            Some(DatabaseCorrupt | NotADatabase | TypeMismatch) => Self::corrupt(what),
            Some(_) | None => Self::io(what),
        }
    }
}

impl From<std::io::Error> for LedgerError {
    fn from(error: std::io::Error) -> Self {
        Self::io(error.to_string())
    }
}
