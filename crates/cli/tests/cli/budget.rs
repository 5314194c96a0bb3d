//! The budget holds, whatever is asked and whatever goes wrong.

use crate::project::{Project, visits};
use crate::{stderr, throng};

#[test]
fn an_exhausted_budget_is_exit_code_4() {
    let project = Project::new("exhausted", "1");
    let talk = project
        .refused(&["query", "--yes", "--epsilon", "1.5", "SELECT count(*) AS n FROM visits"], 4);
    assert!(talk.contains("asked") && talk.contains("left"), "{talk}");
    assert_eq!(project.spent(), 0.0);
    project.query("SELECT count(*) AS n FROM visits", &["--epsilon", "0.75"]);
    let spent = project.spent();
    let talk = project.refused(&["query", "--yes", "SELECT avg(age) AS a FROM visits"], 4);
    assert!(talk.contains("0.25"), "{talk}");
    assert_eq!(project.spent(), spent);
    // What is answered stays free.
    project.query("SELECT count(*) AS n FROM visits", &["--epsilon", "0.75"]);
}

/// A small generator for the schedule below.
fn next(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 16
}

#[test]
fn the_budget_is_never_exceeded() {
    let project = Project::new("many", "3");
    let mut state = 7;
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..25 {
        let epsilon = format!("0.{}", 1 + next(&mut state) % 6);
        let column = ["age", "hours"][(next(&mut state) % 2) as usize];
        let sql = format!(
            "SELECT avg({column}) AS x FROM visits WHERE hours < {}",
            1 + next(&mut state) % 7
        );
        let output = project.call(&["query", "--yes", "--json", "--epsilon", &epsilon, &sql]);
        match output.status.code() {
            Some(0) => answered += 1,
            Some(4) => refused += 1,
            other => panic!("{other:?}: {}", stderr(&output)),
        }
        assert!(project.spent() <= 3.0);
    }
    assert!(answered >= 5 && refused >= 1, "{answered} answered, {refused} refused");
    project.printed(&["ledger", "verify", "--deep"]);
}

#[test]
fn many_at_once_do_not_exceed_it_either() {
    let project = Project::new("race", "1");
    // The ledger is there before they start.
    project.query("SELECT count(*) AS n FROM visits", &["--epsilon", "0.1"]);
    let children: Vec<_> = (0..6)
        .map(|n| {
            let sql = format!("SELECT count(*) AS n FROM visits WHERE hours = {n}");
            throng()
                .args(["query", "--yes", "--json", "--epsilon", "0.4", &sql])
                .current_dir(project.folder())
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let codes: Vec<_> =
        children.into_iter().map(|mut child| child.wait().unwrap().code().unwrap()).collect();
    assert!(codes.iter().all(|code| [0, 4].contains(code)), "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 2, "{codes:?}");
    assert!(project.spent() <= 1.0);
}

#[test]
fn quotas_hold_inside_the_budget() {
    let project = Project::new("quotas", "5");
    let text = std::fs::read_to_string(project.path("throng.toml")).unwrap();
    let quotas = "[budget.analysts]\nann = { epsilon = 1, delta = 1e-5 }\n\"*\" = { epsilon = 0.5, delta = 1e-5 }\n";
    project.write("throng.toml", text.replace("\n[query]", &format!("\n{quotas}\n[query]")));
    project.query("SELECT count(*) AS n FROM visits", &["--analyst", "ann"]);
    let more =
        ["query", "--yes", "--epsilon", "0.4", "SELECT avg(age) AS a FROM visits", "--analyst"];
    let talk = project.refused(&[&more[..], &["ann"]].concat(), 4);
    assert!(talk.contains("ann"), "{talk}");
    project.printed(&[&more[..], &["eve"]].concat());
    project.refused(
        &[
            "query",
            "--yes",
            "--epsilon",
            "0.4",
            "SELECT sum(age) AS a FROM visits",
            "--analyst",
            "eve",
        ],
        4,
    );
}

#[test]
fn changed_data_is_a_new_question() {
    let project = Project::new("changed", "5");
    let sql = "SELECT count(*) AS n FROM visits";
    let first = project.query(sql, &[]);
    project.write("visits.csv", format!("{}7,A,30,1\n", visits()));
    let talk = project.refused(&["query", sql], 2);
    assert!(talk.contains("--yes"), "it is no longer free: {talk}");
    let second = project.query(sql, &[]);
    assert_eq!(second["fresh"], true);
    assert_ne!(first["receipt"], second["receipt"]);
}

#[test]
fn bad_input_is_said_and_costs_nothing() {
    let project = Project::new("bad", "5");
    let sql = "SELECT count(*) AS n FROM visits";
    let ask = ["query", "--yes", sql];
    // A wrong schema, a missing file, bytes that are no text.
    project.write("visits.csv", "person,clinic\n1,A\n");
    project.refused(&["query", "--yes", "SELECT avg(age) AS a FROM visits"], 2);
    std::fs::remove_file(project.path("visits.csv")).unwrap();
    let talk = project.refused(&ask, 2);
    assert!(talk.contains("visits"), "{talk}");
    project.write("visits.csv", visits());
    let policy = std::fs::read(project.path("throng.toml")).unwrap();
    project.write("throng.toml", [&policy[..], b"# \xff\xfe"].concat());
    let talk = project.refused(&ask, 2);
    assert!(talk.contains("UTF-8"), "{talk}");
    project.write("throng.toml", [&policy[..], b"\nnonsense = 1\n"].concat());
    let talk = project.refused(&ask, 2);
    assert!(talk.contains("throng.toml:"), "{talk}");
    project.write("throng.toml", &policy);
    project.refused(&["query", "--yes", "--policy", "none.toml", sql], 2);
    assert_eq!(project.spent(), 0.0);
    // Rows that are no text are rows.
    project.write("visits.csv", [visits().as_bytes(), b"\xff,\xfe,\x00,9\n"].concat());
    project.query(sql, &[]);
}

#[test]
#[cfg(unix)]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new("no-text", "5");
    for call in [&["query", "--yes"][..], &["explain"], &["init"]] {
        let output = throng()
            .args(call)
            .arg(std::ffi::OsStr::from_bytes(b"SELECT \xff"))
            .current_dir(project.folder())
            .output()
            .unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{talk}");
        assert!(talk.contains("hint: "), "{talk}");
    }
    assert_eq!(project.spent(), 0.0);
}

#[test]
fn a_million_columns_are_no_catastrophe() {
    let project = Project::new("wide", "5");
    let columns: Vec<String> = (0..1_000_000).map(|n| format!("c{n}")).collect();
    project.write("wide.sql", format!("SELECT {} FROM visits", columns.join(",")));
    let output = project.call(&["query", "--yes", "-f", "wide.sql"]);
    let talk = stderr(&output);
    assert!(matches!(output.status.code(), Some(2 | 3)), "{}", talk.len());
    assert!(!talk.contains("internal error") && talk.len() < 5_000, "{} bytes", talk.len());
    let nested = format!("SELECT {}1{} FROM visits", "(".repeat(100_000), ")".repeat(100_000));
    project.write("deep.sql", nested);
    let output = project.call(&["query", "--yes", "-f", "deep.sql"]);
    assert!(matches!(output.status.code(), Some(2 | 3)), "{}", stderr(&output).len());
    assert_eq!(project.spent(), 0.0);
}
