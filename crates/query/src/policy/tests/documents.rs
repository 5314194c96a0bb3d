//! The reference and the JSON Schema say what the parser does.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::*;
use crate::policy::fields;

fn schema() -> Json {
    let text = include_str!("../../../../../docs/reference/policy.schema.json");
    serde_json::from_str(text).unwrap()
}

fn example() -> &'static str {
    let text = include_str!("../../../../../docs/reference/policy.md");
    text.split_once("```toml\n").unwrap().1.split_once("\n```").unwrap().0
}

/// What a small part of JSON Schema, the part that ours uses, finds wrong.
fn validate(root: &Json, schema: &Json, value: &Json, at: &str) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{at}: {what}"));
    if let Some(link) = schema.get("$ref").and_then(Json::as_str) {
        let target = root.pointer(link.strip_prefix('#').unwrap()).unwrap();
        validate(root, target, value, at)?;
    }
    if let Some(choices) = schema.get("oneOf").and_then(Json::as_array) {
        let fits = |choice: &&Json| validate(root, choice, value, at).is_ok();
        if choices.iter().filter(fits).count() != 1 {
            return fail("does not fit exactly one choice");
        }
    }
    if let Some(choices) = schema.get("enum").and_then(Json::as_array)
        && !choices.contains(value)
    {
        return fail("is not among the words");
    }
    let typed = match schema.get("type").and_then(Json::as_str) {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some(other) => panic!("{other}"),
    };
    if !typed {
        return fail("has the wrong type");
    }
    range(schema, value).map_or_else(|| fail("is out of range"), Ok)?;
    for item in value.as_array().into_iter().flatten() {
        if let Some(items) = schema.get("items") {
            validate(root, items, item, at)?;
        }
    }
    let Some(object) = value.as_object() else { return Ok(()) };
    for name in schema.get("required").and_then(Json::as_array).into_iter().flatten() {
        if !object.contains_key(name.as_str().unwrap()) {
            return fail("lacks a field");
        }
    }
    for (name, value) in object {
        let at = format!("{at}.{name}");
        match (schema.pointer(&format!("/properties/{name}")), schema.get("additionalProperties")) {
            (Some(inner), _) => validate(root, inner, value, &at)?,
            (None, Some(Json::Bool(false))) => return Err(format!("{at}: unknown")),
            (None, Some(inner)) => validate(root, inner, value, &at)?,
            (None, None) => {}
        }
    }
    Ok(())
}

fn range(schema: &Json, value: &Json) -> Option<()> {
    let bound = |name: &str| schema.get(name).and_then(Json::as_f64);
    if let Some(x) = value.as_f64() {
        let ok = bound("minimum").is_none_or(|low| x >= low)
            && bound("maximum").is_none_or(|high| x <= high)
            && bound("exclusiveMinimum").is_none_or(|low| x > low)
            && bound("exclusiveMaximum").is_none_or(|high| x < high);
        return ok.then_some(());
    }
    Some(())
}

fn checked(text: &str) -> Result<(), String> {
    let value: Json = toml::from_str(text).unwrap();
    validate(&schema(), &schema(), &value, "")
}

#[test]
fn the_example_is_a_policy_without_warnings() {
    let policy = parse(example()).unwrap();
    assert_eq!(policy.warnings, Vec::<String>::new());
    assert_eq!(policy.tables.len(), 5);
    assert_eq!(policy.unit_of("items").unwrap(), "customer");
}

#[test]
fn the_example_fits_the_schema() {
    checked(example()).unwrap();
}

#[test]
fn the_schema_refuses_what_the_parser_refuses() {
    let text = one("unit = \"u\"");
    checked(&text).unwrap();
    for (from, to) in [
        ("epsilon = 1", "epsilon = 0"),
        ("epsilon = 1", "epsilom = 1"),
        ("delta = 1e-6", "delta = 1"),
        ("delta = 1e-6", "neighbours = \"x\"\ndelta = 1e-6"),
        ("unit = \"u\"", "unit = { row = false }"),
        ("unit = \"u\"", "unit = { column = \"a\", key = \"b\" }"),
        ("unit = \"u\"", "unit = \"u\"\nmax_rows = 0"),
        ("unit = \"u\"", "unit = \"u\"\ncolumns = { a = { lowr = 1 } }"),
        ("path = \"t.parquet\"", "path = []"),
        ("[tables.t]", "[tabels.t]"),
    ] {
        let text = text.replace(from, to);
        assert!(parse(&text).is_err(), "{to}");
        // An empty list is a matter of minItems, which the small validator does not know.
        assert!(to == "path = []" || checked(&text).is_err(), "{to}");
    }
}

/// The fields that a definition of the schema describes, in all its forms.
fn described(definition: &Json) -> BTreeSet<String> {
    let forms = definition.get("oneOf").and_then(Json::as_array).cloned().unwrap_or_default();
    let inner = forms.iter().flat_map(described);
    let own = definition.get("properties").and_then(Json::as_object).into_iter();
    inner.chain(own.flat_map(|fields| fields.keys().cloned())).collect()
}

#[test]
fn schema_reference_and_parser_know_the_same_fields() {
    let schema = schema();
    let text = include_str!("../../../../../docs/reference/policy.md");
    for (definition, known) in [
        ("", fields::ROOT),
        ("/$defs/budget", fields::BUDGET),
        ("/$defs/quota", fields::QUOTA),
        ("/$defs/query", fields::QUERY),
        ("/$defs/ledger", fields::LEDGER),
        ("/$defs/engine", fields::ENGINE),
        ("/$defs/table", fields::TABLE),
        ("/$defs/unit", fields::UNIT),
        ("/$defs/column", fields::COLUMN),
    ] {
        let known: BTreeSet<String> = known.iter().map(ToString::to_string).collect();
        assert_eq!(described(schema.pointer(definition).unwrap()), known, "{definition}");
        for field in known {
            assert!(text.contains(&field), "{field} is not in the reference");
        }
    }
}
