//! Sums with a clip by unit, and joins of rows that belong to several units, on whole sessions.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use throng_account::filter::Budget as Amount;
use throng_query::answer::{Consistency, Table};
use throng_query::policy::Policy;
use throng_query::release::Cost;
use throng_query::session::Session;
use throng_sample::SeededEntropy;

const POLICY: &str = r#"
[budget]
rho = 1
[tables.orders]
path = "orders.csv"
unit = { column = "user_id", name = "person" }
max_groups = 2
max_rows = 3
[tables.orders.columns]
user_id = { type = "integer" }
item = { type = "text", max_matches = 4 }
price = { type = "integer", lower = 0, upper = 10, unit_sum = 15 }
weight = { type = "number", lower = 0, upper = 9 }
[tables.returns]
path = "returns.csv"
unit = { column = "user_id", name = "person" }
max_groups = 1
max_rows = 2
[tables.returns.columns]
user_id = { type = "integer" }
item = { type = "text", max_matches = 3 }
reason = { type = "text", keys = ["broken", "other"] }
weight = { type = "number", lower = 0, upper = 9, max_matches = 5 }
[tables.votes]
path = "votes.csv"
unit = { row = true }
[tables.votes.columns]
item = { type = "text" }
[tables.tags]
path = "tags.csv"
public = true
[tables.tags.columns]
item = { type = "text", max_matches = 2 }
tag = { type = "text", keys = ["red", "blue"] }
"#;

struct Place {
    directory: PathBuf,
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.directory));
    }
}

