//! What the owner of the data allows: `throng.toml`.
//!
//! A policy says which tables there are, whose privacy is protected in each (the *unit*), how much
//! one unit may contribute, what is public, and how much may be spent. It is written by the owner
//! and never looks at data. Every error names file, line and what to write instead.
//!
//! ```
//! use throng_query::policy::Policy;
//! let text = r#"
//! [budget]
//! epsilon = 3
//! delta = 1e-6
//! [tables.events]
//! path = "events.parquet"
//! unit = "user_id"
//! "#;
//! let policy = Policy::parse(text, "throng.toml".as_ref())?;
//! assert!(policy.capacity().to_string().starts_with("epsilon = 3, delta = 0.000001"));
//! # Ok::<(), throng_query::QueryError>(())
//! ```

mod amounts;
mod canonical;
mod check;
mod fields;
mod in_memory;
mod place;
mod quick;
mod read;
mod sections;
mod tables;
mod template;
mod units;
mod value;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use throng_account::Neighbours;
pub use throng_account::filter::{Budget as Amount, Currency};
use throng_numeric::Rational;

pub(crate) use canonical::short_digest;
pub use in_memory::{Held, InMemory};
pub(crate) use place::suggestion;
pub use quick::Quick;
pub use units::{Step, UnitPath};
pub use value::Value;

use crate::QueryError;
use crate::question::{Limits, Range};
use crate::release::{Cost, NoiseChoice};

/// The longest policy file that is read, in bytes.
pub const MAX_POLICY: u64 = 64 << 20;

/// What the owner of the data allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The tables, by rising name.
    pub tables: Vec<Table>,
    /// What "differ in one unit" means.
    pub neighbours: Neighbours,
    /// What may be spent, over all tables and analysts.
    pub budget: Amount,
    /// What each analyst may spend of it; `*` is for those not named.
    pub analysts: BTreeMap<String, Amount>,
    /// Where the ledger is.
    pub ledger: PathBuf,
    /// What runs the exact part of a query.
    pub engine: EngineChoice,
    /// What a query is asked with unless it says otherwise.
    pub defaults: Defaults,
    /// The file the policy came from; paths in it are relative to its directory.
    pub source: PathBuf,
    /// What is allowed but looks unwise.
    pub warnings: Vec<String>,
}

/// One table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name in SQL: lower case, no quotes needed.
    pub name: String,
    /// Files, directories and globs, relative to the policy; none if it is held in memory.
    pub paths: Vec<String>,
    /// What the files are.
    pub format: Format,
    /// What is declared of its columns.
    pub columns: BTreeMap<String, ColumnRule>,
    /// Whether and how it is protected.
    pub privacy: Privacy,
}

/// What the files of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text with a header line.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
    /// No files: rows that the caller holds and hands over with the policy.
    Memory,
}

/// Whether and how a table is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Privacy {
    /// Known to everyone: not protected at all.
    Public,
    /// Protected.
    Private {
        /// Whose rows they are.
        unit: UnitRule,
        /// How much one unit may contribute to one question.
        limits: Limits,
    },
}

/// Whose a row is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitRule {
    /// Each row is a unit by itself.
    Row,
    /// A column names the unit.
    Column {
        /// The column.
        column: String,
        /// What the units are called across tables: columns with one name hold the same units.
        /// `table.column` if left out.
        name: Option<String>,
    },
    /// A row belongs to the unit of the row of another table that it refers to.
    Through {
        /// The column of this table that refers.
        column: String,
        /// The table referred to.
        table: String,
        /// The column of that table that is referred to. The owner vouches that no two of its
        /// rows share a value.
        key: String,
    },
}

/// What is declared of one column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnRule {
    /// The range it is clamped to when summed.
    pub range: Option<Range>,
    /// What the sum of one unit in one group is clamped to, in size, instead of bounding its rows.
    pub unit_sum: Option<Rational>,
    /// How many rows of one value take part in a join on this column with rows of others.
    pub max_matches: Option<u64>,
    /// The values a group may have, if they are public.
    pub keys: Option<Vec<Value>>,
    /// How the text of a CSV file is read.
    pub kind: Option<Kind>,
}

/// How the text of a CSV column is read; what does not parse is NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As it is.
    Text,
    /// A 64-bit integer.
    Integer,
    /// A 64-bit floating-point number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `2026-01-31`.
    Date,
    /// `2026-01-31T12:00:00`, in microseconds, without a time zone.
    Timestamp,
}

/// What runs the exact part of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    /// DataFusion, in this process.
    DataFusion {
        /// How many threads; as many as there are cores if left out.
        threads: Option<usize>,
        /// How many bytes of memory; no limit if left out.
        memory: Option<u64>,
    },
}

