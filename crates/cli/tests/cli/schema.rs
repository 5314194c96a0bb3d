//! The part of JSON Schema that ours uses: references, types, ranges, alternatives, keys.

use std::path::Path;

use serde_json::Value;

/// A schema of the documentation.
pub(crate) fn read(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

/// Fails if a value is not what a schema says.
pub(crate) fn agree(value: &Value, schema: &Value, whole: &Value) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = whole.pointer(reference.trim_start_matches('#')).unwrap();
        return agree(value, target, whole);
    }
    if let Some(choices) = schema["enum"].as_array() {
        assert!(choices.contains(value), "{value} is none of {choices:?}");
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    assert!(kinds.is_empty() || kinds.contains(&kind(value)), "{value} is not {kinds:?}");
    if let Some(number) = value.as_f64() {
        assert!(
            schema["minimum"].as_f64().is_none_or(|least| number >= least),
            "{value} is too small"
        );
        assert!(
            schema["maximum"].as_f64().is_none_or(|most| number <= most),
            "{value} is too large"
        );
    }
    for item in value.as_array().into_iter().flatten() {
        agree(item, &schema["items"], whole);
    }
    if let Some(object) = value.as_object() {
        for key in schema["required"].as_array().into_iter().flatten() {
            assert!(object.contains_key(key.as_str().unwrap()), "{key} is missing in {value}");
        }
        for (key, value) in object {
            let own = &schema["properties"][key];
            let property = if own.is_object() { own } else { &schema["additionalProperties"] };
            assert!(property.is_object(), "the schema does not know {key}");
            agree(value, property, whole);
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
