//! Records and the head, as rows of the file.

use rusqlite::{Connection, OptionalExtension, Row, params};
use throng_account::filter::Budget as Amount;

use crate::error::{LedgerError, Result};
use crate::record::{Kind, Record, genesis};
use crate::{Digest, amount};

/// Where the chain ends: the last record, and what is spent after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) digest: Digest,
    pub(crate) spent: Amount,
}

const COLUMNS: &str = "number, kind, body, payload, spent, digest, lookup, answers";

/// SQLite counts in i64; a negative number is damage.
pub(crate) fn unsigned(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(|_| LedgerError::corrupt("a number is negative"))
}

/// A number of a record, as SQLite stores it.
pub(crate) fn signed(value: u64) -> Result<i64> {
    i64::try_from(value).map_err(|_| LedgerError::invalid("the number is too large", "check it"))
}

/// Runs a read in one transaction, so that it sees one state.
pub(crate) fn snapshot<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    connection.execute_batch("BEGIN")?;
    let done = read(connection);
    let ended = connection.execute_batch("ROLLBACK");
    let done = done?;
    ended?;
    Ok(done)
}

/// A row as a record; nothing is copied.
fn record_of<'a>(row: &'a Row<'_>) -> Result<Record<'a>> {
    let value = |column: usize| row.get_ref(column);
    let text = |column| Ok::<_, rusqlite::Error>(value(column)?.as_str()?.into());
    let bytes = |column| Ok::<_, rusqlite::Error>(value(column)?.as_blob()?);
    let lookup = value(6)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    let answers = value(7)?.as_i64_or_null().map_err(rusqlite::Error::from)?;
    Ok(Record {
        number: unsigned(row.get(0)?)?,
        kind: Kind::of_code(row.get(1)?)?,
        body: text(2)?,
        payload: bytes(3)?.into(),
        spent: text(4)?,
        digest: Digest::try_from(bytes(5)?)?,
        lookup: lookup.map(Into::into),
        answers: answers.map(unsigned).transpose()?,
    })
}

/// The records that a condition selects, one at a time.
pub(crate) fn each(
    connection: &Connection,
    condition: &str,
    bound: impl rusqlite::Params,
    mut visit: impl FnMut(Record<'_>) -> Result<()>,
) -> Result<()> {
    let sql = format!("SELECT {COLUMNS} FROM records {condition}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(bound)?;
    while let Some(row) = rows.next()? {
        visit(record_of(row)?)?;
    }
    Ok(())
}

/// The first record that a condition selects.
pub(crate) fn first(
    connection: &Connection,
    condition: &str,
    bound: impl rusqlite::Params,
) -> Result<Option<Record<'static>>> {
    let mut found = None;
    each(connection, &format!("{condition} LIMIT 1"), bound, |record| {
        found = Some(record.into_owned());
        Ok(())
    })?;
    Ok(found)
}

/// A record by its number, checked against the digest before it.
pub(crate) fn numbered(connection: &Connection, number: u64) -> Result<Option<Record<'static>>> {
    let Some(record) = first(connection, "WHERE number = ?1", [signed(number)?])? else {
        return Ok(None);
    };
    checked(connection, record).map(Some)
}

/// Refuses a record whose digest does not follow from the one before.
pub(crate) fn checked<'a>(connection: &Connection, record: Record<'a>) -> Result<Record<'a>> {
    let before = match record.number.checked_sub(1) {
        None => Some(genesis()),
        Some(before) => digest_of(connection, before)?,
    };
    if before.is_some_and(|before| record.follows(&before)) {
        return Ok(record);
    }
    Err(LedgerError::corrupt(format!("record {} does not follow the one before", record.number)))
}

/// The stored digest of a record.
pub(crate) fn digest_of(connection: &Connection, number: u64) -> Result<Option<Digest>> {
    let sql = "SELECT digest FROM records WHERE number = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found: Option<Vec<u8>> =
        statement.query_row([signed(number)?], |row| row.get(0)).optional()?;
    found.map(|bytes| Digest::try_from(bytes.as_slice())).transpose()
}

