//! `throng quantile`.

use crate::{feed, numbers, released, stderr, stdout};

fn line(most: u32) -> String {
    (1..=most).map(|n| format!("{n}\n")).collect()
}

const CALL: [&str; 6] = ["quantile", "--no-header", "--column", "1", "--bounds", "0,5000"];

#[test]
fn ranks_are_within_the_error_bars() {
    let input = line(2001);
    let more = ["--epsilon", "1", "--confidence", "0.999999999999"];
    for _ in 0..5 {
        let answer = released(&[&CALL[..], &more].concat(), &input);
        let error = answer["rank_error"].as_f64().unwrap();
        assert!(error < 150.0, "{answer}");
        // The rank of y is y; the rounding of the grid is below 1.
        let median = numbers(&answer, "value")[0];
        assert!((median - 1000.5).abs() <= error + 2.0, "{median} ± {error}");
    }
}

#[test]
fn many_quantiles_are_in_order() {
    let more = ["--epsilon", "20", "--at", "0.9,0.1,0.5,0.5,1/4", "--confidence", "0.999999999999"];
    let answer = released(&[&CALL[..], &more].concat(), &line(2001));
    assert_eq!(numbers(&answer, "at"), [0.1, 0.25, 0.5, 0.9]);
    let values = numbers(&answer, "value");
    assert!(values.is_sorted(), "{values:?}");
    let error = answer["rank_error"].as_f64().unwrap();
    for (q, value) in numbers(&answer, "at").iter().zip(values) {
        assert!((value - q * 2001.0).abs() <= error + 3.0, "{value} for {q} ± {error}");
    }
    assert_eq!(answer["guarantee"]["epsilon"]["upper"], 20.0);
}

#[test]
fn whole_numbers_if_asked_for() {
    let answer = released(&[&CALL[..], &["--epsilon", "1", "--integers"]].concat(), &line(50));
    assert_eq!(numbers(&answer, "value")[0] % 1.0, 0.0);
    let output = feed(&[&CALL[..], &["--epsilon", "1", "--format", "csv"]].concat(), b"7\n");
    assert!(stdout(&output).starts_with("quantile,1\n0.5,"), "{}", stdout(&output));
    let output = feed(&[&CALL[..], &["--epsilon", "1"]].concat(), b"7\n");
    assert!(stdout(&output).starts_with("quantile  value\n0.5"), "{}", stdout(&output));
    let talk = stderr(&output);
    assert!(talk.contains("exponential(eps=1)") && talk.contains("ranks off"), "{talk}");
}

#[test]
fn every_relation_is_kept() {
    for under in ["add-remove", "replace", "zero-out"] {
        for at in ["0.5", "0.25,0.5,0.75"] {
            let more = ["--epsilon", "1", "--neighbours", under, "--at", at];
            let answer = released(&[&CALL[..], &more].concat(), "1\n2\n");
            assert_eq!(answer["guarantee"]["neighbours"], under);
            assert_eq!(answer["guarantee"]["epsilon"]["upper"], 1.0);
        }
    }
}

#[test]
fn contradictions_are_usage_errors() {
    let wrong: [&[&str]; 5] = [
        &[],
        &["--epsilon", "0"],
        &["--epsilon", "1", "--at", "1"],
        &["--epsilon", "1", "--integers", "--grid", "1/2"],
        &["--epsilon", "1", "--grid", "2^-500"],
    ];
    for way in wrong {
        let output = feed(&[&CALL[..], way].concat(), b"5\n");
        let talk = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{way:?}: {talk}");
        assert!(output.stdout.is_empty() && talk.contains("hint: "), "{way:?}: {talk}");
    }
}
