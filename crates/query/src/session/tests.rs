//! A session over files of every format.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::parquet::arrow::ArrowWriter;

use super::*;
use crate::catalog::Frame;
use crate::policy::{Amount, Held, InMemory};
use crate::question::Limit;
use crate::release::Cost;
use throng_account::Neighbours;
use throng_mechanism::Budget;
use throng_numeric::patience::watched;

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

/// A session over rows in memory, and the budget that it pays from.
fn in_memory(rows: &RecordBatch, epsilon: &str) -> (Session, Arc<Mutex<Budget>>) {
    let capacity =
        Amount::Approximate { epsilon: epsilon.parse().unwrap(), delta: "1e-3".parse().unwrap() };
    let unit = UnitRule::Column { column: "user".into(), name: None };
    let policy = Policy::in_memory(InMemory {
        tables: vec![Held { name: "t".into(), unit: Some(unit), schema: rows.schema() }],
        bounds: vec![("x".into(), Some(("0".parse().unwrap(), "10".parse().unwrap())))],
        keys: Vec::new(),
        max_groups: Limit::Fixed(1),
        max_rows: Limit::Fixed(5),
        neighbours: Neighbours::AddRemove,
        budget: capacity.clone(),
        ledger: PathBuf::new(),
    });
    let budget = Arc::new(Mutex::new(Budget::of(capacity, Neighbours::AddRemove).unwrap()));
    let frame = Frame::new(rows.schema(), vec![rows.clone()]).unwrap();
    let frames = Frames::from([("t".to_owned(), frame)]);
    let purse = Purse::new(Arc::clone(&budget)).unwrap();
    (Session::open_with(policy.unwrap(), &frames, Arc::new(purse)).unwrap(), budget)
}

fn asked(session: &Session, sql: &str, epsilon: &str) -> Result<Reply, QueryError> {
    let cost = Cost::Epsilon { epsilon: epsilon.parse().unwrap(), delta: "1e-6".parse().unwrap() };
    let wanted = session.request(Some(cost)).unwrap();
    let prepared = session.prepare(sql, &wanted, None)?;
    session.ask(prepared, Consistency::default(), &(Arc::new(|_| ()) as Watch))
}

#[test]
fn rows_in_memory_are_asked_as_files_are() {
    let (session, budget) = in_memory(&rows(), "3");
    let sql = "SELECT count(*) AS n, sum(x) AS x FROM t";
    let reply = asked(&session, sql, "2").unwrap();
    let count = reply.tables[0].to_json(true)["rows"][0]["n"]["value"].as_f64().unwrap();
    assert!((count - 60_000.0).abs() < 2_000.0, "{count}");
    assert!(reply.fresh);
    let spent = budget.lock().unwrap().spent().clone();
    assert_eq!(session.books().spent().unwrap(), spent);
    // Again, and with other letters: free, and the same.
    let again = asked(&session, "select COUNT(*) as n, SUM(x) as x from t", "2").unwrap();
    assert!(!again.fresh);
    assert_eq!(again.receipt, reply.receipt);
    assert_eq!(again.tables[0].to_json(true)["rows"], reply.tables[0].to_json(true)["rows"]);
    assert_eq!(*budget.lock().unwrap().spent(), spent);
    // More than is left is refused, by the same words as a ledger's, and costs nothing.
    let refused = asked(&session, "SELECT count(*) AS n FROM t WHERE x < 9", "2").unwrap_err();
    assert!(matches!(refused, QueryError::Ledger(LedgerError::Exhausted { .. })), "{refused}");
    assert_eq!(*budget.lock().unwrap().spent(), spent);
    let lines = session.books().history(&throng_ledger::Selection::default()).unwrap();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].answered && lines[0].label == sql && lines[0].cost == spent);
    // Another session over the same rows asks anew.
    let (other, _) = in_memory(&rows(), "3");
    assert!(asked(&other, sql, "2").unwrap().fresh);
}

#[test]
fn a_purse_prices_as_a_ledger_does() {
    let place = Place::new("purse");
    let policy = Policy {
        budget: in_memory(&rows(), "3").0.policy().budget.clone(),
        ..place.policy("t.csv")
    };
    let files = Session::open(policy).unwrap();
    let (memory, _) = in_memory(&rows(), "3");
    for (sql, epsilon) in [
        ("SELECT count(*) AS n FROM t", "1"),
        ("SELECT count(*) AS n, count(DISTINCT user) AS u FROM t", "0.3"),
    ] {
        let one = asked(&files, sql, epsilon).unwrap();
        let other = asked(&memory, sql, epsilon).unwrap();
        assert_eq!(one.cost, other.cost, "{sql}");
        assert_eq!(one.remaining, other.remaining, "{sql}");
    }
}

#[test]
fn what_is_given_up_before_the_charge_costs_nothing() {
    let (session, budget) = in_memory(&rows(), "3");
    let given_up = watched(|| true, || asked(&session, "SELECT count(*) AS n FROM t", "1"));
    assert!(untouched(&budget.lock().unwrap()), "{given_up:?}");
    assert!(given_up.is_err());
    assert!(asked(&session, "SELECT count(*) AS n FROM t", "1").unwrap().fresh);
}

thread_local! {
    static WANTED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[test]
fn what_is_given_up_while_rows_are_read_stays_paid() {
    let many: ArrayRef = Arc::new((0..4_000_000_i64).map(|row| row / 5).collect::<Int64Array>());
    let rows = RecordBatch::try_from_iter([("user", Arc::clone(&many)), ("x", many)]).unwrap();
    let (session, budget) = in_memory(&rows, "3");
    // The watcher looks whether there is a charge.
    static PAID: std::sync::OnceLock<Arc<Mutex<Budget>>> = std::sync::OnceLock::new();
    PAID.set(Arc::clone(&budget)).unwrap();
    let stop = || {
        let paid = PAID.get().and_then(|budget| budget.try_lock().ok().map(|b| !untouched(&b)));
        WANTED.set(WANTED.get() || paid == Some(true));
        WANTED.get()
    };
    let sql = "SELECT count(DISTINCT x) AS n FROM t WHERE x * 7 % 5 < 4";
    let started = std::time::Instant::now();
    let given_up = watched(stop, || asked(&session, sql, "1")).unwrap_err();
    let took = started.elapsed();
    assert!(matches!(given_up, QueryError::Interrupted { paid: true }), "{given_up}");
    assert!(!untouched(&budget.lock().unwrap()));
    let lines = session.books().history(&throng_ledger::Selection::default()).unwrap();
    assert!(lines.len() == 1 && !lines[0].answered);
    println!("stopped after {took:?}");
}

fn untouched(budget: &Budget) -> bool {
    *budget.spent() == budget.capacity().nothing()
}
