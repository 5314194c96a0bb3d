//! Plans: each `.slt` file has queries, and what they come to.
//!
//! ```text
//! query
//! <SQL>
//! ----
//! <one line for each question>, or `none`, or `refused: <part of the error>`
//! ```
//!
//! With `THRONG_BLESS=1` the files are written anew; read the difference.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::sql::{check, plan, summary};

fn outcome(sql: &str) -> String {
    let batch = match plan(sql) {
        Ok(batch) => batch,
        Err(error) => return format!("refused: {}", error.to_string().replace('\n', " | ")),
    };
    let mut lines = Vec::new();
    for statement in &batch.statements {
        check(statement);
        lines.extend(statement.questions.iter().map(summary));
        if statement.questions.is_empty() {
            lines.push("none".into());
        }
    }
    lines.join("\n")
}

fn run(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut new = String::new();
    let mut wrong = Vec::new();
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let Some(query) = block.strip_prefix("query\n") else {
            assert!(block.lines().all(|line| line.starts_with('#')), "{block}");
            write!(new, "{block}\n\n").unwrap();
            continue;
        };
        let (sql, expected) = query.split_once("\n----").unwrap_or((query, ""));
        let found = outcome(sql);
        if found != expected.trim() {
            wrong.push(format!("{sql}\nexpected {}\nfound    {found}", expected.trim()));
        }
        write!(new, "query\n{sql}\n----\n{found}\n\n").unwrap();
    }
    if std::env::var_os("THRONG_BLESS").is_some() {
        std::fs::write(path, new.trim_end().to_string() + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), wrong.join("\n\n"));
    }
}

/// The files of plans.
fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/plans");
    let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|f| f.extension().is_some_and(|e| e == "slt")).collect();
    files.sort();
    files
}

/// All queries of the files.
pub(crate) fn queries() -> Vec<String> {
    let mut queries = Vec::new();
    for file in files() {
        let text = std::fs::read_to_string(file).unwrap();
        let blocks = text.split("\n\n").filter_map(|block| block.trim().strip_prefix("query\n"));
        queries.extend(blocks.map(|b| b.split("\n----").next().unwrap_or(b).to_string()));
    }
    queries
}

#[test]
fn plans_come_to_what_is_written() {
    let files = files();
    assert!(!files.is_empty());
    for file in &files {
        run(file);
    }
}
