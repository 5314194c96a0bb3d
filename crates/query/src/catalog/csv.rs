//! CSV files, read so that no row can fail.
//!
//! A row with too few fields ends in NULLs, fields beyond the header are dropped, bytes that are
//! not UTF-8 become U+FFFD, an empty field is NULL, and what does not parse as its declared type
//! is NULL. An error that depends on a row would tell about it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use ::csv::{ByteRecord, Reader, ReaderBuilder};
use datafusion::arrow::array::{ArrayRef, RecordBatchOptions, StringBuilder};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

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

/// A table of CSV files, one partition each.
#[derive(Debug)]
pub(super) struct CsvTable {
    schema: SchemaRef,
    paths: Vec<PathBuf>,
}

impl CsvTable {
    pub(super) fn new(schema: SchemaRef, paths: Vec<PathBuf>) -> Self {
        Self { schema, paths }
    }

    fn plan(
        &self,
        projection: Option<&Vec<usize>>,
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        let all = || (0..self.schema.fields().len()).collect();
        let columns: Arc<[usize]> = projection.cloned().unwrap_or_else(all).into();
        let schema = Arc::new(self.schema.project(&columns)?);
        let part = |path: &PathBuf| -> Arc<dyn PartitionStream> {
            Arc::new(CsvFile {
                path: path.clone(),
                columns: Arc::clone(&columns),
                schema: Arc::clone(&schema),
            })
        };
        let parts = self.paths.iter().map(part).collect();
        let plan = StreamingTableExec::try_new(schema.clone(), parts, None, [], false, limit)?;
        Ok(Arc::new(plan))
    }
}

type Planned<'a> =
    Pin<Box<dyn Future<Output = Result<Arc<dyn ExecutionPlan>, DataFusionError>> + Send + 'a>>;

impl TableProvider for CsvTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    // An async function of a trait object, written out.
    fn scan<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        _state: &'life1 dyn Session,
        projection: Option<&'life2 Vec<usize>>,
        _filters: &'life3 [Expr],
        limit: Option<usize>,
    ) -> Planned<'async_trait>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        let plan = self.plan(projection, limit);
        Box::pin(async move { plan })
    }
}

/// The wanted columns of one file.
#[derive(Debug)]
struct CsvFile {
    path: PathBuf,
    columns: Arc<[usize]>,
    schema: SchemaRef,
}

impl PartitionStream for CsvFile {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = context.session_config().batch_size();
        let opened = File::open(&self.path).map_err(|_| lost());
        let (failed, file) = match opened {
            Ok(file) => (None, Some(file)),
            Err(e) => (Some(Err(e)), None),
        };
        let batches = file.map(|file| Batches {
            reader: reader(file),
            record: ByteRecord::new(),
            columns: Arc::clone(&self.columns),
            schema: Arc::clone(&self.schema),
            rows,
        });
        let all = failed.into_iter().chain(batches.into_iter().flatten());
        let stream = futures::stream::iter(all);
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream))
    }
}

fn lost() -> DataFusionError {
    DataFusionError::Execution("a CSV file can no longer be read".into())
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
    fn batch(&mut self) -> Result<Option<RecordBatch>, DataFusionError> {
        let mut builders: Vec<_> = self.columns.iter().map(|_| StringBuilder::new()).collect();
        let (mut rows, mut bytes) = (0, 0);
        while rows < self.rows && bytes < BATCH_BYTES {
            if !self.reader.read_byte_record(&mut self.record).map_err(|_| lost())? {
                break;
            }
            rows += 1;
            bytes += self.record.as_slice().len();
            for (builder, column) in builders.iter_mut().zip(self.columns.iter()) {
                append(builder, self.record.get(*column));
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        let fields = self.schema.fields().iter();
        let typed = fields
            .zip(builders)
            .map(|(field, mut b)| typed(Arc::new(b.finish()), field.data_type()));
        let arrays = typed.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        Ok(Some(batch))
    }
}

/// A field longer than this is cut: one row must not be able to overflow a batch.
const FIELD_BYTES: usize = 16 << 20;

fn append(builder: &mut StringBuilder, field: Option<&[u8]>) {
    match field {
        None | Some([]) => builder.append_null(),
        Some(bytes) => {
            let bytes = bytes.get(..FIELD_BYTES).unwrap_or(bytes);
            builder.append_value(String::from_utf8_lossy(bytes));
        }
    }
}

/// Text as values of a type; NULL where it does not parse.
fn typed(text: ArrayRef, kind: &DataType) -> Result<ArrayRef, DataFusionError> {
    if *kind == DataType::Utf8 {
        return Ok(text);
    }
    let options = CastOptions { safe: true, ..CastOptions::default() };
    Ok(cast_with_options(&text, kind, &options)?)
}
