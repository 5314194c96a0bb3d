//! The tables as the engine sees them: schemas and files, no rows.

mod columns;
mod config;
mod csv;
mod files;
mod frame;
mod glob;
mod keys;
mod listing;
mod meter;
mod plain;
mod schema;
mod stream;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::ScalarValue;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::{SessionConfig, SessionContext};

pub(crate) use config::threads;
pub use frame::{Frame, Frames};
pub(crate) use meter::Meter;
use meter::RowCount;
use stream::StreamedTable;
use throng_mechanism::MechanismError;
use throng_sample::{Entropy, OsEntropy};

use crate::QueryError;
use crate::policy::{EngineChoice, Format, Policy, Privacy, Table, short_digest};

/// The tables of a policy, opened: schemas are known, files are found, no row is read.
#[derive(Debug)]
pub struct Catalog {
    entries: BTreeMap<String, Entry>,
    engine: EngineChoice,
}

#[derive(Debug)]
struct Entry {
    provider: Arc<dyn TableProvider>,
    schema: SchemaRef,
    files: Files,
    /// How many rows the footers name, where the engine reads the files.
    rows: Option<RowCount>,
    fingerprint: String,
    keys: BTreeMap<String, Vec<ScalarValue>>,
}

/// The files of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Where they are, sorted.
    pub paths: Vec<PathBuf>,
    /// How large they are together.
    pub bytes: u64,
}

impl Entry {
    fn open(policy: &Policy, table: &Table, frames: &Frames) -> Result<Self, QueryError> {
        if table.format == Format::Memory {
            return Self::held(policy.engine, table, frames);
        }
        let (files, fingerprint) = files::find(policy.directory(), table)?;
        let (schema, rows) = schema::of_table(table, &files)?;
        let rows = rows.map(RowCount::new);
        columns::check(table, &schema)?;
        let keys = keys::of_table(table, &schema)?;
        let provider = listing::provider(table, &files.paths, &schema)?;
        Ok(Self { provider, schema, files, rows, fingerprint, keys })
    }

    /// A table in memory. Its version is drawn anew each time: nothing that is kept says anything of
    /// rows, and an answer is found again only by whoever holds this catalog.
    fn held(engine: EngineChoice, table: &Table, frames: &Frames) -> Result<Self, QueryError> {
        let frame = frames.get(&table.name).ok_or_else(|| {
            let what = format!("table {} is held in memory, and is not given", table.name);
            QueryError::invalid(what, "hand its rows over with the policy")
        })?;
        let schema = schema::of_frame(table, frame)?;
        columns::check(table, &schema)?;
        let keys = keys::of_table(table, &schema)?;
        let parts = config::threads(engine);
        let provider = Arc::new(StreamedTable::in_memory(Arc::clone(&schema), frame, parts));
        let mut nonce = [0_u8; 32];
        OsEntropy.fill(&mut nonce).map_err(MechanismError::from)?;
        let files = Files { paths: Vec::new(), bytes: 0 };
        Ok(Self { provider, schema, files, rows: None, fingerprint: short_digest(&nonce), keys })
    }
}

impl Catalog {
    /// Finds the files of all tables and reads their schemas.
    ///
    /// # Errors
    /// If a file is missing or unreadable, files of one table disagree, or the policy names columns
    /// that are not there or do not fit.
    pub fn open(policy: &Policy) -> Result<Self, QueryError> {
        Self::open_with(policy, &Frames::new())
    }

    /// The same where some tables are held in memory.
    ///
    /// # Errors
    /// As for [`Self::open`], or if such a table is not given.
    pub fn open_with(policy: &Policy, frames: &Frames) -> Result<Self, QueryError> {
        let mut entries = BTreeMap::new();
        for table in &policy.tables {
            entries.insert(table.name.clone(), Entry::open(policy, table, frames)?);
        }
        columns::check_references(policy, &entries)?;
        check_apart(policy, &entries)?;
        Ok(Self { entries, engine: policy.engine })
    }

