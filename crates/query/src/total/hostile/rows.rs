//! A batch of hostile rows, for tests.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, StringArray, UInt32Array};
use datafusion::arrow::compute::{concat, take};
use datafusion::arrow::datatypes::{DataType, Field, IntervalUnit, Schema, TimeUnit};
use datafusion::common::Result;

/// The columns of [`batch`]: their names and types.
#[must_use]
pub fn kinds() -> Vec<(&'static str, DataType)> {
    vec![
        ("flag", DataType::Boolean),
        ("i8", DataType::Int8),
        ("i16", DataType::Int16),
        ("i32", DataType::Int32),
        ("i64", DataType::Int64),
        ("u8", DataType::UInt8),
        ("u16", DataType::UInt16),
        ("u32", DataType::UInt32),
        ("u64", DataType::UInt64),
        ("f32", DataType::Float32),
        ("f64", DataType::Float64),
        ("money", DataType::Decimal128(9, 2)),
        ("wide", DataType::Decimal128(38, 10)),
        ("wider", DataType::Decimal256(76, 4)),
        ("city", DataType::Utf8),
        ("large_city", DataType::LargeUtf8),
        ("view_city", DataType::Utf8View),
        ("bytes", DataType::Binary),
        ("day", DataType::Date32),
        ("day64", DataType::Date64),
        ("at_s", DataType::Timestamp(TimeUnit::Second, None)),
        ("at_ms", DataType::Timestamp(TimeUnit::Millisecond, None)),
        ("at_us", DataType::Timestamp(TimeUnit::Microsecond, None)),
        ("at", DataType::Timestamp(TimeUnit::Nanosecond, None)),
        ("at_zone", DataType::Timestamp(TimeUnit::Microsecond, Some("+02:00".into()))),
        ("clock", DataType::Time32(TimeUnit::Second)),
        ("clock64", DataType::Time64(TimeUnit::Nanosecond)),
        ("lasting", DataType::Duration(TimeUnit::Nanosecond)),
        ("months", DataType::Interval(IntervalUnit::YearMonth)),
        ("span", DataType::Interval(IntervalUnit::MonthDayNano)),
    ]
}

/// A batch of hostile rows: every type of [`kinds`], each value of each type at least once, and a
/// second column of each type, `…_b`, in another order.
///
/// # Errors
/// Never; the engine's constructors are fallible.
pub fn batch() -> Result<RecordBatch> {
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (suffix, step) in [("", 1), ("_b", 7)] {
        for (place, (name, kind)) in kinds().into_iter().enumerate() {
            let values = super::column(&kind)
                .ok_or_else(|| datafusion::common::plan_datafusion_err!("no values of {kind}"))?;
            let values = if kind == DataType::Utf8 { with_long(&values)? } else { values };
            fields.push(Field::new(format!("{name}{suffix}"), kind, true));
            columns.push(cycled(&values, place * step, step)?);
        }
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// Rows of the batch.
const ROWS: usize = 60;

fn with_long(texts: &ArrayRef) -> Result<ArrayRef> {
    let long = StringArray::from(vec!["ab,".repeat(30_000)]);
    Ok(concat(&[texts.as_ref(), &long])?)
}

fn cycled(values: &ArrayRef, start: usize, step: usize) -> Result<ArrayRef> {
    let length = values.len().max(1);
    let order = (0..ROWS).map(|row| u32::try_from((row * step + start) % length).unwrap_or(0));
    Ok(take(values, &order.collect::<UInt32Array>(), None)?)
}
