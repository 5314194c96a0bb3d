//! The types that expressions on private rows know.

use datafusion::arrow::datatypes::{DataType, TimeUnit};

/// The plain type in which values of a type are worked on; `None` for nested and exotic ones.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is refused")]
pub(super) fn plain(kind: &DataType) -> Option<DataType> {
    match kind {
        DataType::Null
        | DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float32
        | DataType::Float64
        | DataType::Decimal128(..)
        | DataType::Decimal256(..)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(TimeUnit::Second | TimeUnit::Millisecond)
        | DataType::Time64(TimeUnit::Microsecond | TimeUnit::Nanosecond)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Interval(_) => Some(kind.clone()),
        DataType::Float16 => Some(DataType::Float32),
        DataType::Decimal32(digits, scale) | DataType::Decimal64(digits, scale) => {
            Some(DataType::Decimal128(*digits, *scale))
        }
        DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            Some(DataType::Binary)
        }
        DataType::Dictionary(_, values) => plain(values),
        _ => None,
    }
}
