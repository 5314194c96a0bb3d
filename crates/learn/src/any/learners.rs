use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use super::{AnyModel, Table, kind};
use crate::linear::LinearRegression;
use crate::{LearnError, Learner, Privacy, Schema};

/// The options of a learner, by name.
fn options<O: DeserializeOwned>(given: &Map<String, Value>) -> Result<O, LearnError> {
    serde_json::from_value(Value::Object(given.clone())).map_err(|error| LearnError::Refused {
        what: format!("an option is not understood: {error}"),
        hint: "`throng learn models NAME` lists the options of a model".to_owned(),
    })
}

/// That a learner got a table of another kind is a mistake of the caller.
fn other_table() -> LearnError {
    LearnError::refused(
        "the table has no labels of the kind that the model learns",
        "read the table as the task of the model says",
    )
}

/// One of the learners; each is made for one kind of table.
macro_rules! learners {
    ($($(#[$about:meta])* $variant:ident($learner:ty) of $table:ident,)*) => {
        /// A learner chosen by name.
        ///
        /// # Guarantee
        /// That of the learner chosen.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyLearner {
            $($(#[$about])* $variant(Box<$learner>),)*
        }

        impl Mechanism for AnyLearner {
            type Input = Table;
            type Output = AnyModel;

            fn spec(&self) -> MechanismSpec {
                match self { $(Self::$variant(learner) => learner.spec(),)* }
            }

            fn neighbours(&self) -> Neighbours {
                match self { $(Self::$variant(learner) => learner.neighbours(),)* }
            }

            fn answer(&self, input: &Table, run: &mut Run<'_>) -> Result<AnyModel, MechanismError> {
                match (self, input) {
                    $((Self::$variant(learner), Table::$table(table)) => {
                        learner.answer(table, run).map(AnyModel::$variant)
                    })*
                    #[allow(unreachable_patterns, reason = "other tables")]
                    _ => Err(other_table().into()),
                }
            }
        }

        impl Learner for AnyLearner {
            fn check(&self, input: &Table) -> Result<(), LearnError> {
                match (self, input) {
                    $((Self::$variant(learner), Table::$table(table)) => learner.check(table),)*
                    #[allow(unreachable_patterns, reason = "other tables")]
                    _ => Err(other_table()),
                }
            }
        }
    };
}

learners! {
    /// Linear regression.
    Linear(LinearRegression) of Measured,
}

impl AnyLearner {
    /// The learner of a name, for a table as declared, with options by name; those that are not given
    /// are as usual.
    ///
    /// # Errors
    /// If there is no such learner or option, or as for the learner.
    pub fn new(
        name: &str,
        schema: &Schema,
        privacy: &Privacy,
        given: &Map<String, Value>,
    ) -> Result<Self, LearnError> {
        let bounds = || schema.bounds(kind(name)?.encoding);
        Ok(match kind(name)?.name {
            "linear" => Self::Linear(Box::new(LinearRegression::new(
                bounds()?,
                schema.range()?,
                privacy,
                options(given)?,
            )?)),
            other => return Err(LearnError::invalid("the model", other, "known")),
        })
    }
}
