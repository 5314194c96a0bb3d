//! A session over files of every format.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::parquet::arrow::ArrowWriter;

use super::*;
use crate::release::Cost;

const ROWS: i64 = 60_000;

/// A folder with the same rows three times; it goes away with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let name = format!("throng-session-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        let rows = rows();
        let file = |name: &str| File::create(path.join(name)).unwrap();
        let mut parquet = ArrowWriter::try_new(file("t.parquet"), rows.schema(), None).unwrap();
        parquet.write(&rows).unwrap();
        parquet.close().unwrap();
        let mut arrow = FileWriter::try_new(file("t.arrow"), &rows.schema()).unwrap();
        arrow.write(&rows).unwrap();
        arrow.finish().unwrap();
        WriterBuilder::new().build(file("t.csv")).write(&rows).unwrap();
        Self(path)
    }

    fn policy(&self, file: &str) -> Policy {
        let types =
            "[tables.t.columns]\nuser = { type = \"integer\" }\nx = { type = \"integer\" }\n";
        let types = if file.ends_with(".csv") { types } else { "" };
        let text = format!(
            "[budget]\nepsilon = 100\ndelta = 1e-3\n[query]\nepsilon = 1\ndelta = 1e-6\n\
             [tables.t]\npath = \"{file}\"\nunit = \"user\"\nmax_groups = 1\nmax_rows = 5\n{types}"
        );
        Policy::parse(&text, &self.0.join("throng.toml")).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn rows() -> RecordBatch {
    let column = |divide: i64| {
        Arc::new((0..ROWS).map(|row| row / divide).collect::<Int64Array>()) as ArrayRef
    };
    RecordBatch::try_from_iter([("user", column(5)), ("x", column(1))]).unwrap()
}

/// What a watch is told while a question is answered.
fn told(session: &Session, sql: &str) -> Vec<f64> {
    let seen: Arc<Mutex<Vec<f64>>> = Arc::default();
    let kept = Arc::clone(&seen);
    let watch: Watch = Arc::new(move |progress| kept.lock().unwrap().push(progress.share));
    let prepared = session.prepare(sql, &session.request(None).unwrap(), None).unwrap();
    session.ask(prepared, Consistency::default(), &watch).unwrap();
    std::mem::take(&mut *seen.lock().unwrap())
}

#[test]
fn progress_is_the_share_of_files_read_whatever_rows_are_kept() {
    // Of an Arrow file the schema at its start is not read again.
    for (file, least) in [("t.parquet", 1.0), ("t.csv", 1.0), ("t.arrow", 0.99)] {
        let place = Place::new(file);
        let session = Session::open(place.policy(file)).unwrap();
        for sql in [
            "SELECT count(*) AS n FROM t",
            "SELECT count(*) AS n FROM t WHERE x < 0",
            "SELECT count(*) AS n FROM t WHERE x < 7; SELECT count(*) AS n FROM t WHERE x > 7",
        ] {
            let seen = told(&session, sql);
            assert!(seen.iter().all(|share| (0.0..=1.0).contains(share)), "{file} {sql}: {seen:?}");
            assert!(seen.is_sorted(), "{file} {sql}: {seen:?}");
            assert!(seen.last().is_some_and(|last| *last >= least), "{file} {sql}: {seen:?}");
        }
    }
}

#[test]
fn a_preview_says_what_a_session_would_and_makes_nothing() {
    let place = Place::new("preview");
    let policy = || place.policy("t.csv");
    let ledger = policy().ledger;
    let cost = Cost::Epsilon { epsilon: "1".parse().unwrap(), delta: "1e-6".parse().unwrap() };
    let sql = "SELECT count(*) AS n FROM t";
    let explained = || {
        let preview = Preview::open(policy()).unwrap();
        let wanted = request(preview.policy(), Some(cost.clone())).unwrap();
        preview.explain(sql, &wanted, None).unwrap()
    };
    let before = explained();
    assert!(!Path::new(&ledger).exists());
    let session = Session::open(policy()).unwrap();
    let wanted = session.request(Some(cost.clone())).unwrap();
    let prepared = session.prepare(sql, &wanted, None).unwrap();
    assert_eq!(prepared.explanation().to_string(), before.to_string());
    session.ask(prepared, Consistency::default(), &(Arc::new(|_| ()) as Watch)).unwrap();
    drop(session);
    let after = explained();
    assert!(!before.stored && after.stored);
    assert_eq!(before.cost, Some(after.spent));
}
