//! `throng ledger`.

use serde_json::Value;

use crate::project::Project;
use crate::{stderr, stdout};

const COUNT: &str = "SELECT count(*) AS n FROM visits";

fn asked(name: &str) -> Project {
    let project = Project::new(name, "5");
    project.query(COUNT, &["--epsilon", "0.5", "--analyst", "ann"]);
    project.query("SELECT avg(age) AS age FROM visits", &["--analyst", "bob"]);
    project
}

#[test]
fn every_view_has_words_and_json() {
    let project = asked("views");
    let shown = project.printed(&["ledger", "show"]);
    for word in ["budget", "spent", "left", "ann", "bob", "throng-anchor/1", "add-remove"] {
        assert!(shown.contains(word), "{shown}");
    }
    let json = project.json(&["ledger", "show"]);
    let epsilon = |key: &str| json[key]["epsilon"].as_f64().unwrap();
    assert!(epsilon("spent") <= 1.5 && (epsilon("spent") + epsilon("left") - 5.0).abs() < 1e-9);
    assert_eq!(json["analysts"][0]["name"], "ann");
    assert_eq!(json["records"]["charges"], 2);
    let history = project.json(&["ledger", "history"]);
    assert_eq!(history["charges"][1]["question"], COUNT);
    assert_eq!(history["charges"][1]["answered"], true);
    assert_eq!(
        project.json(&["ledger", "history", "-n", "1"])["charges"].as_array().unwrap().len(),
        1
    );
    let own = project.json(&["ledger", "history", "--analyst", "ann"]);
    assert_eq!(own["charges"].as_array().unwrap().len(), 1);
    let top = project.json(&["ledger", "top"]);
    assert_eq!(top["charges"][0]["analyst"], "bob");
    assert!(project.printed(&["ledger", "top"]).contains("avg(age)"));
    let lines = project.printed(&["ledger", "export"]);
    let records: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(records.len() >= 5 && records[0]["kind"] == "charter", "{lines}");
    project.printed(&["ledger", "export", "--output", "all.jsonl"]);
    assert_eq!(std::fs::read_to_string(project.path("all.jsonl")).unwrap(), lines);
    project.refused(&["ledger", "export", "--output", "all.jsonl"], 2);
}

#[test]
fn verification_takes_anchors() {
    let project = asked("anchors");
    let old = project.printed(&["ledger", "anchor"]);
    project.write("anchor.txt", &old);
    project.query(COUNT, &["--epsilon", "0.1"]);
    let text = project.printed(&["ledger", "verify", "--anchor", "anchor.txt", "--deep"]);
    assert!(text.contains("in order"), "{text}");
    let json = project.json(&["ledger", "verify", "--anchor", old.trim()]);
    assert_eq!((&json["ok"], &json["charges"]), (&true.into(), &3.into()));
    project.refused(&["ledger", "verify", "--anchor", "none.txt"], 2);
    project.refused(&["ledger", "verify", "--anchor", "throng-anchor/1 x 1 y"], 2);
}

#[test]
fn an_older_copy_is_noticed() {
    let project = asked("rollback");
    let copy: Vec<(String, Vec<u8>)> = ledger_files(&project);
    project.query(COUNT, &["--epsilon", "0.1"]);
    let anchor = project.printed(&["ledger", "anchor"]);
    for (name, _) in ledger_files(&project) {
        std::fs::remove_file(project.path(&name)).unwrap();
    }
    for (name, bytes) in copy {
        project.write(&name, bytes);
    }
    let talk = project.refused(&["ledger", "verify", "--anchor", anchor.trim()], 3);
    assert!(talk.contains("older") || talk.contains("anchor"), "{talk}");
}

fn ledger_files(project: &Project) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(project.folder()).unwrap().map(|entry| entry.unwrap());
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let own = names.filter(|name| name.starts_with("throng.ledger"));
    own.map(|name| (name.clone(), std::fs::read(project.path(&name)).unwrap())).collect()
}

#[test]
fn damage_is_seen_and_nothing_is_answered_from_it() {
    let project = asked("damage");
    // Everything is in the main file once the log is merged.
    let whole = std::fs::read(project.path("throng.ledger")).unwrap();
    let place = whole.windows(8).position(|bytes| bytes == b"count(*)").unwrap();
    let mut broken = whole.clone();
    broken[place] ^= 1;
    project.write("throng.ledger", &broken);
    let talk = project.refused(&["ledger", "verify"], 3);
    assert!(talk.contains("damaged") && talk.contains("record"), "{talk}");
    let talk = project.refused(&["query", "--yes", "SELECT sum(hours) AS h FROM visits"], 3);
    assert!(talk.contains("damaged") && talk.contains("throng ledger verify"), "{talk}");
    project.write("throng.ledger", &whole);
    project.printed(&["ledger", "verify"]);
    project.write(
        "throng.ledger",
        b"this is no ledger at all, and it is long enough to be read as one",
    );
    project.refused(&["ledger", "verify"], 3);
    project.refused(&["query", "--yes", COUNT], 3);
}

#[test]
fn a_locked_ledger_is_waited_for_and_then_said() {
    let project = asked("locked");
    let spent = project.spent();
    let other = rusqlite::Connection::open(project.path("throng.ledger")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let talk = project.refused(&["query", "--yes", "SELECT sum(hours) AS h FROM visits"], 2);
    assert!(talk.contains("locked"), "{talk}");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    assert_eq!(project.spent(), spent);
    project.query("SELECT sum(hours) AS h FROM visits", &[]);
}

#[test]
fn where_there_is_no_ledger_it_is_said() {
    let project = Project::new("no-ledger", "5");
    for view in ["show", "verify", "export", "history", "top", "anchor"] {
        let talk = project.refused(&["ledger", view], 2);
        assert!(talk.contains("no ledger"), "{talk}");
    }
    project.refused(&["ledger", "show", "--policy", "none.toml"], 2);
    assert_eq!(project.call(&["ledger"]).status.code(), Some(2));
}

#[test]
fn names_and_questions_cannot_steer_a_terminal() {
    let project = Project::new("escapes", "5");
    let sql = "SELECT count(*) AS n FROM visits -- \u{1b}[2J";
    project.query(sql, &["--analyst", "\u{1b}[31mann"]);
    for view in ["show", "history", "top"] {
        let output = project.call(&["ledger", view]);
        assert!(
            !stdout(&output).contains('\u{1b}') && !stderr(&output).contains('\u{1b}'),
            "{view}"
        );
    }
}

#[test]
fn a_changed_policy_is_recorded_before_it_counts() {
    let project = asked("amended");
    let policy = std::fs::read_to_string(project.path("throng.toml")).unwrap();
    project.write("throng.toml", policy.replace("epsilon = 5", "epsilon = 6"));
    let talk = project.refused(&["query", "--yes", COUNT], 3);
    assert!(talk.contains("throng ledger amend"), "{talk}");
    project.refused(&["ledger", "amend"], 2);
    let json = project.json(&["ledger", "amend", "--yes"]);
    assert_eq!(json["budget"]["epsilon"], 6.0);
    assert!(json["spent"]["epsilon"].as_f64().unwrap() > 0.0, "what is spent stays spent");
    project.query(COUNT, &["--epsilon", "0.2"]);
    project.printed(&["ledger", "verify", "--deep"]);
    // Not below what is spent.
    project.write("throng.toml", policy.replace("epsilon = 5", "epsilon = 0.5"));
    project.refused(&["ledger", "amend", "--yes"], 3);
}
