//! How the engine runs: nothing about the data steers it, as far as can be seen from outside.

use std::sync::Arc;

use datafusion::config::TableParquetOptions;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::SessionConfig;

use crate::QueryError;
use crate::policy::EngineChoice;

/// The session of a private query.
///
/// Off: statistics (they would steer joins and answer counts), skipping of row groups and pages
/// by statistics or Bloom filters, and filters found at run time (how long a scan takes would tell
/// whether a value is in the file). Text is read as plain Utf8, which groups faster than views.
pub(super) fn session(engine: EngineChoice) -> SessionConfig {
    let EngineChoice::DataFusion { threads, .. } = engine;
    let mut config = SessionConfig::new().with_collect_statistics(false);
    let options = config.options_mut();
    options.execution.parquet = parquet().global;
    options.execution.split_file_groups_by_statistics = false;
    options.execution.listing_table_ignore_subdirectory = true;
    options.optimizer.enable_dynamic_filter_pushdown = false;
    options.optimizer.enable_topk_dynamic_filter_pushdown = false;
    options.optimizer.enable_join_dynamic_filter_pushdown = false;
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    options.catalog.information_schema = false;
    match threads {
        Some(threads) => config.with_target_partitions(threads),
        None => config,
    }
}

/// How Parquet files are read. The engine takes this from the table, not from the session.
pub(super) fn parquet() -> TableParquetOptions {
    let mut options = TableParquetOptions::default();
    options.global.pruning = false;
    options.global.bloom_filter_on_read = false;
    options.global.enable_page_index = false;
    options.global.pushdown_filters = false;
    options.global.schema_force_view_types = false;
    options
}

/// How many threads the engine has; never fewer than one.
pub(crate) fn threads(engine: EngineChoice) -> usize {
    let EngineChoice::DataFusion { threads, .. } = engine;
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    threads.unwrap_or_else(cores).max(1)
}

/// The memory of a private query.
pub(super) fn runtime(engine: EngineChoice) -> Result<Arc<RuntimeEnv>, QueryError> {
    let EngineChoice::DataFusion { memory, .. } = engine;
    let mut builder = RuntimeEnvBuilder::new();
    if let Some(bytes) = memory.and_then(|bytes| usize::try_from(bytes).ok()) {
        builder = builder.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    }
    builder.build_arc().map_err(|_| QueryError::engine("starting"))
}
