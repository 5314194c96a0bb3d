//! What is asked, as a text: the name of a release.

use std::fmt::Write as _;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;

use super::context::planned;
use crate::QueryError;
use crate::question::Question;

/// A text that is equal for equal questions, however they were written.
///
/// It is made from the planned questions: letter case, white space, comments and everything computed
/// from the answers (ORDER BY, HAVING, output names...) have gone. A query on public tables has no
/// questions; its text is its plan.
pub(super) fn canonical(questions: &[Question], outer: &LogicalPlan) -> Result<String, QueryError> {
    let mut text = String::new();
    for question in questions {
        let Question { rows, unit, keys, inputs, aggregates, limits, neighbours } = question;
        plan(&mut text, rows)?;
        let keys: Vec<_> = keys.iter().map(|key| (&key.kind, &key.domain)).collect();
        let inputs: Vec<_> = inputs.iter().map(|input| (&input.kind, &input.range)).collect();
        let rest = (unit, keys, inputs, aggregates, limits, neighbours);
        line(&mut text, format_args!("{rest:?}"))?;
    }
    if questions.is_empty() {
        plan(&mut text, outer)?;
    }
    Ok(text)
}

/// A plan as it is shown, then its expressions as the trees they are: what is shown leaves out
/// parentheses, quotes and long lists, so that different questions may look the same.
fn plan(text: &mut String, plan: &LogicalPlan) -> Result<(), QueryError> {
    line(text, format_args!("{}", plan.display_indent()))?;
    let mut trees: Vec<String> = Vec::new();
    planned(plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            trees.push(format!("{expr:?}"));
            Ok(TreeNodeRecursion::Continue)
        })
    }))?;
    line(text, format_args!("{trees:?}"))
}

fn line(text: &mut String, what: std::fmt::Arguments<'_>) -> Result<(), QueryError> {
    writeln!(text, "{what}").map_err(|_| QueryError::engine("naming a question"))
}
