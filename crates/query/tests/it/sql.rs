//! A policy with every kind of table, whose files are gone once their headers are read: a plan that
//! is made at all is made without data.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use datafusion::arrow::record_batch::RecordBatch;
use throng_query::QueryError;
use throng_query::catalog::Catalog;
use throng_query::policy::Policy;
use throng_query::question::{Aggregate, Domain, Limit, Question, Range, Unit};
use throng_query::sql::{Batch, Statement};

const POLICY: &str = r#"
[budget]
epsilon = 3
delta = 1e-6

[tables.events]
path = "events.csv"
unit = { column = "user_id", name = "person" }
max_groups = 3
max_rows = 10
[tables.events.columns]
user_id = { type = "integer" }
city = { type = "text" }
kind = { type = "text", keys = ["click", "view", "buy"] }
age = { type = "integer", lower = 0, upper = 120 }
income = { type = "number", lower = 0, upper = 200000 }
score = { type = "number", bounds = "auto" }
free = { type = "number" }
flag = { type = "boolean" }
ts = { type = "timestamp" }

[tables.users]
path = "users.csv"
unit = { column = "id", name = "person" }
max_groups = 1
max_rows = 1
[tables.users.columns]
id = { type = "integer" }
country = { type = "text", keys = ["AT", "DE"] }
height = { type = "number", lower = 0, upper = 3 }

[tables.accounts]
path = "accounts.csv"
unit = { column = "owner", name = "person" }
[tables.accounts.columns]
id = { type = "integer" }
owner = { type = "integer" }
kind = { type = "text" }

[tables.transfers]
path = "transfers.csv"
unit = { column = "account_id", table = "accounts", key = "id" }
max_groups = 5
max_rows = 20
[tables.transfers.columns]
id = { type = "integer" }
account_id = { type = "integer" }
amount = { type = "integer", lower = -100, upper = 100 }

[tables.patients]
path = "patients.csv"
unit = "pid"
[tables.patients.columns]
pid = { type = "integer" }
age = { type = "integer", lower = 0, upper = 120 }

[tables.votes]
path = "votes.csv"
unit = { row = true }
[tables.votes.columns]
choice = { type = "text" }
weight = { type = "integer", lower = 0, upper = 5 }

[tables.cities]
path = "cities.csv"
public = true
[tables.cities.columns]
city = { type = "text" }
region = { type = "text" }
population = { type = "integer", lower = 0, upper = 40000000 }
"#;

const HEADERS: &[(&str, &str)] = &[
    ("events.csv", "user_id,city,kind,age,income,score,free,flag,ts\n"),
    ("users.csv", "id,country,height\n"),
    ("accounts.csv", "id,owner,kind\n"),
    ("transfers.csv", "id,account_id,amount\n"),
    ("patients.csv", "pid,age\n"),
    ("votes.csv", "choice,weight\n"),
    ("cities.csv", "city,region,population\n"),
];

static WORLD: LazyLock<(Policy, Catalog)> = LazyLock::new(|| {
    let directory: PathBuf =
        std::env::temp_dir().join(format!("throng-sql-{}", std::process::id()));
    let world = opened(&directory);
    std::fs::remove_dir_all(&directory).unwrap();
    world
});

fn opened(directory: &Path) -> (Policy, Catalog) {
    std::fs::create_dir_all(directory).unwrap();
    for (name, header) in HEADERS {
        std::fs::write(directory.join(name), header).unwrap();
    }
    let policy = Policy::parse(POLICY, &directory.join("throng.toml")).unwrap();
    let catalog = Catalog::open(&policy).unwrap();
    (policy, catalog)
}

