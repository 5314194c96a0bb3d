//! Long chains of AND and OR, as shallow trees.
//!
//! `a OR b OR c OR ...` is parsed as one OR inside of another, as deep as it is long, and some of the
//! engine's walks over expressions are plain recursion. AND and OR are associative, with NULL too,
//! and total operands have no errors whose order could matter: a balanced tree says the same.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

/// The operator of a link of a chain.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
pub(super) const fn link(expr: &Expr) -> Option<Operator> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op: op @ (Operator::And | Operator::Or), .. }) => Some(*op),
        _ => None,
    }
}

/// The same expression, with every chain as deep as the logarithm of its length.
pub(super) fn balanced(expr: Expr) -> Result<Expr> {
    let balanced = expr.transform_down(|part| {
        let Some(op) = link(&part) else { return Ok(Transformed::no(part)) };
        let operands = operands(part, op).into_iter().map(balanced).collect::<Result<Vec<_>>>()?;
        let tree = tree(operands, op);
        Ok(tree.map_or_else(
            || Transformed::no(Expr::default()),
            |tree| Transformed::new(tree, true, TreeNodeRecursion::Jump),
        ))
    })?;
    Ok(balanced.data)
}

/// The operands of a chain, in order.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
fn operands(expr: Expr, op: Operator) -> Vec<Expr> {
    let (mut open, mut found) = (vec![expr], Vec::new());
    while let Some(part) = open.pop() {
        match part {
            Expr::BinaryExpr(binary) if binary.op == op => {
                open.push(*binary.right);
                open.push(*binary.left);
            }
            other => found.push(other),
        }
    }
    found
}

/// The operands under as few levels as they need, in order.
fn tree(mut level: Vec<Expr>, op: Operator) -> Option<Expr> {
    while level.len() > 1 {
        let mut pairs = level.into_iter();
        let mut next = Vec::new();
        while let Some(left) = pairs.next() {
            next.push(match pairs.next() {
                Some(right) => Expr::BinaryExpr(BinaryExpr::new(left.into(), op, right.into())),
                None => left,
            });
        }
        level = next;
    }
    level.pop()
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::{col, lit};

    use super::*;

    #[test]
    fn a_chain_keeps_its_operands_in_order() {
        let chain = (1..9).map(|i| col("a").eq(lit(i))).reduce(Expr::or).unwrap();
        let inner = col("b").and(col("c")).and(chain.clone());
        let flat = |expr: &Expr| expr.to_string().replace(['(', ')'], "");
        let found = balanced(inner.clone()).unwrap();
        assert_eq!(flat(&found), flat(&inner));
        assert_ne!(found, inner);
        assert_eq!(balanced(found.clone()).unwrap(), found);
    }
}
