//! How private something shall be.

use clap::Args;
use throng_account::Target;
use throng_learn::Privacy;
use throng_mechanism::Neighbours;

use crate::arguments;
use crate::failure::Failure;
use crate::goal::Goals;
use crate::number::Number;

/// How private, and for which neighbours.
#[derive(Debug, Args)]
pub(super) struct Wanted {
    #[command(flatten)]
    goals: Goals,

    /// What it means that two tables differ in one record.
    #[arg(long, value_name = "RELATION", default_value = "add-remove", value_parser = arguments::neighbours())]
    neighbours: Neighbours,
}

const WAYS: &str = "give --epsilon, --epsilon with --delta, --gdp, --zcdp, --fpr with --tpr, or \
                    --advantage";

impl Wanted {
    /// The one target asked for; epsilon alone is pure privacy.
    pub(super) fn privacy(&self) -> Result<Privacy, Failure> {
        if self.goals.is_empty() {
            return Err(Failure::usage("it is not said how private the release shall be", WAYS));
        }
        let target = match self.goals.pure() {
            Some(epsilon) => Target::Epsilon { epsilon: epsilon.down(), delta: 0.0 },
            None => self.goals.goal()?.target,
        };
        if let Target::Epsilon { epsilon, delta } = target
            && !(epsilon > 0.0 && delta < 1.0)
        {
            return Err(Failure::usage("epsilon must be above 0, and delta below 1", WAYS));
        }
        Ok(Privacy::new(target, self.neighbours)?)
    }

    /// The delta that was asked for, if one was.
    pub(super) fn delta(&self) -> Option<&Number> {
        self.goals.delta.as_ref()
    }
}
