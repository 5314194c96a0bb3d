//! Literals in a query, and what comparing a column with them says about it.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator};
use throng_numeric::Rational;

use super::rows::{Rows, bare};

/// The value of an expression without columns, if it is a literal in some type.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not a literal")]
pub(super) fn value(expr: &Expr) -> Option<ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value.clone()),
        Expr::Alias(alias) => value(&alias.expr),
        Expr::Cast(cast) => value(&cast.expr)?.cast_to(cast.field.data_type()).ok(),
        Expr::TryCast(cast) => value(&cast.expr)?.cast_to(cast.field.data_type()).ok(),
        Expr::Negative(inside) => value(inside)?.arithmetic_negate().ok(),
        _ => None,
    }
}

/// The exact value of a number; `None` for NULL, NaN, infinities and what is not a number.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not a number")]
pub(super) fn number(value: &ScalarValue) -> Option<Rational> {
    match value {
        ScalarValue::Int8(v) => v.map(|v| Rational::from(i64::from(v))),
        ScalarValue::Int16(v) => v.map(|v| Rational::from(i64::from(v))),
        ScalarValue::Int32(v) => v.map(|v| Rational::from(i64::from(v))),
        ScalarValue::Int64(v) => v.map(Rational::from),
        ScalarValue::UInt8(v) => v.map(|v| Rational::from(u64::from(v))),
        ScalarValue::UInt16(v) => v.map(|v| Rational::from(u64::from(v))),
        ScalarValue::UInt32(v) => v.map(|v| Rational::from(u64::from(v))),
        ScalarValue::UInt64(v) => v.map(Rational::from),
        ScalarValue::Float32(v) => Rational::from_f64(f64::from((*v)?)).ok(),
        ScalarValue::Float64(v) => Rational::from_f64((*v)?).ok(),
        ScalarValue::Decimal128(Some(_), _, _) => value.to_string().parse().ok(),
        _ => None,
    }
}

/// A number as people write it: 0.9 is nine tenths, not the float next to it.
#[expect(clippy::wildcard_enum_match_arm, reason = "other numbers are written exactly")]
pub(super) fn written(value: &ScalarValue) -> Option<Rational> {
    match value {
        ScalarValue::Float64(Some(v)) if v.is_finite() => v.to_string().parse().ok(),
        ScalarValue::Float32(Some(v)) if v.is_finite() => v.to_string().parse().ok(),
        other => number(other),
    }
}

/// The column under casts that lose nothing.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not a column")]
pub(super) fn column<'e>(expr: &'e Expr, rows: &Rows) -> Option<&'e Column> {
    let (inside, to) = match bare(expr) {
        Expr::Column(column) => return Some(column),
        Expr::Cast(cast) => (&cast.expr, cast.field.data_type()),
        Expr::TryCast(cast) => (&cast.expr, cast.field.data_type()),
        _ => return None,
    };
    let from = inside.get_type(rows.plan.schema()).ok()?;
    if lossless(&from, to) { column(inside, rows) } else { None }
}

/// The column under casts between numbers.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is not a column")]
pub(super) fn numeric_column<'e>(expr: &'e Expr, rows: &Rows) -> Option<&'e Column> {
    let (inside, to) = match bare(expr) {
        Expr::Column(column) => return Some(column),
        Expr::Cast(cast) => (&cast.expr, cast.field.data_type()),
        Expr::TryCast(cast) => (&cast.expr, cast.field.data_type()),
        _ => return None,
    };
    let from = inside.get_type(rows.plan.schema()).ok()?;
    if from.is_numeric() && to.is_numeric() { numeric_column(inside, rows) } else { None }
}

/// Whether a cast keeps different values different.
pub(super) fn lossless(from: &DataType, to: &DataType) -> bool {
    from == to
        || (from.is_string() && to.is_string())
        || (is_whole(from) && is_whole(to) && from.primitive_width() < to.primitive_width())
        || (is_whole(from) && from.primitive_width() <= Some(4) && *to == DataType::Float64)
}

fn is_whole(kind: &DataType) -> bool {
    kind.is_integer()
}

/// Notes what a filter says about the columns of the rows that pass it.
pub(super) fn learn(rows: &mut Rows, predicate: &Expr) {
    for part in split_conjunction(predicate) {
        learn_part(rows, part);
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named teaches nothing")]
fn learn_part(rows: &mut Rows, part: &Expr) {
    match bare(part) {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            if let Some(constant) = value(right) {
                learn_comparison(rows, left, *op, &constant);
            } else if let (Some(constant), Some(op)) = (value(left), op.swap()) {
                learn_comparison(rows, right, op, &constant);
            }
        }
        Expr::Between(between) if !between.negated => {
            if let Some(low) = value(&between.low) {
                learn_comparison(rows, &between.expr, Operator::GtEq, &low);
            }
            if let Some(high) = value(&between.high) {
                learn_comparison(rows, &between.expr, Operator::LtEq, &high);
            }
        }
        Expr::InList(list) if !list.negated => {
            if let Some(values) = list.list.iter().map(value).collect::<Option<Vec<_>>>() {
                learn_values(rows, &list.expr, values);
            }
        }
        _ => {}
    }
}

fn learn_comparison(rows: &mut Rows, expr: &Expr, op: Operator, constant: &ScalarValue) {
    if op == Operator::Eq {
        learn_values(rows, expr, vec![constant.clone()]);
    }
    let (Some(column), Some(number)) = (numeric_column(expr, rows).cloned(), number(constant))
    else {
        return;
    };
    let Some(facts) = facts_mut(rows, &column) else { return };
    if matches!(op, Operator::Gt | Operator::GtEq | Operator::Eq) {
        facts.at_least(number.clone());
    }
    if matches!(op, Operator::Lt | Operator::LtEq | Operator::Eq) {
        facts.at_most(number);
    }
}

fn learn_values(rows: &mut Rows, expr: &Expr, values: Vec<ScalarValue>) {
    let Some(column) = column(expr, rows).cloned() else { return };
    let Ok(kind) = Expr::Column(column.clone()).get_type(rows.plan.schema()) else { return };
    let values = values.into_iter().filter(|v| !v.is_null());
    let Ok(values) = values.map(|v| v.cast_to(&kind)).collect::<Result<Vec<_>, _>>() else {
        return;
    };
    if values.iter().any(ScalarValue::is_null) {
        return;
    }
    if let Some(facts) = facts_mut(rows, &column) {
        facts.among(values);
    }
}

fn facts_mut<'r>(rows: &'r mut Rows, column: &Column) -> Option<&'r mut super::rows::Facts> {
    let index = rows.plan.schema().maybe_index_of_column(column)?;
    let index = index.checked_sub(rows.hidden())?;
    rows.facts.get_mut(index)
}
