//! SQL on tables of a policy, or in memory.
//!
//! ```text
//! frame       rows in memory, as they are: nothing is copied
//! said        what people write in Python, as the crates below read it
//! answer      released tables
//! ```

mod answer;
mod frame;
mod said;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use throng_cli::Failure;
use throng_ledger::{Ledger, Selection};
use throng_query::QueryError;
use throng_query::answer::Consistency;
use throng_query::catalog::Frames;
use throng_query::policy::{InMemory, Policy};
use throng_query::session::{self, Preview, Session as Opened, Watch};

use crate::budget::{Budget, amounts};
use crate::error::{Answer, Raised};
use crate::work::work;
use answer::Reply;
use frame::Frame;
use said::{Asked, Bound, Column, Limited, Table};

/// A table: its name, whose its rows are, its columns with types.
type Described = (String, String, Vec<(String, String)>);

/// Tables, what their owner allows, and their budget.
#[pyclass(frozen, module = "throng._native")]
struct Session {
    policy: Policy,
    frames: Frames,
    /// A budget that was handed over; else the ledger of the policy.
    given: Option<Arc<Opened>>,
    /// Opened when it is first needed, and again when files have changed.
    opened: Mutex<Option<(Arc<Opened>, Arc<Ledger>)>>,
    process: u32,
}

impl Session {
    /// Threads and budgets in memory do not survive a fork: a copy would spend again.
    fn usable(&self) -> Answer<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(Failure::refused(
            "this session was opened by another process",
            "open it after the fork, not before; keep its budget in a ledger",
        )
        .into())
    }

    fn open(&self) -> Answer<Arc<Opened>> {
        Ok(match &self.given {
            Some(opened) => Arc::clone(opened),
            None => self.of_files()?.0,
        })
    }

    fn of_files(&self) -> Answer<(Arc<Opened>, Arc<Ledger>)> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((session, ledger)) = opened.as_ref() {
            let catalog = session.catalog();
            if catalog.names().all(|name| catalog.unchanged(&self.policy, name).is_ok()) {
                return Ok((Arc::clone(session), Arc::clone(ledger)));
            }
        }
        let charter = session::charter(&self.policy);
        let ledger = match opened.take() {
            Some((_, ledger)) => ledger,
            None => Arc::new(Ledger::open_or_create(&self.policy.ledger, &charter)?),
        };
        let books = Arc::clone(&ledger) as Arc<dyn session::Keeper>;
        let session = Arc::new(Opened::open_with(self.policy.clone(), &self.frames, books)?);
        *opened = Some((Arc::clone(&session), Arc::clone(&ledger)));
        Ok((session, ledger))
    }

    fn is_opened(&self) -> bool {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        self.given.is_some() || opened.is_some()
    }
}

#[pymethods]
impl Session {
    /// The tables and the ledger of a policy file; nothing is opened yet but the files.
    #[staticmethod]
    fn of_policy(py: Python<'_>, path: PathBuf) -> Answer<Self> {
        let policy = work(py, || {
            let policy = Policy::load(&path)?;
            throng_query::catalog::Catalog::open(&policy)?;
            Ok::<_, QueryError>(policy)
        })?;
        Ok(Self {
            policy,
            frames: Frames::new(),
            given: None,
            opened: Mutex::default(),
            process: std::process::id(),
        })
    }

    /// Tables in memory, paid for from a budget.
    #[staticmethod]
    fn of_frames(
        py: Python<'_>,
        tables: Vec<Table>,
        bounds: Vec<Bound>,
        keys: Vec<Column>,
        limits: (Limited, Limited),
        budget: &Budget,
    ) -> Answer<Self> {
        let frames: Frames =
            tables.iter().map(|table| (table.name.clone(), table.frame.clone())).collect();
        let said = InMemory {
            tables: tables.into_iter().map(Table::held).collect(),
            bounds: bounds.into_iter().map(|bound| bound.0).collect(),
            keys: keys.into_iter().map(|keys| keys.0).collect(),
            max_groups: limits.0.0,
            max_rows: limits.1.0,
            neighbours: budget.under(),
            budget: budget.capacity_of()?,
            ledger: PathBuf::new(),
        };
        let books = budget.keeper()?;
        let (policy, given) = work(py, || {
            let policy = Policy::in_memory(said)?;
            let given = Opened::open_with(policy.clone(), &frames, books)?;
            budget.protects(&session::units(&policy))?;
            Ok::<_, Raised>((policy, Arc::new(given)))
        })?;
        Ok(Self {
            policy,
            frames,
            given: Some(given),
            opened: Mutex::default(),
            process: std::process::id(),
        })
    }

