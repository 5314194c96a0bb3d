//! From exact totals to noisy cells.

mod answering;
mod measuring;
mod noised;
mod search;
mod selecting;

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use super::Answered;
use super::design::Design;
use super::measure::Scaled;
use super::plan::Plan;
use super::source::{Asked, Source};
use crate::QueryError;
use crate::tally::Layout;
use answering::Answering;
pub(super) use measuring::quantile;
#[cfg(test)]
pub(super) use noised::record;

impl Mechanism for Design {
    type Input = dyn Source;
    type Output = Vec<Answered>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(
        &self,
        input: &dyn Source,
        run: &mut Run<'_>,
    ) -> Result<Vec<Answered>, MechanismError> {
        let found = self.search(input, run)?;
        let mut asked = Vec::new();
        for (i, planned) in self.planned.iter().enumerate() {
            let measures = self.measures(&planned.plan, &found.ranges).map_err(quiet)?;
            asked.push(self.asked(i, &planned.plan, &measures, run)?);
        }
        let totals = input.totals(&asked)?;
        if totals.len() != self.planned.len() {
            return Err(broken());
        }
        let mut answers = Vec::new();
        for (planned, totals) in self.planned.iter().zip(&totals) {
            let answering = Answering::new(self, planned, totals, &found)?;
            answers.push(answering.answer(run)?);
        }
        Ok(answers)
    }
}

impl Design {
    fn asked(
        &self,
        question: usize,
        plan: &Plan,
        measures: &[Option<Scaled>],
        run: &mut Run<'_>,
    ) -> Result<Asked, MechanismError> {
        let measures = measures.iter().flatten().map(|scaled| scaled.measure.clone()).collect();
        let layout = Layout {
            unit: plan.question.unit.clone(),
            keys: plan.question.keys.clone(),
            inputs: plan.question.inputs.len(),
            measures,
        };
        let rows = plan.question.rows.clone();
        Ok(Asked { question, rows, layout, hash_key: hash_key(run)? })
    }
}

fn hash_key(run: &mut Run<'_>) -> Result<[u64; 2], MechanismError> {
    let mut bytes = [[0_u8; 8]; 2];
    for word in &mut bytes {
        run.entropy().fill(word)?;
    }
    Ok(bytes.map(u64::from_le_bytes))
}

/// Nothing of the text: it may come from where rows are.
fn quiet(error: QueryError) -> MechanismError {
    match error {
        QueryError::Mechanism(error) => error,
        QueryError::Account(error) => error.into(),
        QueryError::Invalid { .. }
        | QueryError::Refused { .. }
        | QueryError::Ledger(_)
        | QueryError::Interrupted { .. }
        | QueryError::Engine { .. } => broken(),
    }
}

fn broken() -> MechanismError {
    MechanismError::Refused {
        what: "the totals are not those that were asked for".into(),
        hint: "this is a defect: please report it".into(),
    }
}
