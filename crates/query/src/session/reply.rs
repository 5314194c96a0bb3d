//! What is handed over.

use throng_account::filter::{Budget as Amount, Receipt};
use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};
use throng_numeric::Rational;

use super::bounds;
use crate::QueryError;
use crate::answer::Table;
use crate::release::{Answered, Clipping};
use crate::sql::Batch;

/// The answer to a batch: tables with error bars, what they cost, what is left.
#[derive(Debug, Clone)]
pub struct Reply {
    /// One for each statement.
    pub tables: Vec<Table>,
    /// For people: suppressed groups, what clipping takes away, bounds that were chosen.
    pub notes: Vec<String>,
    /// What bounds on contributions seem to take away, question by question.
    pub clipping: Vec<Clipping>,
    /// What was paid; `None` if only public tables were read.
    pub cost: Option<CostReport>,
    /// What is left, for whoever asked.
    pub remaining: Amount,
    /// The receipt: number and digest of the charge.
    pub receipt: Option<String>,
    /// Whether it was paid for now; a stored answer is free.
    pub fresh: bool,
}

/// The guarantee of one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct CostReport {
    /// The delta that epsilon belongs to.
    pub delta: f64,
    /// The lower end of epsilon.
    pub lower: f64,
    /// The upper end: the promise.
    pub upper: f64,
    /// What was charged, in the currency of the budget.
    pub charged: Amount,
    /// What ran, as the accountant reads it.
    pub spec: String,
}

impl CostReport {
    /// The guarantee of a batch, at the delta it was asked for.
    ///
    /// # Errors
    /// As for [`PrivacyLoss::epsilon`].
    pub fn of(
        spec: &MechanismSpec,
        under: Neighbours,
        delta: &Rational,
        receipt: &Receipt,
    ) -> Result<Self, QueryError> {
        let delta = delta.to_f64_down();
        let loss = PrivacyLoss::of_spec(spec, under, Accuracy::default())?;
        let epsilon = loss.epsilon(delta)?;
        Ok(Self {
            delta,
            lower: epsilon.lower,
            upper: epsilon.upper,
            charged: receipt.cost.clone(),
            spec: spec.to_string(),
        })
    }
}

impl Reply {
    pub(super) fn public(tables: Vec<Table>, remaining: Amount) -> Result<Self, QueryError> {
        Ok(Self {
            tables,
            notes: vec!["only public tables were read: the answer is exact and free".to_owned()],
            clipping: Vec::new(),
            cost: None,
            remaining,
            receipt: None,
            fresh: false,
        })
    }
}

/// What people should know beside the numbers.
pub(super) fn notes(batch: &Batch, answers: &[Answered]) -> Vec<String> {
    let mut notes = Vec::new();
    for (number, (question, answer)) in batch.questions().zip(answers).enumerate() {
        let which =
            if answers.len() == 1 { String::new() } else { format!("part {}: ", number + 1) };
        if let Some(threshold) = answer.threshold {
            notes.push(format!(
                "{which}groups with fewer than about {} units are not shown",
                threshold.ceil()
            ));
        }
        for (name, value) in &answer.chosen {
            notes.push(format!("{which}chosen privately: {name} = {value}"));
        }
        if let Some(clipping) = answer.clipping {
            notes.push(format!("{which}{}", bounds::note(question, clipping)));
        }
    }
    notes
}
