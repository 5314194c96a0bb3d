//! The values that break expressions: both ends of every type, and what lies just beside them.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{
    DataType, IntervalDayTime, IntervalMonthDayNano, IntervalUnit, TimeUnit, i256,
};
use datafusion::common::ScalarValue;

#[cfg(any(test, feature = "test-util"))]
pub use rows::{batch, kinds};

/// Texts that look like other things, or like trouble.
const TEXTS: [&str; 26] = [
    "",
    " ",
    "a",
    "Ab,cD",
    "city_01",
    "1",
    "-1",
    "0",
    "1e400",
    "-0.0",
    "NaN",
    "inf",
    "0x10",
    "+7",
    "9223372036854775808",
    "170141183460469231731687303715884105728",
    "true",
    "2024-02-29",
    "2023-02-29",
    "-262144-01-01",
    "1677-09-21T00:12:43",
    "99:99:99",
    "a\0b",
    "ß🏳️‍🌈ΐİ\u{301}",
    "%_\\",
    "(((a+)+)+$",
];

/// A column of hostile values of a type, with NULL; `None` for types that expressions do not take.
#[must_use]
pub(super) fn column(kind: &DataType) -> Option<ArrayRef> {
    let values = values(kind)?;
    let null = ScalarValue::try_from(kind).ok()?;
    ScalarValue::iter_to_array(values.into_iter().chain([null])).ok()
}

macro_rules! ends {
    ($variant:ident, $native:ty) => {{
        let (low, high) = (<$native>::MIN, <$native>::MAX);
        [low, low + 1, low / 2, 0, 1, 2, 33, 100, high / 2, high - 1, high]
            .map(|value| ScalarValue::$variant(Some(value)))
            .to_vec()
    }};
}

