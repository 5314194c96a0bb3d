//! `throng query` and `throng explain`.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::project::Project;
use crate::{schema, stderr, stdout, throng};

const BY_CLINIC: &str =
    "SELECT clinic, count(*) AS visits, avg(age) AS age FROM visits GROUP BY clinic";

fn values(answer: &Value, column: &str, part: &str) -> Vec<f64> {
    let rows = answer["rows"].as_array().unwrap();
    rows.iter().map(|row| row[column][part].as_f64().unwrap()).collect()
}

fn keys(answer: &Value, column: &str) -> Vec<String> {
    let rows = answer["rows"].as_array().unwrap();
    rows.iter().map(|row| row[column].as_str().unwrap().to_owned()).collect()
}

#[test]
fn with_little_noise_the_answer_is_the_truth() {
    let project = Project::new("truth", "900");
    let answer = project.query(BY_CLINIC, &["--epsilon", "400"]);
    assert_eq!(keys(&answer, "clinic"), ["A", "B", "C"]);
    // 40 people with three visits each; the mean of 20 + n % 50 over them.
    for count in values(&answer, "visits", "value") {
        assert!((count - 120.0).abs() <= 2.0, "{answer}");
    }
    for age in values(&answer, "age", "value") {
        assert!((35.0..50.0).contains(&age), "{answer}");
    }
    for (low, high) in values(&answer, "age", "low").iter().zip(values(&answer, "age", "high")) {
        assert!(*low <= high, "{answer}");
    }
}

#[test]
fn the_json_is_what_the_schema_says() {
    let project = Project::new("contract", "50");
    let whole = schema::read("query.schema.json");
    let batch = format!("{BY_CLINIC}; SELECT count(*) AS n FROM visits");
    let answers = [
        project.query(BY_CLINIC, &[]),
        project.query(BY_CLINIC, &["--no-intervals"]),
        project.query("SELECT avg(hours) AS hours FROM visits", &["--epsilon", "0.5"]),
        project.query("SELECT region, count(*) AS n FROM clinics GROUP BY region", &[]),
        project.query(&batch, &[]),
    ];
    for answer in &answers {
        schema::agree(answer, &whole, &whole);
        let epsilon = &answer["cost"]["epsilon"];
        assert!(epsilon["lower"].as_f64().unwrap() <= epsilon["upper"].as_f64().unwrap());
    }
    let [first, bare, _, public, both] = &answers;
    assert!(first["cost"]["epsilon"]["upper"].as_f64().unwrap() <= 1.0, "{first}");
    assert_eq!(first["fresh"], true);
    assert_eq!(bare["fresh"], false, "the same question is free: {bare}");
    assert!(bare["rows"][0]["visits"].get("low").is_none());
    assert!(public["receipt"].is_null() && public["cost"]["charged"].is_null(), "{public}");
    assert_eq!(public["rows"][0]["region"], "north");
    assert_eq!(both["tables"].as_array().unwrap().len(), 2);
    assert_eq!(both["tables"][0]["rows"], both["rows"]);
    let spec = first["cost"]["mechanism"].as_str().unwrap();
    let again = crate::json(&["account", spec, "--delta", "1e-6", "--json"]);
    let upper = |row: &Value| row["upper"].as_f64().unwrap();
    assert!(upper(&first["cost"]["epsilon"]) <= upper(&again["epsilon"][0]) * 1.000_1, "{again}");
}

#[test]
fn the_same_question_is_free_and_the_same_also_after_a_restart() {
    let project = Project::new("again", "5");
    let first = project.query(BY_CLINIC, &[]);
    let spent = project.spent();
    assert!(spent > 0.9 && spent <= 1.0, "{spent}");
    // Every call is a process of its own. Spaces, letters and post-processing do not matter.
    let other =
        "select  clinic, COUNT(*) as visits, avg(age) AS age from visits group by clinic -- !";
    for sql in [BY_CLINIC, other, &format!("{BY_CLINIC} ORDER BY clinic")] {
        // No --yes: nothing is spent.
        let again = project.json(&["query", sql]);
        assert_eq!(again["rows"], first["rows"], "{sql}");
        assert_eq!((&again["fresh"], &again["receipt"]), (&false.into(), &first["receipt"]));
    }
    assert_eq!(project.spent(), spent);
    let talk = stderr(&project.call(&["query", BY_CLINIC]));
    assert!(talk.contains("stored"), "{talk}");
}

#[test]
fn nothing_is_spent_without_consent() {
    let project = Project::new("consent", "5");
    let talk = project.refused(&["query", BY_CLINIC], 2);
    assert!(talk.contains("Spend") && talk.contains("cannot be undone"), "{talk}");
    assert!(talk.contains("--yes"), "{talk}");
    assert_eq!(project.spent(), 0.0);
}

