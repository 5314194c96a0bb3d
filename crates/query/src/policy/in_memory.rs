//! A policy for tables that are held in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use datafusion::arrow::datatypes::SchemaRef;
use throng_account::Neighbours;
use throng_numeric::Rational;

use super::{
    Amount, ColumnRule, Format, Policy, Privacy, Table, UnitRule, Value, check, quick, suggestion,
    units,
};
use crate::QueryError;
use crate::question::{Limit, Limits, Range};

/// What the owner of tables in memory allows.
///
/// Bounds and keys hold in every table that has the column, or in one: `table.column`.
#[derive(Debug, Clone)]
pub struct InMemory {
    /// The tables.
    pub tables: Vec<Held>,
    /// Ranges of columns; `None` has one chosen privately.
    pub bounds: Vec<(String, Option<(Rational, Rational)>)>,
    /// Public keys of columns.
    pub keys: Vec<(String, Vec<Value>)>,
    /// How many groups one unit may contribute to.
    pub max_groups: Limit,
    /// How many rows of a group one unit may contribute.
    pub max_rows: Limit,
    /// What "differ in one unit" means.
    pub neighbours: Neighbours,
    /// What may be spent.
    pub budget: Amount,
    /// Where the ledger is, if the budget is kept in one.
    pub ledger: PathBuf,
}

/// A table in memory.
#[derive(Debug, Clone)]
pub struct Held {
    /// Its name in SQL.
    pub name: String,
    /// Whose a row is; `None` if the table is public.
    pub unit: Option<UnitRule>,
    /// Its columns.
    pub schema: SchemaRef,
}

/// The policy it stands for.
pub(super) fn policy(said: InMemory) -> Result<Policy, QueryError> {
    let limits =
        Limits { groups: quick::limit(said.max_groups)?, rows: quick::limit(said.max_rows)? };
    let mut tables = Vec::new();
    for held in &said.tables {
        tables.push(table(held, &limits)?);
    }
    if tables.iter().all(Table::is_public) {
        return Err(QueryError::invalid("there is no private table", "give at least one frame"));
    }
    let mut tables = quick::in_order(tables)?;
    for table in &tables {
        units::path(&tables, &table.name).map_err(|_| {
            let what = format!("the rows of table {} do not lead to a unit", table.name);
            QueryError::invalid(what, "name the column that says whose a row is")
        })?;
    }
    for (column, range) in &said.bounds {
        if range.as_ref().is_some_and(|(lower, upper)| lower >= upper) {
            let what = format!("the lower bound of {column} must be below the upper one");
            return Err(QueryError::invalid(what, "give (lower, upper)"));
        }
        for (table, column, rule) in owners(&said.tables, &mut tables, column)? {
            rule.range = Some(match range {
                Some((lower, upper)) => {
                    Range::Declared { lower: lower.clone(), upper: upper.clone() }
                }
                None => Range::Auto { column: format!("{table}.{column}") },
            });
        }
    }
    for (column, keys) in &said.keys {
        distinct(column, keys)?;
        for (_, _, rule) in owners(&said.tables, &mut tables, column)? {
            rule.keys = Some(keys.clone());
        }
    }
    Ok(quick::assembled(tables, said.neighbours, said.budget, said.ledger))
}

fn table(held: &Held, limits: &Limits) -> Result<Table, QueryError> {
    check::table_name(&held.name).map_err(|(what, hint)| QueryError::invalid(what, hint))?;
    let privacy = match &held.unit {
        None => Privacy::Public,
        Some(UnitRule::Row) => Privacy::Private {
            unit: UnitRule::Row,
            limits: Limits { groups: Limit::Fixed(1), rows: Limit::Fixed(1) },
        },
        Some(unit) => Privacy::Private { unit: unit.clone(), limits: limits.clone() },
    };
    Ok(Table {
        name: held.name.clone(),
        paths: Vec::new(),
        format: Format::Memory,
        columns: BTreeMap::new(),
        privacy,
    })
}

type Owned<'a> = (&'a str, String, &'a mut ColumnRule);

/// What is declared of a column in every table that has it; or in one, as `table.column`.
fn owners<'a>(
    held: &[Held],
    tables: &'a mut [Table],
    column: &str,
) -> Result<Vec<Owned<'a>>, QueryError> {
    let has = |table: &str, column: &str| {
        let own = held.iter().find(|held| held.name == table);
        own.is_some_and(|held| held.schema.field_with_name(column).is_ok())
    };
    let mut found = Vec::new();
    for table in tables {
        let inside = column.split_once('.').filter(|(name, _)| *name == table.name);
        let inside = inside.map(|(_, column)| column).filter(|column| has(&table.name, column));
        let own = Some(column).filter(|column| has(&table.name, column)).or(inside);
        if let Some(own) = own {
            let rule = table.columns.entry(own.to_owned()).or_default();
            found.push((table.name.as_str(), own.to_owned(), rule));
        }
    }
    if found.is_empty() {
        let fields = held.iter().flat_map(|held| held.schema.fields());
        let known: BTreeSet<&str> = fields.map(|field| field.name().as_str()).collect();
        let what = format!("no table has a column {column}");
        return Err(QueryError::invalid(what, suggestion(column, known.iter().copied())));
    }
    Ok(found)
}

fn distinct(column: &str, keys: &[Value]) -> Result<(), QueryError> {
    let mut seen = BTreeSet::new();
    if !keys.is_empty() && keys.iter().all(|key| seen.insert(key.to_string())) {
        return Ok(());
    }
    let what = format!("the keys of {column} must be given, each once");
    Err(QueryError::invalid(what, "list the values that everybody may know"))
}