    /// The names of the tables, rising.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The table for the engine.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn provider(&self, table: &str) -> Result<Arc<dyn TableProvider>, QueryError> {
        Ok(Arc::clone(&self.entry(table)?.provider))
    }

    /// The columns of a table; all may be NULL.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn schema(&self, table: &str) -> Result<SchemaRef, QueryError> {
        Ok(Arc::clone(&self.entry(table)?.schema))
    }

    /// The files of a table, as found when the catalog was opened.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn files(&self, table: &str) -> Result<&Files, QueryError> {
        Ok(&self.entry(table)?.files)
    }

    /// How many rows a table has, where the engine reads its files.
    pub(crate) fn rows(&self, table: &str) -> Result<Option<&RowCount>, QueryError> {
        Ok(self.entry(table)?.rows.as_ref())
    }

    /// The public keys of a column, in the type of the column, in the order of the policy.
    #[must_use]
    pub fn keys(&self, table: &str, column: &str) -> Option<&[ScalarValue]> {
        Some(self.entries.get(table)?.keys.get(column)?.as_slice())
    }

    /// The version of a table's data: a digest of names, sizes and times of its files, or drawn at random.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn fingerprint(&self, table: &str) -> Result<String, QueryError> {
        Ok(self.entry(table)?.fingerprint.clone())
    }

    /// Whether the files are still those that the catalog was opened with.
    ///
    /// To be asked when a charge is about to be made: an answer is stored under the fingerprint.
    ///
    /// # Errors
    /// If a file of the table is gone, is new, or was changed.
    pub fn unchanged(&self, policy: &Policy, table: &str) -> Result<(), QueryError> {
        let entry = self.entry(table)?;
        let changed = || {
            let what = format!("the files of table {table} changed since it was opened");
            QueryError::invalid(what, "ask again")
        };
        let rules = policy.table(table).ok_or_else(changed)?;
        if rules.format == Format::Memory {
            return Ok(());
        }
        let (_, fingerprint) = files::find(policy.directory(), rules)?;
        if fingerprint == entry.fingerprint { Ok(()) } else { Err(changed()) }
    }

    /// How the engine is to run: nothing about the data may steer it.
    #[must_use]
    pub fn session_config(&self) -> SessionConfig {
        config::session(self.engine)
    }

    /// The memory that the engine may use.
    ///
    /// # Errors
    /// If the engine refuses.
    pub fn runtime(&self) -> Result<Arc<RuntimeEnv>, QueryError> {
        config::runtime(self.engine)
    }

    /// A session of the engine that knows all tables.
    ///
    /// # Errors
    /// If the engine refuses.
    pub fn context(&self) -> Result<SessionContext, QueryError> {
        self.context_of(self.session_config())
    }

    /// The same, with what is read of files counted.
    pub(crate) fn metered(&self, meter: Arc<Meter>) -> Result<SessionContext, QueryError> {
        self.context_of(self.session_config().with_extension(meter))
    }

    fn context_of(&self, config: SessionConfig) -> Result<SessionContext, QueryError> {
        let context = SessionContext::new_with_config_rt(config, self.runtime()?);
        for (name, entry) in &self.entries {
            context
                .register_table(name.as_str(), Arc::clone(&entry.provider))
                .map_err(|_| QueryError::engine(format!("registering table {name}")))?;
        }
        Ok(context)
    }

    fn entry(&self, table: &str) -> Result<&Entry, QueryError> {
        self.entries.get(table).ok_or_else(|| {
            let names: Vec<_> = self.names().collect();
            QueryError::invalid(
                format!("there is no table {table}"),
                format!("the policy has: {}", names.join(", ")),
            )
        })
    }
}

/// The schema of one file, for [`Policy::template`]: all columns of a CSV file are text.
///
/// # Errors
/// If the file is missing, unreadable or of no known format.
pub fn schema_of(path: &str) -> Result<SchemaRef, QueryError> {
    let format = Format::of_path(path).ok_or_else(|| {
        let what = format!("{path}: the format is not clear from the name of the file");
        QueryError::invalid(what, "files end in .parquet, .csv or .arrow")
    })?;
    let table = Table {
        name: Policy::name_for(path),
        paths: vec![path.to_string()],
        format,
        columns: BTreeMap::new(),
        privacy: Privacy::Public,
    };
    let (files, _) = files::find(Path::new("."), &table)?;
    Ok(schema::of_table(&table, &files)?.0)
}

/// What is private in one table is not public in another.
fn check_apart(policy: &Policy, entries: &BTreeMap<String, Entry>) -> Result<(), QueryError> {
    let mut owners: BTreeMap<&PathBuf, &Table> = BTreeMap::new();
    for table in &policy.tables {
        for path in entries.get(&table.name).into_iter().flat_map(|entry| &entry.files.paths) {
            let other = owners.entry(path).or_insert(table);
            if other.is_public() != table.is_public() {
                let (a, b, file) = (&other.name, &table.name, path.display());
                let what = format!("{file} is in tables {a} and {b}, one public and one private");
                return Err(QueryError::invalid(what, "a file is either public or private"));
            }
        }
    }
    Ok(())
}