/// A call on a terminal of its own, with an answer typed; what is printed there.
#[cfg(target_os = "linux")]
fn on_terminal(project: &Project, sql: &str, typed: &str) -> Option<(bool, String)> {
    let call = format!("'{}' query \"{sql}\"", env!("CARGO_BIN_EXE_throng"));
    let mut script = Command::new("script");
    script.args(["-qec", &call, "/dev/null"]).current_dir(project.folder()).env("LANG", "C.UTF-8");
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Some((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_a_spend_is_confirmed() {
    let project = Project::new("terminal", "5");
    // Machines without the program `script` have no terminal to offer.
    let Some((went, seen)) = on_terminal(&project, BY_CLINIC, "n\n") else { return };
    assert!(!went && seen.contains("[y/N]") && seen.contains("nothing was spent"), "{seen}");
    assert!(seen.contains("ε = "), "{seen}");
    assert_eq!(project.spent(), 0.0);
    let (went, seen) = on_terminal(&project, BY_CLINIC, "y\n").unwrap();
    assert!(went && seen.contains("visits") && seen.contains('█'), "{seen}");
    let spent = project.spent();
    assert!(spent > 0.0);
    // What is stored is not asked about.
    let (went, seen) = on_terminal(&project, BY_CLINIC, "").unwrap();
    assert!(went && !seen.contains("[y/N]"), "{seen}");
    assert_eq!(project.spent(), spent);
}

#[test]
fn every_format_and_file() {
    let project = Project::new("formats", "5");
    let ask = |more: &[&str]| project.call(&[&["query", "--yes", BY_CLINIC], more].concat());
    let table = ask(&["--chart"]);
    let shown = stdout(&table);
    // One column of half widths where intervals are symmetric, two of ends where they are not.
    assert!(shown.contains('±') || shown.contains("visits_low"), "{shown}");
    assert!(shown.contains("clinic") && shown.contains('█'), "{shown}");
    let talk = stderr(&table);
    for word in ["cost: ", "left: ", "receipt: 1-"] {
        assert!(talk.contains(word), "{talk}");
    }
    let csv = stdout(&ask(&["--format", "csv"]));
    assert!(csv.starts_with("clinic,visits,visits_low,visits_high,age,"), "{csv}");
    assert_eq!(csv.lines().count(), 4);
    assert!(
        stdout(&ask(&["--format", "csv", "--no-intervals"])).starts_with("clinic,visits,age\n")
    );
    assert!(stdout(&ask(&["--format", "markdown"])).contains("| clinic"));
    let parsed: Value = serde_json::from_str(&stdout(&ask(&["--format", "json"]))).unwrap();
    assert_eq!(parsed["schema"], "throng/1");
    assert!(ask(&["--format", "parquet"]).stdout.starts_with(b"PAR1"));
    assert!(ask(&["--format", "arrow"]).stdout.starts_with(b"ARROW1"));
    let files = ask(&["--output", "answer.csv", "--plot", "bars.svg"]);
    assert!(files.stdout.is_empty(), "{}", stdout(&files));
    assert_eq!(std::fs::read_to_string(project.path("answer.csv")).unwrap(), csv);
    let svg = std::fs::read_to_string(project.path("bars.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("visits"), "{svg}");
    // Wrong files are noticed before anything is spent.
    for wrong in [
        &["--output", "no/such/folder.csv"][..],
        &["--output", "answer"],
        &["--plot", "bars.gif"],
        &["--json", "--format", "csv"],
    ] {
        project.refused(&[&["query", "--yes", "SELECT count(*) FROM visits"], wrong].concat(), 2);
    }
    assert!(project.spent() <= 1.0);
}

#[test]
fn sql_comes_from_a_file_or_stdin() {
    let project = Project::new("sources", "5");
    project.write("ask.sql", BY_CLINIC);
    let first = project.json(&["query", "--yes", "-f", "ask.sql"]);
    let mut child = throng()
        .args(["query", "-", "--json"])
        .current_dir(project.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(BY_CLINIC.as_bytes()).unwrap();
    let second: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(first["rows"], second["rows"]);
    project.write("bytes.sql", b"SELECT \xff");
    for wrong in [["-f", "bytes.sql"], ["-f", "none.sql"]] {
        project.refused(&[&["query", "--yes"], &wrong[..]].concat(), 2);
    }
    project.refused(&["query", "--yes", "  "], 2);
}

#[test]
fn explain_reads_no_rows_and_spends_nothing() {
    let project = Project::new("explain", "5");
    let text = project.printed(&["explain", BY_CLINIC]);
    for word in ["person", "cost", "budget", "visits"] {
        assert!(text.contains(word), "{text}");
    }
    let answer = project.json(&["explain", BY_CLINIC]);
    assert_eq!(answer["schema"], "throng/1");
    assert_eq!(answer["stored"], false);
    assert_eq!(project.spent(), 0.0);
    // The same on a table without rows: nothing depends on them.
    project.write("visits.csv", "person,clinic,age,hours\n");
    assert_eq!(project.printed(&["explain", BY_CLINIC]), text);
    project.query(BY_CLINIC, &[]);
    assert_eq!(project.json(&["explain", BY_CLINIC])["stored"], true);
}

#[test]
fn the_price_may_be_said_in_every_way() {
    let project = Project::new("prices", "50");
    let ways: [&[&str]; 5] = [
        &["--epsilon", "0.25", "--delta", "1e-7"],
        &["--rho", "0.01", "--delta", "1e-6"],
        &["--mu", "0.1", "--delta", "1e-6"],
        &["--error", "count: 60 @95%", "--delta", "1e-6"],
        &["--epsilon", "0.3", "--noise", "laplace", "--confidence", "0.9", "--weight", "count=3"],
    ];
    for way in ways {
        let answer = project.query("SELECT count(*) AS n FROM visits", way);
        assert_eq!(answer["fresh"], true, "{way:?}");
        let (low, high) = (values(&answer, "n", "low")[0], values(&answer, "n", "high")[0]);
        if way[0] == "--error" {
            assert!(high - low <= 121.0 && high - low > 20.0, "{answer}");
        }
    }
    for wrong in [
        &["--epsilon", "1", "--rho", "1"][..],
        &["--epsilon", "0"],
        &["--error", "n"],
        &["--confidence", "1"],
        &["--weight", "n=0"],
        &["--noise", "none"],
    ] {
        project.refused(&[&["query", "--yes", "SELECT count(*) FROM visits"], wrong].concat(), 2);
    }
}

#[test]
fn quick_use_needs_no_policy() {
    let project = Project::new("quick", "5");
    std::fs::remove_file(project.path("throng.toml")).unwrap();
    std::fs::rename(project.path("visits.csv"), project.path("v.csv")).unwrap();
    let talk = project.refused(&["query", "--yes", "SELECT 1"], 2);
    assert!(talk.contains("throng init") && talk.contains("--table"), "{talk}");
    let table = ["query", "--yes", "--table", "v=v.csv"];
    let ask = "SELECT clinic, count(*) AS n FROM v GROUP BY clinic";
    let talk = project.refused(&[&table[..], &["--epsilon", "1", ask]].concat(), 2);
    assert!(talk.contains("--unit COLUMN") && talk.contains("--unit-row"), "{talk}");
    let more = [
        "--unit",
        "person",
        "--key",
        "clinic=A,B,C",
        "--max-groups",
        "1",
        "--max-rows",
        "3",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
    ];
    let answer = project.json(&[&table[..], &more, &[ask]].concat());
    assert_eq!(keys(&answer, "clinic"), ["A", "B", "C"]);
    assert!(project.path(".throng/ledger").exists());
    let left = project.json(&["ledger", "show"]);
    assert_eq!(left["budget"]["epsilon"], 10.0);
    // Other bounds are another question of the same budget.
    let wider = [
        &table[..],
        &["--unit", "person", "--max-rows", "5", "--epsilon", "1", "SELECT count(*) AS n FROM v"],
    ]
    .concat();
    let answer = project.json(&wider);
    assert!(answer["remaining"]["epsilon"].as_f64().unwrap() < 8.5, "{answer}");
    let talk = project.refused(&[&wider[..], &["--budget", "20,1e-5"]].concat(), 3);
    assert!(talk.contains("budget"), "{talk}");
    for wrong in [&["--bound", "age=5..1"][..], &["--max-rows", "0"], &["--budget", "3"]] {
        project.refused(
            &[&table[..], &["--unit", "person", "--epsilon", "1", ask], wrong].concat(),
            2,
        );
    }
}

#[test]
fn what_would_leak_is_refused_before_it_is_paid() {
    let project = Project::new("leaks", "5");
    for sql in [
        "SELECT * FROM visits",
        "SELECT age FROM visits ORDER BY age LIMIT 1",
        "SELECT array_agg(age) FROM visits",
        "SELECT count(*) OVER () FROM visits",
    ] {
        project.refused(&["query", "--yes", sql], 3);
        project.refused(&["explain", sql], 3);
    }
    for sql in
        ["SELECT count(* FROM visits", "SELECT count(*) FROM nowhere", "SELECT nothing FROM visits"]
    {
        project.refused(&["query", "--yes", sql], 2);
    }
    assert_eq!(project.spent(), 0.0);
}
