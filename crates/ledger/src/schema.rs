//! The tables, and how a connection is set up.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{LedgerError, Result};
use crate::record::FORMAT;

/// "Thrg": marks a SQLite file as a ledger.
const APPLICATION: i64 = 0x5468_7267;

/// Every object of the file. Rows of `records` are never changed or removed; SQLite refuses it, and
/// the chain shows it if somebody gets around SQLite.
const OBJECTS: [&str; 10] = [
    "CREATE TABLE records (number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, body TEXT NOT NULL, payload BLOB NOT NULL, spent TEXT NOT NULL, digest BLOB NOT NULL, lookup BLOB, answers INTEGER) STRICT",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, digest BLOB NOT NULL, spent TEXT NOT NULL) STRICT",
    "CREATE INDEX by_lookup ON records (kind, lookup)",
    "CREATE UNIQUE INDEX by_answer ON records (answers) WHERE answers IS NOT NULL",
    "CREATE TRIGGER no_change BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'records are never changed'); END",
    "CREATE TRIGGER no_removal BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'records are never removed'); END",
    "CREATE TRIGGER no_replacement BEFORE INSERT ON records WHEN EXISTS (SELECT 1 FROM records WHERE number = NEW.number) BEGIN SELECT RAISE(ABORT, 'records are never replaced'); END",
    "CREATE TRIGGER no_second_head BEFORE INSERT ON head WHEN EXISTS (SELECT 1 FROM head) BEGIN SELECT RAISE(ABORT, 'the head is never replaced'); END",
    "CREATE TRIGGER no_return BEFORE UPDATE ON head WHEN NEW.number <= OLD.number BEGIN SELECT RAISE(ABORT, 'the head only moves forward'); END",
    "CREATE TRIGGER no_beheading BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'the head is never removed'); END",
];

/// Opens an empty file to make a ledger of it.
pub(crate) fn blank(path: &Path, patience: Duration) -> Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, patience)?;
    logged(&connection)?;
    Ok(connection)
}

/// Makes the tables in an empty file.
pub(crate) fn found(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", FORMAT)?;
    for object in OBJECTS {
        connection.execute_batch(object)?;
    }
    Ok(())
}

/// Opens a ledger for writing; never creates one, and changes nothing in other files.
pub(crate) fn writer(path: &Path, patience: Duration) -> Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, patience)?;
    check(&connection)?;
    logged(&connection)?;
    Ok(connection)
}

/// Writes go to a log first, which is synced before a transaction ends.
fn logged(connection: &Connection) -> Result<()> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(LedgerError::io(format!("the journal is {mode:?} and cannot be made a log")));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(())
}

/// Opens an existing file for reading only.
pub(crate) fn reader(path: &Path, patience: Duration) -> Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, patience)
}

fn connect(path: &Path, access: OpenFlags, patience: Duration) -> Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    // A damaged or hostile file must not run anything, and must not fool the reader.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Plans do not depend on the values that are asked for, so statements are prepared once.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    // Negative: in KiB.
    connection.pragma_update(None, "cache_size", -65_536)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Refuses files that are not ledgers of this version with exactly these tables.
pub(crate) fn check(connection: &Connection) -> Result<()> {
    let pragma = |name: &str| -> Result<i64> {
        Ok(connection.pragma_query_value(None, name, |row| row.get(0))?)
    };
    if pragma("application_id")? != APPLICATION {
        return Err(LedgerError::Corrupt {
            what: "this file is not a ledger".into(),
            hint: "check the path; a ledger that was cut off looks like this too".into(),
        });
    }
    let format = pragma("user_version")?;
    if format != FORMAT {
        return Err(LedgerError::Corrupt {
            what: format!("the file has format {format}, and this throng knows format {FORMAT}"),
            hint: "use the version of throng that wrote it".into(),
        });
    }
    let mut found = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY rowid")?;
    let found: Vec<Option<String>> =
        found.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    if !found.iter().map(Option::as_deref).eq(OBJECTS.map(Some)) {
        return Err(LedgerError::corrupt("its tables are not those of a ledger"));
    }
    Ok(())
}
