//! Records: what the chain is made of.
//!
//! A record has a number, a kind, a body (JSON), a payload (bytes; empty except in releases and
//! facts), the total spent after it, and a digest over all of that and the digest before it.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use throng_account::filter::Budget as Amount;

use crate::charter::CharterBody;
use crate::error::{LedgerError, Result};
use crate::standing::Priced;
use crate::{Digest, Ticket, amount};

/// The version of the file format; files of other versions are refused.
pub const FORMAT: i64 = 1;

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// What the ledger is for; record 0 and no other.
    Charter,
    /// Something was paid for.
    Charge,
    /// The answer to a charge.
    Release,
    /// A public fact that was paid for earlier and may be used again.
    Fact,
    /// The owner changed the charter.
    Amendment,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Charter, Self::Charge, Self::Release, Self::Fact, Self::Amendment];

    /// The name that is printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Charter => "charter",
            Self::Charge => "charge",
            Self::Release => "release",
            Self::Fact => "fact",
            Self::Amendment => "amendment",
        }
    }

    /// The code that is stored.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Charter => 0,
            Self::Charge => 1,
            Self::Release => 2,
            Self::Fact => 3,
            Self::Amendment => 4,
        }
    }

    /// Reads a code; what this version does not know is refused, never skipped.
    pub(crate) fn of_code(code: i64) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| i64::from(kind.code()) == code);
        found.ok_or_else(|| LedgerError::Corrupt {
            what: format!("a record is of unknown kind {code}"),
            hint: "if a newer throng wrote this ledger, use that one".into(),
        })
    }
}

/// One link of the chain; borrowed from the page it lies on where a million are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub(crate) number: u64,
    pub(crate) kind: Kind,
    pub(crate) body: Cow<'a, str>,
    pub(crate) payload: Cow<'a, [u8]>,
    /// The canonical text of what is spent in all after this record.
    pub(crate) spent: Cow<'a, str>,
    pub(crate) digest: Digest,
    pub(crate) lookup: Option<Cow<'a, [u8]>>,
    pub(crate) answers: Option<u64>,
}

/// The digest before record 0.
pub(crate) fn genesis() -> Digest {
    Digest::of(b"throng ledger, format 1")
}

/// The digest of a record after another.
pub(crate) fn seal(
    before: &Digest,
    number: u64,
    kind: Kind,
    body: &[u8],
    payload: &[u8],
    spent: &[u8],
) -> Digest {
    let number = number.to_be_bytes();
    Digest::of_parts(&[before.as_bytes(), &number, &[kind.code()], body, payload, spent])
}

impl Record<'_> {
    /// The record by itself.
    pub(crate) fn into_owned(self) -> Record<'static> {
        Record {
            body: self.body.into_owned().into(),
            payload: self.payload.into_owned().into(),
            spent: self.spent.into_owned().into(),
            lookup: self.lookup.map(|lookup| lookup.into_owned().into()),
            ..self
        }
    }

    /// Whether the digest is that of this record after another.
    pub(crate) fn follows(&self, before: &Digest) -> bool {
        let (body, spent) = (self.body.as_bytes(), self.spent.as_bytes());
        seal(before, self.number, self.kind, body, &self.payload, spent) == self.digest
    }

    pub(crate) fn ticket(&self) -> Ticket {
        Ticket { number: self.number, digest: self.digest }
    }

    pub(crate) fn spent(&self) -> Result<Amount> {
        amount::parse(&self.spent)
    }

    /// The body, read as the one that this kind has.
    pub(crate) fn read(&self) -> Result<Body> {
        Ok(match self.kind {
            Kind::Charter => Body::Charter(self.json()?),
            Kind::Charge => Body::Charge(self.json()?),
            Kind::Release => Body::Release(self.json()?),
            Kind::Fact => Body::Fact(self.json()?),
            Kind::Amendment => Body::Amendment(self.json()?),
        })
    }

    /// The body of a charge, without copies.
    pub(crate) fn glance(&self) -> Result<Glance<'_>> {
        serde_json::from_str(&self.body).map_err(|_| self.unreadable())
    }

    fn unreadable(&self) -> LedgerError {
        LedgerError::corrupt(format!("record {} cannot be read", self.number))
    }

    fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.body).map_err(|_| self.unreadable())
    }
}

