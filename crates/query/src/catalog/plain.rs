//! Arrays in the types of a table, whatever way they were written in: no row can fail.
//!
//! Text may come with 32-bit or 64-bit offsets, as views, or as a dictionary. The engine's own casts
//! fail where offsets do not fit 32 bits, which a single row can bring about; an error that depends on
//! a row would tell about it. So text is copied value by value here, batches of much text are
//! cut into smaller ones, and a value beyond 16 MiB is cut, as in CSV files.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder, BinaryViewArray, LargeBinaryArray,
    LargeStringArray, RecordBatch, RecordBatchOptions, StringArray, StringBuilder, StringViewArray,
};
use datafusion::arrow::compute::can_cast_types;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::DataFusionError;

use super::stream::{lost, typed};

/// A value longer than this is cut: one row must not be able to overflow a batch.
pub(super) const VALUE_BYTES: usize = 16 << 20;

/// A batch holds at most this many bytes of one column of copied text: offsets have 32 bits.
pub(super) const BATCH_BYTES: usize = 64 << 20;

/// Whether arrays of one type can be given in another without failing on any value.
#[expect(clippy::wildcard_enum_match_arm, reason = "other types are not made of others")]
pub(super) fn can_be(from: &DataType, to: &DataType) -> bool {
    let flat = match from {
        DataType::Dictionary(_, value) => {
            !value.is_nested() && !matches!(**value, DataType::Dictionary(_, _))
        }
        _ => true,
    };
    from == to || is_text(from) || (flat && can_cast_types(from, to))
}

/// Whether values are text or bytes that are copied one by one.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is neither")]
fn is_text(kind: &DataType) -> bool {
    let flat = |kind: &DataType| {
        matches!(
            kind,
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
        )
    };
    match kind {
        DataType::Dictionary(_, value) => flat(value),
        kind => flat(kind),
    }
}

/// A batch in the types of the table, in pieces of little enough text.
pub(super) fn conform(
    batch: &RecordBatch,
    schema: &SchemaRef,
) -> Vec<Result<RecordBatch, DataFusionError>> {
    let mut pieces = Vec::new();
    let mut ahead = vec![batch.clone()];
    while let Some(batch) = ahead.pop() {
        let rows = batch.num_rows();
        if rows > 1 && too_wide(&batch, schema) {
            let half = rows / 2;
            ahead.push(batch.slice(half, rows - half));
            ahead.push(batch.slice(0, half));
        } else {
            pieces.push(typed_batch(&batch, schema));
        }
    }
    pieces
}

fn too_wide(batch: &RecordBatch, schema: &SchemaRef) -> bool {
    let columns = batch.columns().iter().zip(schema.fields());
    let mut copied = columns.filter(|(column, field)| column.data_type() != field.data_type());
    copied.any(|(column, _)| {
        let Some(texts) = Texts::of(column) else { return false };
        let lengths = (0..column.len()).filter_map(|row| Some(texts.at(row)?.len()));
        lengths.map(|length| length.min(VALUE_BYTES)).sum::<usize>() > BATCH_BYTES
    })
}

fn typed_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, DataFusionError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| plain(column, field.data_type()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options).map_err(|_| lost())
}

/// Values in another type that they can be given in; the same array if it is of that type.
fn plain(values: &ArrayRef, kind: &DataType) -> Result<ArrayRef, DataFusionError> {
    if values.data_type() == kind {
        return Ok(Arc::clone(values));
    }
    match Texts::of(values) {
        Some(texts) if *kind == DataType::Utf8 => Ok(texts.text(values.len())),
        Some(texts) if *kind == DataType::Binary => Ok(texts.bytes(values.len())),
        Some(_) | None => typed(values, kind),
    }
}

/// Text or bytes, however they are kept.
struct Texts<'a> {
    values: Values<'a>,
    /// For a dictionary: which value each row has, and which rows have none.
    places: Option<(Vec<usize>, &'a dyn Array)>,
}

enum Values<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
}

impl<'a> Texts<'a> {
    fn of(array: &'a ArrayRef) -> Option<Self> {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return Some(Self { values: Values::of(array)?, places: None });
        };
        let values = Values::of(dictionary.values())?;
        let keys = dictionary.keys();
        // Without any value there is no key to look up.
        let places = match dictionary.values().is_empty() {
            true => Vec::new(),
            false => dictionary.normalized_keys(),
        };
        Some(Self { values, places: Some((places, keys)) })
    }

    fn at(&self, row: usize) -> Option<&'a [u8]> {
        match &self.places {
            None => self.values.at(row),
            Some((_, keys)) if keys.is_null(row) => None,
            Some((places, _)) => self.values.at(*places.get(row)?),
        }
    }

    fn cut(&self, row: usize) -> Option<&'a [u8]> {
        self.at(row).map(|bytes| bytes.get(..VALUE_BYTES).unwrap_or(bytes))
    }

    fn text(&self, rows: usize) -> ArrayRef {
        let mut builder = StringBuilder::with_capacity(rows, 0);
        for row in 0..rows {
            builder.append_option(self.cut(row).map(String::from_utf8_lossy));
        }
        Arc::new(builder.finish())
    }

    fn bytes(&self, rows: usize) -> ArrayRef {
        let mut builder = BinaryBuilder::with_capacity(rows, 0);
        for row in 0..rows {
            builder.append_option(self.cut(row));
        }
        Arc::new(builder.finish())
    }
}

impl<'a> Values<'a> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is neither")]
    fn of(array: &'a ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view()),
            DataType::Binary => Self::Binary(array.as_binary()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view()),
            _ => return None,
        })
    }

    fn at(&self, row: usize) -> Option<&'a [u8]> {
        fn some<T>(array: &dyn Array, row: usize, value: impl FnOnce() -> T) -> Option<T> {
            (row < array.len() && array.is_valid(row)).then(value)
        }
        match self {
            Self::Utf8(array) => some(array, row, || array.value(row).as_bytes()),
            Self::LargeUtf8(array) => some(array, row, || array.value(row).as_bytes()),
            Self::Utf8View(array) => some(array, row, || array.value(row).as_bytes()),
            Self::Binary(array) => some(array, row, || array.value(row)),
            Self::LargeBinary(array) => some(array, row, || array.value(row)),
            Self::BinaryView(array) => some(array, row, || array.value(row)),
        }
    }
}
