//! `throng query` and `throng explain`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
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

/// Every file under a folder with what it holds.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(everything(&path));
            all.insert(path, Vec::new());
        } else {
            all.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    all
}

#[test]
fn explain_writes_nothing() {
    let project = Project::new("untouched", "5");
    let before = everything(project.folder());
    let text = project.printed(&["explain", BY_CLINIC]);
    assert!(text.contains("budget: epsilon = 5"), "{text}");
    assert!(text.contains("left afterwards: epsilon = 4"), "{text}");
    let table = ["explain", "--table", "v=visits.csv", "--unit", "person"];
    let table = [&table[..], &["--max-groups", "1", "--max-rows", "3", "--epsilon", "1"]].concat();
    project.json(&[&table[..], &["--delta", "1e-6", "SELECT count(*) AS n FROM v"]].concat());
    project.refused(&["explain", "SELECT * FROM visits"], 3);
    assert_eq!(everything(project.folder()), before);
    // A quota, and a budget that is too small, are seen before there is a ledger.
    let policy = std::fs::read_to_string(project.path("throng.toml")).unwrap();
    let quota = "\n[budget.analysts]\nann = { epsilon = 0.5, delta = 1e-5 }\n\n[query]";
    project.write("throng.toml", policy.replace("\n[query]", quota));
    let warned = |more: &[&str]| {
        project.json(&[&["explain", BY_CLINIC], more].concat())["warnings"].to_string()
    };
    assert!(warned(&["--analyst", "ann"]).contains("quota"), "{}", warned(&["--analyst", "ann"]));
    assert!(!warned(&["--analyst", "bob"]).contains("quota"));
    assert!(warned(&["--epsilon", "6"]).contains("does not cover"));
    project.write("throng.toml", policy);
    assert_eq!(everything(project.folder()), before);
    // A ledger that was there is missed.
    project.query(BY_CLINIC, &[]);
    let after = everything(project.folder());
    project.printed(&["explain", "SELECT count(*) AS n FROM visits"]);
    assert_eq!(everything(project.folder()), after);
    std::fs::remove_file(project.path("throng.ledger")).unwrap();
    let talk = project.refused(&["explain", BY_CLINIC], 3);
    assert!(talk.contains("gone"), "{talk}");
}

#[test]
fn bounds_that_cut_off_much_are_warned_of() {
    let project = Project::new("bounds", "5");
    let table = ["--table", "v=visits.csv", "--unit", "person", "--budget", "2000,1e-3"];
    let price = ["--epsilon", "400", "--delta", "1e-6"];
    let asked = |command: &'static str, rows: &'static str, sql: &'static str| {
        let limits = ["--max-groups", "1", "--max-rows", rows];
        [&[command, sql][..], &table, &price, &limits].concat()
    };
    let count = "SELECT count(*) AS n FROM v";
    let warning = |answer: &Value| answer["warnings"].to_string();
    // Nothing is known before the first answer.
    assert_eq!(warning(&project.json(&asked("explain", "1", count))), "[]");
    // Everybody has three rows, and one counts.
    let answer = project.json(&[&asked("query", "1", count)[..], &["--yes"]].concat());
    let notes = answer["notes"].to_string();
    assert!(notes.contains("max_rows = 1 look wrong"), "{notes}");
    let lost = answer["clipping"][0]["lost"].as_f64().unwrap();
    assert!((lost - 2.0 / 3.0).abs() < 0.1, "{answer}");
    // Another question about the same rows under the same bounds, before it is paid for.
    let other = "SELECT count(age) AS ages FROM v";
    let again = project.json(&asked("explain", "1", other));
    let said = "bounds look wrong: at the last answer max_rows = 1 cut off about 6";
    assert!(warning(&again).contains(said), "{again}");
    assert_eq!(again["clipping"][0], answer["clipping"][0]);
    let text = project.printed(&asked("explain", "1", other));
    assert!(text.contains(&format!("warning: {said}")), "{text}");
    assert!(text.contains("raise it, or use \"auto\""), "{text}");
    let talk = project.refused(&asked("query", "1", other), 2);
    assert!(talk.contains(&format!("warning: {said}")), "{talk}");
    // Other bounds, other rows and other groups are another matter.
    for (rows, sql) in [
        ("3", count),
        ("1", "SELECT count(*) AS n FROM v WHERE clinic = 'A'"),
        ("1", "SELECT clinic, count(*) AS n FROM v GROUP BY clinic"),
    ] {
        let answer = project.json(&asked("explain", rows, sql));
        assert_eq!((warning(&answer).as_str(), &answer["clipping"][0]), ("[]", &Value::Null));
    }
    let answer = project.json(&[&asked("query", "3", count)[..], &["--yes"]].concat());
    assert!(!answer["notes"].to_string().contains("wrong"), "{answer}");
    assert_eq!(warning(&project.json(&asked("explain", "3", other))), "[]");
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

