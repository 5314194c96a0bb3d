//! The rows of a batch, as the mechanism sees them: totals on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream_partitioned;
use datafusion::prelude::SessionContext;
use throng_mechanism::MechanismError;
use tokio::runtime::Handle;

use crate::QueryError;
use crate::catalog::Catalog;
use crate::release::{Asked, Source};
use crate::sql::{Batch, Statement, keyed};
use crate::tally::{Totals, tally_streams};

/// How far a scan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Rows that have been counted.
    pub rows: u64,
    /// The size of all files that are read, in bytes.
    pub bytes: u64,
}

/// Who is told how far a scan is; called from the threads of the engine.
pub type Watch = Arc<dyn Fn(Progress) + Send + Sync>;

/// The engine, at the disposal of a mechanism that is paid for.
pub(super) struct Scan {
    context: SessionContext,
    runtime: Handle,
    bytes: u64,
    rows: AtomicU64,
    progress: Watch,
}

impl Scan {
    pub(super) fn new(
        catalog: &Catalog,
        runtime: &Handle,
        batch: &Batch,
        progress: &Watch,
    ) -> Result<Self, QueryError> {
        let mut bytes = 0_u64;
        for table in batch.statements.iter().flat_map(Statement::tables) {
            bytes = bytes.saturating_add(catalog.files(table)?.bytes);
        }
        let context = catalog.context()?;
        Ok(Self {
            context,
            runtime: runtime.clone(),
            bytes,
            rows: AtomicU64::new(0),
            progress: Arc::clone(progress),
        })
    }

    async fn streams(
        &self,
        rows: &LogicalPlan,
    ) -> Result<Vec<SendableRecordBatchStream>, QueryError> {
        let state = self.context.state();
        let plan = state
            .create_physical_plan(rows)
            .await
            .map_err(|_| QueryError::engine("planning how to read the rows"))?;
        execute_stream_partitioned(plan, state.task_ctx())
            .map_err(|_| QueryError::engine("opening the tables"))
    }

    async fn total(&self, asked: &Asked) -> Result<Totals, QueryError> {
        let streams = self.streams(&keyed(&asked.rows, asked.hash_key)?).await?;
        let seen = |rows: u64| {
            let rows = self.rows.fetch_add(rows, Ordering::Relaxed).saturating_add(rows);
            (self.progress)(Progress { rows, bytes: self.bytes });
        };
        let layouts = std::slice::from_ref(&asked.layout);
        let mut totals = tally_streams(layouts, asked.hash_key, streams, &seen).await?;
        totals.pop().ok_or_else(|| QueryError::engine("counting rows"))
    }
}

impl Source for Scan {
    fn totals(&self, asked: &[Asked]) -> Result<Vec<Totals>, MechanismError> {
        let all = async {
            let mut totals = Vec::with_capacity(asked.len());
            for one in asked {
                totals.push(self.total(one).await?);
            }
            Ok::<_, QueryError>(totals)
        };
        self.runtime.block_on(all).map_err(|error| MechanismError::Refused {
            what: error.to_string(),
            hint:
                "the charge stays spent, as rows may have been read; check the files and ask again"
                    .to_owned(),
        })
    }
}