    /// What is allowed but looks unwise.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.policy.warnings.clone()
    }

    #[getter]
    fn neighbours(&self) -> String {
        self.policy.neighbours.to_string()
    }

    /// Who may be protected in each table, and its columns: (name, whose, columns with types).
    fn tables(&self, py: Python<'_>) -> Answer<Vec<Described>> {
        work(py, || {
            let catalog = throng_query::catalog::Catalog::open_with(&self.policy, &self.frames)?;
            let described = |table: &throng_query::policy::Table| -> Result<Described, QueryError> {
                let schema = catalog.schema(&table.name)?;
                let fields = schema.fields().iter();
                let columns =
                    fields.map(|field| (field.name().clone(), field.data_type().to_string()));
                Ok((table.name.clone(), said::whose(&self.policy, table), columns.collect()))
            };
            self.policy.tables.iter().map(described).collect::<Result<Vec<_>, QueryError>>()
        })
    }

    /// The ledger that keeps the budget; it is made if there is none.
    fn budget(&self, py: Python<'_>) -> Answer<Option<Budget>> {
        self.usable()?;
        if self.given.is_some() {
            return Ok(None);
        }
        work(py, || Ok::<_, Raised>(Some(Budget::of_ledger(self.of_files()?.1))))
    }

    /// What a question would do and cost, as text and as JSON: no row is read, nothing is spent,
    /// nothing is written.
    fn explain(&self, py: Python<'_>, sql: &str, asked: Asked) -> Answer<(String, String)> {
        self.usable()?;
        let asking = asked.0;
        let explanation = work(py, || {
            let analyst = asking.analyst.as_deref();
            if self.is_opened() {
                let session = self.open()?;
                let request = asking.request(session.policy())?;
                let prepared = session.prepare(sql, &request, analyst)?;
                return Ok::<_, Raised>(prepared.explanation().clone());
            }
            let preview = Preview::open(self.policy.clone())?;
            let request = asking.request(preview.policy())?;
            Ok(preview.explain(sql, &request, analyst)?)
        })?;
        let data = throng_cli::explained(&explanation);
        Ok((explanation.to_string().trim_end().to_owned(), serde_json::to_string(&data)?))
    }

    /// Pays for a question unless its answer is stored, and answers it.
    fn ask(
        &self,
        py: Python<'_>,
        sql: &str,
        asked: Asked,
        non_negative: bool,
        consistent: bool,
    ) -> Answer<Reply> {
        self.usable()?;
        let asking = asked.0;
        let consistency =
            Consistency { non_negative, totals: consistent, ..Consistency::default() };
        let silent: Watch = Arc::new(|_| ());
        work(py, || {
            let session = self.open()?;
            let request = asking.request(session.policy())?;
            let prepared = session.prepare(sql, &request, asking.analyst.as_deref())?;
            if let Some(receipt) = prepared.receipt() {
                receipt.map_err(|error| QueryError::from(error.clone()))?;
            }
            let explanation = prepared.explanation().clone();
            let reply = session.ask(prepared, consistency, &silent)?;
            Ok::<_, Raised>(Reply::new(reply, explanation, request.confidence))
        })
    }

    /// What was asked, the newest first, as JSON.
    #[pyo3(signature = (limit, analyst=None))]
    fn history(
        &self,
        py: Python<'_>,
        limit: Option<u64>,
        analyst: Option<String>,
    ) -> Answer<String> {
        self.usable()?;
        let lines = work(py, || {
            let selection = Selection { analyst, before: None, limit };
            Ok::<_, Raised>(self.open()?.books().history(&selection)?)
        })?;
        Ok(serde_json::to_string(&throng_cli::charges(&lines))?)
    }

    /// What is left, for everybody or for one analyst.
    #[pyo3(signature = (analyst=None))]
    fn remaining(&self, py: Python<'_>, analyst: Option<&str>) -> Answer<Vec<(String, f64)>> {
        self.usable()?;
        work(py, || Ok::<_, Raised>(amounts(&self.open()?.books().remaining(analyst)?, false)))
    }
}

pub(crate) fn register(module: &pyo3::Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Frame>()?;
    module.add_class::<Session>()?;
    module.add_class::<Reply>()?;
    module.add_class::<answer::ReleasedTable>()
}