/// The aggregates of an explanation, by the columns that show them.
fn aggregate<'a>(explanation: &'a Value, column: &str) -> &'a Value {
    let questions = explanation["questions"].as_array().unwrap().iter();
    let mut all = questions.flat_map(|question| question["aggregates"].as_array().unwrap());
    let found = all.find(|one| one["columns"].as_array().unwrap().contains(&column.into()));
    found.unwrap_or_else(|| panic!("{column} is not explained: {explanation}"))
}

#[test]
fn aggregates_go_by_the_names_of_columns_too() {
    let project = Project::new("names", "50");
    let count = "SELECT count(*) AS n, sum(hours) AS h FROM visits";
    let error = |target: &str| ["--error".to_owned(), target.to_owned()];
    let ask = |sql: &str, options: &[String]| {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        project.json(&[&["explain", sql], &options[..]].concat())
    };
    let half = |explanation: &Value, column: &str| {
        aggregate(explanation, column)["half_width"].as_f64().unwrap()
    };
    for name in ["n", "N", "count", "count(*)"] {
        let shown = ask(count, &error(&format!("{name}: 60 @95%")));
        assert!((59.0..=60.5).contains(&half(&shown, "n")), "{name}: {shown}");
    }
    for name in ["h", "sum(hours)", "sum"] {
        let shown = ask(count, &error(&format!("{name}: 200 @95%")));
        assert!((197.0..=201.0).contains(&half(&shown, "h")), "{name}: {shown}");
    }
    // Both names are the same question.
    let sql = "SELECT count(*) AS n FROM visits";
    assert_eq!(project.query(sql, &["--error", "count: 60 @95%"])["fresh"], true);
    assert_eq!(project.query(sql, &["--error", "n: 60 @95%"])["fresh"], false);
    // The same name of something else is another one.
    let swapped = "SELECT count(*) AS h, sum(hours) AS n FROM visits";
    let [first, second] =
        [count, swapped].map(|sql| project.query(sql, &["--epsilon", "0.3", "--weight", "n=9"]));
    assert!(first["fresh"] == true && second["fresh"] == true, "{second}");
    // A column of the answer goes before a function, and before a column inside.
    let people = "SELECT count(DISTINCT person) AS count, count(*) AS n FROM visits";
    let shown = ask(people, &error("count: 5 @95%"));
    assert!(half(&shown, "count") <= 5.1 && half(&shown, "n") > 8.0, "{shown}");
    let inside = "SELECT CAST(s AS DOUBLE) AS n FROM \
                  (SELECT count(*) AS n, sum(hours) AS s FROM visits) AS t ORDER BY n";
    for name in ["n", "s"] {
        let shown = ask(inside, &error(&format!("{name}: 200 @95%")));
        assert!((197.0..=201.0).contains(&half(&shown, "n")), "{name}: {shown}");
    }
    let [even, heavy] =
        ["n=1", "n=4"].map(|weight| ask(count, &["--weight", weight].map(String::from)));
    let share = |explanation| aggregate(explanation, "n")["share"].as_f64().unwrap();
    assert!(share(&heavy) > share(&even) + 0.1, "{heavy}");
    // Each statement has its own.
    let two = "SELECT count(*) AS n FROM visits; SELECT count(*) AS m FROM visits WHERE age > 30";
    let shown = ask(two, &["--weight", "m=5"].map(String::from));
    assert!(half(&shown, "m") < half(&shown, "n"), "{shown}");
    // What is computed from aggregates is none.
    for (name, sql) in [("r", "SELECT sum(hours) / count(*) AS r FROM visits"), ("x", count)] {
        for option in [["--error", &format!("{name}: 5")], ["--weight", &format!("{name}=2")]] {
            let talk = project.refused(&[&["explain", sql], &option[..]].concat(), 2);
            assert!(talk.contains(&format!("`{name}`")) && talk.contains("sum(hours)"), "{talk}");
        }
    }
    let talk = project.refused(&["explain", count, "--weight", "x=2"], 2);
    assert!(talk.contains("n, h, count, sum(hours)"), "{talk}");
}

