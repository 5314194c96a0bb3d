//! What stands above the aggregates.

use datafusion::arrow::util::display::array_value_to_string;
use proptest::prelude::*;

use super::*;
use crate::answer::Kind;

/// COUNT(*), SUM(income), AVG(age) by city.
fn three() -> Vec<Answered> {
    let counts = noisy(&[(100.0, 90.0, 110.0), (50.4, 40.0, 60.0), (-3.0, -13.0, 7.0)], true);
    let sums =
        noisy(&[(2000.5, 1900.0, 2100.0), (700.0, 600.0, 800.0), (10.0, -90.0, 110.0)], false);
    let nan = f64::NAN;
    let means = noisy(&[(40.0, 39.0, 41.0), (30.0, 25.0, 35.0), (nan, nan, nan)], false);
    vec![answered(vec![("city", cities(&["Berlin", "Paris", "Rome"]))], vec![counts, sums, means])]
}

fn rows(table: &Table) -> Vec<String> {
    (0..table.rows())
        .map(|row| {
            let cells = table.batch.columns().iter();
            let cells = cells.map(|array| array_value_to_string(array, row).unwrap());
            cells.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

fn ends(table: &Table, column: usize, row: usize) -> (Option<f64>, Option<f64>) {
    table.columns[column].ends.as_ref().unwrap().at(row)
}

const FROM: &str = "FROM t GROUP BY city";

#[test]
fn cells_have_the_types_of_the_plan() {
    let sql = format!("SELECT city, count(*) AS n, sum(income) AS s, avg(age) AS a {FROM}");
    let table = asked(&sql, &three()).unwrap();
    let schema = table.batch.schema();
    let kinds: Vec<_> = schema.fields().iter().map(|field| field.data_type().clone()).collect();
    assert_eq!(kinds, [DataType::Utf8, DataType::Int64, DataType::Float64, DataType::Float64]);
    assert_eq!(rows(&table), ["Berlin 100 2000.5 40.0", "Paris 50 700.0 30.0", "Rome -3 10.0 "]);
    assert_eq!(table.columns[0].kind, Kind::Key);
    assert!(!table.columns[0].interval());
    assert_eq!(ends(&table, 1, 0), (Some(90.0), Some(110.0)));
    assert_eq!(ends(&table, 3, 2), (None, None));
}

#[test]
fn having_order_and_limit() {
    let sql = "SELECT city, count(*) AS n, sum(income), avg(age) FROM t GROUP BY city \
               HAVING count(*) > 0 ORDER BY n LIMIT 1";
    let table = asked(sql, &three()).unwrap();
    assert_eq!(rows(&table), ["Paris 50 700.0 30.0"]);
    assert_eq!(ends(&table, 1, 0), (Some(40.0), Some(60.0)));
    let descending = "SELECT city, count(*), sum(income), avg(age) FROM t GROUP BY city \
                      ORDER BY sum(income) + 1 DESC";
    let table = asked(descending, &three()).unwrap();
    assert_eq!(rows(&table)[0], "Berlin 100 2000.5 40.0");
    assert_eq!(ends(&table, 2, 0), (Some(1900.0), Some(2100.0)));
}

#[test]
fn arithmetic_takes_intervals_along() {
    let sql = format!(
        "SELECT city, count(*), sum(income), avg(age), sum(income) / count(*) AS ratio, \
         round(avg(age) * 2, 0) AS twice, CAST(-count(*) AS DOUBLE) AS minus, \
         CASE WHEN city = 'Paris' THEN 0 ELSE count(*) + 5 END AS known, \
         CASE WHEN count(*) > 60 THEN count(*) END AS hull, coalesce(avg(age), 0) AS filled, \
         upper(city) AS big, count(*) > 60 AS many {FROM}"
    );
    let table = asked(&sql, &three()).unwrap();
    let at = |name: &str| table.columns.iter().position(|column| column.name == name).unwrap();
    assert_eq!(ends(&table, at("ratio"), 0), (Some(1900.0 / 110.0), Some(2100.0 / 90.0)));
    assert_eq!(ends(&table, at("ratio"), 2), (None, None));
    assert_eq!(ends(&table, at("twice"), 0), (Some(78.0), Some(82.0)));
    assert_eq!(ends(&table, at("minus"), 1), (Some(-60.0), Some(-40.0)));
    assert_eq!(ends(&table, at("known"), 0), (Some(95.0), Some(115.0)));
    assert_eq!(ends(&table, at("known"), 1), (Some(0.0), Some(0.0)));
    assert_eq!(ends(&table, at("hull"), 0), (Some(90.0), Some(110.0)));
    assert_eq!(ends(&table, at("hull"), 1), (None, None));
    assert_eq!(ends(&table, at("filled"), 2), (Some(0.0), Some(0.0)));
    assert_eq!(table.columns[at("big")].kind, Kind::Key);
    assert_eq!(table.columns[at("many")].kind, Kind::Value);
    assert!(!table.columns[at("many")].interval());
}

#[test]
fn windows_distinct_unions_joins_and_sub_queries() {
    let inner = format!("SELECT city, count(*) AS n, sum(income) AS s, avg(age) AS a {FROM}");
    let window = format!(
        "SELECT city, n, sum(n) OVER () AS total, row_number() OVER (ORDER BY n) \
                          AS place FROM ({inner}) AS q"
    );
    let table = asked(&window, &three()).unwrap();
    assert_eq!(rows(&table)[0], "Berlin 100 147 3");
    assert_eq!(ends(&table, 1, 0), (Some(90.0), Some(110.0)));
    assert!(!table.columns[2].interval() && table.columns[2].kind == Kind::Value);

    let distinct = format!("SELECT DISTINCT n, s FROM ({inner}) AS q WHERE n > 0 ORDER BY n");
    let table = asked(&distinct, &three()).unwrap();
    assert_eq!(rows(&table), ["50 700.0", "100 2000.5"]);
    assert_eq!(ends(&table, 0, 0), (Some(40.0), Some(60.0)));

    let union = format!(
        "SELECT city, n FROM ({inner}) AS q UNION ALL SELECT 'all', 7 UNION ALL \
         SELECT 'total', sum(n) FROM ({inner}) AS r"
    );
    let answers = [three(), three()].concat();
    let table = asked(&union, &answers).unwrap();
    assert_eq!(rows(&table), ["Berlin 100", "Paris 50", "Rome -3", "all 7", "total 147"]);
    assert_eq!(ends(&table, 1, 1), (Some(40.0), Some(60.0)));
    assert_eq!(ends(&table, 1, 3), (Some(7.0), Some(7.0)));
    assert_eq!(ends(&table, 1, 4), (None, None));

    let join = format!(
        "WITH q AS ({inner}) SELECT a.city, a.n - b.n AS gap FROM q AS a JOIN q AS b \
         ON a.city > b.city ORDER BY gap"
    );
    let table = asked(&join, &answers).unwrap();
    assert_eq!(rows(&table), ["Rome -103", "Rome -53", "Paris -50"]);
    assert_eq!(ends(&table, 1, 2), (Some(-70.0), Some(-30.0)));

    let sub = format!(
        "SELECT city, n FROM ({inner}) AS q WHERE n > (SELECT avg(n) FROM ({inner}) AS r) \
         AND city IN (SELECT city FROM ({inner}) AS s)"
    );
    let table = asked(&sub, &[three(), three(), three()].concat()).unwrap();
    assert_eq!(rows(&table), ["Berlin 100", "Paris 50"]);
}

#[test]
fn public_tables_can_be_joined() {
    let sql = format!("SELECT city, count(*), sum(income), avg(age) {FROM}");
    let table = now(async {
        let (outer, nodes) = analysed(&sql).await;
        finish(&with_public(outer), &nodes, &three()).await
    })
    .unwrap();
    assert_eq!(rows(&table)[0], "Berlin 100 2000.5 40.0 Berlin 1000");
    assert_eq!(ends(&table, 1, 0), (Some(90.0), Some(110.0)));
    assert_eq!(table.columns[4].name, "city_2");
    assert_eq!(table.columns[5].kind, Kind::Key);
}

#[test]
fn arithmetic_that_fails_gives_null() {
    let sql = format!(
        "SELECT city, count(*), sum(income), avg(age), 1 / (count(*) - 50) AS x, \
         CAST(concat(city, 'x') AS INT) AS y, 9223372036854775807 * count(*) AS z, \
         sqrt(count(*)) AS r, ln(count(*)) AS l {FROM}"
    );
    let table = asked(&sql, &three()).unwrap();
    assert_eq!(table.rows(), 3);
    let at = |name: &str| table.columns.iter().position(|column| column.name == name).unwrap();
    assert!(table.batch.column(at("x")).is_null(1));
    assert_eq!(table.batch.column(at("y")).null_count(), 3);
    assert_eq!(ends(&table, at("x"), 1), (None, None));
    assert_eq!(ends(&table, at("r"), 0), (Some(90f64.sqrt()), Some(110f64.sqrt())));
    assert!(table.batch.column(at("r")).is_null(2) && table.batch.column(at("l")).is_null(2));
    let json = table.to_json(true).to_string();
    assert!(!json.contains("NaN") && !json.contains("inf"), "{json}");
}

#[test]
fn grouping_sets_are_put_together() {
    let sql = "SELECT city, age, count(*) AS n FROM t GROUP BY ROLLUP(city, age)";
    let (_, nodes) = now(analysed(sql));
    let cell = |x: f64| (x, x - 1.0, x + 1.0);
    let both = vec![("city", cities(&["A", "B"])), ("age", ages(&[1, 2]))];
    let answers = nodes[0].sets.iter().map(|set| match set.keys.len() {
        0 => answered(vec![], vec![noisy(&[cell(9.0)], true)]),
        1 => answered(
            vec![("city", cities(&["A", "B"]))],
            vec![noisy(&[cell(4.0), cell(5.0)], true)],
        ),
        _ => answered(both.clone(), vec![noisy(&[cell(3.0), cell(6.0)], true)]),
    });
    let answers: Vec<Answered> = answers.collect();
    let table = asked(sql, &answers).unwrap();
    assert_eq!(rows(&table), ["A 1 3", "A  4", "B 2 6", "B  5", "  9"]);
    let batch = crate::answer::fill(&nodes[0], &answers).unwrap();
    assert_eq!(batch.num_columns(), nodes[0].schema.fields().len() + 2);
    let ids: Vec<u64> = nodes[0].sets.iter().map(|set| set.id).collect();
    assert!(ids.contains(&0) && ids.contains(&1) && ids.contains(&3), "{ids:?}");
}

#[test]
fn no_rows_and_no_keys() {
    let empty = vec![answered(vec![("city", cities(&[]))], vec![noisy(&[], true)])];
    let table = asked("SELECT city, count(*) FROM t GROUP BY city", &empty).unwrap();
    assert_eq!((table.rows(), table.columns.len()), (0, 2));
    let one = vec![answered(vec![], vec![noisy(&[(5.0, 4.0, 6.0)], true)])];
    let table = asked("SELECT count(*) AS n FROM t", &one).unwrap();
    assert_eq!(rows(&table), ["5"]);
    assert_eq!(ends(&table, 0, 0), (Some(4.0), Some(6.0)));
}

#[test]
fn answers_of_something_else_are_an_error() {
    let sql = "SELECT city, count(*) FROM t GROUP BY city";
    for wrong in [vec![], three(), vec![answered(vec![], vec![noisy(&[(1.0, 0.0, 2.0)], true)])]] {
        assert!(matches!(asked(sql, &wrong), Err(QueryError::Invalid { .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Wherever in their intervals the cells are, what is computed from them is in its interval.
    #[test]
    fn intervals_hold_the_image(
        cells in prop::collection::vec((-30i32..60, 0i32..20, 0i32..20, 0.0..=1.0f64), 6),
    ) {
        let sql = "SELECT city, count(*) AS a, sum(income) AS b, count(*) + sum(income) AS c, \
                   count(*) - 2 * sum(income) AS d, count(*) * sum(income) AS e, \
                   sum(income) / count(*) AS f, round(sum(income) / 7, 1) AS g, \
                   abs(count(*)) AS h, sqrt(abs(sum(income))) AS i, floor(sum(income) / 3) AS j, \
                   CASE WHEN count(*) > 20 THEN sum(income) ELSE 1 END AS k, \
                   greatest(count(*), 5) AS l, power(sum(income), 2) AS m, \
                   CAST(sum(income) * 1.5 AS BIGINT) AS n, count(*) / 4 AS o, \
                   least(sum(income), count(*)) AS p FROM t GROUP BY city";
        let names = ["A", "B", "C"];
        let column = |offset: usize, at: &dyn Fn(f64, f64, f64, f64) -> f64| -> Cells {
            (0..3).map(|row| {
                let (middle, below, above, part) = cells[offset + row];
                let (low, high) = (f64::from(middle - below), f64::from(middle + above));
                (at(f64::from(middle), low, high, part), low, high)
            }).collect()
        };
        let centre = |middle: f64, _: f64, _: f64, _: f64| middle;
        let inside = |_: f64, low: f64, high: f64, part: f64| (low + (high - low) * part).round();
        let with = |at: &dyn Fn(f64, f64, f64, f64) -> f64| vec![answered(
            vec![("city", cities(&names))],
            vec![noisy(&column(0, at), true), noisy(&column(3, at), false)],
        )];
        let claimed = asked(sql, &with(&centre)).unwrap();
        let truth = asked(sql, &with(&inside)).unwrap();
        for (place, column) in claimed.columns.iter().enumerate().skip(1) {
            let ends = column.ends.as_ref().unwrap();
            let values = crate::answer::digits::floats(truth.batch.column(place));
            for (row, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                let (low, high) = ends.at(row);
                let slack = 1e-9 * value.abs().max(1.0);
                prop_assert!(low.is_none_or(|low| low <= value + slack), "{} {low:?} {value}", column.name);
                prop_assert!(high.is_none_or(|high| high >= value - slack), "{} {high:?} {value}", column.name);
            }
        }
    }
}
