//! What will be done, in words and numbers; nothing is read or spent for it.

use std::fmt;

use serde::Serialize;

use super::{Budget, Paid};
use crate::QueryError;
use crate::release::{self, KeyRule};
use crate::sql::Batch;

/// What a batch will do, cost and leave.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// One for each statement.
    pub statements: Vec<StatementPlan>,
    /// The noise and what it is for; `None` if the answer is stored or reads public tables only.
    #[serde(skip)]
    pub design: Option<release::Explanation>,
    /// What the accountant is told.
    pub spec: Option<String>,
    /// Whether the answer is stored, and free.
    pub stored: bool,
    /// What it would cost, in the currency of the budget.
    pub cost: Option<String>,
    /// The whole budget.
    pub budget: String,
    /// What is spent so far.
    pub spent: String,
    /// What would be left; `None` if the budget does not cover it.
    pub left: Option<String>,
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
        paid: Option<&Paid>,
        budget: &Budget,
    ) -> Result<Self, QueryError> {
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
        let design = offer.map(|offer| offer.design.explain()).transpose()?;
        let receipt = offer.and_then(|offer| offer.receipt.as_ref().ok());
        let asked = offer.and_then(|offer| offer.receipt.as_ref().err());
        let mut warnings: Vec<String> =
            design.iter().flat_map(|design| design.warnings.clone()).collect();
        warnings.extend(asked.map(ToString::to_string));
        Ok(Self {
            statements,
            spec: offer.map(|offer| offer.charge.spec.to_string()),
            design,
            stored: paid.is_some_and(|paid| paid.stored.is_some()),
            cost: receipt.map(|receipt| receipt.cost.to_string()),
            budget: budget.capacity.to_string(),
            spent: budget.spent.to_string(),
            left: receipt.map(|receipt| receipt.left.to_string()),
            warnings,
        })
    }
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
            "{}: {} ({:.0} % of the cost)",
            aggregate.name,
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