impl Place {
    fn new(name: &str, files: &[(&str, String)]) -> Self {
        let directory =
            std::env::temp_dir().join(format!("throng-fan-out-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&directory));
        std::fs::create_dir_all(&directory).unwrap();
        let headers = [
            ("orders", "user_id,item,price,weight\n"),
            ("returns", "user_id,item,reason,weight\n"),
            ("votes", "item\n"),
            ("tags", "item,tag\n"),
        ];
        for (table, header) in headers {
            let rows = files.iter().find(|(name, _)| *name == table).map_or("", |(_, rows)| rows);
            std::fs::write(directory.join(format!("{table}.csv")), format!("{header}{rows}"))
                .unwrap();
        }
        Self { directory }
    }

    fn session(&self) -> Session {
        let mut policy = Policy::parse(POLICY, &self.directory.join("throng.toml")).unwrap();
        let (rho, delta) = ("1e15".parse().unwrap(), "1/2".parse().unwrap());
        policy.budget = Amount::Zcdp { rho, delta };
        Session::open(policy).unwrap()
    }
}

fn cost() -> Cost {
    Cost::Zcdp { rho: "1e12".parse().unwrap(), delta: "1e-6".parse().unwrap() }
}

fn table(session: &Session, sql: &str) -> Table {
    let prepared = session.prepare(sql, &session.request(Some(cost())).unwrap(), None);
    let prepared = prepared.unwrap_or_else(|error| panic!("{sql}\n{error}"));
    let mut entropy = SeededEntropy::new(7);
    let reply =
        session.ask_with(prepared, Consistency::default(), &(Arc::new(|_| ()) as _), &mut entropy);
    reply.unwrap_or_else(|error| panic!("{sql}\n{error}")).tables.remove(0)
}

/// The last column of an answer, without intervals.
fn numbers(session: &Session, sql: &str) -> Vec<f64> {
    let batch = table(session, sql).batch;
    let floats = cast(batch.column(batch.num_columns() - 1), &DataType::Float64).unwrap();
    floats.as_primitive::<Float64Type>().iter().map(Option::unwrap).collect()
}

fn refusal(session: &Session, sql: &str) -> String {
    match session.prepare(sql, &session.request(Some(cost())).unwrap(), None) {
        Ok(_) => panic!("accepted: {sql}"),
        Err(error) => error.to_string(),
    }
}

fn lines(rows: impl Iterator<Item = String>) -> String {
    rows.map(|row| row + "\n").collect()
}

#[test]
fn the_sum_of_each_unit_is_clipped() {
    // 100 users with 4 rows of 2 each, all in one item: 8, below the clip, though rows are 3 at most. 100 users
    // with 4 rows of 9 each: 36, clipped to 15.
    let small = (0..400).map(|i| format!("{},a,2,1", i % 100));
    let large = (0..400).map(|i| format!("{},a,9,1", 100 + i % 100));
    let place = Place::new("clip", &[("orders", lines(small.chain(large)))]);
    let session = place.session();
    let sum = numbers(&session, "SELECT SUM(price) FROM orders")[0];
    assert!((sum - 2300.0).abs() < 1.0, "{sum}");
    // What is computed from the column is bounded by rows again: 3 of each 4.
    let sum = numbers(&session, "SELECT SUM(price + 0) FROM orders")[0];
    assert!((sum - 0.75 * 4400.0).abs() < 2.0, "{sum}");
}

#[test]
fn a_join_counts_what_matches() {
    // Each of 300 items is ordered by two people and returned by one other: nothing is beyond a bound.
    let orders = (0..600).map(|i| format!("{},item{},5,1", i % 300, (i + i / 300) % 300));
    let returns = (0..300).map(|i| {
        format!("{},item{},{},1", 1000 + i, i, if i % 3 == 0 { "broken" } else { "other" })
    });
    let place = Place::new("join", &[("orders", lines(orders)), ("returns", lines(returns))]);
    let session = place.session();
    let join = "FROM orders o JOIN returns r ON o.item = r.item";
    let all = numbers(&session, &format!("SELECT COUNT(*) {join}"))[0];
    assert!((all - 600.0).abs() < 5.0, "{all}");
    let sql = format!("SELECT r.reason, COUNT(*) {join} GROUP BY r.reason");
    let broken = numbers(&session, &sql);
    assert!((broken[0] - 200.0).abs() < 5.0 && (broken[1] - 400.0).abs() < 5.0, "{broken:?}");
    let sum = numbers(&session, &format!("SELECT SUM(o.weight) {join} AND r.reason = 'other'"))[0];
    assert!((sum - 400.0).abs() < 40.0, "{sum}");
    let people = numbers(&session, &format!("SELECT COUNT(DISTINCT o.user_id) {join}"))[0];
    assert!((people - 300.0).abs() < 5.0, "{people}");
}

#[test]
fn the_fan_out_is_kept() {
    // One item that everybody orders and returns: 4 x 3 rows meet, whoever they are.
    let orders = (0..500).map(|i| format!("{i},hot,5,1"));
    let returns = (0..500).map(|i| format!("{i},hot,broken,1"));
    let place = Place::new("hot", &[("orders", lines(orders)), ("returns", lines(returns))]);
    let session = place.session();
    let join = "FROM orders o JOIN returns r ON o.item = r.item";
    let all = numbers(&session, &format!("SELECT COUNT(*) {join}"))[0];
    assert!((all - 12.0).abs() < 3.0, "{all}");
    // And each person is in it with 6 orders and 2 returns at most, of whatever items.
    let orders = (0..100).map(|i| format!("1,item{i},5,1"));
    let returns = (0..100).map(|i| format!("{},item{i},broken,1", i + 2));
    let place = Place::new("busy", &[("orders", lines(orders)), ("returns", lines(returns))]);
    let all = numbers(&place.session(), &format!("SELECT COUNT(*) {join}"))[0];
    assert!((all - 6.0).abs() < 3.0, "{all}");
}

#[test]
fn a_public_table_may_have_several_rows() {
    let votes = lines((0..200).map(|i| format!("item{}", i % 2)));
    let tags = "item0,red\nitem0,blue\nitem1,red\nitem1,red\nitem1,red\n".to_owned();
    let place = Place::new("public", &[("votes", votes), ("tags", tags)]);
    let session = place.session();
    let sql = "SELECT t.tag, COUNT(*) FROM votes v JOIN tags t ON v.item = t.item GROUP BY t.tag";
    let found = numbers(&session, sql);
    assert!((found[1] - 300.0).abs() < 2.0 && (found[0] - 100.0).abs() < 2.0, "{found:?}");
}

#[test]
fn the_noise_is_for_all_rows_that_one_unit_changes() {
    let place = Place::new("explain", &[]);
    let session = place.session();
    let explained = |sql: &str| {
        let prepared = session.prepare(sql, &session.request(Some(cost())).unwrap(), None).unwrap();
        let design = prepared.explanation().design.clone().unwrap();
        design.questions[0].aggregates[0].parts[0].sensitivity.unwrap()
    };
    // 2 (6 · 3 + 2 · 4) rows.
    let both = explained("SELECT COUNT(*) FROM orders o JOIN returns r ON o.item = r.item");
    assert!((both - 52.0).abs() < 1e-6, "{both}");
    let public = explained("SELECT COUNT(*) FROM votes v JOIN tags t ON v.item = t.item");
    assert!((public - 2.0).abs() < 1e-6, "{public}");
}

#[test]
fn what_is_not_bounded_is_refused() {
    let place = Place::new("refused", &[]);
    let session = place.session();
    let refused = |sql: &str, reason: &str| {
        let text = refusal(&session, sql);
        assert!(text.contains(reason), "{sql}\n{text}");
    };
    refused(
        "SELECT COUNT(*) FROM orders o LEFT JOIN returns r ON o.item = r.item",
        "a row without a match",
    );
    refused("SELECT COUNT(*) FROM orders o JOIN returns r ON o.weight = r.weight", "two units");
    refused("SELECT COUNT(*) FROM orders o JOIN returns r ON o.item < r.item", "two units");
    refused("SELECT COUNT(*) FROM orders o, returns r", "two units");
    refused("SELECT COUNT(*) FROM orders o JOIN votes v ON o.item = v.item", "two units");
    refused("SELECT COUNT(*) FROM orders o JOIN returns r ON o.item = upper(r.item)", "two units");
}
