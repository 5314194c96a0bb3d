//! Somebody with a SQLite shell.

use rusqlite::Connection;
use throng_ledger::{Anchor, Depth, Ledger, LedgerError};

use crate::common::{Folder, answer, charge, charter, copy};

/// Record 0 charter, then charge and release of a, b, c: records 1 to 6; then a fact.
fn filled(folder: &Folder) -> Anchor {
    let ledger = Ledger::create(folder.ledger(), &charter(10)).unwrap();
    for name in ["a", "b", "c"] {
        answer(&ledger, name);
    }
    ledger.note("bounds", "x", b"0..1").unwrap();
    ledger.anchor().unwrap()
}

/// Runs SQL with the triggers out of the way, and puts them back as they were.
fn tamper(folder: &Folder, sql: &str) {
    let raw = Connection::open(folder.ledger()).unwrap();
    let triggers: Vec<(String, String)> = {
        let mut found =
            raw.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
        let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    for (name, _) in &triggers {
        raw.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    raw.execute_batch(sql).unwrap();
    for (_, text) in &triggers {
        raw.execute_batch(text).unwrap();
    }
}

fn found(folder: &Folder, anchor: Option<&Anchor>) -> LedgerError {
    let found = Ledger::inspect(folder.ledger(), anchor, Depth::Sums).unwrap_err();
    assert!(matches!(found, LedgerError::Corrupt { .. }), "{found}");
    found
}

#[test]
fn the_tables_themselves_refuse_changes() {
    let folder = Folder::new();
    filled(&folder);
    let raw = Connection::open(folder.ledger()).unwrap();
    for sql in [
        "UPDATE records SET spent = 'pure(epsilon=0)'",
        "DELETE FROM records WHERE number = 1",
        "DELETE FROM head",
        "UPDATE head SET number = 1",
        "INSERT INTO head VALUES (2, 1, x'00', '')",
        "INSERT OR REPLACE INTO head VALUES (1, 1, x'00', '')",
    ] {
        assert!(raw.execute_batch(sql).is_err(), "{sql}");
    }
    drop(raw);
    Ledger::inspect(folder.ledger(), None, Depth::Prices).unwrap();
}

#[test]
fn every_edit_is_found() {
    let move_head = "UPDATE head SET (number, digest, spent) = (SELECT number, digest, spent FROM records ORDER BY number DESC LIMIT 1)";
    let edits = [
        // Cheaper, other text, other total, other payload.
        "UPDATE records SET body = replace(body, '1/10', '1/20') WHERE number = 1".to_owned(),
        "UPDATE records SET body = replace(body, 'SELECT', 'select') WHERE number = 3".to_owned(),
        "UPDATE records SET spent = 'pure(epsilon=0)' WHERE number = 7; UPDATE head SET spent = 'pure(epsilon=0)'".to_owned(),
        "UPDATE records SET payload = x'00' WHERE number = 2".to_owned(),
        "UPDATE records SET kind = 3 WHERE number = 2".to_owned(),
        "UPDATE records SET kind = 9 WHERE number = 7".to_owned(),
        "UPDATE records SET digest = zeroblob(32) WHERE number = 4".to_owned(),
        "UPDATE records SET digest = zeroblob(3) WHERE number = 4".to_owned(),
        // Deleted, in the middle and at the end.
        "DELETE FROM records WHERE number = 3".to_owned(),
        "DELETE FROM records WHERE number = 0".to_owned(),
        "DELETE FROM records WHERE number = 7".to_owned(),
        "DELETE FROM records".to_owned(),
        "DELETE FROM records WHERE number IN (3, 4); UPDATE records SET number = number - 2 WHERE number > 4".to_owned(),
        // Swapped.
        "UPDATE records SET number = 100 WHERE number = 1; UPDATE records SET number = 1 WHERE number = 3; UPDATE records SET number = 3 WHERE number = 100".to_owned(),
        // Repeated at the end.
        format!("INSERT INTO records SELECT 8, kind, body, payload, spent, digest, lookup, answers FROM records WHERE number = 1; {move_head}"),
        format!("INSERT INTO records SELECT 8, kind, body, payload, spent, digest, lookup, NULL FROM records WHERE number = 6; {move_head}"),
        // Filed elsewhere, so that it would not be found.
        "UPDATE records SET lookup = x'00' WHERE number = 2".to_owned(),
        "UPDATE records SET lookup = 'bob' WHERE number = 1".replace("'bob'", "CAST('bob' AS BLOB)"),
        "UPDATE records SET answers = 3 WHERE number = 2; ".replace("= 3", "= 99"),
        // The head.
        "UPDATE head SET number = 6".to_owned(),
        "UPDATE head SET spent = 'pure(epsilon=0)'".to_owned(),
        "UPDATE head SET spent = 'pure(epsilon=-1)'".to_owned(),
        "UPDATE head SET digest = zeroblob(32)".to_owned(),
        "DELETE FROM head".to_owned(),
        // The tables.
        "DROP INDEX by_lookup".to_owned(),
        "CREATE TABLE more (x)".to_owned(),
        "CREATE TRIGGER more AFTER INSERT ON records BEGIN DELETE FROM records; END".to_owned(),
    ];
    for edit in edits {
        let folder = Folder::new();
        filled(&folder);
        tamper(&folder, &edit);
        found(&folder, None);
        // So short a ledger is checked whole when it is opened; only filing is left to the audit.
        if !edit.contains("lookup = ") && !edit.contains("answers = ") {
            assert!(Ledger::open(folder.ledger()).is_err(), "{edit}");
        }
    }
}

#[test]
fn missing_triggers_are_found() {
    let folder = Folder::new();
    filled(&folder);
    Connection::open(folder.ledger()).unwrap().execute_batch("DROP TRIGGER no_removal").unwrap();
    found(&folder, None);
    assert!(Ledger::open(folder.ledger()).is_err());
}

#[test]
fn damage_that_is_seen_stops_every_further_charge() {
    let folder = Folder::new();
    filled(&folder);
    let ledger = Ledger::open(folder.ledger()).unwrap();
    tamper(&folder, "UPDATE records SET payload = x'00' WHERE number = 2");
    assert!(ledger.find(&charge("a").question).is_err());
    assert!(matches!(ledger.authorise(&charge("d")), Err(LedgerError::Corrupt { .. })));
    assert!(matches!(ledger.preview(&charge("d")), Err(LedgerError::Corrupt { .. })));
}

/// A truncation that is consistent in itself is only seen by what remembers more.
#[test]
fn an_older_copy_is_seen_by_the_anchor_and_by_the_witness() {
    let folder = Folder::new();
    let older = folder.path().join("older.db");
    let ledger = Ledger::create(folder.ledger(), &charter(10)).unwrap();
    answer(&ledger, "a");
    let early = ledger.anchor().unwrap();
    drop(ledger);
    copy(&folder.ledger(), &older);
    let ledger = Ledger::open(folder.ledger()).unwrap();
    answer(&ledger, "b");
    let late = ledger.anchor().unwrap();
    ledger.verify(Some(&early), Depth::Sums).unwrap();
    ledger.verify(Some(&late), Depth::Sums).unwrap();
    drop(ledger);

    // The copy by itself is a sound ledger; the newer anchor knows better.
    Ledger::inspect(&older, None, Depth::Sums).unwrap();
    Ledger::inspect(&older, Some(&early), Depth::Sums).unwrap();
    let seen = Ledger::inspect(&older, Some(&late), Depth::Sums).unwrap_err();
    assert!(seen.to_string().contains("older copy"), "{seen}");

    // Put in the place of the newer one, the witness sees it, even without an anchor.
    std::fs::copy(&older, folder.ledger()).unwrap();
    found(&folder, None);
    assert!(matches!(Ledger::open(folder.ledger()), Err(LedgerError::Corrupt { .. })));

    // Used on another machine, it becomes a fork; the anchor of the first sees that.
    let fork = Ledger::open(&older).unwrap();
    answer(&fork, "x");
    answer(&fork, "y");
    let seen = fork.verify(Some(&late), Depth::Sums).unwrap_err();
    assert!(seen.to_string().contains("fork"), "{seen}");
}

#[test]
fn an_anchor_of_another_ledger_is_refused() {
    let (one, two) = (Folder::new(), Folder::new());
    filled(&one);
    let other = filled(&two);
    let seen = found(&one, Some(&other));
    assert!(seen.to_string().contains("another ledger"), "{seen}");
}

#[test]
fn an_older_state_put_under_an_open_ledger_is_noticed() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(10)).unwrap();
    answer(&ledger, "a");
    tamper(
        &folder,
        "DELETE FROM records WHERE number = 2; UPDATE head SET (number, digest, spent) = (SELECT number, digest, spent FROM records WHERE number = 1)",
    );
    assert!(matches!(ledger.authorise(&charge("b")), Err(LedgerError::Corrupt { .. })));
}
