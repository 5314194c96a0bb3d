//! A table as it enters the plan: public, or rows with their unit.

use std::sync::Arc;

use datafusion::common::{Column, TableReference};
use datafusion::logical_expr::{
    Expr, ExprSchemable, JoinType, LogicalPlan, LogicalPlanBuilder, TableScan, try_cast,
};

use super::constant::lossless;
use super::context::planned;
use super::rows::{Facts, Owner, Rows, projected};
use super::text::RESERVED;
use super::walk::{Class, Walk};
use crate::QueryError;
use crate::policy::{Privacy, Step, Table, UnitPath, UnitRule};
use crate::question::{Limits, Range};

/// A table of the policy.
pub(super) fn scan(walk: &mut Walk<'_>, scan: &TableScan) -> Result<Class, QueryError> {
    let policy = walk.scope.policy;
    let name = scan.table_name.table();
    let unknown = || QueryError::invalid(format!("there is no table {name} in the policy"), "");
    let table = policy.table(name).ok_or_else(unknown)?;
    walk.tables.insert(name.to_string());
    if !scan.filters.is_empty() || scan.fetch.is_some() {
        return Err(QueryError::invalid("the plan was optimised too early", ""));
    }
    let plan = LogicalPlan::TableScan(scan.clone());
    let Privacy::Private { limits, .. } = &table.privacy else { return Ok(Class::Public(plan)) };
    check_names(&plan, name)?;
    let rows = match policy.unit_path(name) {
        Some(path) => with_unit(walk, table, plan, &path, limits)?,
        None => row_as_unit(walk, table, plan, limits)?,
    };
    Ok(Class::Rows(Box::new(rows)))
}

fn check_names(plan: &LogicalPlan, table: &str) -> Result<(), QueryError> {
    let reserved = |name: &String| name.to_ascii_lowercase().starts_with(RESERVED);
    if plan.schema().fields().iter().any(|field| reserved(field.name())) {
        return Err(QueryError::invalid(
            format!("table {table} has a column whose name begins with {RESERVED}: it is reserved"),
            "rename the column",
        ));
    }
    Ok(())
}

fn row_as_unit(
    walk: &Walk<'_>,
    table: &Table,
    plan: LogicalPlan,
    limits: &Limits,
) -> Result<Rows, QueryError> {
    if !matches!(table.privacy, Privacy::Private { unit: UnitRule::Row, .. }) {
        return Err(QueryError::invalid(
            format!("table {} has no way to its unit", table.name),
            "",
        ));
    }
    let facts = declared(walk, table, &plan);
    let owner = Owner::Row(table.name.clone());
    Ok(Rows { plan, owner, facts, limits: limits.clone(), single: true })
}

fn with_unit(
    walk: &mut Walk<'_>,
    table: &Table,
    plan: LogicalPlan,
    path: &UnitPath,
    limits: &Limits,
) -> Result<Rows, QueryError> {
    let mut facts = declared(walk, table, &plan);
    for (facts, field) in facts.iter_mut().zip(plan.schema().fields()) {
        facts.is_unit = path.steps.is_empty() && *field.name() == path.column;
        facts.link = link(walk, &table.name, field.name());
    }
    let columns = plan.schema().columns();
    let names = Arc::clone(plan.schema());
    let mut here = TableReference::bare(table.name.as_str());
    let mut joined = plan;
    for step in &path.steps {
        (joined, here) = follow(walk, joined, &here, step)?;
    }
    let unit = Expr::Column(Column::new(Some(here), path.column.clone()));
    let columns = columns.into_iter().map(Expr::Column).collect();
    let plan = projected(joined, Some((unit, walk.fresh())), columns, &names)?;
    let owner = Owner::Unit(path.identity.clone());
    Ok(Rows { plan, owner, facts, limits: limits.clone(), single: false })
}

