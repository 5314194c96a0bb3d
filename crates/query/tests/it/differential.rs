//! Right or refused, never silently different: at a price where noise is nothing, and with bounds that
//! cut nothing off, answers are those of the engine itself.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::prelude::{CsvReadOptions, SessionContext};
use throng_query::answer::{Kind, Table, TableColumn};
use throng_query::session::Session;

use crate::defects::{Place, answer, opened, row};

/// 150 users with 6 rows each; every group that is asked for has many users.
fn place() -> (Place, Session) {
    let mut rows = Vec::new();
    for user in 0..150_i64 {
        for i in 0..6_i64 {
            let n = (user * 31 + i * 17) % 97;
            let city = ["rome", "oslo", "Bonn", "köln", ""][usize::try_from(n % 5).unwrap()];
            let age = if n % 11 == 0 { String::new() } else { (18 + n % 60).to_string() };
            let income = if n % 13 == 0 { String::new() } else { format!("{}.25", n * 1500) };
            rows.push(row(user, city, &age, &income));
        }
    }
    opened("differential", "max_groups = 100\nmax_rows = 36", &rows)
}

/// Queries whose order of rows is stated.
const QUERIES: &[&str] = &[
    "SELECT COUNT(*) FROM events",
    "SELECT COUNT(age), COUNT(income), COUNT(city) FROM events",
    "SELECT COUNT(DISTINCT user_id) FROM events",
    "SELECT COUNT(DISTINCT city), COUNT(DISTINCT age) FROM events",
    "SELECT SUM(age), SUM(income) FROM events",
    "SELECT AVG(age), AVG(income) FROM events",
    "SELECT VAR(age), VAR_POP(age) FROM events",
    "SELECT STDDEV(income), STDDEV_POP(income) FROM events",
    "SELECT city, COUNT(*) FROM events GROUP BY city ORDER BY city",
    "SELECT city, COUNT(*) AS n FROM events GROUP BY city HAVING COUNT(*) > 150 ORDER BY city",
    "SELECT city, SUM(age) AS s FROM events GROUP BY city ORDER BY s DESC LIMIT 2",
    "SELECT city, AVG(age), AVG(income) FROM events GROUP BY city ORDER BY city",
    "SELECT city, COUNT(DISTINCT user_id) FROM events GROUP BY city ORDER BY city",
    "SELECT lower(city) AS c, COUNT(*) FROM events GROUP BY c ORDER BY c",
    "SELECT length(city) AS c, COUNT(*) FROM events GROUP BY c ORDER BY c",
    "SELECT age > 40 AS old, COUNT(*) FROM events GROUP BY old ORDER BY old",
    "SELECT age / 20 AS band, COUNT(*) FROM events GROUP BY band ORDER BY band",
    "SELECT floor(income / 50000) AS bin, COUNT(*) FROM events GROUP BY bin ORDER BY bin",
    "SELECT CASE WHEN age < 30 THEN 'y' WHEN age < 60 THEN 'm' ELSE 'o' END AS b, SUM(income) \
     FROM events GROUP BY b ORDER BY b",
    "SELECT city, age > 40 AS old, COUNT(*) FROM events GROUP BY city, old ORDER BY city, old",
    "SELECT city, age > 40 AS old, COUNT(*) FROM events WHERE city <> '' AND age > 0 \
     GROUP BY ROLLUP (city, age > 40) ORDER BY city, old",
    "SELECT city, COUNT(*), GROUPING(city) FROM events GROUP BY GROUPING SETS ((city), ()) \
     ORDER BY city, 3",
    "SELECT COUNT(*) FROM events WHERE age > 40",
    "SELECT COUNT(*) FROM events WHERE age > 40 AND income < 50000",
    "SELECT COUNT(*) FROM events WHERE NOT (age > 40 OR city = 'rome')",
    "SELECT COUNT(*) FROM events WHERE city IN ('rome', 'köln')",
    "SELECT COUNT(*) FROM events WHERE city NOT IN ('rome', 'köln')",
    "SELECT COUNT(*) FROM events WHERE city LIKE '%o%'",
    "SELECT COUNT(*) FROM events WHERE city ILIKE 'B%'",
    "SELECT COUNT(*) FROM events WHERE age IS NULL",
    "SELECT COUNT(*) FROM events WHERE age BETWEEN 30 AND 40",
    "SELECT COUNT(*) FROM events WHERE age % 2 = 0",
    "SELECT COUNT(*) FROM events WHERE age * 1000 > income",
    "SELECT COUNT(*) FROM events WHERE CAST(income AS BIGINT) % 2 = 0",
    "SELECT COUNT(*) FROM events WHERE coalesce(age, 99) > 70",
    "SELECT COUNT(*) FROM events WHERE sqrt(income) > 200",
    "SELECT COUNT(*) FROM events WHERE abs(age - 40) < 10",
    "SELECT COUNT(*) FILTER (WHERE age > 40), SUM(income) FILTER (WHERE age > 40) FROM events",
    "SELECT SUM(age + 1), SUM(age * 2 - 5), AVG(income / 1000) FROM events",
    "SELECT SUM(LEAST(GREATEST(age, 30), 50)) FROM events",
    "SELECT SUM(CASE WHEN age > 40 THEN 1 ELSE 0 END) FROM events",
    "SELECT SUM(CASE WHEN city = 'oslo' THEN income END) FROM events",
    "SELECT SUM(-age) FROM events",
    "SELECT SUM(income) / COUNT(*) FROM events",
    "SELECT 100 * COUNT(age) / COUNT(*) FROM events",
    "SELECT COUNT(*) FROM (SELECT DISTINCT user_id, city FROM events)",
    "SELECT COUNT(*) FROM (SELECT user_id, age FROM events UNION ALL SELECT user_id, 5 FROM events)",
    "SELECT AVG(LEAST(n, 100)) FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id)",
    "SELECT AVG(m) FROM (SELECT user_id, MAX(age) AS m FROM events GROUP BY user_id)",
    "SELECT city, AVG(m) FROM (SELECT user_id, city, AVG(income) AS m FROM events \
     GROUP BY user_id, city) GROUP BY city ORDER BY city",
    "SELECT COUNT(*) FROM (SELECT user_id, SUM(age) AS s FROM events GROUP BY user_id) WHERE s > 250",
    "SELECT COUNT(*) FROM events a JOIN events b ON a.user_id = b.user_id",
    "SELECT COUNT(*) FROM events a JOIN events b ON a.user_id = b.user_id AND a.city = b.city",
    "SELECT a.city, SUM(b.age) FROM events a JOIN events b ON a.user_id = b.user_id \
     WHERE b.age > 50 GROUP BY a.city ORDER BY a.city",
    "SELECT COUNT(*) FROM events WHERE user_id IN (SELECT user_id FROM events WHERE age > 70)",
    "SELECT COUNT(*) FROM events e WHERE EXISTS \
     (SELECT 1 FROM events f WHERE f.user_id = e.user_id AND f.age < e.age)",
    "WITH t AS (SELECT * FROM events WHERE age > 30) SELECT city, COUNT(*) FROM t GROUP BY city \
     ORDER BY city",
    "SELECT MAX(n) FROM (SELECT city, COUNT(*) AS n FROM events GROUP BY city)",
    "SELECT city, SUM(COUNT(*)) OVER (ORDER BY city) FROM events GROUP BY city ORDER BY city",
    "SELECT a.n + b.n FROM (SELECT COUNT(*) AS n FROM events) a, \
     (SELECT COUNT(age) AS n FROM events) b",
    "SELECT COUNT(*) FROM events WHERE substr(city, 1, 1) = 'o'",
    "SELECT upper(city) || '!' AS c, COUNT(*) FROM events GROUP BY c ORDER BY c",
    "SELECT round(income / 10000) AS r, COUNT(*) FROM events GROUP BY r ORDER BY r",
    "SELECT MEDIAN(age), MIN(age), MAX(age) FROM events",
    "SELECT APPROX_PERCENTILE_CONT(income, 0.9) FROM events",
];