/// The head as it is written, unchecked.
pub(crate) fn head(connection: &Connection) -> Result<Head> {
    let mut statement = connection.prepare_cached("SELECT number, digest, spent FROM head")?;
    let read = |row: &Row<'_>| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, String>(2)?))
    };
    let (number, digest, spent) = statement
        .query_row([], read)
        .optional()?
        .ok_or_else(|| LedgerError::corrupt("the head is missing"))?;
    Ok(Head {
        number: unsigned(number)?,
        digest: Digest::try_from(digest.as_slice())?,
        spent: amount::parse(&spent)?,
    })
}

/// The last record, refused unless the head says the same and it follows the one before.
pub(crate) fn last(connection: &Connection, head: &Head) -> Result<Record<'static>> {
    let record = first(connection, "ORDER BY number DESC", [])?
        .ok_or_else(|| LedgerError::corrupt("it has no records"))?;
    if record.number != head.number || record.digest != head.digest || record.spent()? != head.spent
    {
        return Err(LedgerError::corrupt("the head and the last record disagree"));
    }
    checked(connection, record)
}

/// Appends a record; the head is moved by [`set_head`].
pub(crate) fn insert(connection: &Connection, record: &Record<'_>) -> Result<()> {
    let sql = format!("INSERT INTO records ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    let mut statement = connection.prepare_cached(&sql)?;
    statement.execute(params![
        signed(record.number)?,
        record.kind.code(),
        record.body,
        record.payload,
        record.spent,
        record.digest.as_bytes().as_slice(),
        record.lookup,
        record.answers.map(signed).transpose()?,
    ])?;
    Ok(())
}

/// Writes the head of a ledger that has none.
pub(crate) fn first_head(connection: &Connection, head: &Head) -> Result<()> {
    put_head(
        connection,
        "INSERT INTO head (one, number, digest, spent) VALUES (1, ?1, ?2, ?3)",
        head,
    )
}

/// Moves the head.
pub(crate) fn set_head(connection: &Connection, head: &Head) -> Result<()> {
    put_head(connection, "UPDATE head SET number = ?1, digest = ?2, spent = ?3 WHERE one = 1", head)
}

fn put_head(connection: &Connection, sql: &str, head: &Head) -> Result<()> {
    let digest = head.digest.as_bytes().as_slice();
    let mut statement = connection.prepare_cached(sql)?;
    let changed =
        statement.execute(params![signed(head.number)?, digest, amount::text(&head.spent)])?;
    if changed == 1 { Ok(()) } else { Err(LedgerError::corrupt("the head is missing")) }
}

/// The newest record of a kind with a lookup, checked.
pub(crate) fn newest(
    connection: &Connection,
    kind: Kind,
    lookup: Option<&[u8]>,
) -> Result<Option<Record<'static>>> {
    let condition = "INDEXED BY by_lookup WHERE kind = ?1 AND lookup IS ?2 ORDER BY kind DESC, lookup DESC, number DESC";
    let found = first(connection, condition, params![kind.code(), lookup])?;
    found.map(|record| checked(connection, record)).transpose()
}

/// The oldest record of a kind with a lookup, checked.
pub(crate) fn oldest(
    connection: &Connection,
    kind: Kind,
    lookup: &[u8],
) -> Result<Option<Record<'static>>> {
    let condition = "INDEXED BY by_lookup WHERE kind = ?1 AND lookup = ?2 ORDER BY number";
    let found = first(connection, condition, params![kind.code(), lookup])?;
    found.map(|record| checked(connection, record)).transpose()
}

/// The release of a charge, checked.
pub(crate) fn answer_of(connection: &Connection, charge: u64) -> Result<Option<Record<'static>>> {
    let condition = "INDEXED BY by_answer WHERE answers = ?1";
    let found = first(connection, condition, [signed(charge)?])?;
    found.map(|record| checked(connection, record)).transpose()
}
