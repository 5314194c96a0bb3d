//! Somebody who rewrites the whole chain: every digest is right, what the records say is not.

use rusqlite::{Connection, params};
use throng_ledger::{Anchor, Depth, Digest, Ledger, LedgerError};

use crate::common::{Folder, answer, beside, charge, charter};

/// Charges 1 and 3 by ann with their releases 2 and 4, charge 5 by nobody, fact 6, amendment 7.
fn filled(folder: &Folder) -> Anchor {
    let ledger = Ledger::create(folder.ledger(), &charter(10)).unwrap();
    for name in ["a", "b"] {
        let paid = ledger.authorise(&charge(name).by("ann")).unwrap();
        ledger.store(&paid.ticket, name.as_bytes()).unwrap();
    }
    drop(ledger.authorise(&charge("c")).unwrap());
    ledger.note("bounds", "x", b"0..1").unwrap();
    ledger.amend(&charter(20)).unwrap();
    ledger.anchor().unwrap()
}

/// Runs SQL, seals every record again, moves the head there, and removes the witness.
fn rewrite(folder: &Folder, sql: &str) {
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
    reseal(&raw);
    for (_, text) in &triggers {
        raw.execute_batch(text).unwrap();
    }
    std::fs::remove_file(beside(&folder.ledger(), "-witness")).unwrap();
}

fn reseal(raw: &Connection) {
    let mut before = Digest::of(b"throng ledger, format 1");
    let mut renamed: Vec<(String, String)> = Vec::new();
    let last: i64 = raw.query_row("SELECT max(number) FROM records", [], |row| row.get(0)).unwrap();
    for number in 0..=last {
        let read = "SELECT kind, body, payload, spent, digest FROM records WHERE number = ?1";
        let (kind, mut body, payload, spent, old) = raw
            .query_row(read, [number], |row| {
                let old: Vec<u8> = row.get(4)?;
                let spent: String = row.get(3)?;
                let payload: Vec<u8> = row.get(2)?;
                Ok((row.get::<_, u8>(0)?, row.get::<_, String>(1)?, payload, spent, old))
            })
            .unwrap();
        // Releases name the digests of their charges.
        for (old, new) in &renamed {
            body = body.replace(old, new);
        }
        let parts: [&[u8]; 6] = [
            before.as_bytes(),
            &number.to_be_bytes(),
            &[kind],
            body.as_bytes(),
            &payload,
            spent.as_bytes(),
        ];
        let new = Digest::of_parts(&parts);
        let old = Digest::try_from(old.as_slice()).unwrap();
        renamed.push((old.to_string(), new.to_string()));
        let write = "UPDATE records SET body = ?1, digest = ?2 WHERE number = ?3";
        raw.execute(write, params![body, new.as_bytes().as_slice(), number]).unwrap();
        before = new;
    }
    let head = "UPDATE head SET (number, digest, spent) = (SELECT number, digest, spent FROM records ORDER BY number DESC LIMIT 1)";
    raw.execute_batch(head).unwrap();
}

/// A chain that was rewritten well is sound in itself; an anchor knows the one before.
#[test]
fn a_chain_that_was_rewritten_well_is_seen_by_the_anchor_only() {
    let folder = Folder::new();
    let anchor = filled(&folder);
    rewrite(&folder, "UPDATE records SET body = replace(body, 'SELECT', 'select')");
    Ledger::inspect(folder.ledger(), None, Depth::Prices).unwrap();
    let seen = Ledger::inspect(folder.ledger(), Some(&anchor), Depth::Sums).unwrap_err();
    assert!(seen.to_string().contains("fork"), "{seen}");
    answer(&Ledger::open(folder.ledger()).unwrap(), "d");
}

