//! The rows of a batch, as the mechanism sees them: totals on demand.

use std::sync::Arc;

use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream_partitioned;
use datafusion::prelude::SessionContext;
use throng_mechanism::MechanismError;
use tokio::runtime::Handle;

use super::progress::{Pace, Watch};
use super::stop::unless_given_up;
use super::views::with_views;
use crate::catalog::{Catalog, Meter};
use crate::release::{Asked, Source};
use crate::sql::keyed;
use crate::tally::{Totals, tally_streams};
use crate::{QueryError, quiet};

/// The engine, at the disposal of a mechanism that is paid for.
pub(super) struct Scan {
    context: SessionContext,
    runtime: Handle,
    pace: Pace,
}

impl Scan {
    pub(super) fn new(
        catalog: &Catalog,
        runtime: &Handle,
        watch: &Watch,
    ) -> Result<Self, QueryError> {
        let meter = Arc::new(Meter::default());
        let pace = Pace::new(watch, &meter, catalog)?;
        Ok(Self { context: catalog.metered(meter)?, runtime: runtime.clone(), pace })
    }

    async fn streams(
        &self,
        rows: &LogicalPlan,
    ) -> Result<Vec<SendableRecordBatchStream>, QueryError> {
        let state = self.context.state();
        let plan = state
            .create_physical_plan(rows)
            .await
            .and_then(with_views)
            .map_err(|_| QueryError::engine("planning how to read the rows"))?;
        self.pace.join(&plan);
        execute_stream_partitioned(plan, state.task_ctx())
            .map_err(|_| QueryError::engine("opening the tables"))
    }

    async fn total(&self, asked: &Asked) -> Result<Totals, QueryError> {
        let streams = self.streams(&keyed(&asked.rows, asked.hash_key)?).await?;
        let layouts = std::slice::from_ref(&asked.layout);
        let mut totals = tally_streams(layouts, asked.hash_key, streams, &|_| ()).await?;
        totals.pop().ok_or_else(|| QueryError::engine("counting rows"))
    }

    async fn all(&self, asked: &[Asked]) -> Result<Vec<Totals>, QueryError> {
        self.pace.begin(asked.iter().map(|one| &one.rows))?;
        let mut totals = Vec::with_capacity(asked.len());
        for one in asked {
            totals.push(self.total(one).await?);
        }
        Ok(totals)
    }
}

impl Source for Scan {
    fn totals(&self, asked: &[Asked]) -> Result<Vec<Totals>, MechanismError> {
        let work = || self.runtime.block_on(unless_given_up(self.all(asked)));
        let run = || quiet::caught(work);
        let done = self.pace.told(run);
        let done = done
            .unwrap_or_else(|quiet::Panicked| Some(Err(QueryError::engine("counting rows"))))
            .unwrap_or(Err(QueryError::Interrupted { paid: true }));
        done.map_err(|error| MechanismError::Refused {
            what: error.to_string(),
            hint:
                "the charge stays spent, as rows may have been read; check the files and ask again"
                    .to_owned(),
        })
    }
}