#[test]
fn an_explanation_is_what_the_schema_says() {
    let project = Project::new("explained", "5");
    let whole = schema::read("explain.schema.json");
    let policy = std::fs::read_to_string(project.path("throng.toml")).unwrap();
    let explained = |sql: &str, more: &[&str]| {
        let shown = project.json(&[&["explain", sql], more].concat());
        schema::agree(&shown, &whole, &whole);
        shown
    };
    let shown = explained(BY_CLINIC, &[]);
    let question = &shown["questions"][0];
    assert_eq!((&question["unit"], &question["groups"]), (&"visits.person".into(), &1.into()));
    assert_eq!(question["bound"], serde_json::json!({ "kind": "each", "rows": 3 }));
    assert_eq!(question["keys"], serde_json::json!({ "kind": "public", "count": 3 }));
    let visits = aggregate(&shown, "visits");
    assert_eq!(
        (&visits["name"], &visits["parts"][0]["sensitivity"]),
        (&"count".into(), &3.0.into())
    );
    let (half, deviation) = (&visits["half_width"], &visits["parts"][0]["deviation"]);
    let ratio = half.as_f64().unwrap() / deviation.as_f64().unwrap();
    assert!((1.5..2.5).contains(&ratio), "{visits}");
    let shares: f64 = question["aggregates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["share"].as_f64().unwrap())
        .sum();
    let besides = question["besides"].as_object().unwrap().values();
    let all = shares + besides.map(|share| share.as_f64().unwrap()).sum::<f64>();
    assert!((all - 1.0).abs() < 1e-6, "{shown}");
    let number = |key: &str| shown[key]["epsilon"].as_f64().unwrap();
    assert_eq!((number("budget"), number("spent")), (5.0, 0.0));
    assert!(
        number("cost") > 0.9 && (number("cost") + number("left") - 5.0).abs() < 1e-9,
        "{shown}"
    );
    // What the budget does not cover has a cost and leaves nothing.
    let dear = explained(BY_CLINIC, &["--epsilon", "7"]);
    assert!(dear["cost"]["epsilon"].as_f64().unwrap() > 6.0 && dear["left"].is_null(), "{dear}");
    // What is stored, and what is public, has no noise to explain.
    project.query(BY_CLINIC, &[]);
    let sets = "SELECT clinic, max(age) AS oldest FROM visits GROUP BY ROLLUP (clinic)";
    for sql in [BY_CLINIC, "SELECT count(*) AS n FROM clinics"] {
        let shown = explained(sql, &[]);
        assert!(shown["cost"].is_null() && shown["spec"].is_null(), "{shown}");
    }
    assert_eq!(explained(sets, &[])["questions"].as_array().unwrap().len(), 2);
    project.write(
        "throng.toml",
        policy
            .replace("max_rows = 3", "max_rows = \"auto\"")
            .replace(", keys = [\"A\", \"B\", \"C\"]", "")
            .replace("epsilon = 5\n", "rho = 2\n"),
    );
    std::fs::remove_file(project.path("throng.ledger")).unwrap();
    drop(std::fs::remove_file(project.path("throng.ledger-witness")));
    let open = explained(BY_CLINIC, &["--rho", "0.1", "--delta", "1e-6"]);
    assert_eq!(open["questions"][0]["keys"]["kind"], "private");
    assert_eq!(open["questions"][0]["bound"]["kind"], "norm");
    assert!(open["budget"]["rho"].as_f64().unwrap() <= 2.0, "{open}");
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
