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

fn converted(key: &Value, kind: &DataType) -> Option<ScalarValue> {
    let text = match key {
        // Rationals print as fractions; a decimal column takes what a float can say.
        Value::Number(number) if !number.is_integer() => {
            let nearest = ScalarValue::Float64(Some(number.to_f64_nearest()));
            return nearest.cast_to(kind).ok().filter(|value| !value.is_null());
        }
        Value::Text(_) | Value::Number(_) | Value::Boolean(_) | Value::Moment(_) => key.to_string(),
        Value::Plain(text) => text.clone(),
    };
    let value = ScalarValue::Utf8(Some(text)).cast_to(kind).ok()?;
    (!value.is_null()).then_some(value)
}
