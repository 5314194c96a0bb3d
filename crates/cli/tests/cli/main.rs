//! The real binary, run as people run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]
#![allow(clippy::wildcard_enum_match_arm, reason = "JSON is matched by what is expected")]

mod account;
mod audit;
mod budget;
mod calibrate;
mod curve;
mod documents;
mod errors;
mod guide;
mod histogram;
mod hostile;
mod init;
mod learn;
mod ledger;
mod noise;
mod project;
mod quantile;
mod query;
mod schema;
mod xml;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The binary with a fixed locale and no colours of the caller.
fn throng() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.env_remove("NO_COLOR").env_remove("LC_ALL").env_remove("LC_CTYPE");
    command.env("LANG", "C.UTF-8");
    command
}

fn run(arguments: &[&str]) -> Output {
    throng().args(arguments).output().unwrap()
}

fn run_with_input(arguments: &[&str], input: &str) -> Output {
    feed(arguments, input.as_bytes())
}

/// Runs on any bytes; whoever fails early need not read them.
fn feed(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = throng()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// What a call that must succeed releases of an input, as JSON.
fn released(arguments: &[&str], input: &str) -> Value {
    let output = feed(&[arguments, &["--json"]].concat(), input.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    promised(&answer);
    answer
}

/// What a release promises is what the accountant says of its spec.
fn promised(answer: &Value) {
    let guarantee = &answer["guarantee"];
    let text = |key: &str| guarantee[key].as_str().unwrap().to_owned();
    let delta = guarantee["delta"].as_f64().unwrap().to_string();
    let (spec, under) = (text("spec"), text("neighbours"));
    let (lower, upper) = ends(&guarantee["epsilon"]);
    assert!(upper > 0.0, "{guarantee}");
    if lower == 0.0 {
        // Only the upper end is computed: the accountant promises no more just above it.
        let epsilon = (upper * (1.0 + 1e-9)).to_string();
        let again =
            json(&["account", &spec, "--neighbours", &under, "--epsilon", &epsilon, "--json"]);
        assert!(ends(&again["delta"][0]).0 <= 0.0, "{guarantee} is not {again}");
        return;
    }
    let again = json(&["account", &spec, "--neighbours", &under, "--delta", &delta, "--json"]);
    let (least, most) = ends(&again["epsilon"][0]);
    assert!(lower == least && upper <= most, "{guarantee} is not {again}");
    assert!(answer["confidence"].as_f64().unwrap() < 1.0, "{answer}");
    assert!(answer["uncovered"].is_array() && answer["rows"].is_array(), "{answer}");
}

/// The numbers of a key in all rows.
fn numbers(answer: &Value, key: &str) -> Vec<f64> {
    let rows = answer["rows"].as_array().unwrap();
    rows.iter().map(|row| row[key].as_f64().unwrap()).collect()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a call that must succeed prints.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).unwrap()
}

/// Both ends of a bracket in JSON, in order.
fn ends(row: &Value) -> (f64, f64) {
    let end = |name: &str| match &row[name] {
        Value::String(text) if text == "inf" => f64::INFINITY,
        value => value.as_f64().unwrap_or_else(|| panic!("{name} of {row} is not a number")),
    };
    let (lower, upper) = (end("lower"), end("upper"));
    assert!(lower <= upper, "{row}");
    (lower, upper)
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A folder of this test's own, empty.
fn fresh(name: &str) -> PathBuf {
    drop(std::fs::remove_dir_all(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)));
    folder(name)
}
