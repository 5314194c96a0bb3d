//! What the README tells people to type works.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::process::Command;

use throng_house::{read, root};

/// The commands (`$ ...`) in the README's console blocks.
fn commands() -> Vec<String> {
    let readme = read("README.md").unwrap();
    let found: Vec<String> =
        readme.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect();
    assert!(found.iter().any(|command| command == "make demo"), "the README lost `make demo`");
    assert!(found.iter().any(|command| command == "make test"), "the README lost `make test`");
    found
}

/// A command in which throng works without being installed; `make demo` has built it.
fn uninstalled(command: &str) -> String {
    let throng = r#"throng() { cargo run --quiet --release -p throng-cli -- "$@"; }"#;
    format!("{throng}\n{command}")
}

#[test]
fn every_command_of_the_readme_runs() {
    // `make test` is what is running now; the benchmark and the long suite take minutes.
    let elsewhere = ["make test", "make bench", "make long"];
    for command in commands().iter().filter(|command| !elsewhere.contains(&command.as_str())) {
        let call = uninstalled(command);
        let output = Command::new("sh").args(["-c", &call]).current_dir(root()).output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{command}` failed:\n{talk}");
        assert!(!output.stdout.is_empty(), "`{command}` printed nothing");
    }
}

#[test]
fn every_make_target_of_the_readme_exists() {
    let makefile = read("Makefile").unwrap();
    for command in commands() {
        if let Some(target) = command.strip_prefix("make ") {
            assert!(makefile.contains(&format!("\n{target}: ")), "the Makefile has no {target}");
        }
    }
}

#[test]
fn the_demo_draws_from_the_law_it_prints() {
    // Every printed deviation is a standard score; with some thirty cells, 7 is beyond
    // a false alarm of 1e-9.
    let run = ["run", "--quiet", "--release", "-p", "throng-sample", "--example", "histogram"];
    let output = Command::new("cargo").args(run).current_dir(root()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let scores: Vec<f64> = text
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().nth(3).unwrap().parse().unwrap())
        .collect();
    assert!(scores.len() > 20, "a histogram has more than {} rows", scores.len());
    assert!(scores.iter().all(|score| score.abs() < 7.0), "{scores:?}");
}