/// One step towards the unit: the rows joined with the table that they refer to.
///
/// A row that refers to nothing belongs to nobody and is left out. If the owner's word that the
/// key is unique is broken, a row that several units share is a row of each of them.
fn follow(
    walk: &mut Walk<'_>,
    rows: LogicalPlan,
    here: &TableReference,
    step: &Step,
) -> Result<(LogicalPlan, TableReference), QueryError> {
    walk.tables.insert(step.table.clone());
    let missing = || QueryError::invalid(format!("there is no table {}", step.table), "");
    let source = walk.scope.sources.get(&step.table).ok_or_else(missing)?;
    let alias = TableReference::bare(format!("{RESERVED}_path_{}", walk.fresh()));
    let next = LogicalPlanBuilder::scan(step.table.as_str(), Arc::clone(source), None);
    let next =
        planned(next.and_then(|b| b.alias(alias.clone())).and_then(LogicalPlanBuilder::build))?;
    let left = Expr::Column(Column::new(Some(here.clone()), step.column.clone()));
    let right = Expr::Column(Column::new(Some(alias.clone()), step.key.clone()));
    let from = planned(left.get_type(rows.schema()))?;
    let to = planned(right.get_type(next.schema()))?;
    let (left, right) = matched(left, &from, right, &to).ok_or_else(|| {
        QueryError::invalid(
            format!("column {} and {}.{} have different types", step.column, step.table, step.key),
            "store both in one type",
        )
    })?;
    let builder = LogicalPlanBuilder::from(rows);
    let joined = builder.join_on(next, JoinType::Inner, vec![left.eq(right)]);
    Ok((planned(joined.and_then(LogicalPlanBuilder::build))?, alias))
}

/// Two expressions in one type that keeps different values different.
pub(super) fn matched(
    left: Expr,
    from: &datafusion::arrow::datatypes::DataType,
    right: Expr,
    to: &datafusion::arrow::datatypes::DataType,
) -> Option<(Expr, Expr)> {
    if from == to {
        Some((left, right))
    } else if lossless(from, to) {
        Some((try_cast(left, to.clone()), right))
    } else if lossless(to, from) {
        Some((left, try_cast(right, from.clone())))
    } else {
        None
    }
}

/// What a column refers to on the way to the unit: columns of one link may be compared.
fn link(walk: &Walk<'_>, table: &str, column: &str) -> Option<String> {
    let policy = walk.scope.policy;
    let path = policy.unit_path(table)?;
    match path.steps.first() {
        None if path.column == column => return Some(path.identity),
        Some(step) if step.column == column => {
            return Some(format!("{}.{}", step.table, step.key));
        }
        _ => {}
    }
    let refers = policy.tables.iter().filter_map(|other| policy.unit_path(&other.name));
    let mut steps = refers.flat_map(|path| path.steps);
    let referred = steps.any(|step| step.table == table && step.key == column);
    referred.then(|| format!("{table}.{column}"))
}

/// What the policy declares of the columns of a table.
pub(super) fn declared(walk: &Walk<'_>, table: &Table, plan: &LogicalPlan) -> Vec<Facts> {
    let fields = plan.schema().fields().iter();
    fields.map(|field| declared_column(walk, table, field.name())).collect()
}

fn declared_column(walk: &Walk<'_>, table: &Table, column: &str) -> Facts {
    let rule = table.column(column);
    let range = rule.and_then(|rule| rule.range.clone());
    let unit_sum = rule.and_then(|rule| rule.unit_sum.clone());
    let (lower, upper, auto) = match range {
        Some(Range::Declared { lower, upper }) => (Some(lower), Some(upper), None),
        Some(Range::Auto { column }) => (None, None, Some(column)),
        None => (None, None, None),
    };
    let max_matches = rule.and_then(|rule| rule.max_matches);
    let keys = walk.scope.keys.get(&(table.name.clone(), column.to_string())).cloned();
    Facts { lower, upper, auto, unit_sum, max_matches, keys, ..Facts::default() }
}
