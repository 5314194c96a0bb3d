//! What the README and the documentation show is what the command prints.
//!
//! Calls in blocks "console" are run in their order, and what is shown below them is compared.
//! What is shown in blocks "console random" is an example: the call is run, but not compared. Lines
//! that begin with `printf` write the files of the calls below. Each page has a folder of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{fresh, stderr, stdout};

/// A call in a document, and what the document shows below it.
struct Shown {
    page: String,
    place: String,
    command: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Markdown file below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.map(|path| if path.is_dir() { pages(&path) } else { vec![path] });
    nested.flatten().filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

/// The calls of throng in the console blocks of a page.
fn calls(page: &Path) -> Vec<Shown> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut found: Vec<Shown> = Vec::new();
    let (mut inside, mut random) = (false, false);
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            random = line == "```console random";
            inside = line == "```console" || random;
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            let place = format!("{}:{}", page.display(), number + 1);
            let name = page.file_stem().unwrap().to_string_lossy().into_owned();
            found.push(Shown {
                page: name,
                place,
                command: command.to_owned(),
                output: Vec::new(),
            });
        } else if let (true, false, Some(last)) = (inside, random, found.last_mut()) {
            last.output.push(line.trim_end().to_owned());
        }
    }
    let starts = ["throng ", "printf "];
    found.retain(|shown| starts.iter().any(|start| shown.command.starts_with(start)));
    found
}

/// Whether two words are the same, or numbers that agree to three digits.
fn alike(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() <= 1e-3 * one.abs().max(other.abs()),
        _ => one == other,
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || "(),".contains(c)).filter(|w| !w.is_empty()).collect()
}

#[test]
fn every_call_in_the_documents_works_and_prints_what_is_shown() {
    let mut all = calls(&root().join("README.md"));
    for page in pages(&root().join("docs")) {
        all.extend(calls(&page));
    }
    assert!(all.len() > 20, "the documents show only {} calls", all.len());
    let binary = Path::new(env!("CARGO_BIN_EXE_throng")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let here = fresh("documents");
    for Shown { page, place, command, output: shown } in all {
        let here = here.join(page);
        std::fs::create_dir_all(&here).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(&here).env("PATH", &path);
        let output = shell.env("LANG", "C.UTF-8").env_remove("LC_ALL").output().unwrap();
        assert!(output.status.success(), "{place}: `{command}`: {}", stderr(&output));
        if shown.iter().all(String::is_empty) {
            continue;
        }
        let printed = stdout(&output);
        let (shown, printed) = (shown.join("\n"), printed.trim_end());
        let same = words(&shown).len() == words(printed).len()
            && words(&shown).into_iter().zip(words(printed)).all(|(a, b)| alike(a, b));
        assert!(same, "{place}: `{command}` prints\n{printed}\ninstead of\n{shown}");
    }
}
