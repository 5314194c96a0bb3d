//! The one who writes: a batch of entries becomes one durable transaction.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use throng_account::filter::Receipt;

use crate::charter::CharterBody;
use crate::error::{LedgerError, Result};
use crate::file::Identity;
use crate::record::{Answer, Body, Fact, Kind};
use crate::rows::{self, Head, snapshot};
use crate::standing::{Priced, Standing};
use crate::witness::{self, Witness};
use crate::{Anchor, Charter, Ticket, amount, schema, verify};

/// Something to be recorded.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// All of these charges or none.
    Charges(Vec<Priced>),
    Release {
        ticket: Ticket,
        payload: Vec<u8>,
    },
    Fact {
        kind: String,
        name: String,
        value: Vec<u8>,
    },
    Amendment(Box<Charter>),
}

/// What was recorded: a ticket and a receipt for each charge, nothing else otherwise.
pub(crate) type Outcome = Vec<(Ticket, Receipt)>;

/// The connection that writes, and what it knows.
#[derive(Debug)]
pub(crate) struct Clerk {
    pub(crate) connection: Connection,
    path: PathBuf,
    identity: Identity,
    standing: Option<Standing>,
    /// The end of the chain as this clerk last saw it; the file may never fall behind it.
    seen: Head,
    broken: Option<LedgerError>,
    id: String,
    witness: Witness,
    #[cfg(test)]
    panics: bool,
}

impl Clerk {
    /// Opens a ledger that exists, and checks its end.
    pub(crate) fn open(path: &Path, patience: Duration) -> Result<Self> {
        let identity = Identity::of(path)?;
        // Before the head is read: the head may move on in between, the witness never past it.
        let seen = witness::read(path);
        let connection = schema::writer(path, patience)?;
        let (head, id) = snapshot(&connection, |connection| {
            let id = verify::founding(connection)?.ledger;
            witness::agrees(path, seen, &id, |number| rows::digest_of(connection, number))?;
            Ok((Standing::read(connection)?.head, id))
        })?;
        let mut witness = Witness::of(path);
        witness.see(&anchor(&id, &head));
        Ok(Self {
            connection,
            path: path.to_owned(),
            identity,
            seen: head,
            standing: None,
            broken: None,
            id,
            witness,
            #[cfg(test)]
            panics: false,
        })
    }

