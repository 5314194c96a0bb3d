//! Tables of files that are read by this crate rather than by the engine: one partition per file.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use super::csv;
use super::meter::{Meter, Metered};

/// What the files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// CSV.
    Csv,
    /// Arrow IPC.
    Arrow,
}

/// A table of files, one partition each.
#[derive(Debug)]
pub(super) struct StreamedTable {
    kind: Kind,
    schema: SchemaRef,
    paths: Vec<PathBuf>,
}

impl StreamedTable {
    pub(super) fn new(kind: Kind, schema: SchemaRef, paths: Vec<PathBuf>) -> Self {
        Self { kind, schema, paths }
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
            Arc::new(Streamed {
                kind: self.kind,
                path: path.clone(),
                columns: Arc::clone(&columns),
                schema: Arc::clone(&schema),
            })
        };
        let parts = self.paths.iter().map(part).collect();
        let plan = StreamingTableExec::try_new(Arc::clone(&schema), parts, None, [], false, limit)?;
        Ok(Arc::new(plan))
    }
}

type Planned<'a> =
    Pin<Box<dyn Future<Output = Result<Arc<dyn ExecutionPlan>, DataFusionError>> + Send + 'a>>;

impl TableProvider for StreamedTable {
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
struct Streamed {
    kind: Kind,
    path: PathBuf,
    columns: Arc<[usize]>,
    schema: SchemaRef,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, DataFusionError>> + Send>;

impl Streamed {
    fn batches(&self, rows: usize, meter: Option<Arc<Meter>>) -> Result<Batches, DataFusionError> {
        let file = Metered::new(File::open(&self.path).map_err(|_| lost())?, meter);
        let schema = Arc::clone(&self.schema);
        match self.kind {
            Kind::Csv => Ok(Box::new(csv::batches(file, Arc::clone(&self.columns), schema, rows))),
            Kind::Arrow => {
                let columns = Some(self.columns.to_vec());
                let reader = FileReader::try_new(BufReader::new(file), columns);
                let reader = reader.map_err(|_| lost())?;
                let pieces = reader.flat_map(move |batch| pieces(batch.ok(), rows));
                Ok(Box::new(pieces.map(move |piece| conform(&piece?, &schema))))
            }
        }
    }
}

/// A batch in pieces of at most so many rows.
fn pieces(
    batch: Option<RecordBatch>,
    rows: usize,
) -> Box<dyn Iterator<Item = Result<RecordBatch, DataFusionError>> + Send> {
    let Some(batch) = batch else { return Box::new(std::iter::once(Err(lost()))) };
    let (all, rows) = (batch.num_rows(), rows.max(1));
    let starts = (0..all).step_by(rows);
    Box::new(starts.map(move |start| Ok(batch.slice(start, rows.min(all - start)))))
}

/// A batch in the types of the table.
fn conform(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, DataFusionError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| typed(column, field.data_type()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options).map_err(|_| lost())
}

impl PartitionStream for Streamed {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = context.session_config().batch_size();
        let meter = context.session_config().get_extension::<Meter>();
        let batches = self.batches(rows, meter);
        let batches = batches.unwrap_or_else(|e| Box::new(std::iter::once(Err(e))));
        let stream = futures::stream::iter(batches);
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream))
    }
}

/// The one thing that can go wrong while rows are read; it says nothing about them.
pub(super) fn lost() -> DataFusionError {
    DataFusionError::Execution("a file can no longer be read".into())
}

/// Values in another type; NULL where there is no such value.
pub(super) fn typed(values: &ArrayRef, kind: &DataType) -> Result<ArrayRef, DataFusionError> {
    if values.data_type() == kind {
        return Ok(Arc::clone(values));
    }
    let options = CastOptions { safe: true, ..CastOptions::default() };
    cast_with_options(values, kind, &options).map_err(|_| lost())
}
