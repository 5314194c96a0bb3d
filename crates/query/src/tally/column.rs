//! Columns as plain numbers.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Date64Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalUnit, IntervalYearMonthType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::error::ArrowError;

use crate::QueryError;

/// The type of the values behind any dictionary encoding.
pub(super) fn value_type(kind: &DataType) -> &DataType {
    if let DataType::Dictionary(_, value) = kind { value_type(value) } else { kind }
}

/// Whether values of a type are words of at most 64 bits.
pub(super) fn is_word(kind: &DataType) -> bool {
    kind.is_integer()
        || matches!(
            kind,
            DataType::Boolean
                | DataType::Float16
                | DataType::Float32
                | DataType::Float64
                | DataType::Date32
                | DataType::Date64
                | DataType::Time32(_)
                | DataType::Time64(_)
                | DataType::Timestamp(_, _)
                | DataType::Duration(_)
                | DataType::Interval(IntervalUnit::YearMonth)
        )
}

/// The array in the plain type that is expected, where that is only another encoding of it.
///
/// # Errors
/// If it is of another type.
pub(super) fn plain(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef, QueryError> {
    let found = array.data_type();
    if found == kind {
        return Ok(Arc::clone(array));
    }
    let encoding_only = value_type(found) == kind
        || (is_text(value_type(found)) && is_text(kind))
        || matches!(found, DataType::Null | DataType::RunEndEncoded(_, _));
    if !encoding_only {
        return Err(unexpected(found, kind));
    }
    cast(array, kind).map_err(|_| unexpected(found, kind))
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn unexpected(found: &DataType, expected: &DataType) -> QueryError {
    QueryError::invalid(format!("a column of type {found} where {expected} was planned"), "")
}

/// The same values without whatever else the buffers of an array hold, and with one form for those
/// that count as equal: which of 0 and -0 came first would tell about the rows of one unit.
pub(super) fn compact(array: ArrayRef) -> ArrayRef {
    if array.data_type().is_floating() {
        return one_form(&array).unwrap_or(array);
    }
    if let Some(views) = array.as_string_view_opt() {
        return Arc::new(views.gc());
    }
    if let Some(views) = array.as_binary_view_opt() {
        return Arc::new(views.gc());
    }
    array
}

/// Numbers with 0 for -0 and the one NaN for all.
fn one_form(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let wide = cast(array, &DataType::Float64)?;
    let same: Float64Array = wide.as_primitive::<Float64Type>().unary(one_float);
    cast(&same, array.data_type())
}

fn one_float(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x + 0.0 }
}

/// One word per row, equal if and only if the values are (0 and -0 are, and all NaN are); anything
/// where it is NULL.
///
/// # Errors
/// If values of this type are not words.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest are integers, or refused there")]
pub(super) fn words(array: &dyn Array) -> Result<Vec<u64>, QueryError> {
    let float = |x: f64| one_float(x).to_bits();
    match array.data_type() {
        DataType::Boolean => {
            let bits = array.as_boolean().values();
            Ok(bits.iter().map(u64::from).collect())
        }
        DataType::Float16 => Ok(each::<Float16Type, _>(array, |x| float(x.to_f64()))),
        DataType::Float32 => Ok(each::<Float32Type, _>(array, |x| float(x.into()))),
        DataType::Float64 => Ok(each::<Float64Type, _>(array, float)),
        DataType::UInt64 => Ok(array.as_primitive::<UInt64Type>().values().to_vec()),
        _ => Ok(integers(array)?.into_iter().map(i64::cast_unsigned).collect()),
    }
}

/// One number per row; anything where it is NULL. Times count in their own unit.
///
/// # Errors
/// If values of this type are not integers of at most 64 bits and a sign.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is refused")]
pub(super) fn integers(array: &dyn Array) -> Result<Vec<i64>, QueryError> {
    use DataType as D;
    use TimeUnit as T;
    Ok(match array.data_type() {
        D::Int8 => each::<Int8Type, _>(array, i64::from),
        D::Int16 => each::<Int16Type, _>(array, i64::from),
        D::Int32 => each::<Int32Type, _>(array, i64::from),
        D::Int64 => each::<Int64Type, _>(array, |x| x),
        D::UInt8 => each::<UInt8Type, _>(array, i64::from),
        D::UInt16 => each::<UInt16Type, _>(array, i64::from),
        D::UInt32 => each::<UInt32Type, _>(array, i64::from),
        D::Date32 => each::<Date32Type, _>(array, i64::from),
        D::Date64 => each::<Date64Type, _>(array, |x| x),
        D::Time32(T::Second) => each::<Time32SecondType, _>(array, i64::from),
        D::Time32(T::Millisecond) => each::<Time32MillisecondType, _>(array, i64::from),
        D::Time64(T::Microsecond) => each::<Time64MicrosecondType, _>(array, |x| x),
        D::Time64(T::Nanosecond) => each::<Time64NanosecondType, _>(array, |x| x),
        D::Timestamp(T::Second, _) => each::<TimestampSecondType, _>(array, |x| x),
        D::Timestamp(T::Millisecond, _) => each::<TimestampMillisecondType, _>(array, |x| x),
        D::Timestamp(T::Microsecond, _) => each::<TimestampMicrosecondType, _>(array, |x| x),
        D::Timestamp(T::Nanosecond, _) => each::<TimestampNanosecondType, _>(array, |x| x),
        D::Duration(T::Second) => each::<DurationSecondType, _>(array, |x| x),
        D::Duration(T::Millisecond) => each::<DurationMillisecondType, _>(array, |x| x),
        D::Duration(T::Microsecond) => each::<DurationMicrosecondType, _>(array, |x| x),
        D::Duration(T::Nanosecond) => each::<DurationNanosecondType, _>(array, |x| x),
        D::Interval(IntervalUnit::YearMonth) => each::<IntervalYearMonthType, _>(array, i64::from),
        kind => {
            return Err(QueryError::invalid(format!("values of type {kind} are not numbers"), ""));
        }
    })
}

/// A function of each value, whether or not it is NULL.
pub(super) fn each<T: ArrowPrimitiveType, U>(
    array: &dyn Array,
    value: impl Fn(T::Native) -> U,
) -> Vec<U> {
    array.as_primitive::<T>().values().iter().map(|x| value(*x)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_count_as_equal_are_kept_in_one_form() {
        let odd = f64::from_bits(f64::NAN.to_bits() ^ 1);
        let array: ArrayRef = Arc::new(Float64Array::from(vec![Some(-0.0), None, Some(-odd)]));
        for kind in [DataType::Float64, DataType::Float32, DataType::Float16] {
            let kept = compact(cast(&array, &kind).unwrap());
            assert_eq!(kept.data_type(), &kind);
            assert!(kept.is_null(1));
            let wide = cast(&kept, &DataType::Float64).unwrap();
            let wide = wide.as_primitive::<Float64Type>();
            assert_eq!(wide.value(0).to_bits(), 0);
            assert!(wide.value(2).is_nan());
        }
    }
}
