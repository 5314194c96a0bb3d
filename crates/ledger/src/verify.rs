//! The audit: everything is read, hashed and summed again.

mod fraction;
mod prices;
mod replay;
mod tally;

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use throng_account::filter::Budget as Amount;

use self::replay::Replay;
use crate::error::{LedgerError, Result};
use crate::file::Identity;
use crate::record::{Body, Founding, Record, genesis};
use crate::rows::{self, snapshot};
use crate::{Anchor, Digest, schema, witness};

/// How much an audit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The chain, all sums, all references, and the file's own structure.
    Sums,
    /// The same, and every charge is priced again by the accountant.
    Prices,
}

/// What an audit found to be in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// How many records there are.
    pub records: u64,
    /// How many of them are charges.
    pub charges: u64,
    /// How many are releases.
    pub releases: u64,
    /// How many are facts.
    pub facts: u64,
    /// How many are amendments.
    pub amendments: u64,
    /// What is spent in all, summed again.
    pub spent: Amount,
    /// What may be spent in all.
    pub capacity: Amount,
    /// Where the chain stands.
    pub anchor: Anchor,
}

/// Checks a file.
pub(crate) fn file(
    path: &Path,
    anchor: Option<&Anchor>,
    depth: Depth,
    patience: Duration,
) -> Result<Verification> {
    Identity::of(path)?;
    // The file's own structure is checked meanwhile.
    std::thread::scope(|scope| {
        let structure = std::thread::Builder::new()
            .name("structure".into())
            .spawn_scoped(scope, || structure(&schema::reader(path, patience)?))?;
        let audited = audit(path, anchor, depth, patience);
        let sound = structure.join();
        let audited = audited?;
        sound.unwrap_or_else(|_| Err(LedgerError::corrupt("its structure cannot be checked")))?;
        Ok(audited)
    })
}

/// Reads every record in one snapshot.
fn audit(
    path: &Path,
    anchor: Option<&Anchor>,
    depth: Depth,
    patience: Duration,
) -> Result<Verification> {
    let seen = witness::read(path);
    let connection = schema::reader(path, patience)?;
    snapshot(&connection, |connection| {
        schema::check(connection)?;
        let mut replay = Replay::start(founding(connection)?, anchor, depth)?;
        let id = replay.ledger();
        witness::agrees(path, seen, id, |number| rows::digest_of(connection, number))?;
        rows::each(connection, "ORDER BY number", [], |record| replay.visit(&record))?;
        replay.finish(&rows::head(connection)?)
    })
}

/// What SQLite itself finds.
fn structure(connection: &Connection) -> Result<()> {
    let found: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(LedgerError::corrupt(found)) }
}

/// Record 0.
pub(crate) fn founding(connection: &Connection) -> Result<Founding> {
    let record = rows::numbered(connection, 0)?
        .ok_or_else(|| LedgerError::corrupt("record 0 is missing"))?;
    let Body::Charter(founding) = record.read()? else {
        return Err(LedgerError::corrupt("record 0 is not a charter"));
    };
    if founding.format != crate::record::FORMAT {
        return Err(LedgerError::corrupt(format!("record 0 is of format {}", founding.format)));
    }
    Ok(founding)
}

/// Checks the last records only, as a ledger is opened.
pub(crate) fn recent(connection: &Connection, many: u64) -> Result<()> {
    snapshot(connection, |connection| {
        let head = rows::head(connection)?;
        let last = rows::last(connection, &head)?;
        let from = last.number.saturating_sub(many);
        let mut before = match from.checked_sub(1) {
            None => genesis(),
            Some(number) => rows::digest_of(connection, number)?
                .ok_or_else(|| LedgerError::corrupt(format!("record {number} is missing")))?,
        };
        let mut expected = from;
        let condition = "WHERE number >= ?1 ORDER BY number";
        rows::each(connection, condition, [rows::signed(from)?], |record| {
            linked(&record, expected, &before)?;
            record.read()?;
            before = record.digest;
            expected += 1;
            Ok(())
        })
    })
}

/// Refuses a record that is not the next of the chain.
fn linked(record: &Record<'_>, expected: u64, before: &Digest) -> Result<()> {
    if record.number != expected {
        return Err(LedgerError::corrupt(format!("record {expected} is missing")));
    }
    if !record.follows(before) {
        return Err(LedgerError::corrupt(format!(
            "record {expected} is not as it was written, or not where it was"
        )));
    }
    Ok(())
}
