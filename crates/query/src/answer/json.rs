//! An answer as JSON.

use datafusion::arrow::array::{Array, Float64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use serde_json::{Map, Value, json};

use super::table::{Kind, Table, TableColumn};
use super::write::Cells;

impl Table {
    /// The table part of `throng/1`: `columns` with name, kind and type, `rows` as objects by name.
    ///
    /// A key is its plain value; a value is an object with `value` and, where there are intervals,
    /// `low` and `high`. Numbers are finite: what is not is null. Numbers are numbers (decimals as
    /// the nearest 64-bit float), logical values true or false, everything else text.
    pub fn to_json(&self, intervals: bool) -> Value {
        let columns: Vec<Value> =
            self.columns.iter().zip(self.batch.columns()).map(described).collect();
        let cells: Vec<Vec<Value>> =
            self.batch.columns().iter().map(|array| plain(array)).collect();
        let rows: Vec<Value> = (0..self.rows())
            .map(|row| {
                let named = self.columns.iter().zip(&cells).map(|(column, cells)| {
                    let value = cells.get(row).cloned().unwrap_or(Value::Null);
                    (column.name.clone(), cell(column, value, row, intervals))
                });
                Value::Object(named.collect::<Map<_, _>>())
            })
            .collect();
        json!({ "columns": columns, "rows": rows })
    }
}

fn described((column, array): (&TableColumn, &datafusion::arrow::array::ArrayRef)) -> Value {
    let kind = match column.kind {
        Kind::Key => "key",
        Kind::Value => "value",
    };
    json!({ "name": column.name, "kind": kind, "type": array.data_type().to_string() })
}

fn cell(column: &TableColumn, value: Value, row: usize, intervals: bool) -> Value {
    let ends = column.ends.as_ref().filter(|_| intervals).map(|ends| ends.at(row));
    match (column.kind, ends) {
        (Kind::Key, _) => value,
        (Kind::Value, None) => json!({ "value": value }),
        (Kind::Value, Some((low, high))) => json!({ "value": value, "low": low, "high": high }),
    }
}

/// The cells of a column as plain JSON values.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn plain(array: &dyn Array) -> Vec<Value> {
    let cells = Cells::of(array);
    let texts = (0..array.len()).map(|row| cells.at(row));
    match array.data_type() {
        DataType::Boolean => {
            texts.map(|text| text.map_or(Value::Null, |t| json!(t == "true"))).collect()
        }
        kind if kind.is_integer() => texts.map(whole).collect(),
        kind if kind.is_numeric() => floats(array),
        _ => texts.map(|text| text.map_or(Value::Null, Value::String)).collect(),
    }
}

fn whole(text: Option<String>) -> Value {
    let Some(text) = text else { return Value::Null };
    let signed = text.parse::<i64>().ok().map(Value::from);
    signed.or_else(|| text.parse::<u64>().ok().map(Value::from)).unwrap_or(Value::Null)
}

fn floats(array: &dyn Array) -> Vec<Value> {
    let floats = cast(array, &DataType::Float64).ok();
    let floats = floats.as_ref().and_then(|array| array.as_any().downcast_ref::<Float64Array>());
    // `Value::from` of a number that is not finite is null.
    floats.map_or_else(
        || vec![Value::Null; array.len()],
        |floats| floats.iter().map(|x| x.map_or(Value::Null, Value::from)).collect(),
    )
}
