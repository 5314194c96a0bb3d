//! Files that are not ledgers.

use std::path::Path;

use throng_ledger::{Depth, Ledger, LedgerError};

use crate::common::{Folder, charter};

fn refused(path: &Path) {
    for error in [
        Ledger::open(path).map(drop).unwrap_err(),
        Ledger::open_or_create(path, &charter(1)).map(drop).unwrap_err(),
        Ledger::inspect(path, None, Depth::Sums).map(drop).unwrap_err(),
    ] {
        let expected = matches!(error, LedgerError::Corrupt { .. } | LedgerError::Io { .. });
        assert!(expected && error.to_string().contains("hint:"), "{error}");
    }
}

#[test]
fn garbage_is_refused_and_left_alone() {
    let folder = Folder::new();
    let noise: Vec<u8> =
        (0..20_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let header = [b"SQLite format 3\0".as_slice(), &noise[..4080]].concat();
    for bytes in [b"".as_slice(), b"x", b"SQLite format 3\0", &header, &noise] {
        std::fs::write(folder.ledger(), bytes).unwrap();
        refused(&folder.ledger());
        assert_eq!(std::fs::read(folder.ledger()).unwrap(), bytes);
    }
}

#[test]
fn another_database_is_refused_and_left_alone() {
    let folder = Folder::new();
    let other = rusqlite::Connection::open(folder.ledger()).unwrap();
    other.execute_batch("CREATE TABLE mine (x)").unwrap();
    drop(other);
    refused(&folder.ledger());
    let other = rusqlite::Connection::open(folder.ledger()).unwrap();
    assert_eq!(other.query_row("SELECT count(*) FROM mine", [], |row| row.get::<_, i64>(0)), Ok(0));
}

#[test]
fn folders_and_missing_places_are_refused() {
    let folder = Folder::new();
    refused(folder.path());
    let nowhere = folder.path().join("no").join("ledger.db");
    assert!(matches!(Ledger::open(&nowhere), Err(LedgerError::Io { .. })));
    assert!(matches!(Ledger::open_or_create(&nowhere, &charter(1)), Err(LedgerError::Io { .. })));
    assert!(matches!(Ledger::open(folder.ledger()), Err(LedgerError::Io { .. })));
    assert!(!folder.ledger().exists(), "open never makes a file");
    drop(Ledger::create(folder.ledger(), &charter(1)).unwrap());
    assert!(matches!(
        Ledger::create(folder.ledger(), &charter(1)),
        Err(LedgerError::Refused { .. })
    ));
}

#[test]
fn other_versions_are_refused() {
    for (pragma, value) in [("user_version", 2), ("user_version", 0), ("application_id", 1)] {
        let folder = Folder::new();
        drop(Ledger::create(folder.ledger(), &charter(1)).unwrap());
        let raw = rusqlite::Connection::open(folder.ledger()).unwrap();
        raw.pragma_update(None, pragma, value).unwrap();
        drop(raw);
        refused(&folder.ledger());
    }
}
