//! Defects that were found in other systems, each as a test of a whole session: policy, files, ledger,
//! engine, answer. That the noise which is drawn is the noise which is accounted for is a test beside the
//! mechanism itself (`release/tests/audit.rs`), where draws can be seen.

use std::fmt::Write as _;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::parquet::arrow::ArrowWriter;
use throng_account::filter::Budget as Amount;
use throng_ledger::LedgerError;
use throng_query::QueryError;
use throng_query::answer::{Consistency, Table};
use throng_query::policy::Policy;
use throng_query::release::Cost;
use throng_query::session::{Reply, Session, Watch};
use throng_sample::{Entropy, EntropyError, SeededEntropy};

/// A row: user, city, age, income.
pub(crate) type Row = (i64, String, String, String);

pub(crate) fn row(user: i64, city: &str, age: &str, income: &str) -> Row {
    (user, city.into(), age.into(), income.into())
}

/// A directory with a policy, a table and a ledger; gone in the end.
pub(crate) struct Place {
    directory: PathBuf,
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.directory));
    }
}

const COLUMNS: &str = r#"
user_id = { type = "integer" }
city = { type = "text" }
age = { type = "integer", lower = 0, upper = 120 }
income = { type = "number", lower = 0, upper = 200000 }
"#;

impl Place {
    fn new(name: &str) -> Self {
        let directory =
            std::env::temp_dir().join(format!("throng-defects-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&directory));
        std::fs::create_dir_all(&directory).unwrap();
        Self { directory }
    }

    pub(crate) fn table(&self) -> PathBuf {
        self.directory.join("events.csv")
    }

    fn write(&self, rows: &[Row]) {
        let mut text = String::from("user_id,city,age,income\n");
        for (user, city, age, income) in rows {
            writeln!(text, "{user},{city},{age},{income}").unwrap();
        }
        std::fs::write(self.table(), text).unwrap();
    }

    fn policy(&self, budget: &str, limits: &str, columns: &str) -> Policy {
        let text = format!(
            "[budget]\n{budget}\n[tables.events]\npath = \"events.csv\"\nunit = \"user_id\"\n\
             {limits}\n[tables.events.columns]{columns}"
        );
        Policy::parse(&text, &self.directory.join("throng.toml")).unwrap()
    }

    fn session(&self, limits: &str) -> Session {
        let mut policy = self.policy("rho = 1", limits, COLUMNS);
        // More than any policy may say, for answers without much noise.
        let (rho, delta) = ("1e15".parse().unwrap(), "1/2".parse().unwrap());
        policy.budget = Amount::Zcdp { rho, delta };
        Session::open(policy).unwrap()
    }
}

/// A session on some rows that is all there is to a test.
pub(crate) fn opened(name: &str, limits: &str, rows: &[Row]) -> (Place, Session) {
    let place = Place::new(name);
    place.write(rows);
    let session = place.session(limits);
    (place, session)
}

fn watch() -> Watch {
    Arc::new(|_| ())
}

/// So cheap that noise is far below a row.
fn precise() -> Cost {
    cost("1e12")
}

fn cost(rho: &str) -> Cost {
    Cost::Zcdp { rho: rho.parse().unwrap(), delta: "1e-6".parse().unwrap() }
}

fn ask_at(session: &Session, sql: &str, cost: Cost, seed: u64) -> Result<Reply, QueryError> {
    let prepared = session.prepare(sql, &session.request(Some(cost))?, None)?;
    let mut entropy = SeededEntropy::new(seed);
    session.ask_with(prepared, Consistency::default(), &watch(), &mut entropy)
}

fn ask(session: &Session, sql: &str) -> Result<Reply, QueryError> {
    ask_at(session, sql, precise(), 1)
}

/// The only table of an answer.
pub(crate) fn answer(session: &Session, sql: &str) -> Table {
    ask(session, sql).unwrap_or_else(|error| panic!("{sql}\n{error}")).tables.remove(0)
}

fn numbers(batch: &RecordBatch, column: usize) -> Vec<Option<f64>> {
    let floats = cast(batch.column(column), &DataType::Float64).unwrap();
    floats.as_primitive::<Float64Type>().iter().collect()
}

/// The only number of an answer.
fn number(session: &Session, sql: &str) -> f64 {
    let table = answer(session, sql);
    let values = numbers(&table.batch, table.batch.num_columns() - 1);
    assert_eq!(values.len(), 1, "{sql}");
    values[0].unwrap_or_else(|| panic!("NULL: {sql}"))
}

fn near(found: f64, wanted: f64, gap: f64) {
    assert!((found - wanted).abs() <= gap, "{found}, not {wanted}");
}

/// 200 users with 5 rows each in 7 cities.
fn plain_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for user in 0..200_i64 {
        for i in 0..5_i64 {
            let city =
                ["a", "b", "c", "d", "e", "f", "g"][usize::try_from((user + i) % 7).unwrap()];
            let age = 20 + (user * 7 + i) % 60;
            rows.push(row(user, city, &age.to_string(), &(1000 * (i + 1)).to_string()));
        }
    }
    rows
}

const WIDE: &str = "max_groups = 8\nmax_rows = 8";

#[test]
fn a_nan_row_does_not_show() {
    let mut rows = plain_rows();
    let (_place, session) = opened("nan-without", WIDE, &rows);
    let sum = "SELECT SUM(income), AVG(income), VAR(income) FROM events";
    let without = answer(&session, sum);
    for (i, hostile) in ["NaN", "inf", "-inf", "1e308"].into_iter().enumerate() {
        rows.push(row(5, "a", "", hostile));
        let (_place, session) = opened(&format!("nan-{i}"), WIDE, &rows);
        let with = answer(&session, sum);
        for column in 0..3 {
            let (a, b) = (numbers(&without.batch, column)[0], numbers(&with.batch, column)[0]);
            assert!(a.unwrap().is_finite() && b.unwrap().is_finite(), "{hostile}: {a:?} {b:?}");
        }
        let moved = numbers(&with.batch, 0)[0].unwrap() - numbers(&without.batch, 0)[0].unwrap();
        assert!(moved > -300.0 && moved < 200_300.0, "{hostile}: {moved}");
        rows.pop();
    }
}

/// What fails in engines if and only if some row is there.
const ORACLES: &[&str] = &[
    "SELECT COUNT(*) FROM events WHERE 1 / (age - 33) > 0",
    "SELECT COUNT(*) FROM events WHERE 1 % (age - 33) = 0",
    "SELECT SUM(LEAST(GREATEST(1 / (age - 33), 0), 5)) FROM events",
    "SELECT COUNT(*) FROM events WHERE CAST(city AS INT) > 5",
    "SELECT COUNT(*) FROM events WHERE city = 5",
    "SELECT CAST(city AS INT), COUNT(*) FROM events GROUP BY 1",
    "SELECT COUNT(*) FROM events WHERE EXP(income) > 5",
    "SELECT COUNT(*) FROM events WHERE power(age, 99) > 5",
    "SELECT COUNT(*) FROM events WHERE age * 4611686018427387904 > 5",
    "SELECT COUNT(*) FROM events WHERE sqrt(income - 3000) > 5",
    "SELECT COUNT(*) FROM events WHERE CAST(income AS INT) > 5",
    "SELECT COUNT(*) FROM events WHERE CAST(city AS TIMESTAMP) IS NULL",
];

#[test]
fn errors_are_no_oracle() {
    let mut rows: Vec<Row> = plain_rows().into_iter().filter(|row| row.2 != "33").collect();
    let (_one, without) = opened("oracle-without", WIDE, &rows);
    rows.push(row(7, "not a number", "33", "1e308"));
    rows.push(row(7, "99999999999999999999", "9223372036854775807", "NaN"));
    let (_other, with) = opened("oracle-with", WIDE, &rows);
    for sql in ORACLES {
        let (a, b) = (answer(&without, sql), answer(&with, sql));
        assert_eq!(a.columns.len(), b.columns.len(), "{sql}");
    }
    for sql in [
        "SELECT COUNT(*) FROM events WHERE CASE WHEN age = 33 THEN raise_error('x') ELSE true END",
        "SELECT COUNT(*) FROM events WHERE arrow_cast(city, 'Int8') = 1",
        "SELECT COUNT(*) FROM events WHERE city ~ city",
        "SELECT COUNT(*) FROM events WHERE age > (SELECT MAX(age) FROM events)",
    ] {
        let spent = |session: &Session| session.books().spent().unwrap().to_string();
        let before = spent(&with);
        let (a, b) = (ask(&without, sql).unwrap_err(), ask(&with, sql).unwrap_err());
        assert_eq!(a.to_string(), b.to_string(), "{sql}");
        assert_eq!(before, spent(&with), "{sql}");
    }
}

#[test]
fn distinct_values_are_not_rows() {
    let (_place, session) = opened("distinct", WIDE, &plain_rows());
    near(number(&session, "SELECT COUNT(DISTINCT city) FROM events"), 7.0, 0.4);
    near(number(&session, "SELECT COUNT(city) FROM events"), 1000.0, 0.4);
    near(number(&session, "SELECT COUNT(DISTINCT user_id) FROM events"), 200.0, 0.4);
}

#[test]
fn exactly_as_many_groups_are_kept_as_are_paid_for() {
    for groups in 1..=5_u32 {
        let limits = format!("max_groups = {groups}\nmax_rows = 1");
        let (_place, session) = opened(&format!("groups-{groups}"), &limits, &plain_rows());
        let table = answer(&session, "SELECT city, COUNT(*) FROM events GROUP BY city");
        let total: f64 = numbers(&table.batch, 1).into_iter().flatten().sum();
        near(total, f64::from(200 * groups), 1.0);
        // Which ones are kept is a sample: no city is left out by all.
        assert_eq!(table.rows(), 7);
    }
}

#[test]
fn a_redefined_column_has_no_bounds() {
    let (_place, session) = opened("redefined", WIDE, &plain_rows());
    let wide = number(&session, "SELECT SUM(age) FROM (SELECT age * 1000 AS age FROM events)");
    let plain = number(&session, "SELECT SUM(age) FROM events");
    near(wide / plain, 1000.0, 1.0);
    for sql in [
        "SELECT SUM(age) FROM (SELECT CAST(city AS INT) AS age FROM events)",
        "WITH events AS (SELECT user_id, length(city) * user_id AS age FROM events) \
         SELECT SUM(age) FROM events",
    ] {
        let error = ask(&session, sql).unwrap_err().to_string();
        assert!(error.contains("range is not known"), "{error}");
    }
}

#[test]
fn a_mean_is_not_biased_by_clipping() {
    let mut rows = Vec::new();
    for user in 0..100_i64 {
        for _ in 0..=user {
            rows.push(row(user, "a", "44", "5000"));
        }
    }
    for limits in ["max_groups = 1\nmax_rows = 2", "max_groups = 3\nmax_rows = 40"] {
        let (_place, session) = opened(&format!("mean-{}", limits.len()), limits, &rows);
        near(number(&session, "SELECT AVG(age) FROM events"), 44.0, 0.1);
        near(number(&session, "SELECT AVG(income) FROM events GROUP BY city"), 5000.0, 10.0);
        near(number(&session, "SELECT 1.0 * SUM(age) / COUNT(age) FROM events"), 44.0, 0.1);
    }
}

#[test]
fn a_join_that_mixes_units_is_refused() {
    let (_place, session) = opened("mixed", WIDE, &plain_rows());
    for sql in [
        "SELECT COUNT(*) FROM events a JOIN events b ON a.city = b.city",
        "SELECT COUNT(*) FROM events a, events b",
        "SELECT COUNT(*) FROM events a JOIN events b ON a.user_id < b.user_id",
        "SELECT COUNT(*) FROM events a JOIN events b ON a.user_id = b.user_id + 1",
    ] {
        let error = ask(&session, sql).unwrap_err();
        assert!(matches!(error, QueryError::Refused { .. }), "{sql}: {error}");
    }
    // On the unit it is the join that was asked: 25 pairs of rows of each user, of which 8 count.
    let pairs = "SELECT COUNT(*) FROM events a JOIN events b ON a.user_id = b.user_id";
    near(number(&session, pairs), 1600.0, 1.0);
}

#[test]
fn a_stored_answer_is_the_same_and_free() {
    let (place, session) = opened("stored", WIDE, &plain_rows());
    let sql = "SELECT city, COUNT(*), AVG(income) FROM events GROUP BY city";
    let first = ask_at(&session, sql, cost("1"), 1).unwrap();
    let spent = session.books().spent().unwrap();
    let again =
        ask_at(&session, "select CITY, count(*), avg(income) from events group by 1", cost("1"), 2);
    let again = again.unwrap();
    assert!(first.fresh && !again.fresh);
    assert_eq!(first.tables[0].batch.columns(), again.tables[0].batch.columns());
    assert_eq!(first.receipt, again.receipt);
    drop(session);
    let session = place.session(WIDE);
    let later = ask_at(&session, sql, cost("1"), 3).unwrap();
    assert!(!later.fresh);
    assert_eq!(first.tables[0].batch.columns(), later.tables[0].batch.columns());
    assert_eq!(spent, session.books().spent().unwrap());
    let other = ask_at(&session, sql, cost("2"), 1).unwrap();
    assert!(other.fresh && spent != session.books().spent().unwrap());
}

#[test]
fn changed_files_are_not_read_and_not_paid_for() {
    let (place, session) = opened("changed", WIDE, &plain_rows());
    let request = session.request(Some(precise())).unwrap();
    let spent = session.books().spent().unwrap();
    for change in [0, 1] {
        let sql = "SELECT COUNT(*) FROM events";
        let prepared = session.prepare(sql, &request, None).unwrap();
        match change {
            0 => place.write(&plain_rows()[..999]),
            _ => std::fs::remove_file(place.table()).unwrap(),
        }
        let asked = session.ask(prepared, Consistency::default(), &watch());
        assert!(matches!(asked, Err(QueryError::Invalid { .. })), "{change}");
        assert_eq!(spent, session.books().spent().unwrap());
    }
}

/// A file that cannot be read any more, though its size and time are as before: paid first, then
/// an error, never an answer.
#[test]
fn a_charge_comes_before_the_first_row() {
    let place = Place::new("charge");
    let path = place.directory.join("events.parquet");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("user_id", Arc::new((0..1000).collect::<Int64Array>())),
        ("city", Arc::new((0..1000).map(|_| Some("secret")).collect::<StringArray>())),
        ("age", Arc::new((0..1000).map(|i| i % 90).collect::<Int64Array>())),
        ("income", Arc::new((0..1000).map(f64::from).collect::<Float64Array>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let text = "[budget]\nrho = 10\n[tables.events]\npath = \"events.parquet\"\nunit = \"user_id\"\n\
         max_groups = 1\nmax_rows = 1\n[tables.events.columns]\n\
         age = { lower = 0, upper = 120 }\n";
    let policy = Policy::parse(text, &place.directory.join("throng.toml")).unwrap();
    let session = Session::open(policy).unwrap();
    let request = session.request(Some(cost("1"))).unwrap();
    let spent = session.books().spent().unwrap();
    let prepared = session.prepare("SELECT AVG(age) FROM events", &request, None).unwrap();
    let about = std::fs::metadata(&path).unwrap();
    let garbage = vec![7_u8; usize::try_from(about.len()).unwrap()];
    std::fs::write(&path, garbage).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(about.modified().unwrap()).unwrap();
    drop(file);
    let error = session.ask(prepared, Consistency::default(), &watch()).unwrap_err().to_string();
    assert!(!error.contains("secret") && error.contains("spent"), "{error}");
    assert_ne!(spent, session.books().spent().unwrap());
    assert!(
        session.prepare("SELECT AVG(age) FROM events", &request, None).is_ok_and(|p| !p.stored())
    );
}

#[test]
fn an_exhausted_budget_answers_nothing() {
    let place = Place::new("exhausted");
    place.write(&plain_rows());
    let session = Session::open(place.policy("rho = 2.5", WIDE, COLUMNS)).unwrap();
    for age in 0..2 {
        let sql = format!("SELECT COUNT(*) FROM events WHERE age > {age}");
        ask_at(&session, &sql, cost("1"), 1).unwrap();
    }
    let (spent, sql) = (session.books().spent().unwrap(), "SELECT COUNT(*) FROM events");
    let prepared = session.prepare(sql, &session.request(Some(cost("1"))).unwrap(), None).unwrap();
    assert!(matches!(prepared.receipt(), Some(Err(LedgerError::Exhausted { .. }))));
    let asked = session.ask(prepared, Consistency::default(), &watch());
    assert!(matches!(asked, Err(QueryError::Ledger(LedgerError::Exhausted { .. }))));
    assert_eq!(spent, session.books().spent().unwrap());
    assert!(
        !ask_at(&session, "SELECT COUNT(*) FROM events WHERE age > 1", cost("1"), 9).unwrap().fresh
    );
}

/// Entropy that counts what it hands out.
struct Counting {
    inner: SeededEntropy,
    calls: usize,
}

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.calls += 1;
        self.inner.fill(bytes)
    }
}

/// With the same randomness, neighbours go the same way: same columns, same rows in the same order, same
/// number of draws, same notes but for numbers.
#[test]
fn neighbours_are_answered_in_the_same_way() {
    let rows = plain_rows();
    let mut more = rows.clone();
    more.extend((0..40).map(|i| row(-9, ["a", "zzz", ""][i % 3], "33", "NaN")));
    let fewer: Vec<Row> = rows.iter().filter(|row| row.0 != 17).cloned().collect();
    let columns = COLUMNS.replace(
        "city = { type = \"text\" }",
        "city = { type = \"text\", keys = [\"g\", \"a\", \"never\", \"ü\", \"b\"] }",
    );
    let queries = [
        "SELECT city, COUNT(*), SUM(income), AVG(age) FROM events GROUP BY city",
        "SELECT city, age > 40, COUNT(*) FROM events GROUP BY ROLLUP (city, age > 40)",
        "SELECT VAR(age), COUNT(DISTINCT user_id), COUNT(DISTINCT age) FROM events",
        "SELECT city, SUM(LEAST(GREATEST(1 / (age - 33), 0), 5)) AS s FROM events GROUP BY city",
    ];
    let mut seen: Vec<Vec<String>> = Vec::new();
    for (i, rows) in [rows, more, fewer].iter().enumerate() {
        let place = Place::new(&format!("replay-{i}"));
        place.write(rows);
        let session = Session::open(place.policy("rho = 100", WIDE, &columns)).unwrap();
        let mut shapes = Vec::new();
        for sql in queries {
            let request = session.request(Some(cost("1"))).unwrap();
            let prepared = session.prepare(sql, &request, None).unwrap();
            let mut entropy = Counting { inner: SeededEntropy::new(4), calls: 0 };
            let reply =
                session.ask_with(prepared, Consistency::default(), &watch(), &mut entropy).unwrap();
            let table = &reply.tables[0];
            let keys = table.columns.iter().zip(table.batch.columns());
            let keys: Vec<_> = keys.filter(|(c, _)| c.ends.is_none()).map(|(_, a)| a).collect();
            let names: Vec<_> = table.columns.iter().map(|c| &c.name).collect();
            let nulls: Vec<_> = table.batch.columns().iter().map(Array::null_count).collect();
            shapes.push(format!("{names:?} {keys:?} {} {nulls:?} {}", table.rows(), entropy.calls));
        }
        let refused = ask(&session, "SELECT city FROM events").unwrap_err();
        shapes.push(refused.to_string());
        seen.push(shapes);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}
