//! What is asked for, and what comes back.

use std::fmt;
use std::str::FromStr;

use throng_account::MechanismSpec;
use throng_account::filter::Receipt;
use throng_mechanism::Permit;
use throng_numeric::Rational;

use crate::{Digest, LedgerError};

/// One thing to pay for: a question and the mechanism that will answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The key of the canonical question: canonical plan, version of the data, parameters.
    pub question: Digest,
    /// What a reader of the history sees: the SQL text.
    pub label: String,
    /// Who asks, if quotas or the history need to know.
    pub analyst: Option<String>,
    /// What will run.
    pub spec: MechanismSpec,
    /// In budgets of pairs: the delta at which the whole charge is priced.
    pub delta: Option<Rational>,
    /// When, as the caller's clock has it: information for readers, never used.
    pub at: Option<String>,
}

impl Charge {
    /// A charge by nobody in particular, priced without a delta.
    #[must_use]
    pub fn new(question: Digest, label: impl Into<String>, spec: MechanismSpec) -> Self {
        Self { question, label: label.into(), analyst: None, spec, delta: None, at: None }
    }

    /// The same, by an analyst.
    #[must_use]
    pub fn by(self, analyst: impl Into<String>) -> Self {
        Self { analyst: Some(analyst.into()), ..self }
    }

    /// The same, priced at a delta.
    #[must_use]
    pub fn at_delta(self, delta: Rational) -> Self {
        Self { delta: Some(delta), ..self }
    }
}

/// The number and the digest of a recorded charge; as text, the receipt that a user is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket {
    /// The number of the record.
    pub number: u64,
    /// The digest of the record, and through it of everything before.
    pub digest: Digest,
}

impl fmt::Display for Ticket {
    /// `17-9f86d0…`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.number, self.digest)
    }
}

impl FromStr for Ticket {
    type Err = LedgerError;

    fn from_str(text: &str) -> Result<Self, LedgerError> {
        let wrong =
            || LedgerError::invalid("this is not a receipt", "a receipt is <number>-<digest>");
        let (number, digest) = text.split_once('-').ok_or_else(wrong)?;
        let ticket = Self {
            number: number.parse().map_err(|_| wrong())?,
            digest: digest.parse().map_err(|_| wrong())?,
        };
        if ticket.to_string() == text { Ok(ticket) } else { Err(wrong()) }
    }
}

/// A charge that is durably recorded: the right to run, and the receipt.
#[must_use = "it is paid for: without a run it is lost"]
#[derive(Debug)]
pub struct Authorised {
    /// The right to run the mechanism once.
    pub permit: Permit,
    /// Which record says so; [`Ledger::store`](crate::Ledger::store) needs it.
    pub ticket: Ticket,
    /// What it cost, what is spent in all, and what is left.
    pub receipt: Receipt,
}

/// A release that was stored, with the charge that paid for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The charge.
    pub ticket: Ticket,
    /// The release, as it was stored.
    pub payload: Vec<u8>,
    /// What the charge cost; spent and left as they were just after it.
    pub receipt: Receipt,
    /// The label of the charge.
    pub label: String,
}

/// Whether a question has an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// It is answered: the stored release is free.
    Stored(Box<Stored>),
    /// It is not: an answer must be paid for.
    New,
}
