//! A policy without a file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use throng_account::Neighbours;
use throng_numeric::Rational;

use super::{
    Amount, ColumnRule, Defaults, EngineChoice, Format, Policy, Privacy, Table, UnitRule, Value,
    check,
};
use crate::QueryError;
use crate::question::{Limit, Limits, Range};

/// Where such a policy comes from.
pub(super) const SOURCE: &str = "command line";

/// A policy in a few words, for one question from the command line.
///
/// Bounds and keys hold in every table that has the column; the catalog leaves out those that a
/// table does not have.
#[derive(Debug, Clone)]
pub struct Quick {
    /// Names and paths of private tables.
    pub tables: Vec<(String, String)>,
    /// The column that names the unit, in every table; each row is a unit if left out.
    pub unit: Option<String>,
    /// (column, lower, upper).
    pub bounds: Vec<(String, Rational, Rational)>,
    /// (column, public keys).
    pub keys: Vec<(String, Vec<String>)>,
    /// How many groups one unit may contribute to.
    pub max_groups: Limit,
    /// How many rows of a group one unit may contribute.
    pub max_rows: Limit,
    /// What "differ in one unit" means.
    pub neighbours: Neighbours,
    /// What may be spent.
    pub budget: Amount,
    /// Where the ledger is.
    pub ledger: PathBuf,
}

/// The policy it stands for.
pub(super) fn policy(quick: Quick) -> Result<Policy, QueryError> {
    let mut tables = Vec::new();
    for (name, path) in &quick.tables {
        tables.push(table(&quick, name, path)?);
    }
    if tables.is_empty() {
        return Err(QueryError::invalid(
            "there is no table",
            "name one: --table events=events.parquet",
        ));
    }
    let mut tables = in_order(tables)?;
    for (column, lower, upper) in &quick.bounds {
        if lower >= upper {
            let what = format!("the lower bound of {column} must be below the upper one");
            return Err(QueryError::invalid(what, "write --bound income=0..200000"));
        }
        let table = owner(&mut tables, column)?;
        let range = Range::Declared { lower: lower.clone(), upper: upper.clone() };
        table.range = Some(range);
    }
    for (column, keys) in &quick.keys {
        let keys = distinct(column, keys)?;
        owner(&mut tables, column)?.keys = Some(keys);
    }
    let Quick { neighbours, budget, ledger, .. } = quick;
    Ok(assembled(tables, neighbours, budget, ledger))
}

/// Tables by rising name, each once.
pub(super) fn in_order(mut tables: Vec<Table>) -> Result<Vec<Table>, QueryError> {
    tables.sort_by(|a: &Table, b| a.name.cmp(&b.name));
    match tables.array_windows().find(|[a, b]| a.name == b.name) {
        Some([first, _]) => {
            Err(QueryError::invalid(format!("table {} is named twice", first.name), ""))
        }
        None => Ok(tables),
    }
}

pub(super) fn assembled(
    tables: Vec<Table>,
    neighbours: Neighbours,
    budget: Amount,
    ledger: PathBuf,
) -> Policy {
    let mut policy = Policy {
        tables,
        neighbours,
        budget,
        analysts: BTreeMap::new(),
        ledger,
        engine: EngineChoice::DataFusion { threads: None, memory: None },
        defaults: Defaults::default(),
        source: PathBuf::from(SOURCE),
        warnings: Vec::new(),
    };
    policy.warnings = check::warnings(&policy);
    policy
}

fn table(quick: &Quick, name: &str, path: &str) -> Result<Table, QueryError> {
    check::table_name(name).map_err(|(what, hint)| QueryError::invalid(what, hint))?;
    let format = Format::of_path(path).ok_or_else(|| {
        let what = format!("{path}: the format is not clear from the name of the file");
        QueryError::invalid(
            what,
            "files end in .parquet, .csv or .arrow; a policy file can say more",
        )
    })?;
    let limits = Limits { groups: limit(quick.max_groups)?, rows: limit(quick.max_rows)? };
    let (unit, limits) = match &quick.unit {
        Some(column) => {
            // The same column name in all tables holds the same units.
            let name = Some(column.clone());
            (UnitRule::Column { column: column.clone(), name }, limits)
        }
        None => (UnitRule::Row, Limits { groups: Limit::Fixed(1), rows: Limit::Fixed(1) }),
    };
    Ok(Table {
        name: name.to_string(),
        paths: vec![path.to_string()],
        format,
        columns: BTreeMap::new(),
        privacy: Privacy::Private { unit, limits },
    })
}

pub(super) fn limit(limit: Limit) -> Result<Limit, QueryError> {
    match limit {
        Limit::Fixed(most) if most == 0 || most > check::MOST_CONTRIBUTIONS => Err(
            QueryError::invalid("a limit on contributions must be at least 1 and below 2^31", ""),
        ),
        Limit::Fixed(_) | Limit::Auto => Ok(limit),
    }
}

/// What is declared of `column`, or `table.column` where there are several tables.
fn owner<'a>(tables: &'a mut [Table], column: &str) -> Result<&'a mut ColumnRule, QueryError> {
    let unclear = || {
        let what = format!("it is not clear which table has column {column}");
        QueryError::invalid(what, "with several tables write table.column")
    };
    if let [table] = tables {
        let own = format!("{}.", table.name);
        let column = column.strip_prefix(&own).unwrap_or(column);
        return Ok(table.columns.entry(column.to_string()).or_default());
    }
    let (table, column) = column.split_once('.').ok_or_else(unclear)?;
    let table = tables.iter_mut().find(|t| t.name == table).ok_or_else(unclear)?;
    Ok(table.columns.entry(column.to_string()).or_default())
}

fn distinct(column: &str, keys: &[String]) -> Result<Vec<Value>, QueryError> {
    let mut seen = std::collections::BTreeSet::new();
    if keys.is_empty() || !keys.iter().all(|key| seen.insert(key)) {
        let what = format!("the keys of {column} must be given, each once");
        return Err(QueryError::invalid(what, "write --keys city=Oslo,Bergen"));
    }
    Ok(keys.iter().cloned().map(Value::Plain).collect())
}