/// Both ends, the middle, and the ends of 64-bit nanoseconds in coarser units.
fn instants(per_second: i64) -> Vec<i64> {
    let edge = 9_223_372_036_i64.saturating_mul(per_second);
    // The first and last instants that a calendar of ±262,143 years knows.
    let year = 31_556_952_i64.saturating_mul(per_second);
    let age = year.saturating_mul(262_142);
    let some = [
        i64::MIN,
        i64::MIN + 1,
        -age.saturating_mul(2),
        -age,
        -edge - 1,
        -edge,
        -1,
        0,
        1,
        year * 54,
        year * 54 + 12_345,
        edge,
        edge + 1,
        age,
        age.saturating_mul(2),
        i64::MAX - 1,
        i64::MAX,
    ];
    some.to_vec()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not taken")]
fn values(kind: &DataType) -> Option<Vec<ScalarValue>> {
    Some(match kind {
        DataType::Null => vec![],
        DataType::Boolean => [false, true].map(ScalarValue::from).to_vec(),
        DataType::Int8 => ends!(Int8, i8),
        DataType::Int16 => ends!(Int16, i16),
        DataType::Int32 => ends!(Int32, i32),
        DataType::Int64 => ends!(Int64, i64),
        DataType::UInt8 => ends!(UInt8, u8),
        DataType::UInt16 => ends!(UInt16, u16),
        DataType::UInt32 => ends!(UInt32, u32),
        DataType::UInt64 => ends!(UInt64, u64),
        DataType::Float32 => singles().map(ScalarValue::from).to_vec(),
        DataType::Float64 => doubles().map(ScalarValue::from).to_vec(),
        DataType::Decimal128(digits, scale) => decimals(*digits)
            .map(|value| ScalarValue::Decimal128(Some(value), *digits, *scale))
            .to_vec(),
        DataType::Decimal256(digits, scale) => wide_decimals()
            .map(|value| ScalarValue::Decimal256(Some(value), *digits, *scale))
            .to_vec(),
        DataType::Utf8 => texts().into_iter().map(|text| ScalarValue::Utf8(Some(text))).collect(),
        DataType::LargeUtf8 => {
            texts().into_iter().map(|text| ScalarValue::LargeUtf8(Some(text))).collect()
        }
        DataType::Utf8View => {
            texts().into_iter().map(|text| ScalarValue::Utf8View(Some(text))).collect()
        }
        DataType::Binary => [vec![], vec![0, 0xff, 0xfe], b"a".to_vec()]
            .map(|b| ScalarValue::Binary(Some(b)))
            .to_vec(),
        DataType::Date32 => ends!(Date32, i32)
            .into_iter()
            .chain(
                [-719_529, 19_782, 95_026_237, 95_026_238, -96_465_293]
                    .map(|d| ScalarValue::Date32(Some(d))),
            )
            .collect(),
        DataType::Date64 => {
            instants(1000).into_iter().map(|v| ScalarValue::Date64(Some(v))).collect()
        }
        DataType::Time32(TimeUnit::Second) => ends!(Time32Second, i32),
        DataType::Time32(TimeUnit::Millisecond) => ends!(Time32Millisecond, i32),
        DataType::Time64(TimeUnit::Microsecond) => ends!(Time64Microsecond, i64),
        DataType::Time64(TimeUnit::Nanosecond) => ends!(Time64Nanosecond, i64),
        DataType::Timestamp(unit, zone) => instants(per_second(*unit))
            .into_iter()
            .map(|value| match unit {
                TimeUnit::Second => ScalarValue::TimestampSecond(Some(value), zone.clone()),
                TimeUnit::Millisecond => {
                    ScalarValue::TimestampMillisecond(Some(value), zone.clone())
                }
                TimeUnit::Microsecond => {
                    ScalarValue::TimestampMicrosecond(Some(value), zone.clone())
                }
                TimeUnit::Nanosecond => ScalarValue::TimestampNanosecond(Some(value), zone.clone()),
            })
            .collect(),
        DataType::Duration(TimeUnit::Second) => ends!(DurationSecond, i64),
        DataType::Duration(TimeUnit::Millisecond) => ends!(DurationMillisecond, i64),
        DataType::Duration(TimeUnit::Microsecond) => ends!(DurationMicrosecond, i64),
        DataType::Duration(TimeUnit::Nanosecond) => ends!(DurationNanosecond, i64),
        DataType::Interval(unit) => intervals(*unit),
        _ => return None,
    })
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn intervals(unit: IntervalUnit) -> Vec<ScalarValue> {
    let parts = [i32::MIN, i32::MIN + 1, -1, 0, 1, 33, i32::MAX];
    match unit {
        IntervalUnit::YearMonth => {
            parts.map(|part| ScalarValue::IntervalYearMonth(Some(part))).to_vec()
        }
        IntervalUnit::DayTime => parts
            .map(|part| ScalarValue::IntervalDayTime(Some(IntervalDayTime::new(part, part))))
            .to_vec(),
        IntervalUnit::MonthDayNano => parts
            .map(|part| {
                let nanos = i64::from(part).saturating_mul(4_294_967_296);
                ScalarValue::IntervalMonthDayNano(Some(IntervalMonthDayNano::new(
                    part, part, nanos,
                )))
            })
            .to_vec(),
    }
}

fn doubles() -> [f64; 20] {
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        33.0,
        1e15,
        9_007_199_254_740_994.0,
        9.223_372_036_854_776e18,
        -9.223_372_036_854_776e18,
        1.8e19,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        -5e-324,
        f64::EPSILON,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ]
}

fn singles() -> [f32; 10] {
    [
        0.0,
        -0.0,
        1.0,
        -1.5,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ]
}

fn decimals(digits: u8) -> [i128; 8] {
    let beyond = 10_i128.checked_pow(u32::from(digits)).unwrap_or(i128::MAX);
    [-(beyond - 1), -100, -1, 0, 1, 33, beyond / 3, beyond - 1]
}

fn wide_decimals() -> [i256; 5] {
    let most = i256::from_i128(i128::MAX);
    [most.wrapping_neg(), i256::MINUS_ONE, i256::ZERO, i256::ONE, most]
}

fn texts() -> Vec<String> {
    TEXTS.iter().map(ToString::to_string).collect()
}

#[cfg(any(test, feature = "test-util"))]
mod rows;
