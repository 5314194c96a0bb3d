//! Operators that handle each row by itself, or the rows of each unit by themselves.

use std::sync::Arc;

use datafusion::logical_expr::{Distinct, Filter, LogicalPlan, Projection, SubqueryAlias, Union};

use super::constant;
use super::context::planned;
use super::expr::shown;
use super::rows::{Facts, Owner, Rows, projected};
use super::walk::{Class, Walk};
use crate::QueryError;
use datafusion::logical_expr::Expr;

/// SELECT: each row by itself.
pub(super) fn project(
    walk: &mut Walk<'_>,
    node: &Projection,
    rows: Rows,
) -> Result<Class, QueryError> {
    let exprs = node.expr.iter().map(|e| rows.total(e)).collect::<Result<Vec<_>, _>>()?;
    let facts = node.expr.iter().map(|e| rows.of_expr(e)).collect();
    let unit = rows.unit().map(|unit| (unit, walk.fresh()));
    let plan = projected(rows.plan.clone(), unit, exprs, &node.schema)?;
    Ok(Class::Rows(Box::new(Rows { plan, facts, ..rows })))
}

/// WHERE: each row by itself.
pub(super) fn filter(node: &Filter, mut rows: Rows) -> Result<Class, QueryError> {
    let predicate = rows.total(&node.predicate)?;
    constant::learn(&mut rows, &node.predicate);
    let filter = planned(Filter::try_new(predicate, Arc::new(rows.plan.clone())))?;
    Ok(Class::Rows(Box::new(Rows { plan: LogicalPlan::Filter(filter), ..rows })))
}

/// AS: another name.
pub(super) fn alias(node: &SubqueryAlias, rows: Rows) -> Result<Class, QueryError> {
    let alias = SubqueryAlias::try_new(Arc::new(rows.plan.clone()), node.alias.clone());
    let plan = LogicalPlan::SubqueryAlias(planned(alias)?);
    Ok(Class::Rows(Box::new(Rows { plan, ..rows })))
}

/// DISTINCT: rows of different units are different, if the unit is among the columns.
pub(super) fn distinct(node: &LogicalPlan, rows: Rows) -> Result<Class, QueryError> {
    let keeps = rows.facts.iter().any(|facts| facts.is_unit);
    if rows.owner_is_row() || !keeps {
        return Err(QueryError::refused(
            format!("DISTINCT over private rows: {}", shown(node)),
            "a row would stand for several units",
            "use COUNT(DISTINCT ...) or GROUP BY, or keep the unit's column in the SELECT DISTINCT",
        ));
    }
    let plan = LogicalPlan::Distinct(Distinct::All(Arc::new(rows.plan.clone())));
    Ok(Class::Rows(Box::new(Rows { plan, ..rows })))
}

/// UNION ALL: the rows of a unit in one table, then in the other.
pub(super) fn union(
    walk: &mut Walk<'_>,
    node: &Union,
    inputs: Vec<Class>,
) -> Result<Class, QueryError> {
    let mut parts = Vec::new();
    for input in inputs {
        match input {
            Class::Rows(rows) => parts.push(*rows),
            Class::Public(_) | Class::Released(_) => {
                return Err(refused_union("private rows and other rows would be put together"));
            }
        }
    }
    let fresh = walk.fresh();
    let mut plans = Vec::new();
    for rows in &parts {
        let columns = rows.visible().into_iter().map(Expr::Column).collect();
        let unit = rows.unit().map(|unit| (unit, fresh));
        plans.push(Arc::new(projected(rows.plan.clone(), unit, columns, &node.schema)?));
    }
    let union = LogicalPlan::Union(planned(Union::try_new(plans))?);
    let Some(rows) = parts.into_iter().map(Ok).reduce(|a, b| together(a?, b?)) else {
        return Err(refused_union("there is nothing to put together"));
    };
    let rows = Rows { plan: union, single: false, ..rows? };
    let columns = rows.visible().into_iter().map(Expr::Column).collect();
    let unit = rows.unit().map(|unit| (unit, walk.fresh()));
    let plan = projected(rows.plan.clone(), unit, columns, &node.schema)?;
    Ok(Class::Rows(Box::new(Rows { plan, ..rows })))
}

fn together(a: Rows, b: Rows) -> Result<Rows, QueryError> {
    let (Owner::Unit(first), Owner::Unit(second)) = (&a.owner, &b.owner) else {
        return Err(refused_union("where each row is a unit, a row could be there twice"));
    };
    if first != second {
        return Err(refused_union("their units are not the same"));
    }
    if a.unit_kind() != b.unit_kind() {
        return Err(refused_union("the columns of their units have different types"));
    }
    let facts: Vec<Facts> = a.facts.into_iter().zip(b.facts).map(|(a, b)| a.either(b)).collect();
    let limits = super::join::larger(&a.limits, &b.limits);
    Ok(Rows { facts, limits, ..a })
}

fn refused_union(reason: &str) -> QueryError {
    QueryError::refused(
        "UNION over private rows",
        reason,
        "unite tables that have the same unit, or aggregate each of them and unite the results",
    )
}

impl Rows {
    /// Whether each row counts by itself.
    pub(super) fn owner_is_row(&self) -> bool {
        matches!(self.owner, Owner::Row(_))
    }
}
