//! What will be done, in words and numbers; nothing is read or spent for it.

use std::fmt;

use serde::Serialize;
use throng_ledger::{Amount, LedgerError};

use super::books::Books;
use super::names::Names;
use super::{Paid, bounds};
use crate::QueryError;
use crate::release::{self, Clipping, KeyRule};
use crate::sql::Batch;

/// What a batch will do, cost and leave.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// One for each statement.
    pub statements: Vec<StatementPlan>,
    /// The noise and what it is for; `None` if the answer is stored or reads public tables only.
    pub design: Option<release::Explanation>,
    /// What the accountant is told.
    pub spec: Option<String>,
    /// Whether the answer is stored, and free.
    pub stored: bool,
    /// What it would cost, in the currency of the budget; `None` if it is free.
    pub cost: Option<Amount>,
    /// The whole budget.
    pub budget: Amount,
    /// What is spent so far.
    pub spent: Amount,
    /// What would be left; `None` if it is free, or the budget does not cover it.
    pub left: Option<Amount>,
    /// What bounds cut off at the last answer about the same rows, question by question.
    pub clipping: Vec<Option<Clipping>>,
    /// What looks wrong.
    pub warnings: Vec<String>,
}

/// One statement, taken apart.
#[derive(Debug, Clone, Serialize)]
pub struct StatementPlan {
    /// As written.
    pub text: String,
    /// The exact plan of the rows of each question, with the unit and totalised expressions.
    pub rows: Vec<String>,
    /// What is computed from the released cells.
    pub outer: String,
}

impl Explanation {
    pub(super) fn of(
        batch: &Batch,
        names: &Names<'_>,
        paid: Option<&Paid>,
        books: &dyn Books,
    ) -> Result<Self, QueryError> {
        let (capacity, spent) = books.budget()?;
        let statements = batch
            .statements
            .iter()
            .map(|statement| StatementPlan {
                text: statement.text.clone(),
                rows: statement
                    .questions
                    .iter()
                    .map(|question| question.rows.display_indent().to_string())
                    .collect(),
                outer: statement.outer.display_indent().to_string(),
            })
            .collect();
        let offer = paid.and_then(|paid| paid.offer.as_ref());
        let mut design = offer.map(|offer| offer.design.explain()).transpose()?;
        for (q, question) in design.iter_mut().flat_map(|design| &mut design.questions).enumerate()
        {
            for (a, aggregate) in question.aggregates.iter_mut().enumerate() {
                aggregate.columns = names.columns((q, a));
            }
        }
        let receipt = offer.and_then(|offer| offer.receipt.as_ref().ok());
        let refused = offer.and_then(|offer| offer.receipt.as_ref().err());
        let clipping: Vec<Option<Clipping>> = batch
            .questions()
            .map(|question| bounds::of_text(&books.fact(&bounds::fact_name(question))?))
            .collect();
        let mut warnings: Vec<String> =
            design.iter().flat_map(|design| design.warnings.clone()).collect();
        let last = batch.questions().zip(&clipping);
        warnings.extend(last.filter_map(|(question, last)| bounds::warning(question, (*last)?)));
        warnings.extend(refused.map(ToString::to_string));
        Ok(Self {
            statements,
            spec: offer.map(|offer| offer.charge.spec.to_string()),
            design,
            stored: paid.is_some_and(|paid| paid.stored.is_some()),
            cost: receipt.map(|receipt| receipt.cost.clone()).or_else(|| asked(refused?)),
            budget: capacity,
            spent,
            left: receipt.map(|receipt| receipt.left.clone()),
            clipping,
            warnings,
        })
    }
}

/// What was asked of a budget that does not cover it.
fn asked(error: &LedgerError) -> Option<Amount> {
    if let LedgerError::Exhausted { asked, .. } = error {
        return Some(asked.as_ref().clone());
    }
    None
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for statement in &self.statements {
            writeln!(f, "{}", statement.text.trim())?;
            for rows in &statement.rows {
                writeln!(f, "\nrows, exact and bounded:\n{}", indented(rows))?;
            }
            writeln!(f, "\nfrom the released cells:\n{}", indented(&statement.outer))?;
        }
        if let Some(design) = &self.design {
            for question in &design.questions {
                explain_question(f, question)?;
            }
            writeln!(f, "\nmechanism: {}", design.spec)?;
        }
        explain_cost(f, self)?;
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}

fn explain_question(f: &mut fmt::Formatter<'_>, question: &release::Explained) -> fmt::Result {
    writeln!(f, "\nunit: {}", question.unit)?;
    writeln!(f, "bounds: at most {} groups, rows {}", question.groups, question.rows)?;
    match &question.keys {
        KeyRule::None => {}
        KeyRule::Public { count } => writeln!(f, "keys: {count}, public: all are shown")?,
        KeyRule::Private { threshold, leak } => writeln!(
            f,
            "keys: private, shown from about {} units on (a key of one unit alone with chance {leak:.1e})",
            threshold.ceil()
        )?,
    }
    for aggregate in &question.aggregates {
        writeln!(
            f,
            "{}{}: {} ({:.0} % of the cost)",
            aggregate.name,
            also(&aggregate.columns),
            aggregate.precision,
            100.0 * aggregate.share
        )?;
        for part in &aggregate.parts {
            let reach = part.sensitivity.map_or_else(
                || "known once bounds are found".to_owned(),
                |sensitivity| format!("{sensitivity}"),
            );
            writeln!(f, "    {}: sensitivity {reach}, noise {}", part.name, part.noise)?;
        }
    }
    for (name, share) in &question.besides {
        writeln!(f, "{name}: {:.0} % of the cost", 100.0 * share)?;
    }
    Ok(())
}

/// ` (n)` for an aggregate that the answer calls n.
fn also(columns: &[String]) -> String {
    if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) }
}

fn explain_cost(f: &mut fmt::Formatter<'_>, explanation: &Explanation) -> fmt::Result {
    if explanation.stored {
        writeln!(f, "\ncost: none, the answer is stored")?;
    } else if let Some(cost) = &explanation.cost {
        writeln!(f, "\ncost: {cost}")?;
    }
    writeln!(f, "budget: {}, spent {}", explanation.budget, explanation.spent)?;
    match &explanation.left {
        Some(left) => writeln!(f, "left afterwards: {left}"),
        None => Ok(()),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
