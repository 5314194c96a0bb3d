//! The walk over a plan: what is public, what are private rows, what is released.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, Subquery};

use super::context::{Scope, planned};
use super::expr::{check_pure, shown};
use super::rows::Rows;
use super::{Node, ask, inner, join, scan, simple};
use crate::QueryError;
use crate::question::Question;

/// What a part of a plan is.
pub(super) enum Class {
    /// Reads public tables only.
    Public(LogicalPlan),
    /// Private rows that keep their unit.
    Rows(Box<Rows>),
    /// Computed from released cells and public tables.
    Released(LogicalPlan),
}

/// The state of a walk over one statement.
pub(super) struct Walk<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) questions: Vec<Question>,
    pub(super) nodes: Vec<Node>,
    /// The aggregates seen so far: one that is written twice is asked once, so that both places
    /// hold the same noisy cells.
    pub(super) asked: Vec<LogicalPlan>,
    pub(super) tables: BTreeSet<String>,
    fresh: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(scope: &'a Scope<'a>) -> Self {
        Self {
            scope,
            questions: Vec::new(),
            nodes: Vec::new(),
            asked: Vec::new(),
            tables: BTreeSet::new(),
            fresh: 0,
        }
    }

    /// A number not given before.
    pub(super) fn fresh(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    /// What the whole statement computes from released cells and public tables.
    pub(super) fn statement(&mut self, plan: &LogicalPlan) -> Result<LogicalPlan, QueryError> {
        match self.class(plan)? {
            Class::Public(plan) | Class::Released(plan) => Ok(plan),
            Class::Rows(_) => Err(QueryError::refused(
                format!("row-level output: {}", shown(plan)),
                "the rows of private tables are never shown",
                "aggregate instead, for instance SELECT COUNT(*) ... GROUP BY ...",
            )),
        }
    }

    /// What a plan is, and the plan to run in its place.
    pub(super) fn class(&mut self, plan: &LogicalPlan) -> Result<Class, QueryError> {
        if let LogicalPlan::TableScan(table) = plan {
            return scan::scan(self, table);
        }
        check_kind(plan)?;
        let inputs = plan.inputs().into_iter();
        let inputs = inputs.map(|input| self.class(input)).collect::<Result<Vec<_>, _>>()?;
        if !inputs.iter().any(|input| matches!(input, Class::Rows(_))) {
            return self.unrelated(plan, inputs);
        }
        match (plan, one(inputs)) {
            (LogicalPlan::Projection(node), Inputs::Rows(rows)) => {
                simple::project(self, node, *rows)
            }
            (LogicalPlan::Filter(node), Inputs::Rows(rows)) => simple::filter(node, *rows),
            (LogicalPlan::SubqueryAlias(node), Inputs::Rows(rows)) => simple::alias(node, *rows),
            (LogicalPlan::Distinct(Distinct::All(_)), Inputs::Rows(rows)) => {
                simple::distinct(plan, *rows)
            }
            (LogicalPlan::Aggregate(node), Inputs::Rows(rows)) => {
                if inner::keeps_unit(node, &rows) {
                    inner::aggregate(self, node, *rows)
                } else {
                    ask::aggregate(self, plan, node, &rows)
                }
            }
            (LogicalPlan::Join(node), Inputs::Several(inputs)) => join::join(self, node, inputs),
            (LogicalPlan::Union(node), Inputs::Several(inputs)) => {
                simple::union(self, node, inputs)
            }
            _ => Err(refused_over_rows(plan)),
        }
    }

    /// A part of a plan with no private rows below it: anything goes that is a function.
    fn unrelated(&mut self, plan: &LogicalPlan, inputs: Vec<Class>) -> Result<Class, QueryError> {
        let mut released = false;
        let mut plans = Vec::new();
        for input in inputs {
            match input {
                Class::Public(plan) => plans.push(plan),
                Class::Released(plan) => {
                    released = true;
                    plans.push(plan);
                }
                Class::Rows(_) => return Err(refused_over_rows(plan)),
            }
        }
        let mut plans = plans.into_iter();
        let inputs = |old| Ok(Transformed::yes(plans.next().unwrap_or(old)));
        let plan = planned(plan.clone().map_children(inputs))?.data;
        let plan = self.expressions(plan, &mut released)?;
        let plan = if released { planned(plan.recompute_schema())? } else { plan };
        Ok(if released { Class::Released(plan) } else { Class::Public(plan) })
    }

    /// The plan with the sub-queries in its expressions walked too.
    fn expressions(
        &mut self,
        plan: LogicalPlan,
        released: &mut bool,
    ) -> Result<LogicalPlan, QueryError> {
        let mut failed = None;
        let walked = plan.map_expressions(|expr| {
            let result = check_pure(&expr).and_then(|()| self.expression(expr, released));
            result.map(Transformed::yes).map_err(|error| {
                failed = Some(error);
                DataFusionError::Plan(String::new())
            })
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(planned(walked)?.data),
        }
    }

    fn expression(&mut self, expr: Expr, released: &mut bool) -> Result<Expr, QueryError> {
        let mut failed = None;
        let walked = expr.transform_down(|part| {
            let Some(subquery) = subquery(&part) else { return Ok(Transformed::no(part)) };
            match self.subquery(subquery, released) {
                Ok(new) => Ok(Transformed::yes(with_subquery(part, new))),
                Err(error) => {
                    failed = Some(error);
                    Err(DataFusionError::Plan(String::new()))
                }
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(planned(walked)?.data),
        }
    }

    fn subquery(&mut self, query: &Subquery, released: &mut bool) -> Result<Subquery, QueryError> {
        let plan = match self.class(&query.subquery)? {
            Class::Public(plan) => plan,
            Class::Released(plan) => {
                *released = true;
                plan
            }
            Class::Rows(_) => {
                return Err(QueryError::refused(
                    format!("sub-query: {}", shown(&query.subquery)),
                    "the rows of private tables are never shown, nor compared with other values",
                    "aggregate inside the sub-query",
                ));
            }
        };
        Ok(query.with_plan(Arc::new(plan)))
    }
}

enum Inputs {
    Rows(Box<Rows>),
    Several(Vec<Class>),
}

fn one(mut inputs: Vec<Class>) -> Inputs {
    match (inputs.pop(), inputs.is_empty()) {
        (Some(Class::Rows(rows)), true) => Inputs::Rows(rows),
        (last, _) => {
            inputs.extend(last);
            Inputs::Several(inputs)
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "no other expression has a plan inside")]
fn subquery(expr: &Expr) -> Option<&Subquery> {
    match expr {
        Expr::ScalarSubquery(subquery) => Some(subquery),
        Expr::Exists(exists) => Some(&exists.subquery),
        Expr::InSubquery(inside) => Some(&inside.subquery),
        Expr::SetComparison(comparison) => Some(&comparison.subquery),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "no other expression has a plan inside")]
fn with_subquery(expr: Expr, new: Subquery) -> Expr {
    match expr {
        Expr::ScalarSubquery(_) => Expr::ScalarSubquery(new),
        Expr::Exists(mut exists) => {
            exists.subquery = new;
            Expr::Exists(exists)
        }
        Expr::InSubquery(mut inside) => {
            inside.subquery = new;
            Expr::InSubquery(inside)
        }
        Expr::SetComparison(mut comparison) => {
            comparison.subquery = new;
            Expr::SetComparison(comparison)
        }
        other => other,
    }
}

/// Refuses what is not a query, whatever it reads.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is a query")]
fn check_kind(plan: &LogicalPlan) -> Result<(), QueryError> {
    match plan {
        LogicalPlan::Statement(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::Extension(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_)
        | LogicalPlan::DescribeTable(_)
        | LogicalPlan::RecursiveQuery(_) => {
            Err(QueryError::refused(shown(plan), "only queries are answered", "write SELECT ..."))
        }
        _ => Ok(()),
    }
}

/// Why a node cannot stand over private rows.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named gets a general reason")]
pub(super) fn refused_over_rows(plan: &LogicalPlan) -> QueryError {
    let (name, reason, hint) = match plan {
        LogicalPlan::Sort(_) => (
            "ORDER BY over private rows",
            "the order of rows says something about each of them",
            "order the aggregates instead: ORDER BY after GROUP BY",
        ),
        LogicalPlan::Limit(_) => (
            "LIMIT over private rows",
            "which rows are left would depend on rows of other units",
            "filter with WHERE, or put LIMIT after GROUP BY",
        ),
        LogicalPlan::Window(_) => (
            "window function over private rows",
            "the value of a row would depend on rows of other units",
            "aggregate by the unit first, or use window functions on aggregates",
        ),
        LogicalPlan::Distinct(Distinct::On(_)) => (
            "DISTINCT ON over private rows",
            "which row is left would depend on rows of other units",
            "use GROUP BY with an aggregate",
        ),
        LogicalPlan::Unnest(_) => (
            "UNNEST over private rows",
            "lists inside rows are not followed",
            "store one value in each row",
        ),
        LogicalPlan::Subquery(_) => (
            "lateral sub-query over private rows",
            "it would run once for each row of the outer query",
            "join on the unit's column and aggregate instead",
        ),
        _ => (
            "this part over private rows",
            "it is not known to keep the rows of units apart",
            "use SELECT, WHERE, JOIN on the unit, UNION ALL and GROUP BY",
        ),
    };
    QueryError::refused(format!("{name}: {}", shown(plan)), reason, hint)
}
