//! Public tables beside private rows: they may not fail either.
//!
//! Whether the public side of a join is computed at all, and for which of its rows, is up to the
//! engine, which looks at the private side to save work. A division by zero over there would tell.
//! So its expressions are made total like those of private rows.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::utils::grouping_set_to_exprlist;
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, ExprSchemable, Filter, Join, LogicalPlan,
};

use super::constant;
use super::context::planned;
use super::expr::shown;
use super::rows::{bare, named, projected, totalised};
use crate::QueryError;

/// The aggregates that give a value whatever the rows, decimals aside: an average of those can
/// overflow, which is an error.
const SAFE: &[&str] = &[
    "approx_distinct",
    "avg",
    "bool_and",
    "bool_or",
    "count",
    "max",
    "median",
    "min",
    "stddev",
    "stddev_pop",
    "sum",
    "var",
    "var_pop",
];

/// Those that do no arithmetic, so that decimals are as good as anything.
const ORDERLY: &[&str] = &["approx_distinct", "bool_and", "bool_or", "count", "max", "min"];

/// A public plan that cannot fail, with the same columns.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is refused")]
pub(super) fn settled(plan: &LogicalPlan) -> Result<LogicalPlan, QueryError> {
    let plan = with_inputs(plan)?;
    match &plan {
        LogicalPlan::TableScan(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Distinct(Distinct::All(_))
        | LogicalPlan::Union(_) => Ok(plan),
        LogicalPlan::Projection(node) => {
            let exprs = node.expr.iter().map(|e| totalised(e, node.input.schema()));
            let exprs = exprs.collect::<Result<_, _>>()?;
            projected(node.input.as_ref().clone(), None, exprs, &node.schema)
        }
        LogicalPlan::Filter(node) => {
            let predicate = totalised(&node.predicate, node.input.schema())?;
            let filter = planned(Filter::try_new(predicate, Arc::clone(&node.input)))?;
            Ok(LogicalPlan::Filter(filter))
        }
        LogicalPlan::Aggregate(node) => aggregate(node),
        LogicalPlan::Join(node) => join(node),
        LogicalPlan::Values(node) if node.values.iter().all(|row| literals(row)) => Ok(plan),
        _ => Err(refused(&plan)),
    }
}

fn with_inputs(plan: &LogicalPlan) -> Result<LogicalPlan, QueryError> {
    let mut failed = None;
    let new = plan.clone().map_children(|input| match settled(&input) {
        Ok(input) => Ok(Transformed::yes(input)),
        Err(error) => {
            failed = Some(error);
            Err(DataFusionError::Plan(String::new()))
        }
    });
    match failed {
        Some(error) => Err(error),
        None => planned(new.and_then(|new| new.data.recompute_schema())),
    }
}

fn literals(exprs: &[Expr]) -> bool {
    exprs.iter().all(|expr| constant::value(expr).is_some())
}

fn aggregate(node: &Aggregate) -> Result<LogicalPlan, QueryError> {
    let refused = || refused(&LogicalPlan::Aggregate(node.clone()));
    if node.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_))) {
        return Err(refused());
    }
    let schema = node.input.schema();
    let names: Vec<_> = node.schema.iter().collect();
    let by = planned(grouping_set_to_exprlist(&node.group_expr))?;
    let mut columns = Vec::new();
    for (expr, (relation, field)) in by.iter().zip(&names) {
        columns.push(named(totalised(expr, schema)?, *relation, field.name()));
    }
    let mut aggregates = Vec::new();
    for (expr, (relation, field)) in node.aggr_expr.iter().zip(names.iter().skip(by.len())) {
        let Expr::AggregateFunction(call) = bare(expr) else { return Err(refused()) };
        let mut params = call.params.clone();
        if !SAFE.contains(&call.func.name()) || !params.order_by.is_empty() {
            return Err(refused());
        }
        let args = params.args.iter().map(|arg| totalised(arg, schema));
        params.args = args.collect::<Result<_, _>>()?;
        if !ORDERLY.contains(&call.func.name()) && decimals(&params.args, schema)? {
            return Err(refused_decimal(expr));
        }
        let filter = params.filter.map(|filter| totalised(&filter, schema)).transpose()?;
        params.filter = filter.map(Box::new);
        let call = AggregateFunction { func: Arc::clone(&call.func), params };
        aggregates.push(named(Expr::AggregateFunction(call), *relation, field.name()));
    }
    let aggregate = Aggregate::try_new(Arc::clone(&node.input), columns, aggregates);
    Ok(LogicalPlan::Aggregate(planned(aggregate)?))
}

fn join(node: &Join) -> Result<LogicalPlan, QueryError> {
    let (left, right) = (node.left.schema(), node.right.schema());
    let pair = |(l, r): &(Expr, Expr)| Ok((totalised(l, left)?, totalised(r, right)?));
    let on = node.on.iter().map(pair).collect::<Result<Vec<_>, QueryError>>()?;
    let both = Arc::new(planned(left.join(right))?);
    let filter = node.filter.as_ref().map(|filter| totalised(filter, &both)).transpose()?;
    let join = Join::try_new(
        Arc::clone(&node.left),
        Arc::clone(&node.right),
        on,
        filter,
        node.join_type,
        node.join_constraint,
        node.null_equality,
        node.null_aware,
    );
    Ok(LogicalPlan::Join(planned(join)?))
}

fn decimals(args: &[Expr], schema: &DFSchema) -> Result<bool, QueryError> {
    let kinds =
        planned(args.iter().map(|arg| arg.get_type(schema)).collect::<Result<Vec<_>, _>>())?;
    Ok(kinds.iter().any(DataType::is_decimal))
}

fn refused_decimal(expr: &Expr) -> QueryError {
    QueryError::refused(
        format!("public side of a join with private rows: {expr}"),
        "arithmetic on decimals can overflow, and whether it runs could depend on the private rows",
        "cast the argument to DOUBLE",
    )
}

fn refused(plan: &LogicalPlan) -> QueryError {
    QueryError::refused(
        format!("public side of a join with private rows: {}", shown(plan)),
        "whether it runs, and fails, could depend on the private rows",
        "join with the public table itself, or with a plain SELECT ... GROUP BY of it",
    )
}
