//! Each class of error: what is said, and the exit code.

use crate::{run, run_with_input, stderr};

/// What a call that must fail with `code` says; nothing may be on stdout.
fn said(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
    assert!(output.stdout.is_empty(), "{arguments:?} failed but answered");
    let text = stderr(&output);
    assert!(text.starts_with("error: "), "{text}");
    assert!(text.contains("hint: "), "{arguments:?} without a hint: {text}");
    assert!(!text.contains('\x1b'), "colours outside a terminal");
    text
}

#[test]
fn options_are_named_with_value_and_range() {
    let wrong = [
        ("--delta", "2", "between 0 and 1"),
        ("--delta", "-1", "between 0 and 1"),
        ("--delta", "-1e-5", "between 0 and 1"),
        ("--delta", "nan", "between 0 and 1"),
        ("--epsilon", "-0.5", "at least 0"),
        ("--epsilon", "inf", "at least 0"),
        ("--epsilon", "1e400", "below 1e308"),
        ("--alpha", "1.5", "between 0 and 1"),
        ("--order", "1", "above 1"),
        ("--prior", "0", "above 0 and below 1"),
        ("--prior", "1", "above 0 and below 1"),
        ("--width", "0", "above 0 and below 1"),
        ("--delta", "1/0", "denominator is zero"),
        ("--delta", "", "between 0 and 1"),
    ];
    for (option, value, range) in wrong {
        let text = said(&["account", "gaussian(sigma=1)", option, value], 2);
        assert!(text.contains(option) && text.contains(range), "{option} {value}: {text}");
        assert!(text.contains(&format!("'{value}'")), "{option} {value}: {text}");
    }
    let text = said(&["account", "gaussian(sigma=1)", "--delta", "1e-5,7"], 2);
    assert!(text.contains("'7'"), "{text}");
}

#[test]
fn syntax_errors_point_at_the_column() {
    let text = said(&["account", "2 * gausian(sigma=1)"], 2);
    assert!(text.contains("column 5"), "{text}");
    assert!(text.contains("\n  2 * gausian(sigma=1)\n      ^"), "{text}");
    let output = run_with_input(&["account", "-"], "gaussian(sigma=1) +\n  gausian(sigma=1)\n");
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("\n    gausian(sigma=1)\n    ^"), "{text}");
    said(&["curve", "gaussian(sigma=1)", "gaussian(sigma="], 2);
    said(&["calibrate", "gausian(sigma=?)", "--gdp", "1"], 2);
}

#[test]
fn parameters_out_of_range_are_usage_errors() {
    let text = said(&["account", "gaussian(sigma=-1)"], 2);
    assert!(text.contains("sigma"), "{text}");
}

#[test]
fn what_has_no_sound_answer_is_refused() {
    said(&["account", "shuffled(gaussian(sigma=1), users=1000)"], 3);
    said(&["curve", "shuffled(gaussian(sigma=1), users=1000)"], 3);
}

#[test]
fn empty_and_unreadable_expressions() {
    assert!(said(&["account", " "], 2).contains("empty"));
    assert!(said(&["account", "@no/such/file"], 2).contains("no/such/file"));
    assert!(said(&["account", "{\"nonsense\": 1}"], 2).contains("JSON"));
}

#[test]
fn targets_must_be_one_and_whole() {
    let none = said(&["calibrate", "gaussian(sigma=?)"], 2);
    assert!(none.contains("0 targets"), "{none}");
    let two = said(&["calibrate", "gaussian(sigma=?)", "--gdp", "1", "--zcdp", "1"], 2);
    assert!(two.contains("2 targets"), "{two}");
    let half = said(&["calibrate", "gaussian(sigma=?)", "--epsilon", "1"], 2);
    assert!(half.contains("--epsilon needs --delta"), "{half}");
    said(&["calibrate", "gaussian(sigma=?)", "--tpr", "0.1"], 2);
    said(&["calibrate", "gaussian(sigma=1)", "--gdp", "1"], 2);
}

#[test]
fn wrong_calls() {
    said(&["acount"], 2);
    said(&["account"], 2);
    said(&["account", "gaussian(sigma=1)", "--neighbours", "friends"], 2);
    said(&["account", "gaussian(sigma=1)", "--no-such-option"], 2);
    said(&["curve", "gaussian(sigma=1)", "-o", "plot.gif"], 2);
    said(&["curve", "gaussian(sigma=1)", "--points", "1"], 2);
    said(&["curve", "gaussian(sigma=1)", "--label", "a", "--label", "b"], 2);
    said(&["help", "nothing"], 2);
    said(&["man", "nothing"], 2);
    said(&["completions", "cmd.exe"], 2);
}