/// What a query is asked with unless it says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// What it may cost.
    pub cost: Option<Cost>,
    /// The confidence of error bars, in (0, 1).
    pub confidence: f64,
    /// Which noise.
    pub noise: NoiseChoice,
    /// The share of the cost for bounds that are chosen privately, in (0, 1).
    pub bounds_share: Rational,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            cost: None,
            confidence: 0.95,
            noise: NoiseChoice::Auto,
            bounds_share: Rational::ONE
                .checked_div(&Rational::from(10_u32))
                .unwrap_or(Rational::ONE),
        }
    }
}

impl Policy {
    /// Reads and checks a policy file.
    ///
    /// # Errors
    /// If the file cannot be read, or as for [`Self::parse`].
    pub fn load(path: &Path) -> Result<Self, QueryError> {
        let shown = path.display();
        let missing = |e: std::io::Error| {
            QueryError::invalid(
                format!("{shown}: cannot be read: {}", e.kind()),
                "make one with `throng init <file>`, or name it with `--policy <file>`",
            )
        };
        let size = std::fs::metadata(path).map_err(missing)?.len();
        if size > MAX_POLICY {
            return Err(QueryError::invalid(
                format!("{shown}: {size} bytes is not a policy: at most {MAX_POLICY}"),
                "is this a data file?",
            ));
        }
        let bytes = std::fs::read(path).map_err(missing)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            QueryError::invalid(format!("{shown}: is not UTF-8 text"), "is this a data file?")
        })?;
        Self::parse(&text, path)
    }

    /// Checks the text of a policy; `path` is where it is, or would be.
    ///
    /// # Errors
    /// If the text is not TOML, has unknown or missing fields, or asks for what cannot be: with
    /// the line and a hint.
    pub fn parse(text: &str, path: &Path) -> Result<Self, QueryError> {
        sections::policy(text, path)
    }

    /// A commented policy for one file, made from its name and schema alone.
    #[must_use]
    pub fn template(
        name: &str,
        path: &str,
        schema: &datafusion::arrow::datatypes::Schema,
    ) -> String {
        template::template(name, path, schema)
    }

    /// A name for the table of a file that SQL takes without quotes.
    #[must_use]
    pub fn name_for(path: &str) -> String {
        template::name_for(path)
    }

    /// A policy without a file, for one question from the command line.
    ///
    /// # Errors
    /// As for [`Self::parse`].
    pub fn quick(quick: Quick) -> Result<Self, QueryError> {
        quick::policy(quick)
    }

    /// A policy for tables that are held in memory.
    ///
    /// # Errors
    /// As for [`Self::parse`].
    pub fn in_memory(said: InMemory) -> Result<Self, QueryError> {
        in_memory::policy(said)
    }

    /// Whether it was said on the command line, or in a program.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.source == Path::new(quick::SOURCE)
    }

    /// What may be spent, over all tables and analysts.
    ///
    /// # Guarantee
    /// A filter of this capacity gives what `[budget]` states: see [`Amount::for_epsilon_delta`].
    #[must_use]
    pub fn capacity(&self) -> Amount {
        self.budget.clone()
    }

    /// What an analyst may spend, or `None` if only the budget of all limits them.
    ///
    /// An analyst who is not named has the quota of `*`, if there is one.
    #[must_use]
    pub fn quota(&self, analyst: &str) -> Option<&Amount> {
        self.analysts.get(analyst).or_else(|| self.analysts.get("*"))
    }

    /// The table of this name.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|t| t.name == name)
    }

    /// A digest of all that gives an answer its meaning: tables, units, bounds, keys, neighbours.
    ///
    /// Not of the budget, quotas, defaults, ledger, engine, comments or the order of fields: those
    /// may change without making stored answers wrong.
    #[must_use]
    pub fn id(&self) -> String {
        canonical::id(self)
    }

    /// How a row of a private table finds its unit; `None` for public tables, and where each row is
    /// a unit.
    #[must_use]
    pub fn unit_path(&self, table: &str) -> Option<UnitPath> {
        units::path(&self.tables, table).ok().flatten()
    }

    /// What the units of a private table are called: tables of one name may be joined on the unit.
    ///
    /// `None` for public tables, and where each row is a unit.
    #[must_use]
    pub fn unit_of(&self, table: &str) -> Option<String> {
        self.unit_path(table).map(|path| path.identity)
    }

    /// The directory that paths are relative to.
    #[must_use]
    pub fn directory(&self) -> &Path {
        match self.source.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }
}

impl Table {
    /// Whether it is known to everyone.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.privacy == Privacy::Public
    }

    /// What is declared of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnRule> {
        self.columns.get(name)
    }
}

impl Format {
    /// Its name in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Memory => "memory",
        }
    }

    /// The format that a file name suggests.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "feather" | "ipc" => Some(Self::Arrow),
            _ => None,
        }
    }
}

impl Kind {
    /// The type that the engine sees.
    #[must_use]
    pub fn data_type(self) -> DataType {
        match self {
            Self::Text => DataType::Utf8,
            Self::Integer => DataType::Int64,
            Self::Number => DataType::Float64,
            Self::Boolean => DataType::Boolean,
            Self::Date => DataType::Date32,
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        }
    }
}
