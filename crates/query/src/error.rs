//! Why a question got no answer.

use throng_account::AccountError;
use throng_ledger::LedgerError;
use throng_mechanism::MechanismError;

/// Why a question got no answer.
///
/// Texts name parts of the policy, the query or the schema, never rows, and are the same on
/// neighbouring tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Something the caller can fix: a policy, an option, a file, a name.
    #[error("{what}{}", hint_line(hint))]
    Invalid {
        /// What is wrong, with its place.
        what: String,
        /// What to do; may be empty.
        hint: String,
    },
    /// Privacy says no: the part of the plan, the reason, and what to write instead.
    #[error("{part}: {reason}{}", hint_line(hint))]
    Refused {
        /// The offending part of the query.
        part: String,
        /// Why it is refused.
        reason: String,
        /// What to write instead.
        hint: String,
    },
    /// The budget or its keeper says no.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The accountant says no.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// A mechanism says no.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// Somebody wanted it to stop.
    #[error("interrupted: there is no answer; {}", whether(*paid))]
    Interrupted {
        /// Whether it was paid for by then.
        paid: bool,
    },
    /// The engine failed on something that is not the caller's: the text never comes from it, as
    /// it could hold values of rows.
    #[error("the engine failed while {doing}{}", hint_line(hint))]
    Engine {
        /// What it was doing.
        doing: String,
        /// What to do; may be empty.
        hint: String,
    },
}

fn whether(paid: bool) -> &'static str {
    if paid { "what was paid stays paid, as rows may have been read" } else { "nothing was spent" }
}

fn hint_line(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!("\nhint: {hint}") }
}

impl QueryError {
    /// Something the caller can fix.
    pub fn invalid(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Invalid { what: what.into(), hint: hint.into() }
    }

    /// Privacy says no.
    pub fn refused(
        part: impl Into<String>,
        reason: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Refused { part: part.into(), reason: reason.into(), hint: hint.into() }
    }

    /// The engine failed; what it said is dropped.
    pub fn engine(doing: impl Into<String>) -> Self {
        Self::Engine { doing: doing.into(), hint: String::new() }
    }
}
