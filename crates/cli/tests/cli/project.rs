//! A small project to ask questions of, and calls in it.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::{stderr, stdout, throng};

/// A folder with a private table, a public one and a policy.
pub(crate) struct Project {
    folder: PathBuf,
}

/// 120 people with 3 visits each; person n goes to clinic A, B or C by n modulo 3.
pub(crate) fn visits() -> String {
    let line = |n: u32| {
        let (person, clinic) = (n % 120, ["A", "B", "C"][(n % 3) as usize]);
        format!("{person},{clinic},{},{}\n", 20 + person % 50, n % 7)
    };
    format!("person,clinic,age,hours\n{}", (0..360).map(line).collect::<String>())
}

const CLINICS: &str = "clinic,region\nA,north\nB,north\nC,south\n";

const TABLES: &str = r#"
[query]
epsilon = 1
delta = 1e-6

[tables.visits]
path = "visits.csv"
unit = "person"
max_groups = 1
max_rows = 3

[tables.visits.columns]
person = { type = "integer" }
clinic = { type = "text", keys = ["A", "B", "C"] }
age = { type = "integer", lower = 0, upper = 100 }
hours = { type = "integer", lower = 0, upper = 10 }

[tables.clinics]
path = "clinics.csv"
public = true
"#;

impl Project {
    /// A fresh one with this budget.
    pub(crate) fn new(name: &str, epsilon: &str) -> Self {
        let folder = crate::folder("projects").join(name);
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        let own = Self { folder };
        own.write("visits.csv", visits());
        own.write("clinics.csv", CLINICS);
        own.write("throng.toml", format!("[budget]\nepsilon = {epsilon}\ndelta = 1e-4\n{TABLES}"));
        own
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Any call, in the folder.
    pub(crate) fn call(&self, arguments: &[&str]) -> Output {
        throng().args(arguments).current_dir(&self.folder).output().unwrap()
    }

    /// A call that must succeed: what it prints.
    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        let output = self.call(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// A call that must succeed, as JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.printed(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// A question, confirmed.
    pub(crate) fn query(&self, sql: &str, more: &[&str]) -> Value {
        self.json(&[&["query", "--yes", sql], more].concat())
    }

    /// A call that must fail with a code: what it says.
    pub(crate) fn refused(&self, arguments: &[&str], code: i32) -> String {
        let output = self.call(arguments);
        let talk = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {talk}");
        assert!(output.stdout.is_empty(), "{arguments:?} failed but answered");
        assert!(talk.contains("error: ") && talk.contains("hint: "), "{arguments:?}: {talk}");
        assert!(!talk.contains("panic") && !talk.contains("internal error"), "{talk}");
        talk
    }

    /// The epsilon that is spent.
    pub(crate) fn spent(&self) -> f64 {
        if !self.path("throng.ledger").exists() {
            return 0.0;
        }
        self.json(&["ledger", "show"])["spent"]["epsilon"].as_f64().unwrap()
    }
}
