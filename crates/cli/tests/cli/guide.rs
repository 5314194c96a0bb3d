//! Help, examples, completions, manual pages.

use std::process::Command;

use crate::{fresh, printed, run, stderr};

#[test]
fn help_reads_like_a_guide() {
    let guide = printed(&["help"]);
    for command in [
        "init",
        "query",
        "ledger",
        "account",
        "calibrate",
        "curve",
        "learn",
        "audit",
        "histogram",
        "expressions",
    ] {
        assert!(guide.contains(command), "{guide}");
    }
    let expressions = printed(&["help", "expressions"]);
    assert!(expressions.contains("gaussian(sigma"), "{expressions}");
    assert!(expressions.contains("meaning"), "{expressions}");
    assert_eq!(printed(&["help", "account"]), printed(&["account", "--help"]));
    assert!(printed(&["--version"]).starts_with("throng "));
    let alone = run(&[]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(stderr(&alone).contains("Usage"));
}

/// The lines of a text that call throng.
fn examples(text: &str) -> Vec<String> {
    let starts = ["throng ", "echo ", "printf ", "seq "];
    let whole = text.replace("\\\n    ", "");
    let calls = whole
        .lines()
        .map(str::trim)
        .filter(|line| starts.iter().any(|start| line.starts_with(start)));
    calls.map(|line| line.split("   ").next().unwrap().to_owned()).collect()
}

#[test]
fn every_example_works() {
    let mut all = examples(&printed(&["help"]));
    let commands = [
        "init",
        "explain",
        "query",
        "ledger",
        "account",
        "calibrate",
        "curve",
        "learn",
        "audit",
        "noise",
        "histogram",
        "quantile",
        "man",
    ];
    for command in commands {
        let found = examples(&printed(&[command, "--help"]));
        assert!(found.len() >= 2, "{command} has no examples");
        all.extend(found);
    }
    for task in
        ["fit", "search", "predict", "evaluate", "inspect", "models", "bounds", "example", "sample"]
    {
        let found = examples(&printed(&["learn", task, "--help"]));
        assert!(found.len() >= 2, "learn {task} has no examples");
        all.extend(found);
    }
    let here = fresh("examples");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_throng")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    for example in all {
        let mut shell = Command::new("sh");
        let output =
            shell.args(["-c", &example]).current_dir(&here).env("PATH", &path).output().unwrap();
        // An audit that refutes a claim says so by its exit code.
        let refuted = example.starts_with("throng audit") && output.status.code() == Some(3);
        assert!(output.status.success() || refuted, "`{example}`: {}", stderr(&output));
    }
}

#[test]
fn every_example_of_the_language_is_understood() {
    for line in printed(&["help", "expressions"]).lines() {
        let Some(line) = line.strip_prefix("  ") else { continue };
        let expression = line.split("   ").next().unwrap();
        if expression.contains('?') {
            printed(&["calibrate", expression, "--gdp", "1"]);
        } else {
            printed(&["account", expression]);
        }
    }
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for word in [
            "calibrate",
            "neighbours",
            "noise",
            "histogram",
            "quantile",
            "max-keys",
            "max-groups",
            "canaries",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        // Where the shell completes what has no option before it.
        if ["bash", "zsh"].contains(&shell) {
            assert!(script.contains("naive-bayes"), "{shell}");
        }
    }
}

#[test]
fn manual_pages_are_roff() {
    let page = printed(&["man"]);
    assert!(page.contains(".TH throng 1"), "{page}");
    assert!(page.contains("calibrate"), "{page}");
    for command in ["noise", "histogram", "quantile"] {
        let page = printed(&["man", command]);
        assert!(page.contains(&format!(".TH throng-{command} 1")), "{page}");
        assert!(page.contains("epsilon") && page.contains("Examples"), "{page}");
    }
    for command in ["init", "query", "explain", "ledger"] {
        let page = printed(&["man", command]);
        assert!(page.contains(&format!(".TH throng-{command} 1")), "{page}");
        assert!(page.contains("Examples"), "{page}");
    }
    let page = printed(&["man", "audit"]);
    assert!(page.contains(".TH throng-audit 1") && page.contains("Examples"), "{page}");
    let page = printed(&["man", "curve"]);
    assert!(page.contains(".TH throng-curve 1"), "{page}");
    assert!(page.contains("points"), "{page}");
}
