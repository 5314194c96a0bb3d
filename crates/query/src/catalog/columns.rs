//! What a policy says of columns, held against the schema.

use std::collections::BTreeMap;

use datafusion::arrow::datatypes::{DataType, Field, Schema};

use super::Entry;
use crate::QueryError;
use crate::policy::{Policy, Privacy, Table, UnitRule, suggestion};

/// Every column that the policy names is there and of a type that allows what is said of it.
pub(super) fn check(table: &Table, schema: &Schema) -> Result<(), QueryError> {
    for (column, rule) in &table.columns {
        let kind = find(table, schema, column)?;
        if rule.range.is_some() && !is_number(kind) {
            let what = format!("table {}: column {column} has bounds but is {kind}", table.name);
            return Err(QueryError::invalid(what, "only columns of numbers have bounds"));
        }
    }
    match &table.privacy {
        Privacy::Private {
            unit: UnitRule::Column { column, .. } | UnitRule::Through { column, .. },
            ..
        } => check_unit(table, schema, column),
        Privacy::Private { unit: UnitRule::Row, .. } | Privacy::Public => Ok(()),
    }
}

/// What units refer to across tables is there and of the same type.
pub(super) fn check_references(
    policy: &Policy,
    entries: &BTreeMap<String, Entry>,
) -> Result<(), QueryError> {
    let mut kinds: BTreeMap<String, (&str, DataType)> = BTreeMap::new();
    for table in &policy.tables {
        let (Some(path), Some(entry)) = (policy.unit_path(&table.name), entries.get(&table.name))
        else {
            continue;
        };
        if let Privacy::Private { unit: UnitRule::Through { column, table: to, key }, .. } =
            &table.privacy
        {
            check_reference(policy, entries, (table, entry, column), (to, key))?;
        }
        let last = path.steps.last().map_or(table.name.as_str(), |step| step.table.as_str());
        let Some(end) = entries.get(last) else { continue };
        let Ok(field) = end.schema.field_with_name(&path.column) else { continue };
        let kind = field.data_type().clone();
        let (other, expected) =
            kinds.entry(path.identity.clone()).or_insert((&table.name, kind.clone()));
        if *expected != kind {
            let what = format!(
                "tables {other} and {} have the same units ({}) but call them {expected} and {kind}",
                table.name, path.identity
            );
            return Err(QueryError::invalid(what, "write both columns with the same type"));
        }
    }
    Ok(())
}

fn check_reference(
    policy: &Policy,
    entries: &BTreeMap<String, Entry>,
    (table, entry, column): (&Table, &Entry, &str),
    (to, key): (&str, &str),
) -> Result<(), QueryError> {
    let (Some(target), Some(end)) = (policy.table(to), entries.get(to)) else { return Ok(()) };
    let here = find(table, &entry.schema, column)?;
    let there = find(target, &end.schema, key)?;
    if here != there {
        let name = &table.name;
        let what = format!("table {name}: {column} is {here}, but {to}.{key} is {there}");
        return Err(QueryError::invalid(what, "write both columns with the same type"));
    }
    Ok(())
}

fn find<'a>(table: &Table, schema: &'a Schema, column: &str) -> Result<&'a DataType, QueryError> {
    schema.field_with_name(column).map(Field::data_type).map_err(|_| {
        let known = schema.fields().iter().map(|field| field.name().as_str());
        let what = format!("table {} has no column {column}", table.name);
        QueryError::invalid(what, suggestion(column, known))
    })
}

/// A unit is told apart by equality, so its column must be of a type where that is plain.
fn check_unit(table: &Table, schema: &Schema, column: &str) -> Result<(), QueryError> {
    let kind = find(table, schema, column)?;
    let plain = kind.is_integer()
        || kind.is_decimal()
        || kind.is_temporal()
        || matches!(kind, DataType::Utf8 | DataType::Binary | DataType::FixedSizeBinary(_))
        || *kind == DataType::Boolean;
    if plain {
        return Ok(());
    }
    let what = format!("table {}: column {column} ({kind}) cannot name units", table.name);
    Err(QueryError::invalid(what, "units are named by integers, text, decimals, dates or bytes"))
}

fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || kind.is_decimal()
}
