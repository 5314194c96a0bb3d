//! Parts of expressions that no query may have.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::context::planned;
use super::text::short;
use crate::QueryError;

/// The part of a plan, as people read it.
pub(super) fn shown(plan: &LogicalPlan) -> String {
    short(&plan.display().to_string())
}

/// Refuses what depends on more than its arguments: random numbers, variables, placeholders.
#[expect(clippy::wildcard_enum_match_arm, reason = "all else is a function of its input")]
pub(super) fn check_pure(expr: &Expr) -> Result<(), QueryError> {
    visit(expr, &|part| match part {
        Expr::ScalarFunction(call) if part.is_volatile_node() => Some(QueryError::refused(
            format!("{}()", call.func.name()),
            "its value changes from call to call, so that no answer could be told from a new one",
            "leave it out",
        )),
        Expr::ScalarVariable(..) | Expr::Placeholder(_) => Some(QueryError::refused(
            short(&part.to_string()),
            "there are no variables and no parameters",
            "write the value itself",
        )),
        _ => None,
    })
}

/// Refuses what an expression over private rows may not look at: other rows.
#[expect(clippy::wildcard_enum_match_arm, reason = "`total` refuses what it does not know")]
pub(super) fn check_row_expr(expr: &Expr) -> Result<(), QueryError> {
    check_pure(expr)?;
    visit(expr, &|part| match part {
        Expr::ScalarSubquery(_) => Some(QueryError::refused(
            "scalar sub-query over private rows",
            "a value computed from other rows would reach every row",
            "ask for the value first, then write it as a number",
        )),
        Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) => {
            Some(QueryError::refused(
                "sub-query over private rows",
                "whether a row is kept would depend on rows of other units",
                "compare the unit's column: WHERE user_id IN (SELECT user_id FROM ...), or join on it",
            ))
        }
        Expr::OuterReferenceColumn(..) => Some(QueryError::refused(
            format!("correlated sub-query on {}", short(&part.to_string())),
            "it would run once for each row of the outer query",
            "join on the unit's column and aggregate instead",
        )),
        Expr::WindowFunction(_) => Some(QueryError::refused(
            "window function over private rows",
            "the value of a row would depend on rows of other units",
            "aggregate by the unit first, or use window functions on aggregates",
        )),
        Expr::Unnest(_) => Some(QueryError::refused(
            "UNNEST over private rows",
            "lists inside rows are not followed",
            "store one value in each row",
        )),
        _ => None,
    })
}

fn visit(expr: &Expr, refuse: &dyn Fn(&Expr) -> Option<QueryError>) -> Result<(), QueryError> {
    let mut found = None;
    planned(expr.apply(|part| {
        found = refuse(part);
        Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    }))?;
    found.map_or(Ok(()), Err)
}
