//! Store before reply: releases and facts, and how they are found again.

use rusqlite::Connection;
use throng_account::filter::Receipt;

use super::Ledger;
use crate::clerk::Entry;
use crate::error::{LedgerError, Result};
use crate::record::{Body, Kind, Record};
use crate::standing::Standing;
use crate::{Asked, Digest, Stored, Ticket, amount, rows};

impl Ledger {
    /// Stores the release of a charge: durable when this returns, which is before it is printed.
    ///
    /// # Errors
    /// If the ticket is not of a charge of this ledger, or another release is stored for it already
    /// (the same one again is fine), or the disk fails.
    pub fn store(&self, ticket: &Ticket, payload: &[u8]) -> Result<()> {
        self.submit(Entry::Release { ticket: *ticket, payload: payload.to_vec() }).map(drop)
    }

    /// The stored release of a question, free, if there is one; if several, always the first.
    ///
    /// A charge without a stored release (its process died) is not found, and stays spent.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn find(&self, question: &Digest) -> Result<Option<Stored>> {
        self.reading(|connection, standing| {
            let found = rows::oldest(connection, Kind::Release, question.as_bytes())?;
            found.map(|release| stored(connection, standing, question, release)).transpose()
        })
    }

    /// Whether a question has an answer already.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn ask(&self, question: &Digest) -> Result<Asked> {
        Ok(self.find(question)?.map_or(Asked::New, |stored| Asked::Stored(Box::new(stored))))
    }

    /// Records a public fact that later questions may use: bounds that were chosen privately, say.
    /// What it took to learn it must have been charged.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn note(&self, kind: &str, name: &str, value: &[u8]) -> Result<()> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        self.submit(Entry::Fact { kind, name, value: value.to_vec() }).map(drop)
    }

    /// The newest value of a fact.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn fact(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.reading(|connection, _| {
            let found = rows::newest(connection, Kind::Fact, Some(name.as_bytes()))?;
            Ok(found.map(|record| record.payload.into_owned()))
        })
    }
}

/// The stored release with the charge that paid for it.
fn stored(
    connection: &Connection,
    standing: &Standing,
    question: &Digest,
    release: Record<'_>,
) -> Result<Stored> {
    let damage = || LedgerError::corrupt(format!("record {} answers no charge", release.number));
    let Body::Release(answer) = release.read()? else { return Err(damage()) };
    let charge = rows::numbered(connection, answer.charge)?.ok_or_else(damage)?;
    let Body::Charge(body) = charge.read()? else { return Err(damage()) };
    let agree = [answer.question, body.question].iter().all(|key| key == question);
    if !agree || charge.digest != answer.ticket {
        return Err(damage());
    }
    let spent = charge.spent()?;
    let left = amount::minus(&standing.charter.capacity, &spent)?;
    Ok(Stored {
        ticket: charge.ticket(),
        payload: release.payload.into_owned(),
        receipt: Receipt { cost: body.cost, spent, left },
        label: body.label,
    })
}
