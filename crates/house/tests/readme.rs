//! What the README tells people to type works.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::path::PathBuf;
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

/// The command that the tests of this run have built, if they have: a second build of the engine with
/// other features would take minutes.
fn built() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let name = format!("throng{}", std::env::consts::EXE_SUFFIX);
    Some(own.parent()?.parent()?.join(name)).filter(|path| path.exists())
}

/// A command in which throng works without being installed.
fn uninstalled(command: &str) -> String {
    let throng = match built() {
        Some(path) => path.display().to_string(),
        None => "cargo run --quiet -p throng-cli --".to_owned(),
    };
    let make = match built() {
        Some(_) => format!("make \"$@\" BUILD=: THRONG='{throng}'"),
        None => "make \"$@\" PROFILE=dev".to_owned(),
    };
    format!("throng() {{ {throng} \"$@\"; }}\nmake() {{ command {make}; }}\n{command}")
}

#[test]
fn every_command_of_the_readme_runs() {
    // `make test` is what is running now; the benchmark and the long suite take minutes; building
    // and installing is what has been done.
    let elsewhere = [
        "make test",
        "make bench",
        "make long",
        "cargo install --path crates/cli",
        "pip install '.[all]'",
    ];
    let here = root().join("target/readme");
    drop(std::fs::remove_dir_all(&here));
    std::fs::create_dir_all(&here).unwrap();
    for command in commands().iter().filter(|command| !elsewhere.contains(&command.as_str())) {
        let call = uninstalled(command);
        let folder = if command.starts_with("make ") || command.starts_with("cargo ") {
            root()
        } else {
            here.clone()
        };
        let output = Command::new("sh").args(["-c", &call]).current_dir(folder).output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{command}` failed:\n{talk}");
        let silent = output.stdout.is_empty() && output.stderr.is_empty();
        assert!(!silent || command.starts_with("cd "), "`{command}` printed nothing");
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
