//! What models with a convex loss of linear scores share: rows on the grid, clipping, and three ways to a
//! private minimum.
//!
//! | module | what it holds |
//! |---|---|
//! | `rows` | numbers on the grid, clipped so that a norm holds for the integers themselves |
//! | `loss` | losses of scores: logistic, softmax, Huber hinge |
//! | `exponential` | e^x, many times |
//! | `scores` | linear scores, as a model keeps them |
//! | `survey` | a first release: how many records, where they lie, how far apart |
//! | `descent` | noisy gradients of all records, step by step |
//! | `minimum`, `newton` | certified minima of penalised losses, and how they are found |
//! | `tolerance` | how exactly a minimum is told |
//! | `output`, `objective` | noise on such a minimum, and noise in what is minimised |

pub(crate) mod descent;
mod exponential;
pub(crate) mod loss;
mod minimum;
mod newton;
mod objective;
mod output;
pub(crate) mod rows;
pub(crate) mod scores;
pub(crate) mod survey;
mod tolerance;

use serde::{Deserialize, Serialize};
use throng_account::MechanismSpec;
use throng_mechanism::{MechanismError, Run};

use crate::{Bounds, Classes, Classified, LearnError, Privacy};
use descent::Descent;
use loss::Loss;
use objective::Perturbed;
use output::Output;
use scores::Scores;

/// How the minimum of a loss is made private.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A fixed number of noisy gradient steps over all records; the best in most cases.
    #[default]
    Gradient,
    /// Noise on the minimum of a penalised loss. Also for epsilon alone.
    Output,
    /// A random linear term in a penalised loss, whose minimum is then private. For (epsilon, delta),
    /// adding or removing a record; hinges for two classes only.
    Objective,
}

/// What can be chosen about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    pub(crate) method: Method,
    pub(crate) steps: u32,
    pub(crate) pace: f64,
    pub(crate) penalty: Option<f64>,
    pub(crate) norm: Option<f64>,
}

/// A private minimiser of a loss of linear scores.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Minimiser {
    Gradient(Box<Descent>),
    Output(Box<Output>),
    Objective(Box<Perturbed>),
}

impl Minimiser {
    pub(crate) fn new(
        bounds: &Bounds,
        loss: Loss,
        privacy: &Privacy,
        settings: &Settings,
    ) -> Result<Self, LearnError> {
        Ok(match settings.method {
            Method::Gradient => {
                let (steps, pace) = (settings.steps, settings.pace);
                Self::Gradient(Box::new(Descent::new(bounds, loss, privacy, steps, pace)?))
            }
            Method::Output => {
                let (penalty, norm) = (settings.penalty, settings.norm);
                Self::Output(Box::new(Output::new(bounds, loss, privacy, penalty, norm)?))
            }
            Method::Objective => {
                let (penalty, norm) = (settings.penalty, settings.norm);
                Self::Objective(Box::new(Perturbed::new(bounds, loss, privacy, penalty, norm)?))
            }
        })
    }

    pub(crate) fn spec(&self) -> Result<MechanismSpec, LearnError> {
        match self {
            Self::Gradient(descent) => descent.spec(),
            Self::Output(output) => Ok(output.spec()),
            Self::Objective(objective) => Ok(objective.spec()),
        }
    }

    /// Scores from the records whose label is declared.
    pub(crate) fn run(
        &self,
        classes: Classes,
        input: &Classified,
        run: &mut Run<'_>,
    ) -> Result<Scores, MechanismError> {
        let declared = input.iter().filter_map(|(row, label)| Some((row, classes.place(*label)?)));
        let (records, labels): (Vec<_>, Vec<_>) = declared.unzip();
        match self {
            Self::Gradient(descent) => descent.run(&records, &labels, run),
            Self::Output(output) => output.run(&records, &labels, run),
            Self::Objective(objective) => objective.run(&records, &labels, run),
        }
    }
}
