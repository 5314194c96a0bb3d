//! Outer expressions that do not fail.
//!
//! Noisy cells can be 0 where counts cannot. A division by one of them is not a leak, but it must
//! not cost the rest of the answer: where an expression has no value it is NULL.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::core::expr_fn::nullif;
use datafusion::logical_expr::expr::{BinaryExpr, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, Operator, TryCast, binary_expr, lit, when,
};

use crate::total::totalise;

/// The plan with expressions that give NULL where they would fail, as far as that is known.
pub(super) fn mended(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up_with_subqueries(node)?.data)
}

/// Joins keep their form, by which the engine finds a fast way.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named has nothing to mend")]
fn node(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Aggregate(_) => {}
        other => return Ok(Transformed::no(other)),
    }
    let mut schema = DFSchema::empty();
    for input in plan.inputs() {
        schema.merge(input.schema());
    }
    let names = NamePreserver::new(&plan);
    let plan = plan.map_expressions(|expr| {
        let name = names.save(&expr);
        let mended = mend(expr, &schema)?;
        Ok(mended.update_data(|expr| name.restore(expr)))
    })?;
    plan.map_data(LogicalPlan::recompute_schema)
}

/// The total form where there is one, else the parts that are known to fail replaced.
fn mend(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if matches!(expr.clone().unalias(), Expr::Column(_) | Expr::Literal(_, _)) {
        return Ok(Transformed::no(expr));
    }
    let mended = expr.transform_up(|part| part_of(part, schema))?;
    match totalise(mended.data.clone(), schema) {
        Ok(total) if same_type(&total, &mended.data, schema) => Ok(Transformed::yes(total)),
        Ok(_) | Err(_) => Ok(mended),
    }
}

fn same_type(one: &Expr, other: &Expr, schema: &DFSchema) -> bool {
    let kinds = (one.get_type(schema), other.get_type(schema));
    matches!(kinds, (Ok(one), Ok(other)) if one == other)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named stays")]
fn part_of(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    Ok(match expr {
        Expr::Cast(cast) => {
            Transformed::yes(Expr::TryCast(TryCast { expr: cast.expr, field: cast.field }))
        }
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: op @ (Operator::Divide | Operator::Modulo),
            right,
        }) => {
            let right = Box::new(never_zero(*right, schema)?);
            Transformed::yes(Expr::BinaryExpr(BinaryExpr { left, op, right }))
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) => match (func.name(), args.as_slice())
        {
            ("sqrt", [arg]) => Transformed::yes(func.call(vec![only(arg, Operator::GtEq)?])),
            ("ln" | "log2" | "log10", [arg]) => {
                Transformed::yes(func.call(vec![only(arg, Operator::Gt)?]))
            }
            _ => Transformed::no(Expr::ScalarFunction(ScalarFunction { func, args })),
        },
        other => Transformed::no(other),
    })
}

/// An argument where it compares to 0 like this, else NULL.
fn only(arg: &Expr, op: Operator) -> Result<Expr> {
    when(binary_expr(arg.clone(), op, lit(0)), arg.clone()).end()
}

/// NULL where a divisor is 0; floats have a quotient even then.
fn never_zero(divisor: Expr, schema: &DFSchema) -> Result<Expr> {
    let kind = divisor.get_type(schema)?;
    let known = matches!(&divisor, Expr::Literal(value, _) if !value.is_null()
        && ScalarValue::new_zero(&kind).is_ok_and(|zero| zero != *value));
    if known || kind.is_floating() || !kind.is_numeric() {
        return Ok(divisor);
    }
    Ok(nullif(divisor, Expr::Literal(ScalarValue::new_zero(&kind)?, None)))
}
