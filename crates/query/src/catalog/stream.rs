//! Tables that are read by this crate rather than by the engine: files, one partition each, and rows in
//! memory.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use super::meter::{Meter, Metered};
use super::{Frame, csv, plain};

/// A part of a table, read as one stream.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// A CSV file.
    Csv(PathBuf),
    /// An Arrow IPC file.
    Arrow(PathBuf),
    /// Every so many pieces of the rows in memory, from one on.
    Memory { frame: Frame, first: usize, every: usize },
}

/// A table in parts.
///
/// The engine is told the columns and how many parts there are: no statistics, no order, no number of
/// rows.
#[derive(Debug)]
pub(super) struct StreamedTable {
    schema: SchemaRef,
    parts: Vec<Part>,
}

impl StreamedTable {
    pub(super) fn new(schema: SchemaRef, parts: Vec<Part>) -> Self {
        Self { schema, parts }
    }

    /// Rows in memory, in as many parts as are wanted, however many rows there are: each part takes
    /// its turn, piece by piece.
    pub(super) fn in_memory(schema: SchemaRef, frame: &Frame, parts: usize) -> Self {
        let every = parts.max(1);
        let part = |first| Part::Memory { frame: frame.clone(), first, every };
        Self { schema, parts: (0..every).map(part).collect() }
    }

    fn plan(
        &self,
        projection: Option<&Vec<usize>>,
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        let all = || (0..self.schema.fields().len()).collect();
        let columns: Arc<[usize]> = projection.cloned().unwrap_or_else(all).into();
        let schema = Arc::new(self.schema.project(&columns)?);
        let part = |part: &Part| -> Arc<dyn PartitionStream> {
            Arc::new(Streamed {
                part: part.clone(),
                columns: Arc::clone(&columns),
                schema: Arc::clone(&schema),
            })
        };
        let parts = self.parts.iter().map(part).collect();
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

/// The wanted columns of one part.
#[derive(Debug)]
struct Streamed {
    part: Part,
    columns: Arc<[usize]>,
    schema: SchemaRef,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, DataFusionError>> + Send>;

impl Streamed {
    fn batches(&self, rows: usize, meter: Option<Arc<Meter>>) -> Result<Batches, DataFusionError> {
        let schema = Arc::clone(&self.schema);
        let opened = |path| File::open(path).map_err(|_| lost());
        match &self.part {
            Part::Csv(path) => {
                let file = Metered::new(opened(path)?, meter);
                Ok(Box::new(csv::batches(file, Arc::clone(&self.columns), schema, rows)))
            }
            Part::Arrow(path) => {
                let columns = Some(self.columns.to_vec());
                let file = BufReader::new(Metered::new(opened(path)?, meter));
                let reader = FileReader::try_new(file, columns).map_err(|_| lost())?;
                let pieces = reader.flat_map(move |batch| pieces(batch.ok(), rows));
                Ok(Box::new(pieces.flat_map(move |piece| conformed(piece, &schema))))
            }
            Part::Memory { frame, first, every } => {
                let (frame, columns) = (frame.clone(), Arc::clone(&self.columns));
                let count = frame.batches().len();
                let batch = move |i: usize| frame.batches().get(i)?.project(&columns).ok();
                let pieces = (0..count).flat_map(move |i| pieces(batch(i), rows));
                let own = pieces.skip(*first).step_by(*every);
                Ok(Box::new(own.flat_map(move |piece| conformed(piece, &schema))))
            }
        }
    }
}

fn conformed(
    piece: Result<RecordBatch, DataFusionError>,
    schema: &SchemaRef,
) -> Vec<Result<RecordBatch, DataFusionError>> {
    match piece {
        Ok(piece) => plain::conform(&piece, schema),
        Err(error) => vec![Err(error)],
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
