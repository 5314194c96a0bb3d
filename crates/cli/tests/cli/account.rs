//! `throng account`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{ends, folder, json, printed, run, run_with_input, schema, stderr, stdout};

/// The epsilon of one Gaussian with sigma = 1 at delta = 1e-5.
const KNOWN: f64 = 4.377_178_095_681_2;

#[test]
fn a_question_of_each_kind() {
    let answer = json(&[
        "account",
        "gaussian(sigma=1)",
        "--delta",
        "1e-5,1e-6",
        "--delta",
        "1/3",
        "--epsilon",
        "1,2",
        "--alpha",
        "0.01",
        "--order",
        "2",
        "--json",
    ]);
    assert_eq!(answer["spec"], "gaussian(sigma=1)");
    assert_eq!(answer["neighbours"], "add-remove");
    let epsilon = answer["epsilon"].as_array().unwrap();
    assert_eq!(epsilon.len(), 3);
    assert_eq!(epsilon[0]["delta"], 1e-5);
    assert_eq!(epsilon[2]["delta"], 1.0 / 3.0);
    let (lower, upper) = ends(&epsilon[0]);
    assert!((lower - KNOWN).abs() < 1e-3 && (upper - KNOWN).abs() < 1e-3, "{lower} {upper}");
    assert_eq!(answer["delta"].as_array().unwrap().len(), 2);
    assert_eq!(answer["tradeoff"][0]["alpha"], 0.01);
    for table in ["epsilon", "delta", "tradeoff", "renyi"] {
        for row in answer[table].as_array().unwrap() {
            ends(row);
        }
    }
    assert!(answer["seconds"].as_f64().unwrap() >= 0.0);
    assert!(answer.get("compare").is_none() && answer.get("against").is_none());
}

#[test]
fn without_a_question_the_usual_one_is_answered_and_said() {
    let output = run(&["account", "gaussian(sigma=1)"]);
    let text = stdout(&output);
    assert!(text.contains("1e-5"), "{text}");
    assert!(text.contains("4.377"), "{text}");
    assert!(text.contains("at 1 % false alarms at most 9.3 % of members are found"), "{text}");
    assert!(stderr(&output).contains("note: answering for delta = 1e-5"), "{}", stderr(&output));
    assert!(!text.contains('\x1b'), "colours outside a terminal");
    let answer = json(&["account", "gaussian(sigma=1)", "--json"]);
    assert_eq!(answer["epsilon"].as_array().unwrap().len(), 1);
    assert_eq!(answer["delta"], Value::Array(Vec::new()));
    assert_eq!(answer["tradeoff"], Value::Array(Vec::new()));
    let found = answer["attacker"]["found"].as_f64().unwrap();
    assert!((found - 0.0924).abs() < 1e-3, "{found}");
}

#[test]
fn printed_numbers_stand_outside_the_bracket() {
    let question = ["account", "gaussian(sigma=1)", "--delta", "1e-5"];
    let text = printed(&question);
    let line = text.lines().find(|line| line.starts_with("1e-5")).unwrap();
    let mut numbers = line.split_whitespace().skip(1).filter_map(|word| word.parse::<f64>().ok());
    let (low, high) = (numbers.next().unwrap(), numbers.next().unwrap());
    let (lower, upper) = ends(&json(&[&question[..], &["--json"]].concat())["epsilon"][0]);
    assert!(low <= lower && upper <= high, "{line} against {lower} {upper}");
    assert!(high - low <= 4.0 * (upper - lower) + 1e-14, "{line} hides how narrow the bracket is");
}

#[test]
fn infinity_is_text() {
    let answer = json(&["account", "gaussian(sigma=1)", "--delta", "0", "--json"]);
    assert_eq!(answer["epsilon"][0]["upper"], "inf");
    assert!(printed(&["account", "gaussian(sigma=1)", "--delta", "0"]).contains("inf"));
}

#[test]
fn the_relation_matters() {
    let upper = |relation: &str| {
        let answer = json(&[
            "account",
            "gaussian(sigma=1)",
            "--json",
            "--delta=1e-5",
            "--neighbours",
            relation,
        ]);
        assert_eq!(answer["neighbours"], relation);
        ends(&answer["epsilon"][0]).1
    };
    assert!(upper("replace") > upper("add-remove"));
    assert!((upper("zero-out") - upper("add-remove")).abs() < 1e-2);
}

#[test]
fn comparisons_and_beliefs() {
    let call = [
        "account",
        "gaussian(sigma=1)",
        "--delta",
        "1e-5",
        "--prior",
        "1/2",
        "--compare",
        "--against",
        "gaussian(sigma=2)",
    ];
    let text = printed(&call);
    assert!(text.contains("bound"), "{text}");
    assert!(text.contains("against gaussian(sigma=2): "), "{text}");
    assert!(text.contains("a belief of 1/2 in membership rises to at most"), "{text}");
    let answer = json(&[&call[..], &["--json"]].concat());
    assert!(!answer["compare"].as_array().unwrap().is_empty());
    assert_eq!(answer["against"]["spec"], "gaussian(sigma=2)");
    let posterior = answer["attacker"]["posterior"][0]["posterior"].as_f64().unwrap();
    assert!(posterior > 0.5 && posterior <= 1.0);
}

#[test]
fn expressions_come_from_stdin_and_files() {
    let piped = run_with_input(&["account", "-", "--delta=1e-5"], "  gaussian(sigma=1)\n");
    let typed = printed(&["account", "gaussian(sigma=1)", "--delta=1e-5"]);
    assert_eq!(stdout(&piped), typed);
    let path = folder("account").join("spec.txt");
    std::fs::write(&path, "gaussian(sigma=1)\n").unwrap();
    let argument = format!("@{}", path.display());
    assert_eq!(printed(&["account", &argument, "--delta=1e-5"]), typed);
    let bare = r#"{"gaussian": {"sigma": "1"}}"#;
    let document = format!(r#"{{"version": 1, "spec": {bare}}}"#);
    for json in [bare, &document] {
        std::fs::write(&path, json).unwrap();
        assert_eq!(printed(&["account", &argument, "--delta=1e-5"]), typed);
    }
}

#[test]
fn the_json_is_what_the_schema_says() {
    let schema = schema::read("account.schema.json");
    let full = json(&[
        "account",
        "gaussian(sigma=1)",
        "--delta=1e-5",
        "--epsilon=1",
        "--alpha=0.1",
        "--order=2",
        "--prior=0.1",
        "--compare",
        "--against",
        "gaussian(sigma=2)",
        "--json",
    ]);
    let short = json(&["account", "gaussian(sigma=1)", "--epsilon=1", "--json"]);
    schema::agree(&full, &schema, &schema);
    schema::agree(&short, &schema, &schema);
    let keys: BTreeSet<&String> = full.as_object().unwrap().keys().collect();
    let known: BTreeSet<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, known, "the schema and the fullest answer have the same keys");
}
