//! Outcomes in the columns of Arrow and Parquet files: one column of single outcomes, or several
//! columns that are a vector together.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float16Array, Float32Array, Float64Array, RecordBatch,
};
use arrow::datatypes::{
    DataType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use throng_audit::{Outcome, Outcomes};

use super::unreadable;
use crate::failure::Failure;

/// The outcomes of an Arrow file, or of a stream of batches.
pub(super) fn arrow(path: &Path, mut file: File) -> Result<Outcomes, Failure> {
    let failed = |error: ArrowError| unreadable(path, &error);
    let kind = Kind::of(&mut file).map_err(|error| unreadable(path, &error))?;
    match kind {
        Some(Kind::File) => {
            collect(path, FileReader::try_new_buffered(file, None).map_err(failed)?)
        }
        Some(Kind::Stream) => {
            collect(path, StreamReader::try_new_buffered(file, None).map_err(failed)?)
        }
        None => Err(unreadable(path, &"it is not an Arrow file")),
    }
}

/// The two forms of Arrow data.
enum Kind {
    File,
    Stream,
}

impl Kind {
    /// Looks at the first bytes. A stream begins with the length of its first message: one that is
    /// longer than the file is none, and no memory is asked for it.
    fn of(file: &mut File) -> io::Result<Option<Self>> {
        let size = file.metadata()?.len();
        let mut start = [0; 8];
        let whole = file.read_exact(&mut start).is_ok();
        file.rewind()?;
        let [a, b, c, d, length @ ..] = start;
        if whole && start.starts_with(b"ARROW1") {
            return Ok(Some(Self::File));
        }
        let fits = u64::from(u32::from_le_bytes(length)) <= size;
        Ok((whole && [a, b, c, d] == [0xff; 4] && fits).then_some(Self::Stream))
    }
}

/// The outcomes of a Parquet file.
pub(super) fn parquet(path: &Path, file: File) -> Result<Outcomes, Failure> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file);
    let batches = builder.and_then(ParquetRecordBatchReaderBuilder::build);
    collect(path, batches.map_err(|error| unreadable(path, &error))?)
}

