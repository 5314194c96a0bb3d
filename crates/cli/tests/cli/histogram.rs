//! `throng histogram`.

use serde_json::Value;

use crate::{feed, numbers, released, stderr, stdout};

fn keys(answer: &Value) -> Vec<String> {
    let rows = answer["rows"].as_array().unwrap();
    rows.iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect()
}

const WARDS: &str = "ward\nB\nA\n A \nC\nA\n\"B\"\n";

#[test]
fn listed_keys_are_all_shown_and_no_others() {
    let call = ["histogram", "--column", "ward", "--keys", "B,A,Z", "--epsilon", "50"];
    let answer = released(&call, WARDS);
    assert_eq!(keys(&answer), ["A", "B", "Z"]);
    assert_eq!(numbers(&answer, "count"), [3.0, 2.0, 0.0]);
    assert!(answer.get("threshold").is_none());
    let by_count = [&call[..], &["--sort", "count", "--format", "csv"]].concat();
    let output = feed(&by_count, WARDS.as_bytes());
    assert_eq!(stdout(&output), "ward,count,low,high\nA,3,3,3\nB,2,2,2\nZ,0,0,0\n");
    let list = crate::folder("histogram").join("keys.txt");
    std::fs::write(&list, "A\r\n\nB\n").unwrap();
    let file = list.to_str().unwrap();
    let call = ["histogram", "--column", "ward", "--keys-file", file, "--epsilon", "50"];
    assert_eq!(keys(&released(&call, WARDS)), ["A", "B"]);
}

#[test]
fn keys_of_one_row_are_never_shown() {
    let singles: String = (0..300).map(|n| format!("single{n}\n")).collect();
    let input = format!("key\n{singles}{}", "large\n".repeat(1000));
    for noise in [None, Some("laplace"), Some("gaussian")] {
        let mut call = vec!["histogram", "--column", "key", "--epsilon", "1", "--delta", "1e-13"];
        call.extend(noise.map(|name| ["--noise", name]).into_iter().flatten());
        // 300 keys, 3 laws, 1e-13 each: a false alarm in 1e10. No threshold would show some 240.
        let answer = released(&call, &input);
        assert_eq!(keys(&answer), ["large"]);
        assert!(answer["threshold"].as_i64().unwrap() > 20, "{answer}");
        assert!((numbers(&answer, "count")[0] - 1000.0).abs() < 200.0);
    }
}

#[test]
fn a_unit_counts_no_more_than_its_bounds() {
    let many: String = (0..10).map(|n| format!("ann,k{n}\n").repeat(20)).collect();
    let input = format!("who,key\n{many}");
    let all: Vec<String> = (0..10).map(|n| format!("k{n}")).collect();
    let all = all.join(",");
    let call = ["histogram", "--column", "key", "--unit", "who", "--keys", &all, "--epsilon"];
    let total = |more: &[&str]| {
        let answer = released(&[&call[..], &["1e6"], more].concat(), &input);
        numbers(&answer, "count").iter().sum::<f64>()
    };
    assert_eq!(total(&[]), 1.0);
    assert_eq!(total(&["--max-rows", "5"]), 5.0);
    assert_eq!(total(&["--max-keys", "4"]), 4.0);
    assert_eq!(total(&["--max-keys", "4", "--max-rows", "3"]), 12.0);
    assert_eq!(total(&["--max-keys", "99", "--max-rows", "99"]), 200.0);
}

#[test]
fn every_way_to_ask_is_kept() {
    let ways: [&[&str]; 6] = [
        &["--keys", "A,B", "--epsilon", "1"],
        &["--keys", "A,B", "--epsilon", "1", "--delta", "1e-6"],
        &["--keys", "A,B", "--gdp", "1/2"],
        &["--keys", "A,B", "--zcdp", "0.1", "--neighbours", "replace"],
        &["--epsilon", "1", "--delta", "1e-6", "--neighbours", "replace"],
        &["--epsilon", "1", "--delta", "1e-6", "--unit", "ward", "--max-keys", "50"],
    ];
    for way in ways {
        let answer = released(&[&["histogram", "--column", "ward"], way].concat(), WARDS);
        let upper = answer["guarantee"]["epsilon"]["upper"].as_f64().unwrap();
        if way.contains(&"--epsilon") {
            assert!(upper <= 1.0, "{way:?}: {upper}");
        }
    }
}

#[test]
fn tables_and_bars() {
    let call = ["histogram", "--column", "ward", "--keys", "A,B", "--epsilon", "50"];
    let output = feed(&call, WARDS.as_bytes());
    assert_eq!(
        stdout(&output),
        "ward  count  low  high\nA     3      3    3\nB     2      2    2\n"
    );
    assert!(stderr(&output).contains("guarantee: discrete_laplace"), "{}", stderr(&output));
    let plotted = stdout(&feed(&[&call[..], &["--plot"]].concat(), WARDS.as_bytes()));
    let bar = |line: &str| line.chars().filter(|c| *c == '█').count();
    assert_eq!(plotted.lines().map(bar).collect::<Vec<_>>(), [0, 30, 20], "{plotted}");
    let output = feed(&call, b"ward\nA\x1b[2J\n");
    assert!(!stdout(&output).contains('\x1b'));
}

#[test]
fn contradictions_are_usage_errors() {
    let wrong: [&[&str]; 6] = [
        &["--epsilon", "1"],
        &["--gdp", "1"],
        &["--keys", "A", "--keys-file", "x", "--epsilon", "1"],
        &["--keys-file", "no/such/file", "--epsilon", "1"],
        &["--keys", "A", "--max-keys", "2", "--epsilon", "1"],
        &["--keys", "A", "--epsilon", "1", "--json", "--format", "csv"],
    ];
    for way in wrong {
        let output = feed(&[&["histogram", "--column", "ward"], way].concat(), WARDS.as_bytes());
        let talk = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{way:?}: {talk}");
        assert!(output.stdout.is_empty() && talk.contains("hint: "), "{way:?}: {talk}");
    }
}
