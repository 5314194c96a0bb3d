//! `throng account`: what a mechanism guarantees.

mod answer;
mod show;

use std::time::Instant;

use clap::Args;
use throng_account::PrivacyLoss;

use crate::arguments::Setting;
use crate::failure::Failure;
use crate::number::{self, Number};
use crate::{expression, output};

use answer::Answer;

const EXAMPLES: &str = "\
Examples:
  throng account 'gaussian(sigma=1)'
  throng account '100 * gaussian(sigma=20)' --delta 1e-5,1e-6 --epsilon 1
  throng account '14062 * sampled(gaussian(sigma=0.8), rate=256/60000)' --delta 1e-5 --compare
  throng account 'shuffled(krr(k=4, eps=2), users=1000)' --neighbours replace
  throng account 'gaussian(sigma=1)' --alpha 0.01 --order 2,8 --prior 1/2
  throng account 'gaussian(sigma=1)' --compare --against 'gaussian(sigma=2)'
  echo 'gaussian(sigma=1)' | throng account - --json

`throng help expressions` lists what EXPR can be made of.";

/// Say what a mechanism guarantees.
///
/// Asks any number of questions of one mechanism. Options can be repeated, and take several
/// values separated by commas. Without a question: epsilon at delta = 1e-5, and how well an
/// attacker does.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The mechanism; `-` reads it from stdin, `@file` from a file (expression or JSON).
    #[arg(value_name = "EXPR")]
    expression: String,

    /// Ask for epsilon at this delta.
    #[arg(long, value_name = "D", value_delimiter = ',', value_parser = number::probability, allow_hyphen_values = true)]
    delta: Vec<Number>,

    /// Ask for delta at this epsilon.
    #[arg(long, value_name = "E", value_delimiter = ',', value_parser = number::non_negative, allow_hyphen_values = true)]
    epsilon: Vec<Number>,

    /// Ask for the attacker's miss rate at this false-alarm rate (the trade-off curve).
    #[arg(long, value_name = "A", value_delimiter = ',', value_parser = number::probability, allow_hyphen_values = true)]
    alpha: Vec<Number>,

    /// Ask for the Renyi divergence of this order.
    #[arg(long, value_name = "A", value_delimiter = ',', value_parser = number::order, allow_hyphen_values = true)]
    order: Vec<Number>,

    /// Ask how far an attacker's belief can rise from this one, except with chance delta.
    #[arg(long, value_name = "P", value_parser = number::open_probability, allow_hyphen_values = true)]
    prior: Option<Number>,

    /// Add classical bounds on epsilon, for comparison.
    #[arg(long)]
    compare: bool,

    /// Ask which of two mechanisms is more private, whatever the attacker does.
    #[arg(long, value_name = "EXPR")]
    against: Option<String>,

    #[command(flatten)]
    setting: Setting,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Options {
    /// Whether nothing was asked that needs a choice of ours.
    fn asks_nothing(&self) -> bool {
        let asked = [&self.delta, &self.epsilon, &self.alpha, &self.order];
        asked.iter().all(|values| values.is_empty())
    }

    /// The deltas asked for; the usual one if a question needs one and none was given.
    fn deltas(&self) -> Result<Vec<Number>, Failure> {
        let needed = self.asks_nothing() || self.prior.is_some() || self.compare;
        if self.delta.is_empty() && needed {
            return Ok(vec![number::probability(USUAL_DELTA).map_err(Failure::bug)?]);
        }
        Ok(self.delta.clone())
    }
}

/// What is asked if nothing is.
const USUAL_DELTA: &str = "1e-5";

/// Computes everything that was asked, then shows it.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let spec = expression::spec(&options.expression)?;
    let against = options.against.as_deref().map(expression::spec).transpose()?;
    let deltas = options.deltas()?;
    let started = Instant::now();
    let loss = PrivacyLoss::of_spec(&spec, options.setting.neighbours, options.setting.accuracy())?;
    let mut answer = Answer::new(&spec, options, &loss, &deltas)?;
    if options.compare {
        answer.compare(&spec, options.setting.neighbours, &deltas)?;
    }
    if let Some(other) = &against {
        answer.set_against(other, &loss, &options.setting)?;
    }
    answer.took(started.elapsed());
    if options.delta.is_empty() && !deltas.is_empty() {
        output::talk(&format!(
            "note: answering for delta = {USUAL_DELTA}; ask with --delta, --epsilon, --alpha or --order\n"
        ));
    }
    if options.json { output::json(&answer) } else { show::show(&answer) }
}