/// Every plan of the `.slt` files is one that the engine runs, here on tables without rows.
#[test]
fn the_rows_of_questions_run() {
    let directory = std::env::temp_dir().join(format!("throng-sql-run-{}", std::process::id()));
    let (policy, catalog) = opened(&directory);
    let context = catalog.context().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut run = 0;
    for sql in crate::plans::queries() {
        let Ok(batch) = Batch::plan(&sql, &policy, &catalog) else { continue };
        for question in batch.statements.into_iter().flat_map(|statement| statement.questions) {
            let rows = runtime.block_on(async {
                context.execute_logical_plan(question.rows).await?.collect().await
            });
            let rows = rows.unwrap_or_else(|error| panic!("{sql}\n{error}"));
            assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 0, "{sql}");
            run += 1;
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(run > 50, "{run}");
}

pub(crate) fn plan(text: &str) -> Result<Batch, QueryError> {
    let (policy, catalog) = &*WORLD;
    Batch::plan(text, policy, catalog)
}

pub(crate) fn one(text: &str) -> Statement {
    let mut batch = plan(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    assert_eq!(batch.statements.len(), 1);
    batch.statements.remove(0)
}

fn limit(limit: Limit) -> String {
    match limit {
        Limit::Fixed(n) => n.to_string(),
        Limit::Auto => "auto".into(),
    }
}

fn range(range: Option<&Range>) -> String {
    match range {
        Some(Range::Declared { lower, upper }) => format!("{lower}..{upper}"),
        Some(Range::Auto { column }) => format!("auto {column}"),
        None => "-".into(),
    }
}

fn aggregate(aggregate: &Aggregate) -> String {
    match aggregate {
        Aggregate::Rows => "rows".into(),
        Aggregate::Units => "units".into(),
        Aggregate::Present { input } => format!("present {input}"),
        Aggregate::Distinct { input } => format!("distinct {input}"),
        Aggregate::Sum { input } => format!("sum {input}"),
        Aggregate::Mean { input } => format!("mean {input}"),
        Aggregate::Variance { input, sample } => format!("variance {input} {sample}"),
        Aggregate::Deviation { input, sample } => format!("deviation {input} {sample}"),
        Aggregate::Quantile { input, fraction } => format!("quantile {input} {fraction}"),
    }
}

/// A question in one line.
pub(crate) fn summary(question: &Question) -> String {
    let unit = match &question.unit {
        Unit::Row => "row".into(),
        Unit::Column { name, .. } => name.clone(),
    };
    let key = |domain: &Domain| match domain {
        Domain::Private => "private".into(),
        Domain::Public(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join("|")
        }
    };
    let keys: Vec<_> =
        question.keys.iter().map(|k| format!("{} {}", k.name, key(&k.domain))).collect();
    let inputs: Vec<_> = question
        .inputs
        .iter()
        .map(|i| format!("{} {} {}", i.name, i.kind, range(i.range.as_ref())))
        .collect();
    let aggregates: Vec<_> = question.aggregates.iter().map(aggregate).collect();
    format!(
        "unit {unit}; limits {}x{}; keys [{}]; inputs [{}]; aggregates [{}]",
        limit(question.limits.groups),
        limit(question.limits.rows),
        keys.join(", "),
        inputs.join(", "),
        aggregates.join(", "),
    )
}

/// The rows of a question have the columns that it says, in its order.
pub(crate) fn check(statement: &Statement) {
    for question in &statement.questions {
        let fields = question.rows.schema().fields();
        let unit = usize::from(question.unit != Unit::Row);
        assert_eq!(fields.len(), unit + question.keys.len() + question.inputs.len());
        if let Unit::Column { kind, .. } = &question.unit {
            assert_eq!(fields[0].name(), "__throng_unit");
            assert_eq!(fields[0].data_type(), kind);
        }
        for (key, field) in question.keys.iter().zip(fields.iter().skip(unit)) {
            assert_eq!(&key.kind, field.data_type());
            if let Domain::Public(values) = &key.domain {
                assert!(values.iter().all(|value| value.data_type() == key.kind));
            }
        }
        for (input, field) in
            question.inputs.iter().zip(fields.iter().skip(unit + question.keys.len()))
        {
            assert_eq!(&input.kind, field.data_type());
        }
    }
    for node in &statement.nodes {
        assert!(statement.outer.display_indent().to_string().contains(&node.table));
        for set in &node.sets {
            let question = &statement.questions[set.question];
            assert_eq!(set.keys.len(), question.keys.len());
            for (column, key) in set.keys.iter().zip(&question.keys) {
                assert_eq!(node.schema.field(*column).data_type(), &key.kind);
            }
            assert_eq!(
                node.first_aggregate + question.aggregates.len(),
                node.schema.fields().len()
            );
        }
    }
}

#[test]
fn statements_of_a_batch_keep_their_text() {
    let batch =
        plan("SELECT COUNT(*) FROM events; -- ; ünï\n ;SELECT '‘;’' AS a /* ; */;\nSELECT 1")
            .unwrap();
    let texts: Vec<_> = batch.statements.iter().map(|s| s.text.as_str()).collect();
    assert_eq!(texts, ["SELECT COUNT(*) FROM events", "SELECT '‘;’' AS a /* ; */", "SELECT 1"]);
}

#[test]
fn a_name_does_not_depend_on_how_a_question_is_written() {
    let name = |text: &str| one(text).canonical;
    let plain = name("SELECT city, COUNT(*) FROM events WHERE age > 3 GROUP BY city");
    for same in [
        "select CITY, count(*) as n\n from Events -- comment\n where AGE>3 group by 1",
        "SELECT city, COUNT(1) c FROM events WHERE age > 3 GROUP BY city ORDER BY c DESC LIMIT 3",
        "SELECT 2 * COUNT(*) FROM events WHERE age > 3 GROUP BY city HAVING COUNT(*) > 7",
    ] {
        assert_eq!(name(same), plain, "{same}");
    }
    for other in [
        "SELECT city, COUNT(*) FROM events WHERE age > 4 GROUP BY city",
        "SELECT city, COUNT(*) FROM events WHERE age >= 3 GROUP BY city",
        "SELECT city, COUNT(age) FROM events WHERE age > 3 GROUP BY city",
        "SELECT kind, COUNT(*) FROM events WHERE age > 3 GROUP BY kind",
        "SELECT COUNT(*) FROM events WHERE age > 3",
    ] {
        assert_ne!(name(other), plain, "{other}");
    }
    let text = |s: &str| name(&format!("SELECT COUNT(*) FROM events WHERE city = '{s}'"));
    assert_ne!(text("a"), text("A"));
    assert_ne!(text(r#"a") AND city = Utf8("b"#), text("a"));
}

#[test]
fn an_aggregate_written_twice_is_asked_once() {
    let statement = one("WITH t AS (SELECT city, COUNT(*) AS n FROM events GROUP BY city) \
         SELECT a.city FROM t a JOIN t b ON a.city = b.city WHERE a.n > (SELECT AVG(n) FROM t)");
    assert_eq!((statement.questions.len(), statement.nodes.len()), (1, 1));
}

#[test]
fn the_outer_plan_keeps_the_schema_of_the_aggregate() {
    let statement = one("SELECT e.city, kind AS k, SUM(age) FROM events e GROUP BY e.city, kind");
    let names: Vec<_> =
        statement.outer.schema().iter().map(|(_, field)| field.name().clone()).collect();
    assert_eq!(names, ["city", "k", "sum(e.age)"]);
    assert!(statement.tables().contains("events"));
}

#[test]
fn the_path_to_the_unit_is_read_too() {
    let statement = one("SELECT SUM(amount) FROM transfers");
    let tables: Vec<_> = statement.tables().iter().map(String::as_str).collect();
    assert_eq!(tables, ["accounts", "transfers"]);
}

#[test]
fn grouping_sets_have_the_ids_of_the_engine() {
    let statement = one("SELECT city, kind, COUNT(*), GROUPING(city) FROM events \
         GROUP BY GROUPING SETS ((city, kind), (kind), (), (kind))");
    let node = &statement.nodes[0];
    let ids: Vec<_> =
        node.sets.iter().map(|set| (set.question, set.keys.clone(), set.id)).collect();
    assert_eq!(
        ids,
        [(0, vec![0, 1], 0b00), (1, vec![1], 0b10), (2, vec![], 0b11), (1, vec![1], 0b110)]
    );
    assert_eq!((node.grouping_id, node.first_aggregate), (Some(2), 3));
}

#[test]
fn public_tables_are_answered_without_questions() {
    let statement = one("SELECT region, SUM(population) FROM cities GROUP BY region ORDER BY 2");
    assert!(statement.questions.is_empty() && statement.nodes.is_empty());
}

#[test]
fn hostile_texts_get_short_errors() {
    let many = |item: &str, n: usize| vec![item; n].join(",");
    let deep = |open: &str, close: &str, n: usize| {
        format!("SELECT {}1{}", open.repeat(n), close.repeat(n))
    };
    for text in [
        format!("SELECT {} FROM events", many("age", 1_000_000)),
        format!("SELECT {} FROM events", many("1", 200_000)),
        format!("SELECT {} FROM events", many("1", 5_000)),
        format!("SELECT COUNT(*) FROM events WHERE age IN ({})", many("1", 200_000)),
        deep("(", ")", 100_000),
        deep("CASE WHEN true THEN ", " END", 30_000),
        deep("- ", "", 200_000),
        deep("NOT ", "", 200_000),
        deep("abs(", ")", 2_000),
        format!("SELECT 1{}", "+1".repeat(400_000)),
        format!("SELECT 1{}", "::int".repeat(100_000)),
        format!("SELECT COUNT(*) FROM events WHERE {}", vec!["age=1"; 50_000].join(" OR ")),
        format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(40_000)),
        format!("SELECT * FROM {}", vec!["cities"; 50_000].join(" NATURAL JOIN ")),
        format!("SELECT a{}", ".a".repeat(400_000)),
        format!("SELECT a{}", "[1]".repeat(100_000)),
        format!("SELECT {}", "((SELECT ".repeat(10_000)),
        "SELECT 1;".repeat(100_000),
        "SELECT '".into(),
        "SELECT /* ".into(),
        "\u{0}".into(),
        String::new(),
        ";;;".into(),
        "SELECT \u{202e}1\u{feff}".into(),
    ] {
        let shown: String = text.chars().take(60).collect();
        let error = plan(&text).err().unwrap_or_else(|| panic!("accepted: {shown}")).to_string();
        assert!(error.len() < 2_000, "{shown}: {}", error.len());
        assert!(!error.contains("the engine failed"), "{shown}: {error}");
    }
}

#[test]
fn large_but_bearable_texts_are_planned() {
    let list = (0..20_000).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    one(&format!("SELECT COUNT(*) FROM cities WHERE population IN ({list})"));
    let sum = vec!["population"; 400].join("+");
    one(&format!("SELECT {sum} FROM cities"));
    let either = vec!["age=1"; 200].join(" OR ");
    one(&format!("SELECT COUNT(*) FROM events WHERE {either}"));
}

/// A column that is computed anew must not keep the bounds of the one whose name it takes.
#[test]
fn a_redefined_column_loses_its_bounds() {
    let error = plan("SELECT SUM(age) FROM (SELECT free AS age FROM events)").unwrap_err();
    assert!(error.to_string().contains("range is not known"), "{error}");
    let error = plan(
        "WITH events AS (SELECT user_id, free * 1000 AS income FROM events) \
         SELECT AVG(income) FROM events",
    )
    .unwrap_err();
    assert!(error.to_string().contains("range is not known"), "{error}");
    let wide = one("SELECT SUM(income) FROM (SELECT income * 1000 AS income FROM events)");
    assert!(summary(&wide.questions[0]).contains("0..200000000"));
}
