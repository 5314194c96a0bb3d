//! How far a scan is: as a share of the bytes to be read, never as rows.
//!
//! How many rows a table has is private; how large its files are is not. Where the engine reads the
//! files itself (Parquet), its own count of rows says how far it is, and is turned into a share
//! before anybody sees it. Nothing is counted row by row or batch by batch for this: a thread
//! looks a few times a second.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;

use crate::QueryError;
use crate::catalog::{Catalog, Meter};

/// How far a scan is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The share of the bytes to be read, from 0 to 1. A question may need more than one pass; each
    /// starts at 0.
    pub share: f64,
}

/// Who is told how far a scan is, a few times a second, from a thread of its own.
pub type Watch = Arc<dyn Fn(Progress) + Send + Sync>;

/// How often it is looked.
const EVERY: Duration = Duration::from_millis(100);

/// What is to be read in one pass, and how far that is.
pub(super) struct Pace {
    watch: Watch,
    meter: Arc<Meter>,
    sizes: BTreeMap<String, Size>,
    pass: Mutex<Pass>,
}

/// How large a table is: its files in bytes, its rows if the engine reads them.
struct Size {
    bytes: f64,
    rows: Option<f64>,
}

#[derive(Default)]
struct Pass {
    /// Of all files, in bytes.
    bytes: f64,
    /// Of those that the engine reads.
    engine_bytes: f64,
    engine_rows: f64,
    /// Where the engine reads them.
    leaves: Vec<Arc<dyn ExecutionPlan>>,
    /// What the meter said before.
    before: u64,
}

impl Pace {
    pub(super) fn new(
        watch: &Watch,
        meter: &Arc<Meter>,
        catalog: &Catalog,
    ) -> Result<Self, QueryError> {
        let mut sizes = BTreeMap::new();
        for table in catalog.names() {
            let bytes = float(catalog.files(table)?.bytes);
            let rows = catalog.rows(table)?.map(|rows| float(rows.for_shares()));
            sizes.insert(table.to_owned(), Size { bytes, rows });
        }
        let (watch, meter) = (Arc::clone(watch), Arc::clone(meter));
        Ok(Self { watch, meter, sizes, pass: Mutex::default() })
    }

    /// A pass over the files of all tables of these plans begins.
    pub(super) fn begin<'p>(
        &self,
        plans: impl Iterator<Item = &'p LogicalPlan>,
    ) -> Result<(), QueryError> {
        let mut pass = Pass { before: self.meter.bytes(), ..Pass::default() };
        for plan in plans {
            for size in scans(plan)?.iter().filter_map(|table| self.sizes.get(table)) {
                pass.bytes += size.bytes;
                if let Some(rows) = size.rows {
                    pass.engine_bytes += size.bytes;
                    pass.engine_rows += rows;
                }
            }
        }
        *self.pass.lock().unwrap_or_else(PoisonError::into_inner) = pass;
        Ok(())
    }

    /// What the engine is about to run belongs to the pass.
    pub(super) fn join(&self, plan: &Arc<dyn ExecutionPlan>) {
        let mut found = Vec::new();
        let mut ahead = vec![plan];
        while let Some(plan) = ahead.pop() {
            if plan.name() == "DataSourceExec" {
                found.push(Arc::clone(plan));
            }
            ahead.extend(plan.children());
        }
        self.pass.lock().unwrap_or_else(PoisonError::into_inner).leaves.extend(found);
    }

    /// Runs something and tells how far it is, meanwhile and at its end.
    pub(super) fn told<T>(&self, run: impl FnOnce() -> T) -> T {
        let (alive, ended) = channel::<()>();
        std::thread::scope(|scope| {
            let look = move || {
                while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                    self.tell();
                }
            };
            // Without a thread there is no sign of life, and the same answer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, look);
            let done = run();
            drop(alive);
            self.tell();
            done
        })
    }

    fn tell(&self) {
        (self.watch)(Progress { share: self.share() });
    }

    fn share(&self) -> f64 {
        let pass = self.pass.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = |leaf: &Arc<dyn ExecutionPlan>| leaf.metrics()?.output_rows();
        let rows: usize = pass.leaves.iter().filter_map(seen).sum();
        let rows = float(u64::try_from(rows).unwrap_or(u64::MAX));
        let engine = match pass.engine_rows > 0.0 {
            true => pass.engine_bytes * (rows / pass.engine_rows).min(1.0),
            // Files without rows are read at once.
            false => pass.engine_bytes,
        };
        let own = float(self.meter.bytes().saturating_sub(pass.before));
        let share = (engine + own) / pass.bytes.max(1.0);
        share.clamp(0.0, 1.0)
    }
}

/// The names of the tables that a plan scans, each as often as it does.
fn scans(plan: &LogicalPlan) -> Result<Vec<String>, QueryError> {
    let mut tables = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            tables.push(scan.table_name.table().to_owned());
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .map_err(|_| QueryError::engine("planning how to read the rows"))?;
    Ok(tables)
}

#[expect(clippy::cast_precision_loss, reason = "a share for a progress bar")]
const fn float(n: u64) -> f64 {
    n as f64
}
