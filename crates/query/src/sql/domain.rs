//! Which values a key can have, where that is known without looking.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Case, Expr, ExprSchemable};

use super::constant::{column, value};
use super::rows::{Rows, bare};
use crate::question::Domain;

/// The domain of a key: declared keys, what a filter leaves, truth values, literals of a CASE; else
/// private.
pub(super) fn domain(expr: &Expr, total: &Expr, rows: &Rows) -> Domain {
    let Ok(kind) = total.get_type(rows.plan.schema()) else { return Domain::Private };
    let known = of_column(expr, rows).or_else(|| of_form(bare(expr)));
    let known = known.or_else(|| truth_values(total, &kind, rows));
    match known.and_then(|values| in_type(values, &kind)) {
        Some(values) => Domain::Public(values),
        None => Domain::Private,
    }
}

fn of_column(expr: &Expr, rows: &Rows) -> Option<Vec<ScalarValue>> {
    rows.of_column(column(expr, rows)?)?.keys.clone()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the values of other forms are not known")]
fn of_form(expr: &Expr) -> Option<Vec<ScalarValue>> {
    match expr {
        Expr::Case(case) => of_case(case),
        Expr::Cast(cast) if matches!(bare(&cast.expr), Expr::Case(_)) => of_form(bare(&cast.expr)),
        other => value(other).map(|value| vec![value]),
    }
}

fn of_case(case: &Case) -> Option<Vec<ScalarValue>> {
    let mut values = Vec::new();
    for (_, then) in &case.when_then_expr {
        values.push(value(then)?);
    }
    values.push(match &case.else_expr {
        Some(otherwise) => value(otherwise)?,
        None => ScalarValue::Null,
    });
    Some(values)
}

fn truth_values(total: &Expr, kind: &DataType, rows: &Rows) -> Option<Vec<ScalarValue>> {
    if *kind != DataType::Boolean {
        return None;
    }
    let mut values = vec![ScalarValue::Boolean(Some(false)), ScalarValue::Boolean(Some(true))];
    if total.nullable(rows.plan.schema()).unwrap_or(true) {
        values.push(ScalarValue::Boolean(None));
    }
    Some(values)
}

/// The values in the type of the key, each once.
fn in_type(values: Vec<ScalarValue>, kind: &DataType) -> Option<Vec<ScalarValue>> {
    let mut all: Vec<ScalarValue> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for value in values {
        let typed = value.cast_to(kind).ok()?;
        if typed.is_null() != value.is_null() {
            return None;
        }
        if seen.insert(typed.clone()) {
            all.push(typed);
        }
    }
    Some(all)
}
