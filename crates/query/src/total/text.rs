//! How long a text may be that an expression makes.
//!
//! `replace(replace(x, …), …)` turns one row into gigabytes, and a batch whose texts are longer
//! than 2 GiB together cannot be held by the engine at all: both would tell that such a row exists.
//! So functions that make text neither read nor write a text longer than [`LONGEST`]: the row is
//! NULL.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, BooleanBufferBuilder, LargeStringArray, StringArray,
    StringViewArray,
};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::or;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::ColumnarValue;

/// The longest text, in bytes, that a text-making function reads or writes.
pub const LONGEST: usize = 1 << 16;

/// The most bytes that a function makes at once.
pub(super) const BATCH: usize = 1 << 26;

/// Whether values of a type are texts.
pub(super) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The bytes of the texts among the arguments, and one more.
pub(super) fn bytes(args: &[ColumnarValue]) -> usize {
    args.iter().map(bytes_of).fold(1, usize::saturating_add)
}

fn bytes_of(arg: &ColumnarValue) -> usize {
    match arg {
        ColumnarValue::Array(array) => {
            lengths(array).map_or(0, |lengths| lengths.fold(0, usize::saturating_add))
        }
        ColumnarValue::Scalar(value) => scalar_length(value),
    }
}

fn scalar_length(value: &ScalarValue) -> usize {
    value.try_as_str().flatten().map_or(0, str::len)
}

/// The length of each text, if it is text.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not text")]
fn lengths(array: &ArrayRef) -> Option<Box<dyn Iterator<Item = usize> + '_>> {
    let length = |text: Option<&str>| text.map_or(0, str::len);
    match array.data_type() {
        DataType::Utf8 => Some(Box::new(array.as_string::<i32>().iter().map(length))),
        DataType::LargeUtf8 => Some(Box::new(array.as_string::<i64>().iter().map(length))),
        DataType::Utf8View => Some(Box::new(array.as_string_view().iter().map(length))),
        _ => None,
    }
}

/// The rows with a text that is too long; `None` if there are none.
pub(super) fn long(args: &[ColumnarValue], rows: usize) -> Result<Option<BooleanArray>> {
    let masks = args.iter().filter_map(|arg| match arg {
        ColumnarValue::Array(array) => long_rows(array),
        ColumnarValue::Scalar(value) if scalar_length(value) > LONGEST => {
            Some(BooleanArray::new(BooleanBuffer::new_set(rows), None))
        }
        ColumnarValue::Scalar(_) => None,
    });
    any(masks)
}

fn long_rows(array: &ArrayRef) -> Option<BooleanArray> {
    if !lengths(array)?.any(|length| length > LONGEST) {
        return None;
    }
    let mut mask = BooleanBufferBuilder::new(array.len());
    lengths(array)?.for_each(|length| mask.append(length > LONGEST));
    Some(BooleanArray::new(mask.finish(), None))
}

/// The rows with a NULL argument; `None` if there are none.
pub(super) fn absent(args: &[ColumnarValue], rows: usize) -> Result<Option<BooleanArray>> {
    let masks = args.iter().filter_map(|arg| match arg {
        ColumnarValue::Array(array) => {
            let nulls = array.logical_nulls()?;
            Some(BooleanArray::new(!nulls.inner(), None))
        }
        ColumnarValue::Scalar(value) => {
            value.is_null().then(|| BooleanArray::new(BooleanBuffer::new_set(rows), None))
        }
    });
    any(masks)
}

fn any(mut masks: impl Iterator<Item = BooleanArray>) -> Result<Option<BooleanArray>> {
    let Some(first) = masks.next() else { return Ok(None) };
    Ok(Some(masks.try_fold(first, |all, mask| or(&all, &mask))?))
}

/// The texts, NULL where they are too long; a copy, so that no byte of those is kept.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not text")]
pub(super) fn shortened(array: ArrayRef) -> ArrayRef {
    if long_rows(&array).is_none() {
        return array;
    }
    let short = |text: &&str| text.len() <= LONGEST;
    match array.data_type() {
        DataType::Utf8 => {
            let texts = array.as_string::<i32>().iter().map(|text| text.filter(short));
            Arc::new(texts.collect::<StringArray>())
        }
        DataType::LargeUtf8 => {
            let texts = array.as_string::<i64>().iter().map(|text| text.filter(short));
            Arc::new(texts.collect::<LargeStringArray>())
        }
        DataType::Utf8View => {
            let texts = array.as_string_view().iter().map(|text| text.filter(short));
            Arc::new(texts.collect::<StringViewArray>())
        }
        _ => array,
    }
}
