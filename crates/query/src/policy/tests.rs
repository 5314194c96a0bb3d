//! What a policy may say, and what it is told when it says something else.

mod budgets;
mod documents;
mod hostile;
mod units;

use std::path::Path;

use super::*;
use crate::question::Limit;

const BUDGET: &str = "[budget]\nepsilon = 1\ndelta = 1e-6\n";

fn parse(text: &str) -> Result<Policy, QueryError> {
    Policy::parse(text, Path::new("dir/throng.toml"))
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

/// A policy of one table with these lines.
fn one(lines: &str) -> String {
    format!("{BUDGET}[tables.t]\npath = \"t.parquet\"\n{lines}\n")
}

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

#[test]
fn a_whole_policy_is_read() {
    let policy = parse(
        r#"
        [budget]
        epsilon = 3.0
        delta = 1e-6
        neighbours = "replace"
        [budget.analysts]
        alice = { epsilon = 1.0, delta = 1e-7 }
        "*" = { epsilon = 0.5, delta = 0 }
        [query]
        epsilon = 0.5
        delta = 1e-7
        confidence = 0.9
        bounds_share = 0.2
        noise = "laplace"
        [ledger]
        path = "budget/throng.ledger"
        [engine]
        kind = "datafusion"
        threads = 2
        memory = "1 GiB"
        [tables.events]
        path = ["a/*.parquet", "b.parquet"]
        unit = "user_id"
        max_groups = 3
        max_rows = "auto"
        [tables.events.columns]
        income = { lower = -0.1, upper = 2_000.5 }
        age = { bounds = "auto" }
        city = { keys = ["Oslo", "Bergen"] }
        [tables.cities]
        path = "cities.csv"
        public = true
        columns = { name = { type = "text" }, size = { type = "integer" } }
        "#,
    )
    .unwrap();
    assert_eq!(policy.warnings, Vec::<String>::new());
    assert_eq!(policy.neighbours, Neighbours::Replace);
    assert_eq!(policy.ledger, Path::new("dir/budget/throng.ledger"));
    let engine = EngineChoice::DataFusion { threads: Some(2), memory: Some(1 << 30) };
    assert_eq!(policy.engine, engine);
    assert_eq!(policy.defaults.noise, NoiseChoice::Laplace);
    assert_eq!(policy.defaults.bounds_share, rational("0.2"));
    let cost = Cost::Epsilon { epsilon: rational("1/2"), delta: rational("1e-7") };
    assert_eq!(policy.defaults.cost, Some(cost));
    let (epsilon, delta) = (rational("0.5"), rational("0"));
    assert_eq!(policy.quota("bob"), Some(&Amount::Approximate { epsilon, delta }));
    assert_ne!(policy.quota("alice"), policy.quota("bob"));
    let events = policy.table("events").unwrap();
    assert_eq!(events.format, Format::Parquet);
    // Exactly as written: 0.1 is a tenth, not the float next to it.
    let range = Range::Declared { lower: rational("-1/10"), upper: rational("4001/2") };
    assert_eq!(events.column("income").unwrap().range, Some(range));
    let auto = Range::Auto { column: "events.age".into() };
    assert_eq!(events.column("age").unwrap().range, Some(auto));
    let Privacy::Private { limits, .. } = &events.privacy else { panic!() };
    assert_eq!(*limits, Limits { groups: Limit::Fixed(3), rows: Limit::Auto });
    let cities = policy.table("cities").unwrap();
    assert!(cities.is_public() && cities.format == Format::Csv);
    assert_eq!(cities.column("size").unwrap().kind, Some(Kind::Integer));
}

#[test]
fn defaults_are_careful() {
    let policy = parse(&one("unit = \"u\"")).unwrap();
    assert_eq!(policy.neighbours, Neighbours::AddRemove);
    assert_eq!(policy.defaults, Defaults::default());
    assert_eq!(policy.defaults.bounds_share, rational("1/10"));
    assert_eq!(policy.quota("anyone"), None);
    let Privacy::Private { limits, .. } = &policy.tables[0].privacy else { panic!() };
    assert_eq!(*limits, Limits { groups: Limit::Auto, rows: Limit::Auto });
}

#[test]
fn errors_have_a_place_and_a_hint() {
    let text = format!("{BUDGET}\n[tables.events]\npath = \"e.parquet\"\nunitt = \"u\"\n");
    assert_eq!(
        error(&text),
        "dir/throng.toml:7:1: unknown field unitt in tables.events\nhint: did you mean unit?"
    );
    let text = one("unit = \"u\"\nmax_rows = 0");
    assert!(error(&text).starts_with("dir/throng.toml:7:12: tables.t.max_rows: must be"));
}

#[test]
fn what_is_wrong_is_refused() {
    for (lines, part) in [
        ("", "unit is missing"),
        ("unit = \"\"", "must not be empty"),
        ("unit = 3", "expected text in quotes, found a number"),
        ("unit = { row = false }", "does not say whose a row is"),
        ("unit = { row = true, column = \"a\" }", "does not say whose a row is"),
        ("unit = { column = \"a\", table = \"t\" }", "does not say whose a row is"),
        ("unit = { row = true }\nmax_rows = 3", "each row is a unit"),
        ("unit = \"u\"\nmax_rows = -1", "whole number"),
        ("unit = \"u\"\nmax_rows = 1.5", "whole number"),
        ("unit = \"u\"\nmax_rows = 1e10", "too large"),
        ("unit = \"u\"\nmax_groups = \"automatic\"", "not known here"),
        ("public = true\nunit = \"u\"", "public table is not protected"),
        ("public = \"yes\"", "expected true or false"),
        ("unit = \"u\"\nformat = \"parket\"", "did you mean parquet?"),
        ("unit = \"u\"\ncolumns = { x = { lower = 1, upper = 1 } }", "lower must be below upper"),
        ("unit = \"u\"\ncolumns = { x = { lower = 1 } }", "upper is missing"),
        ("unit = \"u\"\ncolumns = { x = { upper = 1 } }", "lower is missing"),
        ("unit = \"u\"\ncolumns = { x = { lower = nan, upper = 1 } }", "not a finite number"),
        ("unit = \"u\"\ncolumns = { x = { lower = -inf, upper = +inf } }", "not a finite number"),
        ("unit = \"u\"\ncolumns = { x = { lower = 0, upper = 1e999 } }", "too many digits"),
        ("unit = \"u\"\ncolumns = { x = { bounds = \"auto\", upper = 1 } }", "goes without"),
        ("unit = \"u\"\ncolumns = { x = { keys = [] } }", "empty list"),
        ("unit = \"u\"\ncolumns = { x = { keys = [\"a\", \"a\"] } }", "listed twice"),
        ("unit = \"u\"\ncolumns = { x = { keys = [1, 1.0] } }", "listed twice"),
        ("unit = \"u\"\ncolumns = { x = { keys = [1, \"1\"] } }", "one type"),
        ("unit = \"u\"\ncolumns = { x = { keys = [[1]] } }", "found a list"),
        ("unit = \"u\"\ncolumns = { x = { type = \"text\" } }", "only columns of CSV files"),
        ("unit = \"u\"\ncolumns = { x = { lowr = 1 } }", "did you mean lower?"),
        ("unit = \"u\"\ncolumns = 3", "expected a table of fields"),
    ] {
        let error = error(&one(lines));
        assert!(error.contains(part), "{lines}: {error}");
        assert!(error.starts_with("dir/throng.toml:"), "{error}");
    }
}

#[test]
fn paths_and_formats() {
    let table = |path: &str| parse(&format!("{BUDGET}[tables.t]\nunit = \"u\"\npath = {path}\n"));
    let format = |path: &str| table(path).map(|policy| policy.tables[0].format).ok();
    assert_eq!(format("\"a.CSV\""), Some(Format::Csv));
    assert_eq!(format("\"a/*.feather\""), Some(Format::Arrow));
    assert_eq!(format("[\"a.csv\", \"b.csv\"]"), Some(Format::Csv));
    for path in ["[]", "\"\"", "\"dir\"", "\"a.csv.gz\"", "[\"a.csv\", \"b.parquet\"]", "1"] {
        assert!(table(path).is_err(), "{path}");
    }
    let error = table("\"s3://bucket/a.parquet\"").unwrap_err().to_string();
    assert!(error.contains("only local files"), "{error}");
}

#[test]
fn names_of_tables_need_no_quotes_in_sql() {
    let named = |name: &str| {
        parse(&format!("{BUDGET}[tables.{name}]\nunit = \"u\"\npath = \"a.csv\"\n"))
            .map(|policy| policy.tables[0].name.clone())
    };
    assert_eq!(named("e_1").unwrap(), "e_1");
    assert_eq!(named("\"kjøp\"").unwrap(), "kjøp");
    for bad in ["Events", "\"1a\"", "\"a b\"", "\"a\\\"b\"", "order", "\"\"", "__throng_x", "a-b"] {
        assert!(named(bad).is_err(), "{bad}");
    }
    assert!(named("Events").unwrap_err().to_string().contains("[tables.events]"));
}

#[test]
fn engine_and_query_are_checked() {
    let with = |lines: &str| parse(&format!("{}{lines}", one("unit = \"u\"")));
    for lines in [
        "[engine]\nkind = \"spark\"",
        "[engine]\nthreads = 0",
        "[engine]\nthreads = 5000",
        "[engine]\nmemory = \"lots\"",
        "[engine]\nmemory = 5",
        "[engine]\nmemory = \"99999999999 TiB\"",
        "[query]\nepsilon = 0",
        "[query]\nepsilon = 1\nrho = 1",
        "[query]\ndelta = 1e-6",
        "[query]\nconfidence = 1",
        "[query]\nconfidence = 0.99999999999999999999999999999",
        "[query]\nbounds_share = 0",
        "[query]\nnoise = \"white\"",
        "[ledger]",
        "[ledger]\npath = \"\"",
        "[unknown]",
    ] {
        assert!(with(lines).is_err(), "{lines}");
    }
    let policy = with("[engine]\nmemory = \"512MB\"").unwrap();
    let EngineChoice::DataFusion { memory, .. } = policy.engine;
    assert_eq!(memory, Some(512_000_000));
}

#[test]
fn an_id_is_about_meaning_only() {
    let base = parse(&one("unit = \"u\"\nmax_rows = 3")).unwrap().id();
    assert_eq!(base.len(), 32);
    let other = one("max_rows = 0x3 # three\nunit = \"u\"").replace("epsilon = 1", "epsilon = 2");
    assert_eq!(parse(&other).unwrap().id(), base);
    for lines in [
        "unit = \"v\"\nmax_rows = 3",
        "unit = { column = \"u\", name = \"n\" }\nmax_rows = 3",
        "unit = \"u\"\nmax_rows = 4",
        "unit = \"u\"\nmax_rows = 3\ncolumns = { a = { lower = 0, upper = 1 } }",
        "unit = \"u\"\nmax_rows = 3\ncolumns = { a = { keys = [\"b c\"] } }",
        "unit = \"u\"\nmax_rows = 3\ncolumns = { a = { keys = [\"b\", \"c\"] } }",
    ] {
        assert_ne!(parse(&one(lines)).unwrap().id(), base, "{lines}");
    }
    let replace =
        one("unit = \"u\"\nmax_rows = 3").replace("[tables", "neighbours = \"replace\"\n[tables");
    assert_ne!(parse(&replace).unwrap().id(), base);
}

#[test]
fn a_quick_policy_has_no_file() {
    let quick = Quick {
        tables: vec![("events".into(), "events.parquet".into())],
        unit: Some("user_id".into()),
        bounds: vec![("income".into(), rational("0"), rational("10"))],
        keys: vec![("city".into(), vec!["Oslo".into()])],
        max_groups: Limit::Fixed(3),
        max_rows: Limit::Auto,
        neighbours: Neighbours::AddRemove,
        budget: Amount::Pure { epsilon: rational("1") },
        ledger: "x.ledger".into(),
    };
    let policy = Policy::quick(quick.clone()).unwrap();
    assert_eq!(policy.unit_of("events"), Some("user_id".into()));
    assert_eq!(policy.directory(), Path::new("."));
    assert!(policy.tables[0].column("income").unwrap().range.is_some());
    let broken = [
        Quick { tables: vec![], ..quick.clone() },
        Quick { tables: vec![("A".into(), "a.csv".into())], ..quick.clone() },
        Quick { tables: vec![("a".into(), "a".into())], ..quick.clone() },
        Quick { tables: vec![("a".into(), "a.csv".into()); 2], ..quick.clone() },
        Quick { bounds: vec![("x".into(), rational("1"), rational("1"))], ..quick.clone() },
        Quick { keys: vec![("x".into(), vec![])], ..quick.clone() },
        Quick { max_rows: Limit::Fixed(0), ..quick.clone() },
    ];
    for quick in broken {
        assert!(Policy::quick(quick.clone()).is_err(), "{quick:?}");
    }
    let two = vec![("a".into(), "a.csv".into()), ("b".into(), "b.csv".into())];
    assert!(Policy::quick(Quick { tables: two.clone(), ..quick.clone() }).is_err());
    let bounds = vec![("b.income".into(), rational("0"), rational("1"))];
    let policy = Policy::quick(Quick { tables: two, bounds, keys: vec![], ..quick }).unwrap();
    assert!(policy.tables[0].columns.is_empty() && policy.tables[1].columns.len() == 1);
}