/// What the body of a record says.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Charter(Founding),
    Charge(Spending),
    Release(Answer),
    Fact(Fact),
    Amendment(CharterBody),
}

impl Body {
    pub(crate) const fn kind(&self) -> Kind {
        match self {
            Self::Charter(_) => Kind::Charter,
            Self::Charge(_) => Kind::Charge,
            Self::Release(_) => Kind::Release,
            Self::Fact(_) => Kind::Fact,
            Self::Amendment(_) => Kind::Amendment,
        }
    }

    pub(crate) fn json(&self) -> Result<String> {
        let written = match self {
            Self::Charter(body) => serde_json::to_string(body),
            Self::Charge(body) => serde_json::to_string(body),
            Self::Release(body) => serde_json::to_string(body),
            Self::Fact(body) => serde_json::to_string(body),
            Self::Amendment(body) => serde_json::to_string(body),
        };
        written.map_err(|e| LedgerError::invalid(e.to_string(), "this text cannot be stored"))
    }

    /// What the record is found by: the analyst, the question, or the name of the fact.
    pub(crate) fn lookup(&self) -> Option<Vec<u8>> {
        match self {
            Self::Charter(_) | Self::Amendment(_) => None,
            Self::Charge(body) => body.analyst.as_ref().map(|name| name.clone().into_bytes()),
            Self::Release(body) => Some(body.question.as_bytes().to_vec()),
            Self::Fact(body) => Some(body.name.clone().into_bytes()),
        }
    }

    /// The charge that the record answers.
    pub(crate) fn answers(&self) -> Option<u64> {
        match self {
            Self::Release(body) => Some(body.charge),
            Self::Charter(_) | Self::Charge(_) | Self::Fact(_) | Self::Amendment(_) => None,
        }
    }
}

/// Record 0.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Founding {
    pub(crate) format: i64,
    /// 16 random bytes: which ledger this is.
    pub(crate) ledger: String,
    pub(crate) charter: CharterBody,
}

/// A charge as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spending {
    pub(crate) question: Digest,
    pub(crate) label: String,
    pub(crate) analyst: Option<String>,
    pub(crate) spec: String,
    pub(crate) delta: Option<String>,
    #[serde(with = "amount::as_text")]
    pub(crate) cost: Amount,
    /// What the analyst has spent in all after this charge, if one is named.
    pub(crate) own: Option<String>,
    pub(crate) at: Option<String>,
}

impl Spending {
    pub(crate) fn of(priced: &Priced, cost: Amount, own: Option<&Amount>) -> Self {
        let charge = &priced.charge;
        Self {
            question: charge.question,
            label: charge.label.clone(),
            analyst: charge.analyst.clone(),
            spec: priced.spec.to_string(),
            delta: charge.delta.as_ref().map(ToString::to_string),
            cost,
            own: own.map(amount::text),
            at: charge.at.clone(),
        }
    }
}

/// [`Spending`] as a reader of a million charges sees it: texts are not copied, amounts not read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Glance<'a> {
    pub(crate) question: Digest,
    #[serde(borrow, rename = "label")]
    _label: Text<'a>,
    #[serde(borrow)]
    pub(crate) analyst: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) spec: Text<'a>,
    #[serde(borrow)]
    pub(crate) delta: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) cost: Text<'a>,
    #[serde(borrow)]
    pub(crate) own: Option<Text<'a>>,
    #[serde(borrow, rename = "at")]
    _at: Option<Text<'a>>,
}

/// A text that is borrowed unless it has escapes.
#[derive(Debug, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A release as it is stored, beside its payload.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub(crate) charge: u64,
    pub(crate) ticket: Digest,
    pub(crate) question: Digest,
}

/// A fact as it is stored, beside its value.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fact {
    pub(crate) kind: String,
    pub(crate) name: String,
}
