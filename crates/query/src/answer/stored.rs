//! Answers as bytes, for the ledger.
//!
//! ```text
//! "throng answers\n"  version (u8)  answers…  SHA-256 of all before
//! ```
//! Lists are a length (u64, little endian) and their items; numbers are their bits; keys are an
//! Arrow IPC stream. The digest is checked before anything else is read, so that bytes damaged by
//! accident reach no parser.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use sha2::{Digest, Sha256};

use crate::QueryError;
use crate::release::{Answered, Clipping, NoisyColumn};

const MAGIC: &[u8] = b"throng answers\n";
const VERSION: u8 = 1;
const DIGEST: usize = 32;

/// Answers as bytes: [`decode`] gives back the very same, bit by bit.
///
/// # Errors
/// [`QueryError::Invalid`] if keys have a type that Arrow IPC cannot hold.
pub fn encode(answers: &[Answered]) -> Result<Vec<u8>, QueryError> {
    let mut bytes = [MAGIC, &[VERSION]].concat();
    put_length(&mut bytes, answers.len());
    for answer in answers {
        put_answer(&mut bytes, answer).map_err(|_| {
            QueryError::invalid("a key has a type that cannot be stored", "cast it to text")
        })?;
    }
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    Ok(bytes)
}

/// Answers from the bytes of [`encode`].
///
/// # Errors
/// [`QueryError::Invalid`] if the bytes are not such, or of a version that this one does not know.
pub fn decode(bytes: &[u8]) -> Result<Vec<Answered>, QueryError> {
    let damaged =
        || QueryError::invalid("a stored answer is damaged", "run `throng ledger verify`");
    let (body, digest) = bytes.split_last_chunk::<DIGEST>().ok_or_else(damaged)?;
    if Sha256::digest(body).as_slice() != digest {
        return Err(damaged());
    }
    let body = body.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let (&version, rest) = body.split_first().ok_or_else(damaged)?;
    if version != VERSION {
        let what = format!("a stored answer is of version {version}; this program knows {VERSION}");
        return Err(QueryError::invalid(what, "use the program that stored it, or a newer one"));
    }
    let mut reader = Reader(rest);
    let answers = reader.list(Reader::answer).ok_or_else(damaged)?;
    if reader.0.is_empty() { Ok(answers) } else { Err(damaged()) }
}

fn put_answer(bytes: &mut Vec<u8>, answer: &Answered) -> Result<(), ArrowError> {
    put_length(bytes, answer.keys.num_rows());
    let mut stream = Vec::new();
    if answer.keys.num_columns() > 0 {
        let mut writer = StreamWriter::try_new(&mut stream, &answer.keys.schema())?;
        writer.write(&answer.keys)?;
        writer.finish()?;
    }
    put_bytes(bytes, &stream);
    put_length(bytes, answer.columns.len());
    for column in &answer.columns {
        bytes.push(u8::from(column.whole));
        for list in [&column.values, &column.low, &column.high] {
            put_length(bytes, list.len());
            list.iter().for_each(|number| put_maybe(bytes, *number));
        }
    }
    put_maybe(bytes, answer.threshold);
    put_maybe(bytes, answer.clipping.map(|clipping| clipping.lost));
    put_maybe(bytes, answer.clipping.map(|clipping| clipping.low));
    put_maybe(bytes, answer.clipping.map(|clipping| clipping.high));
    for pairs in [&answer.chosen, &answer.facts] {
        put_length(bytes, pairs.len());
        for (name, value) in pairs {
            put_bytes(bytes, name.as_bytes());
            put_bytes(bytes, value.as_bytes());
        }
    }
    Ok(())
}

fn put_length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend_from_slice(&u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes());
}

fn put_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    put_length(bytes, more.len());
    bytes.extend_from_slice(more);
}

fn put_maybe(bytes: &mut Vec<u8>, number: Option<f64>) {
    bytes.push(u8::from(number.is_some()));
    bytes.extend(number.map(f64::to_le_bytes).into_iter().flatten());
}

/// What is left to read; every method is `None` at the first byte that does not fit.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }

    fn flag(&mut self) -> Option<bool> {
        match self.take(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.eight()?)).ok()
    }

    /// Every item has at least one byte, so a length never asks for more memory than bytes are left.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.length().filter(|&length| length <= self.0.len())?;
        (0..length).map(|_| item(self)).collect()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn maybe(&mut self) -> Option<Option<f64>> {
        if self.flag()? { Some(Some(f64::from_le_bytes(self.eight()?))) } else { Some(None) }
    }

    fn answer(&mut self) -> Option<Answered> {
        let rows = self.length()?;
        let keys = keys(rows, self.bytes()?)?;
        let columns = self.list(Self::column)?;
        let fits = |column: &NoisyColumn| {
            [&column.values, &column.low, &column.high].iter().all(|list| list.len() == rows)
        };
        if !columns.iter().all(fits) {
            return None;
        }
        let threshold = self.maybe()?;
        let clipping = match (self.maybe()?, self.maybe()?, self.maybe()?) {
            (Some(lost), Some(low), Some(high)) => Some(Clipping { lost, low, high }),
            (None, None, None) => None,
            _ => return None,
        };
        let chosen = self.list(Self::pair)?;
        let facts = self.list(Self::pair)?;
        Some(Answered { keys, columns, threshold, clipping, chosen, facts })
    }

    fn column(&mut self) -> Option<NoisyColumn> {
        let whole = self.flag()?;
        let values = self.list(Self::maybe)?;
        let low = self.list(Self::maybe)?;
        let high = self.list(Self::maybe)?;
        Some(NoisyColumn { values, low, high, whole })
    }

    fn pair(&mut self) -> Option<(String, String)> {
        Some((self.text()?, self.text()?))
    }
}

fn keys(rows: usize, stream: &[u8]) -> Option<RecordBatch> {
    if stream.is_empty() {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::new(datafusion::arrow::datatypes::Schema::empty());
        return RecordBatch::try_new_with_options(schema, Vec::new(), &options).ok();
    }
    let mut batches = StreamReader::try_new(stream, None).ok()?;
    let batch = batches.next()?.ok()?;
    (batch.num_rows() == rows && batches.next().is_none()).then_some(batch)
}
