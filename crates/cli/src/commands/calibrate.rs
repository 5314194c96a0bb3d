//! `throng calibrate`: the parameter that reaches a target.

use std::time::Instant;

use clap::Args;
use serde::Serialize;
use throng_account::{Calibration, Target, calibrate};

use crate::arguments::Setting;
use crate::failure::Failure;
use crate::json::{Ends, Real};
use crate::number::{self, Number};
use crate::{digits, expression, output};

const EXAMPLES: &str = "\
Examples:
  throng calibrate 'gaussian(sigma=?)' --epsilon 1 --delta 1e-5
  throng calibrate '14062 * sampled(gaussian(sigma=?), rate=256/60000)' --epsilon 1 --delta 1e-6
  throng calibrate '? * gaussian(sigma=50)' --epsilon 1 --delta 1e-6
  throng calibrate '100 * gaussian(sigma=?)' --gdp 1/2
  throng calibrate 'gaussian(sigma=?)' --fpr 0.01 --tpr 0.02
  throng calibrate 'gaussian(sigma=?)' --advantage 0.1 --json";

/// Find the parameter of a mechanism that reaches a target.
///
/// TEMPLATE is an expression with `?` in place of one number. Printed is a value at which the
/// target was certified to hold.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The mechanism with a hole; `-` reads it from stdin, `@file` from a file.
    #[arg(value_name = "TEMPLATE")]
    template: String,

    /// Target: at most this epsilon, at --delta.
    #[arg(long, value_name = "E", value_parser = number::non_negative, allow_hyphen_values = true)]
    epsilon: Option<Number>,

    /// The delta of --epsilon.
    #[arg(long, value_name = "D", value_parser = number::probability, allow_hyphen_values = true)]
    delta: Option<Number>,

    /// Target: at most this mu of Gaussian privacy.
    #[arg(long, value_name = "MU", value_parser = number::positive, allow_hyphen_values = true)]
    gdp: Option<Number>,

    /// Target: at most this rho of zero-concentrated privacy.
    #[arg(long, value_name = "RHO", value_parser = number::positive, allow_hyphen_values = true)]
    zcdp: Option<Number>,

    /// The false-alarm rate of --tpr.
    #[arg(long, value_name = "A", value_parser = number::probability, allow_hyphen_values = true)]
    fpr: Option<Number>,

    /// Target: at most this part of the members is found, at --fpr.
    #[arg(long, value_name = "B", value_parser = number::probability, allow_hyphen_values = true)]
    tpr: Option<Number>,

    /// Target: found minus false alarms is at most this (total variation).
    #[arg(long, value_name = "T", value_parser = number::probability, allow_hyphen_values = true)]
    advantage: Option<Number>,

    #[command(flatten)]
    setting: Setting,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A target, and what is known to be reached, in words.
struct Goal {
    target: Target,
    name: &'static str,
    words: String,
}

impl Options {
    /// The one target asked for. Every number is taken on its strict side, so that reaching the
    /// target means reaching what was typed.
    fn goal(&self) -> Result<Goal, Failure> {
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
}

const TARGETS: &str =
    "give --epsilon with --delta, --gdp, --zcdp, --fpr with --tpr, or --advantage";

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

/// The JSON form.
#[derive(Debug, Serialize)]
struct Answer {
    parameter: String,
    /// Exact, hence text.
    value: String,
    spec: String,
    neighbours: String,
    target: Wanted,
    achieved: Ends,
    seconds: f64,
}

/// The target as it was computed with.
#[derive(Debug, Serialize)]
struct Wanted {
    kind: &'static str,
    #[serde(flatten)]
    numbers: serde_json::Map<String, serde_json::Value>,
}

impl Wanted {
    fn of(goal: &Goal, options: &Options) -> Result<Self, Failure> {
        let mut numbers = serde_json::Map::new();
        let mut put = |name: &str, number: &Option<Number>| {
            if let Some(number) = number {
                numbers.insert(name.to_owned(), serde_json::to_value(Real(number.nearest()))?);
            }
            Ok::<_, Failure>(())
        };
        put("epsilon", &options.epsilon)?;
        put("delta", &options.delta)?;
        put("mu", &options.gdp)?;
        put("rho", &options.zcdp)?;
        put("false_alarm", &options.fpr)?;
        put("found", &options.tpr)?;
        put("advantage", &options.advantage)?;
        Ok(Self { kind: goal.name, numbers })
    }
}

/// Calibrates, then shows the value and what it reaches.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let goal = options.goal()?;
    let template = expression::template(&options.template)?;
    let parameter = template.hole().name.to_string();
    let started = Instant::now();
    let setting = &options.setting;
    let found = calibrate(&template, &goal.target, setting.neighbours, setting.accuracy())?;
    if !options.json {
        return show(&parameter, &found, &goal, setting);
    }
    output::json(&Answer {
        parameter,
        value: found.text.clone(),
        spec: found.spec.to_string(),
        neighbours: setting.neighbours.to_string(),
        target: Wanted::of(&goal, options)?,
        achieved: found.achieved.into(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

fn show(
    parameter: &str,
    found: &Calibration,
    goal: &Goal,
    setting: &Setting,
) -> Result<(), Failure> {
    let paint = output::paint();
    output::answer(&format!(
        "{}\n\n{}, neighbours {}\n{}: {}\n",
        paint.heading(&format!("{parameter} = {}", found.text)),
        found.spec,
        setting.neighbours,
        goal.words,
        digits::bracket(found.achieved),
    ))
}