async fn plain(place: &Place, sql: &str) -> RecordBatch {
    let context = SessionContext::new();
    let schema = datafusion::arrow::datatypes::Schema::new(vec![
        datafusion::arrow::datatypes::Field::new("user_id", DataType::Int64, true),
        datafusion::arrow::datatypes::Field::new("city", DataType::Utf8, true),
        datafusion::arrow::datatypes::Field::new("age", DataType::Int64, true),
        datafusion::arrow::datatypes::Field::new("income", DataType::Float64, true),
    ]);
    let options = CsvReadOptions::new().schema(&schema);
    let path = place.table().to_str().unwrap().to_string();
    context.register_csv("events", path, options).await.unwrap();
    let frame = context.sql(sql).await.unwrap();
    let schema = std::sync::Arc::new(frame.schema().as_arrow().clone());
    let batches = frame.collect().await.unwrap();
    let schema = batches.first().map_or(schema, RecordBatch::schema);
    concat_batches(&schema, &batches).unwrap()
}

fn is_number(kind: &DataType) -> bool {
    kind.is_numeric()
}

/// The distance of a value from the nearer end of its interval (the other end of MIN and MAX is that of the
/// range); a row where it is not known.
fn half(column: &TableColumn, place: usize, value: f64) -> f64 {
    let ends = column.ends.as_ref().map(|ends| (ends.low[place], ends.high[place]));
    match (column.kind, ends) {
        (Kind::Key, _) => 0.0,
        (Kind::Value, Some((Some(low), Some(high)))) => (high - value).min(value - low),
        (Kind::Value, _) => 1.0,
    }
}

