//! What must hold for every text that is asked as SQL. Shared by the fuzzer and by the property test
//! that `make test` runs.

use std::sync::LazyLock;

use throng_query::catalog::Catalog;
use throng_query::policy::Policy;
use throng_query::question::Unit;
use throng_query::sql::{Batch, Statement};

const POLICY: &str = r#"
[budget]
epsilon = 1
delta = 1e-6
[tables.events]
path = "events.csv"
unit = { column = "user_id", name = "person" }
max_groups = 3
max_rows = "auto"
[tables.events.columns]
user_id = { type = "integer" }
city = { type = "text" }
kind = { type = "text", keys = ["a", "b"] }
age = { type = "integer", lower = 0, upper = 120 }
score = { type = "number", bounds = "auto" }
day = { type = "timestamp" }
[tables.ballots]
path = "ballots.csv"
unit = { row = true }
[tables.ballots.columns]
party = { type = "text" }
age = { type = "integer", lower = 18, upper = 120 }
[tables.cities]
path = "cities.csv"
public = true
[tables.cities.columns]
city = { type = "text" }
region = { type = "text" }
"#;

/// The tables, whose files are gone once their headers are read.
static TABLES: LazyLock<(Policy, Catalog)> = LazyLock::new(|| {
    let directory = std::env::temp_dir().join(format!("throng-plan-sql-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for headers");
    for (name, header) in [
        ("events", "user_id,city,kind,age,score,day\n"),
        ("ballots", "party,age\n"),
        ("cities", "city,region\n"),
    ] {
        std::fs::write(directory.join(format!("{name}.csv")), header).expect("a header");
    }
    let policy = Policy::parse(POLICY, &directory.join("throng.toml")).expect("a policy");
    let catalog = Catalog::open(&policy).expect("tables");
    std::fs::remove_dir_all(&directory).expect("the directory");
    (policy, catalog)
});

/// Planning is total. What is accepted asks for rows that carry their unit, and each of its
/// statements asks for the same by itself; a refusal says why.
pub(crate) fn check(text: &str) {
    let (policy, catalog) = &*TABLES;
    match Batch::plan(text, policy, catalog) {
        Ok(batch) => batch.statements.iter().for_each(check_statement),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn check_statement(statement: &Statement) {
    for question in &statement.questions {
        let unit = usize::from(question.unit != Unit::Row);
        let columns = unit + question.keys.len() + question.inputs.len();
        assert_eq!(question.rows.schema().fields().len(), columns, "{}", statement.text);
    }
    let (policy, catalog) = &*TABLES;
    let alone = Batch::plan(&statement.text, policy, catalog).expect("a statement stands alone");
    let texts: Vec<&str> = alone.statements.iter().map(|one| one.canonical.as_str()).collect();
    assert_eq!(texts, [statement.canonical.as_str()], "{}", statement.text);
}
