//! Row expressions that cannot fail on data.
//!
//! An error that some rows cause and others do not is an exact answer about those rows, and a free
//! one: `1/(age - 33)` stops if and only if somebody is 33. So every expression on private rows is
//! *total*: on each row whatsoever it gives a value or NULL, never an error, never a panic, with no
//! look at other rows, the clock or chance. [`totalise`] lets through what is on its lists, turns
//! what can fail into a form that is NULL instead, and refuses the rest by name.
//!
//! What a row gives depends on that row alone; how long it takes may not.

mod arithmetic;
mod balance;
mod cast;
mod choice;
pub mod exact_sum;
mod functions;
mod guard;
#[cfg(any(test, feature = "test-util"))]
pub mod hostile;
#[cfg(not(any(test, feature = "test-util")))]
mod hostile;
mod kinds;
mod names;
mod plain;
mod probe;
mod range;
mod rewrite;
pub mod text;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, DataFusionError};
use datafusion::logical_expr::Expr;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercionRewriter;

use crate::QueryError;
pub use exact_sum::exact_sum;
#[cfg(test)]
pub(crate) use guard::attempt;
pub use plain::plain_float;
pub use range::range;

/// The largest expression, in parts.
const LARGEST: usize = 4096;

/// The deepest expression, in parts inside of parts: the engine walks some of its trees by plain
/// recursion. A chain of AND or of OR counts as one part, see `balance`.
const DEEPEST: usize = 192;

/// How often types are brought together before an expression must have settled.
const ROUNDS: usize = 4;

/// The same expression in a form that gives a value or NULL for every row whatsoever.
///
/// Columns are those of `schema`. Types are brought together first, as the engine would do later
/// with casts that fail: `city = 5` reads every city as a number. The result names itself
/// differently (`total_add(a, b)` for `a + b`) and may be NULL where the original could not: give
/// it an alias and derive the schema anew.
///
/// # Guarantee
/// Where the engine's own form has a value the total form has the same, but for integers that the
/// engine wraps around, which are NULL, and for texts longer than [`text::LONGEST`] bytes in
/// functions that make text, which are NULL.
///
/// # Errors
/// If the expression has a part that is not known to be total, or literals that can never work.
/// No row is seen.
pub fn totalise(expr: Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let balanced = balance::balanced(checked(expr)?);
    let mut expr = balanced.map_err(|_| QueryError::engine("reading an expression"))?;
    for _ in 0..ROUNDS {
        let coerced = coerce(expr.clone(), schema)?;
        let total = rewrite_parts(coerced, schema)?;
        if total == expr {
            probe::rehearse(&total, schema)?;
            return Ok(total);
        }
        expr = total;
    }
    Err(QueryError::refused(
        names::of(&expr),
        "its types do not settle",
        "write the casts yourself",
    ))
}

/// An expression of bearable size without parts that are never total.
fn checked(expr: Expr) -> Result<Expr, QueryError> {
    let mut parts = 0_usize;
    let mut open = vec![(&expr, 1_usize)];
    while let Some((part, depth)) = open.pop() {
        parts += 1;
        if rewrite::is_refused(part) {
            return Err(rewrite::refusal(part));
        }
        if parts > LARGEST || depth > DEEPEST {
            return Err(too_large());
        }
        let chain = balance::link(part);
        let walk = part.apply_children(|child| {
            let same = chain.is_some() && chain == balance::link(child);
            open.push((child, if same { depth } else { depth + 1 }));
            Ok(TreeNodeRecursion::Continue)
        });
        walk.map_err(|_| QueryError::engine("reading an expression"))?;
    }
    Ok(expr)
}

fn too_large() -> QueryError {
    let reason = format!("it has more than {LARGEST} parts, or {DEEPEST} inside of each other");
    QueryError::refused("an expression", reason, "use IN (...), or split the query")
}

/// The expression with the casts that the engine's operators need.
fn coerce(expr: Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let coerced = expr.rewrite(&mut TypeCoercionRewriter::new(schema));
    coerced.map(|coerced| coerced.data).map_err(|error| {
        QueryError::invalid(error.strip_backtrace(), "check the types of the columns")
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn rewrite_parts(expr: Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let rewritten = expr.transform_up(|part| {
        let total = rewrite::total(part, schema);
        total.map(Transformed::yes).map_err(|error| DataFusionError::External(Box::new(error)))
    });
    rewritten.map(|rewritten| rewritten.data).map_err(|error| match error {
        DataFusionError::External(inner) => match inner.downcast::<QueryError>() {
            Ok(refused) => *refused,
            Err(_) => QueryError::engine("preparing an expression"),
        },
        _ => QueryError::engine("preparing an expression"),
    })
}

#[cfg(test)]
mod tests;
