//! Literals as rationals.

use datafusion::common::ScalarValue;
use throng_numeric::Rational;

/// The value of a literal, if it is a finite number or a truth value.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is no number")]
pub(super) fn number(value: &ScalarValue) -> Option<Rational> {
    match value {
        ScalarValue::Boolean(Some(value)) => Some(Rational::from(u32::from(*value))),
        ScalarValue::Int8(Some(value)) => Some(Rational::from(i64::from(*value))),
        ScalarValue::Int16(Some(value)) => Some(Rational::from(i64::from(*value))),
        ScalarValue::Int32(Some(value)) => Some(Rational::from(*value)),
        ScalarValue::Int64(Some(value)) => Some(Rational::from(*value)),
        ScalarValue::UInt8(Some(value)) => Some(Rational::from(*value)),
        ScalarValue::UInt16(Some(value)) => Some(Rational::from(u32::from(*value))),
        ScalarValue::UInt32(Some(value)) => Some(Rational::from(*value)),
        ScalarValue::UInt64(Some(value)) => Some(Rational::from(*value)),
        ScalarValue::Float32(Some(value)) => Rational::from_f64(f64::from(*value)).ok(),
        ScalarValue::Float64(Some(value)) => Rational::from_f64(*value).ok(),
        ScalarValue::Decimal128(Some(value), _, scale) => {
            Some(&Rational::from(*value) * &ten_to_minus(*scale)?)
        }
        _ => None,
    }
}

/// 10^(−scale) for the scales that 128-bit decimals have.
pub(super) fn ten_to_minus(scale: i8) -> Option<Rational> {
    let power = 10_u128.checked_pow(u32::from(scale.unsigned_abs()))?;
    let power = Rational::from(power);
    if scale < 0 { Some(power) } else { Rational::ONE.checked_div(&power).ok() }
}
