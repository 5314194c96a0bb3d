//! Paths to units.

use super::*;

fn tables(lines: &str) -> String {
    let mut text = BUDGET.to_string();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, unit) = line.split_once(": ").unwrap();
        text.push_str(&format!("[tables.{name}]\npath = \"{name}.csv\"\n{unit}\n"));
    }
    text
}

#[test]
fn a_path_may_have_several_steps() {
    let policy = parse(&tables(
        r#"
        items: unit = { column = "order_id", table = "orders", key = "id" }
        orders: unit = { column = "customer", table = "customers", key = "number" }
        customers: unit = "person"
        "#,
    ))
    .unwrap();
    let path = policy.unit_path("items").unwrap();
    assert_eq!(path.identity, "customers.person");
    assert_eq!(path.column, "person");
    let names: Vec<_> = path.steps.iter().map(|step| step.table.as_str()).collect();
    assert_eq!(names, ["orders", "customers"]);
    assert_eq!(policy.unit_of("orders"), policy.unit_of("customers"));
}

#[test]
fn a_step_to_the_unit_column_itself_needs_no_join() {
    let policy = parse(&tables(
        r#"
        visits: unit = { column = "visitor", table = "users", key = "id" }
        users: unit = { column = "id", name = "person" }
        clicks: unit = { column = "by", table = "visits", key = "visitor" }
        staff: unit = { column = "user", name = "person" }
        shops: unit = { row = true }
        "#,
    ))
    .unwrap();
    for (table, column) in [("visits", "visitor"), ("users", "id"), ("clicks", "by")] {
        let path = policy.unit_path(table).unwrap();
        assert_eq!((path.steps.len(), path.column.as_str()), (0, column));
        assert_eq!(policy.unit_of(table), policy.unit_of("staff"));
    }
    assert_eq!(policy.unit_path("shops"), None);
    assert_eq!(policy.unit_path("nothing"), None);
}

#[test]
fn units_that_share_a_column_name_only_are_not_the_same() {
    let policy = parse(&tables("a: unit = \"user_id\"\nb: unit = \"user_id\"")).unwrap();
    assert_ne!(policy.unit_of("a"), policy.unit_of("b"));
}

#[test]
fn a_path_that_leads_nowhere_is_refused() {
    let to = |table: &str| format!("unit = {{ column = \"x\", table = \"{table}\", key = \"y\" }}");
    for (lines, part) in [
        (format!("a: {}", to("a")), "circle: a -> a"),
        (format!("a: {}\nb: {}\nc: {}", to("b"), to("c"), to("b")), "b -> c -> b"),
        (format!("aa: {}\nusers: unit = \"u\"", to("user")), "did you mean users?"),
        (format!("a: {}\nb: public = true", to("b")), "which is public"),
        (format!("a: {}\nb: unit = {{ row = true }}", to("b")), "each row is a unit"),
    ] {
        let error = error(&tables(&lines));
        assert!(error.contains(part), "{lines}: {error}");
        assert!(error.starts_with("dir/throng.toml:6:8: tables.a"), "{error}");
    }
}

#[test]
fn the_sum_of_a_unit_can_be_bounded() {
    let policy =
        parse(&one("unit = \"u\"\ncolumns = { x = { lower = 0, upper = 5, unit_sum = 12.5 }, y = { unit_sum = 7 } }"))
            .unwrap();
    let column = |name: &str| policy.tables[0].columns[name].clone();
    assert_eq!(column("x").unit_sum, Some(rational("12.5")));
    assert_eq!(
        column("x").range,
        Some(Range::Declared { lower: rational("0"), upper: rational("5") })
    );
    let alone = Range::Declared { lower: rational("-7"), upper: rational("7") };
    assert_eq!((column("y").unit_sum, column("y").range), (Some(rational("7")), Some(alone)));
    let other = parse(&one(
        "unit = \"u\"\ncolumns = { x = { lower = 0, upper = 5, unit_sum = 13 }, y = { unit_sum = 7 } }",
    ));
    assert_ne!(policy.id(), other.unwrap().id());
    let wrong = |lines: &str, part: &str| {
        let text = error(&one(lines));
        assert!(text.contains(part), "{text}");
    };
    wrong("unit = \"u\"\ncolumns = { x = { unit_sum = 0 } }", "must be above 0");
    wrong("unit = \"u\"\ncolumns = { x = { unit_sum = -1 } }", "must be above 0");
    wrong(
        "unit = \"u\"\ncolumns = { x = { lower = -9, upper = 5, unit_sum = 8 } }",
        "less than a single value",
    );
    wrong("unit = { row = true }\ncolumns = { x = { unit_sum = 8 } }", "each row is a unit");
    wrong("public = true\ncolumns = { x = { unit_sum = 8 } }", "not protected");
}