    /// Records entries in one transaction; when this returns, what is recorded is on the disk.
    ///
    /// An entry that a rule refuses leaves no trace and does not hinder the others. If reading or
    /// writing fails, all fail, and so does everything after: what reached the disk is not known.
    pub(crate) fn record(&mut self, entries: &[Entry]) -> Vec<Result<Outcome>> {
        if let Some(error) = &self.broken {
            return entries.iter().map(|_| Err(error.clone())).collect();
        }
        // Whatever happens in between, a panic too, the clerk is trusted again only at the end.
        self.broken = Some(LedgerError::io("an earlier entry was interrupted"));
        match self.transact(entries) {
            Ok(outcomes) => {
                self.broken = None;
                outcomes
            }
            Err(error) => {
                self.recover(&error);
                entries.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn panic_next(&mut self) {
        self.panics = true;
    }

    fn recover(&mut self, error: &LedgerError) {
        self.standing = None;
        let rolled_back =
            self.connection.is_autocommit() || self.connection.execute_batch("ROLLBACK").is_ok();
        if error.is_fatal() {
            self.broken = Some(error.clone());
        } else if rolled_back {
            self.broken = None;
        }
    }

    fn transact(&mut self, entries: &[Entry]) -> Result<Vec<Result<Outcome>>> {
        if Identity::of(&self.path)? != self.identity {
            return Err(LedgerError::corrupt("the file was removed or replaced while it was open"));
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        #[cfg(test)]
        assert!(!self.panics, "as the test asked");
        let mut standing = self.refreshed()?;
        let before = standing.head.number;
        let mut outcomes = Vec::with_capacity(entries.len());
        for entry in entries {
            match enter(&self.connection, &mut standing, entry) {
                Err(error) if error.is_fatal() => return Err(error),
                outcome => outcomes.push(outcome),
            }
        }
        if standing.head.number == before {
            self.connection.execute_batch("ROLLBACK")?;
        } else {
            rows::set_head(&self.connection, &standing.head)?;
            self.connection.execute_batch("COMMIT")?;
            self.witness.see(&anchor(&self.id, &standing.head));
        }
        self.seen = standing.head.clone();
        self.standing = Some(standing);
        Ok(outcomes)
    }

    /// The standing now that the file is locked: as it was left, or read again if others wrote.
    fn refreshed(&mut self) -> Result<Standing> {
        let head = rows::head(&self.connection)?;
        if let Some(standing) = self.standing.take().filter(|standing| standing.head == head) {
            rows::last(&self.connection, &head)?;
            return Ok(standing);
        }
        let standing = Standing::read(&self.connection)?;
        let still = rows::digest_of(&self.connection, self.seen.number)?;
        if still != Some(self.seen.digest) {
            return Err(LedgerError::corrupt(
                "the file went back to an older state while it was open",
            ));
        }
        Ok(standing)
    }
}

fn anchor(id: &str, head: &Head) -> Anchor {
    Anchor { ledger: id.to_owned(), number: head.number, digest: head.digest }
}

/// Decides on an entry and writes its records; the standing moves only if all is well.
fn enter(connection: &Connection, standing: &mut Standing, entry: &Entry) -> Result<Outcome> {
    match entry {
        Entry::Charges(charges) => charge(connection, standing, charges),
        Entry::Release { ticket, payload } => release(connection, standing, *ticket, payload),
        Entry::Fact { kind, name, value } => {
            let body = Body::Fact(Fact { kind: kind.clone(), name: name.clone() });
            let record = standing.free(&body, value.clone())?;
            rows::insert(connection, &record).map(|()| Vec::new())
        }
        Entry::Amendment(charter) => amend(connection, standing, charter),
    }
}

fn charge(connection: &Connection, standing: &mut Standing, charges: &[Priced]) -> Result<Outcome> {
    if let [priced] = charges {
        let verdict = standing.judge(connection, priced)?;
        let record = standing.charge(priced, &verdict)?;
        rows::insert(connection, &record)?;
        return Ok(vec![(record.ticket(), verdict.receipt)]);
    }
    // All or none: decide on a copy first.
    let mut after = standing.clone();
    let mut written = Vec::with_capacity(charges.len());
    for priced in charges {
        let verdict = after.judge(connection, priced)?;
        written.push((after.charge(priced, &verdict)?, verdict.receipt));
    }
    for (record, _) in &written {
        rows::insert(connection, record)?;
    }
    *standing = after;
    Ok(written.into_iter().map(|(record, receipt)| (record.ticket(), receipt)).collect())
}

fn release(
    connection: &Connection,
    standing: &mut Standing,
    ticket: Ticket,
    payload: &[u8],
) -> Result<Outcome> {
    let unknown = || {
        LedgerError::refused(
            format!("receipt {ticket} is not of this ledger"),
            "store a release with the ticket that paid for it",
        )
    };
    let charge = rows::numbered(connection, ticket.number)?.ok_or_else(unknown)?;
    if charge.digest != ticket.digest || charge.kind != Kind::Charge {
        return Err(unknown());
    }
    let Body::Charge(spending) = charge.read()? else { return Err(unknown()) };
    if let Some(stored) = rows::answer_of(connection, ticket.number)? {
        if *stored.payload == *payload {
            return Ok(Vec::new());
        }
        return Err(LedgerError::refused(
            format!("another release is stored for receipt {ticket}"),
            "one charge pays for one release",
        ));
    }
    let answer =
        Answer { charge: ticket.number, ticket: ticket.digest, question: spending.question };
    let record = standing.free(&Body::Release(answer), payload.to_vec())?;
    rows::insert(connection, &record).map(|()| Vec::new())
}

fn amend(connection: &Connection, standing: &mut Standing, charter: &Charter) -> Result<Outcome> {
    if *charter == standing.charter {
        return Ok(Vec::new());
    }
    let now = &standing.charter;
    if charter.under != now.under || !amount::same_currency(&charter.capacity, &now.capacity) {
        return Err(LedgerError::refused(
            "what was spent was counted in one currency under one relation",
            "keep both, or start a new ledger for new units",
        ));
    }
    if !amount::fits(&standing.head.spent, &charter.capacity) {
        return Err(LedgerError::refused(
            format!("{} is spent already", standing.head.spent),
            "a budget cannot be made smaller than what is spent",
        ));
    }
    let record = standing.free(&Body::Amendment(CharterBody::of(charter)), Vec::new())?;
    rows::insert(connection, &record)?;
    standing.charter = charter.clone();
    Ok(Vec::new())
}
