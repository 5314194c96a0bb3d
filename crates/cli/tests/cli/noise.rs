//! `throng noise`.

use crate::{feed, numbers, promised, released, stderr, stdout};

/// Noise of epsilon 50 on whole numbers is 0 but for a chance of 4e-22.
const SURE: &str = "50";

#[test]
fn little_noise_leaves_the_numbers() {
    let counts: Vec<String> = (0..500).map(|n| (n * 7 - 100).to_string()).collect();
    let input = format!("n\n{}\n", counts.join("\n"));
    let answer = released(&["noise", "--column", "n", "--epsilon", SURE], &input);
    let expected: Vec<f64> = (0..500).map(|n| f64::from(n * 7 - 100)).collect();
    assert_eq!(numbers(&answer, "value"), expected);
    assert_eq!(answer["column"], "n");
    assert_eq!(answer["guarantee"]["spec"], "discrete_laplace(scale=0.02)");
    assert_eq!(answer["guarantee"]["epsilon"]["upper"], 50.0);
}

#[test]
fn intervals_cover_and_noise_has_its_size() {
    let input = format!("n\n{}", "10\n".repeat(4000));
    let call = ["noise", "--column", "n", "--epsilon", "1", "--confidence", "0.9"];
    let answer = released(&call, &input);
    let (low, high) = (numbers(&answer, "low"), numbers(&answer, "high"));
    let covered = low.iter().zip(&high).filter(|(l, h)| **l <= 10.0 && 10.0 <= **h).count();
    // In truth 0.927; Hoeffding: 0.867 or 0.987 has a chance below 1e-12.
    assert!((3468..3948).contains(&covered), "{covered} of 4000");
    assert_eq!(answer["half_width"], 2.0);
    // E|Z| = 0.851, standard deviation 1.06: 9 standard errors.
    let size: f64 = numbers(&answer, "value").iter().map(|x| (x - 10.0).abs()).sum::<f64>() / 4e3;
    assert!((size - 0.851).abs() < 0.15, "{size}");
}

#[test]
fn every_way_to_ask_is_kept() {
    let ways: [&[&str]; 7] = [
        &["--epsilon", "1/3"],
        &["--epsilon", "1", "--delta", "1e-6"],
        &["--gdp", "1/4"],
        &["--zcdp", "0.1"],
        &["--epsilon", "0.5", "--neighbours", "replace", "--rows", "3"],
        &["--epsilon", "1", "--delta", "1e-6", "--rows", "5", "--sensitivity", "2"],
        &["--epsilon", "1", "--neighbours", "zero-out", "--sensitivity", "0.1"],
    ];
    for way in ways {
        let answer = released(&[&["noise", "--column", "n"], way].concat(), "n\n5\n");
        let asked = [("--epsilon", 1.0), ("--delta", 1.0)];
        let given = |name: &str| {
            let place = way.iter().position(|word| *word == name)?;
            way[place + 1].parse::<throng_numeric::Rational>().ok().map(|x| x.to_f64_nearest())
        };
        let upper = answer["guarantee"]["epsilon"]["upper"].as_f64().unwrap();
        if let Some(epsilon) = given(asked[0].0) {
            assert!(upper <= epsilon * (1.0 + 1e-12), "{way:?}: {upper}");
            // Nor much more private than asked for, which would be too much noise.
            assert!(upper >= epsilon * 0.99, "{way:?}: {upper}");
        }
    }
}

#[test]
fn units_with_their_own_number_are_clamped() {
    let input = "x\n-5\n3.25\n1e400\nnan\n\n-inf\n  7 \n\"8\"\n";
    let call = ["noise", "--column", "x", "--epsilon", "1e6", "--grid", "2^-10", "--bounds"];
    let answer = released(&[&call[..], &["0,10"]].concat(), input);
    assert_eq!(answer["guarantee"]["neighbours"], "replace");
    let expected = [0.0, 3.25, 10.0, 0.0, 0.0, 0.0, 7.0, 8.0];
    let values = numbers(&answer, "value");
    assert_eq!(values.len(), expected.len());
    // Scale 1e-5: beyond 0.01 there is a chance of e^-1000.
    assert!(values.iter().zip(expected).all(|(x, e)| (x - e).abs() < 0.01), "{values:?}");
    let answer = released(&[&call[..], &["-9,-2"]].concat(), input);
    let values = numbers(&answer, "value");
    let expected = [-5.0, -2.0, -2.0, -2.0, -2.0, -9.0, -2.0, -2.0];
    assert!(values.iter().zip(expected).all(|(x, e)| (x - e).abs() < 0.01), "{values:?}");
}

