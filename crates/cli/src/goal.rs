//! What a guarantee must reach: what `calibrate` and `learn` share.

use clap::Args;
use throng_account::Target;

use crate::failure::Failure;
use crate::number::{self, Number};

/// The targets that can be asked for, one at a time.
#[derive(Debug, Args)]
pub(crate) struct Goals {
    /// Target: at most this epsilon, at --delta; `learn` takes it alone as pure privacy.
    #[arg(long, value_name = "E", value_parser = number::non_negative, allow_hyphen_values = true)]
    pub(crate) epsilon: Option<Number>,

    /// The delta of --epsilon.
    #[arg(long, value_name = "D", value_parser = number::probability, allow_hyphen_values = true)]
    pub(crate) delta: Option<Number>,

    /// Target: at most this mu of Gaussian privacy.
    #[arg(long, value_name = "MU", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) gdp: Option<Number>,

    /// Target: at most this rho of zero-concentrated privacy.
    #[arg(long, value_name = "RHO", value_parser = number::positive, allow_hyphen_values = true)]
    pub(crate) zcdp: Option<Number>,

    /// The false-alarm rate of --tpr.
    #[arg(long, value_name = "A", value_parser = number::probability, allow_hyphen_values = true)]
    pub(crate) fpr: Option<Number>,

    /// Target: at most this part of the members is found, at --fpr.
    #[arg(long, value_name = "B", value_parser = number::probability, allow_hyphen_values = true)]
    pub(crate) tpr: Option<Number>,

    /// Target: found minus false alarms is at most this (total variation).
    #[arg(long, value_name = "T", value_parser = number::probability, allow_hyphen_values = true)]
    pub(crate) advantage: Option<Number>,
}

/// A target, and what is known to be reached, in words.
pub(crate) struct Goal {
    pub(crate) target: Target,
    pub(crate) name: &'static str,
    pub(crate) words: String,
}

const TARGETS: &str =
    "give --epsilon with --delta, --gdp, --zcdp, --fpr with --tpr, or --advantage";

impl Goals {
    /// The one target asked for. Every number is taken on its strict side, so that reaching the
    /// target means reaching what was typed.
    pub(crate) fn goal(&self) -> Result<Goal, Failure> {
        let goals: Vec<Goal> = [
            both(&self.epsilon, &self.delta, "--epsilon", "--delta")?.map(|(epsilon, delta)| {
                Goal {
                    target: Target::Epsilon { epsilon: epsilon.down(), delta: delta.down() },
                    name: "epsilon",
                    words: format!("epsilon at delta {}", delta.text()),
                }
            }),
            self.gdp.as_ref().map(|mu| Goal {
                target: Target::Gdp { mu: mu.down() },
                name: "gdp",
                words: "mu".to_owned(),
            }),
            self.zcdp.as_ref().map(|rho| Goal {
                target: Target::Zcdp { rho: rho.down() },
                name: "zcdp",
                words: "rho".to_owned(),
            }),
            both(&self.fpr, &self.tpr, "--fpr", "--tpr")?.map(|(fpr, tpr)| Goal {
                target: Target::Detection { false_alarm: fpr.up(), found: tpr.down() },
                name: "detection",
                words: format!("part found at false alarms {}", fpr.text()),
            }),
            self.advantage.as_ref().map(|advantage| Goal {
                target: Target::Advantage { advantage: advantage.down() },
                name: "advantage",
                words: "total variation".to_owned(),
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        let count = goals.len();
        match <[Goal; 1]>::try_from(goals) {
            Ok([goal]) => Ok(goal),
            Err(_) => {
                Err(Failure::usage(format!("{count} targets given, but must be one"), TARGETS))
            }
        }
    }

    /// Epsilon, if it is all that is given: pure privacy.
    pub(crate) fn pure(&self) -> Option<&Number> {
        let Self { epsilon, delta, gdp, zcdp, fpr, tpr, advantage } = self;
        let others = [delta, gdp, zcdp, fpr, tpr, advantage];
        epsilon.as_ref().filter(|_| others.iter().all(|other| other.is_none()))
    }

    /// Whether nothing is given.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { epsilon, delta, gdp, zcdp, fpr, tpr, advantage } = self;
        [epsilon, delta, gdp, zcdp, fpr, tpr, advantage].iter().all(|one| one.is_none())
    }
}

/// Two options that need each other.
fn both<'a>(
    one: &'a Option<Number>,
    other: &'a Option<Number>,
    name: &str,
    other_name: &str,
) -> Result<Option<(&'a Number, &'a Number)>, Failure> {
    let alone = |given: &str, missing: &str| {
        Err(Failure::usage(format!("{given} needs {missing}"), format!("add {missing}")))
    };
    match (one, other) {
        (Some(one), Some(other)) => Ok(Some((one, other))),
        (None, None) => Ok(None),
        (Some(_), None) => alone(name, other_name),
        (None, Some(_)) => alone(other_name, name),
    }
}