fn collect(
    path: &Path,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<Outcomes, Failure> {
    let mut all = Outcomes::new();
    for batch in batches {
        let batch = batch.map_err(|error| unreadable(path, &error))?;
        all.append(&outcomes(&batch).map_err(|what| unreadable(path, &what))?);
    }
    Ok(all)
}

fn outcomes(batch: &RecordBatch) -> Result<Outcomes, String> {
    let columns = batch.columns().iter().map(column).collect::<Result<Vec<_>, _>>()?;
    match <[Vec<Outcome>; 1]>::try_from(columns) {
        Ok([column]) => Ok(column.into_iter().collect()),
        Err(columns) if columns.is_empty() => Err("it has no columns".to_owned()),
        Err(columns) => Ok((0..batch.num_rows())
            .map(|row| columns.iter().filter_map(|cells| cells.get(row).cloned()).collect())
            .map(Outcome::List)
            .collect()),
    }
}

/// The cells of a column, each an outcome; a cell that is null is nothing.
#[expect(clippy::wildcard_enum_match_arm, reason = "every type that is not known is refused")]
fn column(array: &ArrayRef) -> Result<Vec<Outcome>, String> {
    macro_rules! whole {
        ($kind:ty) => {
            cells(array.as_primitive::<$kind>().iter(), |x| Outcome::Integer(i64::from(x)))
        };
    }
    if let DataType::Dictionary(_, values) = array.data_type() {
        return column(&arrow::compute::cast(array, values).map_err(|error| error.to_string())?);
    }
    Ok(match array.data_type() {
        DataType::Null => vec![Outcome::Nothing; array.len()],
        DataType::Boolean => booleans(array.as_boolean()),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => cells(array.as_primitive::<UInt64Type>().iter(), unsigned),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => floats(array)?,
        DataType::Utf8 => cells(array.as_string::<i32>().iter(), text),
        DataType::LargeUtf8 => cells(array.as_string::<i64>().iter(), text),
        DataType::Utf8View => cells(array.as_string_view().iter(), text),
        DataType::List(_) => lists(array.as_list::<i32>().iter())?,
        DataType::LargeList(_) => lists(array.as_list::<i64>().iter())?,
        DataType::FixedSizeList(_, _) => lists(array.as_fixed_size_list().iter())?,
        other => {
            return Err(format!("a column has the type {other}, of which outcomes are not made"));
        }
    })
}

fn cells<T>(
    cells: impl Iterator<Item = Option<T>>,
    outcome: impl Fn(T) -> Outcome,
) -> Vec<Outcome> {
    cells.map(|cell| cell.map_or(Outcome::Nothing, &outcome)).collect()
}

fn booleans(array: &BooleanArray) -> Vec<Outcome> {
    cells(array.iter(), |yes| Outcome::Integer(i64::from(yes)))
}

/// A narrow float is the same number as a wide one.
fn floats(array: &ArrayRef) -> Result<Vec<Outcome>, String> {
    let any = array.as_any();
    if let Some(column) = any.downcast_ref::<Float64Array>() {
        return Ok(cells(column.iter(), Outcome::Number));
    }
    if let Some(column) = any.downcast_ref::<Float32Array>() {
        return Ok(cells(column.iter(), |x| Outcome::Number(f64::from(x))));
    }
    let column = any.downcast_ref::<Float16Array>().ok_or("a column is not of its type")?;
    Ok(cells(column.iter(), |x| Outcome::Number(f64::from(x))))
}

/// Whole if it fits, as in text; else the nearest float.
#[expect(clippy::cast_precision_loss, reason = "said so in the documentation of the format")]
fn unsigned(x: u64) -> Outcome {
    i64::try_from(x).map_or(Outcome::Number(x as f64), Outcome::Integer)
}

fn text(text: &str) -> Outcome {
    Outcome::Text(text.to_owned())
}

fn lists(rows: impl Iterator<Item = Option<ArrayRef>>) -> Result<Vec<Outcome>, String> {
    rows.map(|row| row.map_or(Ok(Outcome::Nothing), |items| column(&items).map(Outcome::List)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use arrow::array::{Int32Array, ListArray, StringArray, UInt64Array};
    use arrow::ipc::writer::{FileWriter, StreamWriter};
    use parquet::arrow::ArrowWriter;

    use super::*;

    fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
            .unwrap()
    }

    fn place(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("throng-columns-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder.join(name)
    }

    /// What is read back of a batch, from all three formats.
    fn read_back(name: &str, batch: &RecordBatch) -> Outcomes {
        let write = |ending: &str| {
            let path = place(&format!("{name}.{ending}"));
            (path.clone(), File::create(path).unwrap())
        };
        let (arrow_file, file) = write("arrow");
        let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        let (stream, file) = write("stream");
        let mut writer = StreamWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        let (parquet_file, file) = write("parquet");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        let open = |path: &PathBuf| File::open(path).unwrap();
        let all = [
            arrow(&arrow_file, open(&arrow_file)).unwrap(),
            arrow(&stream, open(&stream)).unwrap(),
            parquet(&parquet_file, open(&parquet_file)).unwrap(),
        ];
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
        let [first, _, _] = all;
        first
    }

    #[test]
    fn one_column_is_outcomes() {
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.1, -0.0, 5e-324]));
        let expected = Outcomes::Numbers(vec![0.1, -0.0, 5e-324]);
        assert_eq!(read_back("floats", &batch(vec![("x", floats)])), expected);
        let narrow: ArrayRef = Arc::new(Float32Array::from(vec![0.1f32]));
        let expected = Outcomes::Numbers(vec![f64::from(0.1f32)]);
        assert_eq!(read_back("narrow", &batch(vec![("x", narrow)])), expected);
        let integers: ArrayRef = Arc::new(Int32Array::from(vec![1, -2]));
        let expected = Outcomes::Integers(vec![1, -2]);
        assert_eq!(read_back("integers", &batch(vec![("x", integers)])), expected);
        let wide: ArrayRef = Arc::new(UInt64Array::from(vec![3, u64::MAX]));
        let largest = Outcome::Number(18_446_744_073_709_551_615.0);
        let expected = Outcomes::Mixed(vec![Outcome::Integer(3), largest]);
        assert_eq!(read_back("wide", &batch(vec![("x", wide)])), expected);
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
        let expected = Outcomes::Mixed(vec![Outcome::Text("a".to_owned()), Outcome::Nothing]);
        assert_eq!(read_back("texts", &batch(vec![("x", texts)])), expected);
        let yes: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
        assert_eq!(read_back("bools", &batch(vec![("x", yes)])), Outcomes::Integers(vec![1, 0]));
    }

    #[test]
    fn lists_and_several_columns_are_vectors() {
        let lists = vec![Some(vec![Some(1), Some(2)]), Some(vec![]), None];
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
        let list =
            |items: &[i64]| Outcome::List(items.iter().copied().map(Outcome::Integer).collect());
        let expected = Outcomes::Mixed(vec![list(&[1, 2]), list(&[]), Outcome::Nothing]);
        assert_eq!(read_back("lists", &batch(vec![("x", lists)])), expected);
        let column = |items: Vec<i32>| -> ArrayRef { Arc::new(Int32Array::from(items)) };
        let two = batch(vec![("x", column(vec![1, 2])), ("y", column(vec![3, 4]))]);
        assert_eq!(read_back("two", &two), Outcomes::Mixed(vec![list(&[1, 3]), list(&[2, 4])]));
    }

    #[test]
    fn other_types_are_refused() {
        let dates: ArrayRef = Arc::new(arrow::array::Date32Array::from(vec![1]));
        assert!(outcomes(&batch(vec![("x", dates)])).unwrap_err().contains("Date32"));
        let path = place("short.arrow");
        for content in
            [&b"nothing at all"[..], b"", b"ARROW1\0\0", b"\xff\xff\xff\xff\xff\xff\xff\x7f"]
        {
            std::fs::write(&path, content).unwrap();
            assert!(arrow(&path, File::open(&path).unwrap()).is_err(), "{content:?}");
        }
    }
}
