//! The real binary, run as people run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]
#![allow(clippy::wildcard_enum_match_arm, reason = "JSON is matched by what is expected")]

mod account;
mod calibrate;
mod curve;
mod documents;
mod errors;
mod guide;
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
    let mut child = throng()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
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
