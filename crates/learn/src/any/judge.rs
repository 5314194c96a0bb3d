use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{MechanismError, Run};

use super::learners::other_table;
use super::{AnyModel, Table, Task, kind};
use crate::tuning::{HeldOutAccuracy, HeldOutFit, Judge, PublicAccuracy, PublicFit};
use crate::{Classified, LearnError, Measured, Predict, Privacy, Schema};

/// A judge of models chosen by name: of classes or numbers, on public or private examples.
///
/// # Guarantee
/// That of the judge inside.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyJudge {
    /// Classes, on records held out.
    Classes(HeldOutAccuracy),
    /// Numbers, on records held out.
    Number(HeldOutFit),
    /// Classes, on public examples.
    PublicClasses(PublicAccuracy),
    /// Numbers, on public examples.
    PublicNumber(PublicFit),
}

impl AnyJudge {
    /// A judge of a kind of model on records held out.
    ///
    /// # Errors
    /// If such models learn no label, or the target is out of range.
    pub fn held_out(name: &str, schema: &Schema, privacy: &Privacy) -> Result<Self, LearnError> {
        match kind(name)?.task {
            Task::Classes => Ok(Self::Classes(HeldOutAccuracy::new(schema.classes()?, privacy)?)),
            Task::Number => Ok(Self::Number(HeldOutFit::new(schema.range()?, privacy)?)),
            Task::Clusters | Task::Features | Task::Distribution => Err(no_label(name)),
        }
    }

    /// A judge of a kind of model on a table that is declared to be public.
    ///
    /// # Errors
    /// If such models learn no label, or the table has none of that kind.
    pub fn public(name: &str, schema: &Schema, table: Table) -> Result<Self, LearnError> {
        match (kind(name)?.task, table) {
            (Task::Classes, Table::Classified(examples)) => {
                Ok(Self::PublicClasses(PublicAccuracy::new(examples, schema.classes()?)))
            }
            (Task::Number, Table::Measured(examples)) => {
                Ok(Self::PublicNumber(PublicFit::new(examples)))
            }
            (Task::Classes | Task::Number, _) => Err(other_table()),
            (Task::Clusters | Task::Features | Task::Distribution, _) => Err(no_label(name)),
        }
    }
}

fn no_label(name: &str) -> LearnError {
    LearnError::invalid("the model", name, "one that learns a label, to be right or wrong about")
}

impl Judge<Table, AnyModel> for AnyJudge {
    fn spec(&self) -> Option<(MechanismSpec, Neighbours)> {
        match self {
            Self::Classes(judge) => Judge::<Classified, &dyn Predict>::spec(judge),
            Self::Number(judge) => Judge::<Measured, &dyn Predict>::spec(judge),
            Self::PublicClasses(_) | Self::PublicNumber(_) => None,
        }
    }

    fn score(
        &self,
        model: &AnyModel,
        held_out: &Table,
        run: &mut Run<'_>,
    ) -> Result<f64, MechanismError> {
        let model = model.predictor()?;
        match (self, held_out) {
            (Self::Classes(judge), Table::Classified(examples)) => {
                judge.score(&model, examples, run)
            }
            (Self::Number(judge), Table::Measured(examples)) => judge.score(&model, examples, run),
            (Self::PublicClasses(judge), _) => judge.score(&model, held_out, run),
            (Self::PublicNumber(judge), _) => judge.score(&model, held_out, run),
            (Self::Classes(_) | Self::Number(_), _) => Err(other_table().into()),
        }
    }
}
