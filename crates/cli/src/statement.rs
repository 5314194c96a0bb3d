//! The SQL text: an argument, a file, or stdin.

use std::io::{self, Read};
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;

/// What is asked.
#[derive(Debug, Args)]
pub(crate) struct Statement {
    /// The question, in SQL; several with `;` are paid for together. `-` reads stdin.
    #[arg(value_name = "SQL", required_unless_present = "file")]
    sql: Option<String>,

    /// A file that holds the question.
    #[arg(long, short, value_name = "FILE", conflicts_with = "sql")]
    file: Option<PathBuf>,
}

/// The longest text that is read.
const MOST: u64 = 64 << 20;

impl Statement {
    /// The text.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        let text = match (&self.file, self.sql.as_deref()) {
            (Some(path), _) => {
                let file = std::fs::File::open(path)
                    .map_err(|error| unreadable(&path.display().to_string(), &error))?;
                read(&path.display().to_string(), file)?
            }
            (None, Some("-")) => read("stdin", io::stdin().lock())?,
            (None, Some(sql)) => sql.to_owned(),
            (None, None) => String::new(),
        };
        if text.trim().is_empty() {
            return Err(Failure::usage(
                "nothing is asked",
                "write SQL: 'SELECT count(*) FROM visits'",
            ));
        }
        Ok(text)
    }
}

fn unreadable(name: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(
        format!("{name} cannot be read: {error}"),
        "give the SQL as an argument, in a file with -f, or on stdin with `-`",
    )
}

fn read(name: &str, from: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(MOST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST {
        return Err(unreadable(name, &"it is longer than 64 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| unreadable(name, &"it is not UTF-8 text"))
}
