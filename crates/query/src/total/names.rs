//! How a part of an expression is called in an error.

use datafusion::logical_expr::Expr;

/// The longest name, in characters.
const LONGEST: usize = 160;

/// The expression as text, not too long.
pub(super) fn of(expr: &Expr) -> String {
    let text = expr.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