#[test]
fn records_that_do_not_agree_are_found() {
    let set = |what: &str, old: &str, new: &str, number: u64| {
        format!(
            "UPDATE records SET {what} = replace({what}, '{old}', '{new}') WHERE number = {number}"
        )
    };
    let (tenth, fifth) = ("pure(epsilon=1/10)", "pure(epsilon=1/5)");
    let question = |name: &str| charge(name).question.to_string();
    let edits = [
        // Totals.
        (set("body", tenth, "pure(epsilon=1/20)", 5), "not the sum of the charges"),
        (set("spent", fifth, tenth, 3), "not the sum of the charges"),
        (set("spent", "pure(epsilon=3/10)", fifth, 6), "not the sum of the charges"),
        (set("spent", "pure(epsilon=3/10)", "pure(epsilon=6/20)", 6), "not the sum of the charges"),
        (set("body", &format!("\"own\":\"{fifth}\""), &format!("\"own\":\"{tenth}\""), 3), "the analyst"),
        (set("body", &format!("\"own\":\"{fifth}\""), "\"own\":null", 3), "the analyst"),
        (set("body", "\"analyst\":null", "\"analyst\":\"bob\"", 5), "the analyst"),
        // Costs.
        (set("body", tenth, "gdp(mu_squared=1/10)", 5), "different currencies"),
        (set("body", tenth, "pure(epsilon=2/20)", 5), "cannot be read"),
        (set("body", tenth, "pure(epsilon=-1/10)", 5), "cannot be read"),
        (set("body", "\"label\"", "\"lable\"", 5), "cannot be read"),
        // The charter.
        (set("body", "pure(epsilon=1)", fifth, 0), "more than there was"),
        (set("body", "pure(epsilon=2)", fifth, 7), "not allowed"),
        (set("body", "pure(epsilon=2)", "gdp(mu_squared=2)", 7), "not allowed"),
        ("UPDATE records SET kind = 0, body = (SELECT body FROM records WHERE number = 0) WHERE number = 6".into(), "second charter"),
        ("UPDATE records SET kind = 3, body = (SELECT body FROM records WHERE number = 6) WHERE number = 0".into(), "not a charter"),
        // Answers.
        (set("body", &question("a"), &question("b"), 2), "answers no charge"),
        (set("body", "\"charge\":1", "\"charge\":99", 2), "answers no charge"),
        (set("body", "\"charge\":1", "\"charge\":3", 2), "answers no charge"),
        ("UPDATE records SET body = (SELECT body FROM records WHERE number = 2) WHERE number = 4".into(), "answers no charge, or one again"),
        // Filing.
        (set("body", "\"ann\"", "\"bob\"", 1), "filed under something else"),
        ("UPDATE records SET lookup = NULL WHERE number = 3".into(), "filed under something else"),
        ("UPDATE records SET lookup = NULL WHERE number = 4".into(), "filed under something else"),
        ("UPDATE records SET answers = NULL WHERE number = 2".into(), "filed under something else"),
        ("UPDATE records SET answers = 5 WHERE number = 5".into(), "filed under something else"),
    ];
    for (edit, expected) in edits {
        let folder = Folder::new();
        filled(&folder);
        rewrite(&folder, &edit);
        let seen = Ledger::inspect(folder.ledger(), None, Depth::Sums).unwrap_err();
        assert!(matches!(seen, LedgerError::Corrupt { .. }), "{edit}: {seen}");
        assert!(seen.to_string().contains(expected), "{edit}: {seen}");
    }
}

/// All sums agree; only the accountant knows that the mechanism costs more.
#[test]
fn a_charge_that_was_made_cheaper_is_found_by_its_price() {
    let folder = Folder::new();
    filled(&folder);
    rewrite(
        &folder,
        "UPDATE records SET body = replace(body, 'pure(epsilon=1/10)', 'pure(epsilon=1/20)') WHERE number = 5;
         UPDATE records SET spent = 'pure(epsilon=1/4)' WHERE number >= 5",
    );
    Ledger::inspect(folder.ledger(), None, Depth::Sums).unwrap();
    let seen = Ledger::inspect(folder.ledger(), None, Depth::Prices).unwrap_err();
    assert!(seen.to_string().contains("priced wrongly"), "{seen}");
}