#[test]
fn only_what_is_named_is_published() {
    let input = "who;day;visits\nann;mon;12\nbob;tue;\"7\"\n";
    let call = ["noise", "--delimiter", ";", "--column", "visits", "--epsilon", SURE];
    let output = feed(&call, input.as_bytes());
    assert_eq!(stdout(&output), "visits;visits_low;visits_high\n12;12;12\n7;7;7\n");
    let output = feed(&[&call[..], &["--keep", "day"]].concat(), input.as_bytes());
    assert_eq!(stdout(&output), "day;visits;visits_low;visits_high\nmon;12;12;12\ntue;7;7;7\n");
    let answer = released(&[&call[..], &["--keep", "day"]].concat(), input);
    assert_eq!(answer["rows"][1]["keep"]["day"], "tue");
    assert!(!stdout(&output).contains("ann"));
    for keep in ["visits", " visits", "day,visits"] {
        let output = feed(&[&call[..], &["--keep", keep]].concat(), input.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("without noise"), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
    let numbered = ["noise", "--no-header", "--column", "1", "--keep", "01", "--epsilon", "1"];
    assert_eq!(feed(&numbered, b"1,2\n").status.code(), Some(2));
}

#[test]
fn the_promise_is_on_stderr() {
    let output = feed(&["noise", "--column", "n", "--epsilon", "1"], b"n\n4\n");
    let talk = stderr(&output);
    for part in ["discrete_laplace(scale=1)", "add-remove", "epsilon at delta 0:", "±3 around"] {
        assert!(talk.contains(part), "{part} not in {talk}");
    }
    let bounded = ["noise", "--column", "n", "--epsilon", "1", "--bounds", "0,1"];
    assert!(stderr(&feed(&bounded, b"n\n4\n")).contains("clamped"));
}

#[test]
fn grids_are_powers_of_two() {
    for (grid, code) in [("2^-10", 0), ("1/8", 0), ("4", 0), ("0.3", 2), ("2^-9999", 2), ("0", 2)] {
        let call = ["noise", "--column", "n", "--epsilon", "1", "--grid", grid];
        let output = feed(&call, b"n\n4\n");
        assert_eq!(output.status.code(), Some(code), "{grid}: {}", stderr(&output));
    }
    let call = ["noise", "--column", "n", "--epsilon", "1", "--grid", "1/8"];
    let answer = released(&call, "n\n4\n");
    assert_eq!(numbers(&answer, "value")[0] * 8.0 % 1.0, 0.0);
    promised(&answer);
}

#[test]
fn contradictions_are_usage_errors() {
    let wrong: [&[&str]; 9] = [
        &[],
        &["--delta", "1e-6"],
        &["--epsilon", "1", "--gdp", "1"],
        &["--epsilon", "1", "--bounds", "0,1", "--sensitivity", "2"],
        &["--epsilon", "1", "--bounds", "0,1", "--neighbours", "add-remove"],
        &["--epsilon", "1", "--bounds", "1,0"],
        &["--epsilon", "1", "--integers", "--sensitivity", "0.5"],
        &["--epsilon", "1", "--rows", "0"],
        &["--epsilon", "0"],
    ];
    for way in wrong {
        let output = feed(&[&["noise", "--column", "n"], way].concat(), b"n\n5\n");
        let talk = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{way:?}: {talk}");
        assert!(output.stdout.is_empty());
        assert!(talk.starts_with("error: ") && talk.contains("hint: "), "{way:?}: {talk}");
    }
}
