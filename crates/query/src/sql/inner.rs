//! Aggregates that keep the unit: exact, one unit at a time.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::expr::{AggregateFunction, AggregateFunctionParams};
use datafusion::logical_expr::utils::grouping_set_to_exprlist;
use datafusion::logical_expr::{
    Aggregate, AggregateUDF, Expr, ExprSchemable, LogicalPlan, try_cast,
};
use throng_numeric::Rational;

use super::constant;
use super::context::planned;
use super::rows::{Facts, Rows, bare, projected};
use super::text::{RESERVED, short};
use super::walk::{Class, Walk};
use crate::QueryError;
use crate::total;

/// Whether the groups are within units.
pub(super) fn keeps_unit(node: &Aggregate, rows: &Rows) -> bool {
    let links = |expr: &Expr| {
        let facts = constant::column(expr, rows).and_then(|column| rows.of_column(column));
        facts.is_some_and(|facts| facts.link.is_some())
    };
    !rows.owner_is_row() && node.group_expr.iter().any(links)
}

/// GROUP BY the unit (and more): one row for each group, of the unit that it belongs to.
///
/// The unit is added to the groups, so the rows of a group are of one unit whatever the policy says
/// about the columns. Sums do not depend on the order of rows and do not fail when they are large:
/// so a row of the result is a function of the unit's rows alone.
pub(super) fn aggregate(
    walk: &mut Walk<'_>,
    node: &Aggregate,
    rows: Rows,
) -> Result<Class, QueryError> {
    let unit = rows.unit().ok_or_else(|| QueryError::engine("planning an aggregate"))?;
    let name = |i: usize| format!("{RESERVED}_{i}");
    let by = planned(grouping_set_to_exprlist(&node.group_expr))?;
    let groups = by.len();
    let mut keys = vec![unit.alias(name(0))];
    for (i, expr) in by.iter().enumerate() {
        keys.push(rows.total(expr)?.alias(name(i + 1)));
    }
    let mut parts = Parts { next: groups + 1, exprs: Vec::new() };
    let mut columns: Vec<Expr> = (1..=groups).map(|i| Expr::from(bare_column(&name(i)))).collect();
    let mut facts: Vec<Facts> = by.iter().map(|e| rows.of_expr(e)).collect();
    for (i, expr) in node.aggr_expr.iter().enumerate() {
        let kind = node.schema.field(groups + i).data_type().clone();
        columns.push(parts.exact(expr, &rows, &kind)?);
        facts.push(known(expr, &rows));
    }
    let single = facts.iter().take(groups).all(|facts| facts.is_unit);
    let inner = Aggregate::try_new(Arc::new(rows.plan.clone()), keys, parts.exprs);
    let unit = (Expr::from(bare_column(&name(0))), walk.fresh());
    let inner = LogicalPlan::Aggregate(planned(inner)?);
    let plan = projected(inner, Some(unit), columns, &node.schema)?;
    Ok(Class::Rows(Box::new(Rows { plan, facts, single, ..rows })))
}

fn bare_column(name: &str) -> datafusion::common::Column {
    datafusion::common::Column::from_name(name)
}

/// The aggregates to be run, each under a name of its own.
struct Parts {
    next: usize,
    exprs: Vec<Expr>,
}

impl Parts {
    fn run(&mut self, func: Arc<AggregateUDF>, params: AggregateFunctionParams) -> Expr {
        let name = format!("{RESERVED}_{}", self.next);
        self.next += 1;
        let call = Expr::AggregateFunction(AggregateFunction { func, params });
        self.exprs.push(call.alias(name.clone()));
        Expr::from(bare_column(&name))
    }

    /// The exact form of an aggregate, computed from what is run.
    fn exact(&mut self, expr: &Expr, rows: &Rows, kind: &DataType) -> Result<Expr, QueryError> {
        let Expr::AggregateFunction(call) = bare(expr) else { return Err(refused(expr)) };
        let params = &call.params;
        let plain = params.order_by.is_empty() && params.null_treatment.is_none();
        if !plain || params.args.len() != 1 {
            return Err(refused(expr));
        }
        let args = params.args.iter().map(|e| rows.total(e)).collect::<Result<Vec<_>, _>>()?;
        let filter = params.filter.as_ref().map(|f| rows.total(f)).transpose()?;
        let params =
            AggregateFunctionParams { args, filter: filter.map(Box::new), ..params.clone() };
        match (call.func.name(), params.distinct) {
            ("count", _) | ("bool_and" | "bool_or", false) => {
                Ok(self.run(Arc::clone(&call.func), params))
            }
            ("min" | "max", false) => {
                let mut params = params;
                params.args = params.args.into_iter().map(total::plain_float).collect();
                Ok(self.run(Arc::clone(&call.func), params))
            }
            ("sum", false) => self.sum(params, rows, kind),
            ("avg", false) => {
                let count = AggregateFunctionParams { ..params.clone() };
                let count = self.run(count_udaf(), count);
                let sum = self.float_sum(params);
                Ok(cast(sum / try_cast(count, DataType::Float64), &DataType::Float64, kind))
            }
            _ => Err(refused(expr)),
        }
    }

    /// Integers are added in 128 bits, which no number of rows can fill; a sum that does not fit
    /// its type is NULL.
    fn sum(
        &mut self,
        mut params: AggregateFunctionParams,
        rows: &Rows,
        kind: &DataType,
    ) -> Result<Expr, QueryError> {
        let types = params.args.iter().map(|arg| arg.get_type(rows.plan.schema()));
        let whole = planned(types.collect::<Result<Vec<_>, _>>())?.iter().all(DataType::is_integer);
        if !whole {
            return Ok(cast(self.float_sum(params), &DataType::Float64, kind));
        }
        let wide = |arg| try_cast(arg, DataType::Decimal128(20, 0));
        params.args = params.args.into_iter().map(wide).collect();
        Ok(try_cast(self.run(sum_udaf(), params), kind.clone()))
    }

    fn float_sum(&mut self, mut params: AggregateFunctionParams) -> Expr {
        let float = |arg| try_cast(arg, DataType::Float64);
        params.args = params.args.into_iter().map(float).collect();
        self.run(Arc::new(total::exact_sum()), params)
    }
}

fn cast(expr: Expr, from: &DataType, to: &DataType) -> Expr {
    if from == to { expr } else { try_cast(expr, to.clone()) }
}

/// What is known of an aggregate's value.
fn known(expr: &Expr, rows: &Rows) -> Facts {
    let Expr::AggregateFunction(call) = bare(expr) else { return Facts::default() };
    let Some(arg) = call.params.args.first() else { return Facts::default() };
    let of = rows.of_expr(arg);
    match call.func.name() {
        "count" => Facts { lower: Some(Rational::ZERO), ..Facts::default() },
        "min" | "max" => {
            Facts { lower: of.lower, upper: of.upper, keys: of.keys, ..Facts::default() }
        }
        "avg" => Facts { lower: of.lower, upper: of.upper, ..Facts::default() },
        _ => Facts::default(),
    }
}

fn refused(expr: &Expr) -> QueryError {
    QueryError::refused(
        format!("{} by unit", short(&expr.to_string())),
        "inside a sub-query that keeps the unit only COUNT, SUM, AVG, MIN, MAX, BOOL_AND and \
         BOOL_OR are computed",
        "use one of these in the sub-query, or the aggregate in the outer query",
    )
}