/// The first difference beyond rounding and what the error bars say, which is next to nothing.
fn difference(table: &Table, wanted: &RecordBatch, slack: f64) -> Option<String> {
    let found = &table.batch;
    if (found.num_rows(), found.num_columns()) != (wanted.num_rows(), wanted.num_columns()) {
        return Some(format!(
            "{} x {}, not {} x {}",
            found.num_rows(),
            found.num_columns(),
            wanted.num_rows(),
            wanted.num_columns()
        ));
    }
    let columns = table.columns.iter().zip(found.columns()).zip(wanted.columns());
    for ((column, a), b) in columns {
        let numeric = is_number(a.data_type()) && is_number(b.data_type());
        for place in 0..found.num_rows() {
            let same = if numeric {
                let number = |array: &dyn Array| {
                    let array = cast(array, &DataType::Float64).unwrap();
                    let array = array.as_primitive::<Float64Type>();
                    array.is_valid(place).then(|| array.value(place))
                };
                match (number(a), number(b)) {
                    (Some(a), Some(b)) => {
                        let noise = 4.0 * half(column, place, a);
                        let small = noise <= 10.0 + b.abs() / 20.0;
                        small && (a - b).abs() <= 0.5 + slack * b.abs() + noise
                    }
                    (a, b) => a == b,
                }
            } else {
                let text = |array| {
                    let value = ScalarValue::try_from_array(array, place).unwrap();
                    if value.is_null() { "NULL".into() } else { value.to_string() }
                };
                text(a) == text(b)
            };
            if !same {
                return Some(format!("row {place}: {a:?}\nnot {b:?}"));
            }
        }
    }
    None
}

#[test]
fn answers_are_those_of_the_engine() {
    let (place, session) = place();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut wrong = Vec::new();
    for sql in QUERIES {
        let found = answer(&session, sql);
        let wanted = runtime.block_on(plain(&place, sql));
        // Quantiles of a sample are as precise as its gaps.
        let slack = if sql.contains("MEDIAN") || sql.contains("PERCENTILE") { 0.03 } else { 1e-3 };
        if let Some(gap) = difference(&found, &wanted, slack) {
            wrong.push(format!("{sql}\n{gap}\n{}", found.to_text(true)));
        }
    }
    assert!(QUERIES.len() >= 60);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}
