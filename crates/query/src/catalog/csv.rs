//! CSV files, read so that no row can fail.
//!
//! A row with too few fields ends in NULLs, fields beyond the header are dropped, bytes that are
//! not UTF-8 become U+FFFD, an empty field is NULL, and what does not parse as its declared type
//! is NULL. An error that depends on a row would tell about it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use ::csv::{ByteRecord, Reader, ReaderBuilder};
use datafusion::arrow::array::{ArrayRef, RecordBatchOptions, StringBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::DataFusionError;

use super::stream::{lost, typed};
use crate::QueryError;
use crate::policy::{Kind, Table};

/// The columns named by the header, with the types the policy declares; text where it does not.
pub(super) fn header(table: &Table, path: &Path, file: File) -> Result<Schema, QueryError> {
    let broken = || {
        let what = format!("table {}: {} has no header of UTF-8 text", table.name, path.display());
        QueryError::invalid(what, "the first line of a CSV file names its columns")
    };
    let mut reader = reader(file);
    let names = reader.byte_headers().map_err(|_| broken())?;
    if names.is_empty() {
        return Err(broken());
    }
    let mut fields = Vec::with_capacity(names.len());
    for name in names {
        let name = std::str::from_utf8(name).map_err(|_| broken())?.trim();
        let kind = table.column(name).and_then(|rule| rule.kind).unwrap_or(Kind::Text);
        fields.push(Field::new(name, kind.data_type(), true));
    }
    Ok(Schema::new(fields))
}

fn reader<R: Read>(source: R) -> Reader<R> {
    ReaderBuilder::new().flexible(true).buffer_capacity(1 << 17).from_reader(source)
}

/// The batches of one file: its columns of these numbers, as this schema has them.
pub(super) fn batches(
    file: impl Read + Send,
    columns: Arc<[usize]>,
    schema: SchemaRef,
    rows: usize,
) -> impl Iterator<Item = Result<RecordBatch, DataFusionError>> + Send {
    Batches { reader: reader(file), record: ByteRecord::new(), columns, schema, rows }
}

struct Batches<R> {
    reader: Reader<R>,
    record: ByteRecord,
    columns: Arc<[usize]>,
    schema: SchemaRef,
    rows: usize,
}

impl<R: Read> Iterator for Batches<R> {
    type Item = Result<RecordBatch, DataFusionError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

/// A batch ends early when it holds this many bytes: offsets of text are 32 bits.
const BATCH_BYTES: usize = 64 << 20;

impl<R: Read> Batches<R> {
    fn is_text(&self, column: usize) -> bool {
        self.schema.fields().get(column).is_some_and(|field| *field.data_type() == DataType::Utf8)
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, DataFusionError> {
        let mut builders: Vec<_> = self.columns.iter().map(|_| StringBuilder::new()).collect();
        let (mut rows, mut bytes) = (0, 0);
        while rows < self.rows && bytes < BATCH_BYTES {
            if !self.reader.read_byte_record(&mut self.record).map_err(|_| lost())? {
                break;
            }
            rows += 1;
            bytes += self.record.as_slice().len();
            for (i, builder) in builders.iter_mut().enumerate() {
                let (column, text) = (self.columns.get(i), self.is_text(i));
                append(builder, column.and_then(|column| self.record.get(*column)), text);
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        let fields = self.schema.fields().iter();
        let typed = fields
            .zip(builders)
            .map(|(field, mut b)| typed(&(Arc::new(b.finish()) as ArrayRef), field.data_type()));
        let arrays = typed.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        Ok(Some(batch))
    }
}

/// A field longer than this is cut: one row must not be able to overflow a batch.
const FIELD_BYTES: usize = 16 << 20;

/// Text is taken as it is; around other values white space does not matter.
fn append(builder: &mut StringBuilder, field: Option<&[u8]>, text: bool) {
    match field.map(|bytes| if text { bytes } else { bytes.trim_ascii() }) {
        None | Some([]) => builder.append_null(),
        Some(bytes) => {
            let bytes = bytes.get(..FIELD_BYTES).unwrap_or(bytes);
            builder.append_value(String::from_utf8_lossy(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::util::display::array_value_to_string;
    use proptest::prelude::*;

    use super::*;

    const KINDS: [Kind; 6] =
        [Kind::Text, Kind::Integer, Kind::Number, Kind::Boolean, Kind::Date, Kind::Timestamp];

    fn read(bytes: &[u8], kinds: &[Kind], rows: usize) -> Vec<RecordBatch> {
        let field = |(i, kind): (usize, &Kind)| Field::new(format!("c{i}"), kind.data_type(), true);
        let schema = Schema::new(kinds.iter().enumerate().map(field).collect::<Vec<_>>());
        let columns: Vec<usize> = (0..kinds.len()).collect();
        let batches = Batches {
            reader: reader(bytes),
            record: ByteRecord::new(),
            columns: columns.into(),
            schema: Arc::new(schema),
            rows,
        };
        batches.collect::<Result<_, _>>().unwrap()
    }

    fn cells(batches: &[RecordBatch]) -> Vec<Vec<String>> {
        let row = |batch: &RecordBatch, row: usize| {
            let cell = |column: &ArrayRef| array_value_to_string(column, row).unwrap();
            batch.columns().iter().map(cell).collect()
        };
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |i| row(batch, i))).collect()
    }

    #[test]
    fn no_row_can_fail() {
        let bytes = b"\xef\xbb\xbfc0,c1\n1,a\n x ,b,extra,fields\n3\n\n,\n 4 ,\xff\xfe\n\"5\",\"6\n7\"\n8,\"open\n";
        let rows = cells(&read(bytes, &[Kind::Integer, Kind::Text], 2));
        let expected = [
            ["1", "a"],
            ["", "b"],
            ["3", ""],
            ["", ""],
            ["4", "\u{fffd}\u{fffd}"],
            ["5", "6\n7"],
            ["8", "open\n"],
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn types_are_read_or_null() {
        for (kind, text, shown) in [
            (Kind::Integer, "-9223372036854775808", "-9223372036854775808"),
            (Kind::Integer, "9223372036854775808", ""),
            (Kind::Integer, "1.0", ""),
            (Kind::Number, "1e3", "1000.0"),
            (Kind::Number, "1e999", "inf"),
            (Kind::Number, "one", ""),
            (Kind::Boolean, "true", "true"),
            (Kind::Boolean, "perhaps", ""),
            (Kind::Date, "2026-01-31", "2026-01-31"),
            (Kind::Date, "2026-02-31", ""),
            (Kind::Timestamp, "2026-01-31T12:00:00.5", "2026-01-31T12:00:00.500"),
            (Kind::Timestamp, "999999-01-01T00:00:00", ""),
        ] {
            let bytes = format!("h\n{text}\n");
            assert_eq!(cells(&read(bytes.as_bytes(), &[kind], 10)), [[shown]], "{kind:?} {text}");
        }
    }

    #[test]
    fn counting_needs_no_columns() {
        let batches = read(b"h\n1\n2\n3\n", &[], 2);
        assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2, 1]);
    }

    proptest! {
        #[test]
        fn bytes_never_fail(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes, &KINDS, 3);
        }

        #[test]
        fn words_never_fail(
            words in proptest::collection::vec("[-+0-9eE.:TZ/ ]{0,24}|[^,\"\n]{0,8}", 0..20),
        ) {
            let line = |word: &String| [word.as_str(); 6].join(",");
            let body = words.iter().map(line).collect::<Vec<_>>().join("\n");
            read(format!("a,b,c,d,e,f\n{body}").as_bytes(), &KINDS, 3);
        }
    }
}
