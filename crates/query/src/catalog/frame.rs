//! Rows that the caller holds in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use throng_mechanism::Sensitive;

use crate::QueryError;

/// The tables of a policy that are held in memory, by name.
pub type Frames = BTreeMap<String, Frame>;

/// The rows of one table, in memory: shared, never copied, and without a text.
#[derive(Clone)]
pub struct Frame {
    schema: SchemaRef,
    batches: Arc<Sensitive<Vec<RecordBatch>>>,
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Frame {
    /// The rows of a table.
    ///
    /// # Errors
    /// If the batches do not all have the columns of the schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self, QueryError> {
        let kinds = |schema: &SchemaRef| {
            let kind = |field: &Arc<_>| -> (String, _) { named(field) };
            schema.fields().iter().map(kind).collect::<Vec<_>>()
        };
        let expected = kinds(&schema);
        if batches.iter().any(|batch| kinds(&batch.schema()) != expected) {
            return Err(QueryError::invalid(
                "the parts of a frame have different columns",
                "give all parts the same columns, in the same order",
            ));
        }
        Ok(Self { schema, batches: Arc::new(Sensitive::new(batches)) })
    }

    /// The columns, as they were handed over.
    #[must_use]
    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows, for the scan of a question that is paid for.
    #[expect(clippy::disallowed_methods, reason = "only the engine's scan looks at them")]
    pub(super) fn batches(&self) -> &[RecordBatch] {
        self.batches.expose()
    }
}

fn named(
    field: &Arc<datafusion::arrow::datatypes::Field>,
) -> (String, datafusion::arrow::datatypes::DataType) {
    (field.name().clone(), field.data_type().clone())
}
