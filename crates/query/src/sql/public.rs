//! What is known of public plans.

use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::Column;
use datafusion::logical_expr::utils::{grouping_set_to_exprlist, split_conjunction};
use datafusion::logical_expr::{BinaryExpr, Expr, Join, LogicalPlan, Operator};

use super::rows::{Facts, bare};
use super::scan::declared;
use super::walk::Walk;

/// What the policy declares of the columns of a public plan.
#[expect(clippy::wildcard_enum_match_arm, reason = "of what is not named nothing is known")]
pub(super) fn public_facts(walk: &Walk<'_>, plan: &LogicalPlan) -> Vec<Facts> {
    match plan {
        LogicalPlan::TableScan(scan) => match walk.scope.policy.table(scan.table_name.table()) {
            Some(table) => declared(walk, table, plan),
            None => nothing(plan),
        },
        LogicalPlan::SubqueryAlias(alias) => public_facts(walk, &alias.input),
        LogicalPlan::Filter(filter) => public_facts(walk, &filter.input),
        LogicalPlan::Projection(node) => {
            let input = public_facts(walk, &node.input);
            let of = |expr: &Expr| match bare(expr) {
                Expr::Column(column) => {
                    let index = node.input.schema().maybe_index_of_column(column)?;
                    input.get(index).cloned()
                }
                _ => None,
            };
            node.expr.iter().map(|expr| of(expr).unwrap_or_default()).collect()
        }
        _ => nothing(plan),
    }
}

fn nothing(plan: &LogicalPlan) -> Vec<Facts> {
    plan.schema().fields().iter().map(|_| Facts::default()).collect()
}

/// Whether, by the form of the public side, at most one of its rows can match each private row.
pub(super) fn at_most_one_match(node: &Join, public: &LogicalPlan, public_is_right: bool) -> bool {
    let mut columns: Vec<Column> = Vec::new();
    for (left, right) in &node.on {
        let expr = if public_is_right { right } else { left };
        if let Expr::Column(column) = bare(expr) {
            columns.push(column.clone());
        }
    }
    for part in node.filter.iter().flat_map(|filter| split_conjunction(filter)) {
        if let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = part {
            columns.extend(compared(left, right, public));
            columns.extend(compared(right, left, public));
        }
    }
    unique(public, &columns)
}

/// The column of the public side that is compared with something that is not of it.
fn compared(column: &Expr, other: &Expr, public: &LogicalPlan) -> Option<Column> {
    let Expr::Column(column) = bare(column) else { return None };
    let of_public = |c: &Column| public.schema().maybe_index_of_column(c).is_some();
    let free = other.column_refs().into_iter().all(|c| !of_public(c));
    (of_public(column) && free).then(|| column.clone())
}

/// Whether no two rows of a plan agree on these columns.
#[expect(clippy::wildcard_enum_match_arm, reason = "of what is not named nothing is known")]
fn unique(plan: &LogicalPlan, columns: &[Column]) -> bool {
    match plan {
        LogicalPlan::EmptyRelation(_) => true,
        LogicalPlan::Values(values) => values.values.len() <= 1,
        LogicalPlan::Filter(node) => unique(&node.input, columns),
        LogicalPlan::Sort(node) => unique(&node.input, columns),
        LogicalPlan::Limit(node) => unique(&node.input, columns),
        LogicalPlan::SubqueryAlias(node) => {
            let below: Option<Vec<Column>> = columns
                .iter()
                .map(|column| {
                    let index = node.schema.maybe_index_of_column(column)?;
                    node.input.schema().columns().get(index).cloned()
                })
                .collect();
            below.is_some_and(|columns| unique(&node.input, &columns))
        }
        LogicalPlan::Projection(node) => {
            // Only columns passed through as they are can be followed down.
            let below = columns.iter().filter_map(|column| {
                let index = node.schema.maybe_index_of_column(column)?;
                match bare(node.expr.get(index)?) {
                    Expr::Column(column) => Some(column.clone()),
                    _ => None,
                }
            });
            unique(&node.input, &below.collect::<Vec<_>>())
        }
        LogicalPlan::Aggregate(node) => {
            let sets = node.group_expr.iter().any(|e| matches!(e, Expr::GroupingSet(_)));
            let groups = grouping_set_to_exprlist(&node.group_expr).map_or(0, |keys| keys.len());
            let mut keys = node.schema.columns().into_iter().zip(node.schema.fields()).take(groups);
            // Groups tell -0 from 0, which a comparison does not.
            let listed = |(key, field): (Column, &FieldRef)| {
                columns.contains(&key) && !field.data_type().is_floating()
            };
            !sets && keys.all(listed)
        }
        _ => false,
    }
}
