//! Noisy numbers in the types of SQL.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Decimal32Array, Decimal64Array, Decimal128Array, Decimal256Array,
    Float64Array, Int64Array, UInt64Array, new_null_array,
};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, i256};
use datafusion::arrow::error::ArrowError;

/// Numbers as an array of a type: rounded to the nearest where the type is whole, saturated where
/// it is too small, NULL where there is none or it is not a number.
///
/// Dates, times and durations are numbers of their own units.
///
/// # Errors
/// [`ArrowError`] if no number can have this type.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is no number")]
pub(super) fn typed(values: &[Option<f64>], kind: &DataType) -> Result<ArrayRef, ArrowError> {
    let known = values.iter().map(|value| value.filter(|x| !x.is_nan()));
    Ok(match kind {
        DataType::Null => new_null_array(kind, values.len()),
        DataType::Boolean => Arc::new(known.map(|x| x.map(|x| x >= 0.5)).collect::<BooleanArray>()),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            cast(&(Arc::new(known.collect::<Float64Array>()) as ArrayRef), kind)?
        }
        DataType::UInt64 => Arc::new(known.map(|x| x.map(unsigned)).collect::<UInt64Array>()),
        DataType::Decimal32(precision, scale) => {
            let cells = known.map(|x| x.map(|x| narrow32(decimal(x, *precision, *scale))));
            Arc::new(
                cells.collect::<Decimal32Array>().with_precision_and_scale(*precision, *scale)?,
            )
        }
        DataType::Decimal64(precision, scale) => {
            let cells = known.map(|x| x.map(|x| narrow64(decimal(x, *precision, *scale))));
            Arc::new(
                cells.collect::<Decimal64Array>().with_precision_and_scale(*precision, *scale)?,
            )
        }
        DataType::Decimal128(precision, scale) => {
            let cells = known.map(|x| x.map(|x| decimal(x, *precision, *scale)));
            let array = cells.collect::<Decimal128Array>();
            Arc::new(array.with_precision_and_scale(*precision, *scale)?)
        }
        DataType::Decimal256(precision, scale) => {
            let cell = |x| i256::from_i128(decimal(x, *precision, *scale));
            let array = known.map(|x| x.map(cell)).collect::<Decimal256Array>();
            Arc::new(array.with_precision_and_scale(*precision, *scale)?)
        }
        _ => {
            let (least, most) = whole_range(kind).ok_or_else(|| unlike(kind))?;
            let cell = |x: f64| signed(x).clamp(least, most);
            let whole: ArrayRef = Arc::new(known.map(|x| x.map(cell)).collect::<Int64Array>());
            in_units(&whole, kind)?
        }
    })
}

fn unlike(kind: &DataType) -> ArrowError {
    ArrowError::InvalidArgumentError(format!("a noisy number cannot have the type {kind}"))
}

/// The whole numbers of a type that is stored as at most 64 bits with a sign.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is no whole number")]
fn whole_range(kind: &DataType) -> Option<(i64, i64)> {
    Some(match kind {
        DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        DataType::Int32 | DataType::Date32 | DataType::Time32(_) => {
            (i32::MIN.into(), i32::MAX.into())
        }
        DataType::UInt8 => (0, u8::MAX.into()),
        DataType::UInt16 => (0, u16::MAX.into()),
        DataType::UInt32 => (0, u32::MAX.into()),
        DataType::Int64
        | DataType::Date64
        | DataType::Time64(_)
        | DataType::Timestamp(_, _)
        | DataType::Duration(_) => (i64::MIN, i64::MAX),
        _ => return None,
    })
}

/// Whole numbers as what they count.
fn in_units(whole: &ArrayRef, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    if matches!(kind, DataType::Date32 | DataType::Time32(_)) {
        return cast(&cast(whole, &DataType::Int32)?, kind);
    }
    cast(whole, kind)
}

fn cast(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    cast_with_options(array, kind, &CastOptions { safe: true, ..CastOptions::default() })
}

#[expect(clippy::cast_possible_truncation, reason = "saturates, which is what is wanted")]
fn signed(x: f64) -> i64 {
    x.round_ties_even() as i64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is what is wanted"
)]
fn unsigned(x: f64) -> u64 {
    x.round_ties_even() as u64
}

/// The nearest multiple of 10^-scale with so many digits, in those multiples.
#[expect(clippy::cast_possible_truncation, reason = "saturates, which is what is wanted")]
fn decimal(x: f64, precision: u8, scale: i8) -> i128 {
    let largest = 10i128.checked_pow(precision.into()).map_or(i128::MAX, |power| power - 1);
    // Parsing is correctly rounded; a power of ten times x would be rounded twice.
    let factor: f64 = format!("1e{scale}").parse().unwrap_or(1.0);
    ((x * factor).round_ties_even() as i128).clamp(-largest, largest)
}

fn narrow32(x: i128) -> i32 {
    i32::try_from(x).unwrap_or(if x < 0 { i32::MIN } else { i32::MAX })
}

fn narrow64(x: i128) -> i64 {
    i64::try_from(x).unwrap_or(if x < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::Array;
    use datafusion::arrow::datatypes::TimeUnit;
    use datafusion::arrow::util::display::array_value_to_string;

    fn shown(value: f64, kind: &DataType) -> String {
        let array = typed(&[Some(value), None, Some(f64::NAN)], kind).unwrap();
        assert_eq!(array.data_type(), kind);
        assert!(array.is_null(1) && array.is_null(2));
        array_value_to_string(&array, 0).unwrap()
    }

    #[test]
    fn numbers_are_rounded_and_saturated() {
        assert_eq!(shown(2.6, &DataType::Int64), "3");
        assert_eq!(shown(1e300, &DataType::Int64), i64::MAX.to_string());
        assert_eq!(shown(f64::NEG_INFINITY, &DataType::Int64), i64::MIN.to_string());
        assert_eq!(shown(-3.0, &DataType::UInt64), "0");
        assert_eq!(shown(1e300, &DataType::UInt64), u64::MAX.to_string());
        assert_eq!(shown(1e6, &DataType::Int8), "127");
        assert_eq!(shown(-7.0, &DataType::UInt16), "0");
        assert_eq!(shown(2.5, &DataType::Float64), "2.5");
        assert_eq!(shown(12.345, &DataType::Decimal128(10, 2)), "12.34");
        assert_eq!(shown(-1e30, &DataType::Decimal128(4, 2)), "-99.99");
        assert_eq!(shown(1e300, &DataType::Decimal256(76, 0)), i128::MAX.to_string());
        assert_eq!(shown(1e9, &DataType::Decimal32(5, 1)), "9999.9");
        assert_eq!(shown(1.25, &DataType::Decimal64(12, 2)), "1.25");
        assert_eq!(shown(1.0, &DataType::Date32), "1970-01-02");
        assert_eq!(shown(1.4, &DataType::Timestamp(TimeUnit::Second, None)), "1970-01-01T00:00:01");
        assert_eq!(shown(0.7, &DataType::Boolean), "true");
    }

    #[test]
    fn text_is_no_number() {
        assert!(typed(&[Some(1.0)], &DataType::Utf8).is_err());
    }
}
