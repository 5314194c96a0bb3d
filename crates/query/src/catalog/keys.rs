//! Public keys in the type of their column.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::ScalarValue;

use crate::QueryError;
use crate::policy::{Table, Value};

/// The public keys of every column that has them.
pub(super) fn of_table(
    table: &Table,
    schema: &Schema,
) -> Result<BTreeMap<String, Vec<ScalarValue>>, QueryError> {
    let mut all = BTreeMap::new();
    for (column, rule) in &table.columns {
        let (Some(keys), Ok(field)) = (&rule.keys, schema.field_with_name(column)) else {
            continue;
        };
        all.insert(column.clone(), of_column(table, column, keys, field.data_type())?);
    }
    Ok(all)
}

fn of_column(
    table: &Table,
    column: &str,
    keys: &[Value],
    kind: &DataType,
) -> Result<Vec<ScalarValue>, QueryError> {
    let name = &table.name;
    let mut seen = BTreeSet::new();
    let mut values = Vec::with_capacity(keys.len());
    for key in keys {
        let Some(value) = fits(key, kind).then(|| converted(key, kind)).flatten() else {
            let what = format!("table {name}: the key {key} of {column} is not of type {kind}");
            return Err(QueryError::invalid(what, "keys are written as the column holds them"));
        };
        if !seen.insert(value.to_string()) {
            let what = format!("table {name}: the key {key} of {column} is listed twice");
            return Err(QueryError::invalid(what, ""));
        }
        values.push(value);
    }
    Ok(values)
}

/// Whether a key of this kind may be a value of the type.
fn fits(key: &Value, kind: &DataType) -> bool {
    let text = *kind == DataType::Utf8;
    let number = kind.is_integer() || kind.is_floating() || kind.is_decimal();
    let moment = matches!(kind, DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, _));
    match key {
        Value::Text(_) => text || moment,
        Value::Number(number_) => number && (number_.is_integer() || !kind.is_integer()),
        Value::Boolean(_) => *kind == DataType::Boolean,
        Value::Moment(_) => moment,
        Value::Plain(_) => text || number || moment || *kind == DataType::Boolean,
    }
}

/// The key as a value of the type; `None` if it is not one. Floats are finite, and zero has no sign.
fn converted(key: &Value, kind: &DataType) -> Option<ScalarValue> {
    let source = match key {
        // A rational prints as a fraction.
        Value::Number(number) if !number.is_integer() => {
            ScalarValue::Float64(Some(number.to_f64_nearest()))
        }
        Value::Text(_) | Value::Number(_) | Value::Boolean(_) | Value::Moment(_) => {
            ScalarValue::Utf8(Some(key.to_string()))
        }
        Value::Plain(text) => ScalarValue::Utf8(Some(text.clone())),
    };
    let value = source.cast_to(kind).ok().filter(|value| !value.is_null())?;
    if !kind.is_floating() {
        return Some(value);
    }
    let ScalarValue::Float64(Some(float)) = value.cast_to(&DataType::Float64).ok()? else {
        return None;
    };
    match float {
        0.0 => ScalarValue::Float64(Some(0.0)).cast_to(kind).ok(),
        float => float.is_finite().then_some(value),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::TimeUnit;

    use super::*;

    fn plain(text: &str, kind: &DataType) -> Option<String> {
        let key = Value::Plain(text.into());
        fits(&key, kind).then(|| converted(&key, kind)).flatten().map(|value| value.to_string())
    }

    #[test]
    fn keys_take_the_type_of_their_column() {
        let number = |text: &str| Value::Number(text.parse().unwrap());
        let seconds = DataType::Timestamp(TimeUnit::Second, None);
        for (key, kind, fitting) in [
            (Value::Text("a".into()), DataType::Utf8, true),
            (Value::Text("1".into()), DataType::Int64, false),
            (number("1"), DataType::Int8, true),
            (number("300"), DataType::Int8, false),
            (number("-1"), DataType::UInt8, false),
            (number("1/2"), DataType::Int64, false),
            (number("1/2"), DataType::Float32, true),
            (number("1/2"), DataType::Decimal128(5, 2), true),
            (number("1"), DataType::Utf8, false),
            (number("1"), DataType::Boolean, false),
            (Value::Boolean(true), DataType::Boolean, true),
            (Value::Boolean(true), DataType::Utf8, false),
            (Value::Moment("2026-01-31".into()), DataType::Date32, true),
            (Value::Moment("2026-01-31T12:00:00".into()), seconds.clone(), true),
            (Value::Text("2026-01-31".into()), seconds, true),
            (Value::Text("soon".into()), DataType::Date32, false),
            (Value::Moment("2026-01-31".into()), DataType::Utf8, false),
        ] {
            let value = fits(&key, &kind).then(|| converted(&key, &kind)).flatten();
            assert_eq!(value.is_some(), fitting, "{key:?} as {kind}: {value:?}");
            assert!(value.is_none_or(|value| value.data_type() == kind));
        }
    }

    #[test]
    fn words_of_a_command_line_are_what_the_column_is() {
        assert_eq!(plain("7", &DataType::Int32).as_deref(), Some("7"));
        assert_eq!(plain("7", &DataType::Utf8).as_deref(), Some("7"));
        assert_eq!(plain("-0", &DataType::Float64), plain("0", &DataType::Float64));
        assert_eq!(plain("true", &DataType::Boolean).as_deref(), Some("true"));
        for bad in ["nan", "inf", "1e999", "x", ""] {
            assert_eq!(plain(bad, &DataType::Float64), None, "{bad}");
        }
    }
}
