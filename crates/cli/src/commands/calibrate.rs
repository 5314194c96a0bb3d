//! `throng calibrate`: the parameter that reaches a target.

use std::time::Instant;

use clap::Args;
use serde::Serialize;
use throng_account::{Calibration, calibrate};

use crate::arguments::Setting;
use crate::failure::Failure;
use crate::goal::{Goal, Goals};
use crate::json::{Ends, Real};
use crate::number::Number;
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

    #[command(flatten)]
    goals: Goals,

    #[command(flatten)]
    setting: Setting,

    /// Print JSON.
    #[arg(long)]
    json: bool,
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
    fn of(goal: &Goal, goals: &Goals) -> Result<Self, Failure> {
        let mut numbers = serde_json::Map::new();
        let mut put = |name: &str, number: &Option<Number>| {
            if let Some(number) = number {
                numbers.insert(name.to_owned(), serde_json::to_value(Real(number.nearest()))?);
            }
            Ok::<_, Failure>(())
        };
        put("epsilon", &goals.epsilon)?;
        put("delta", &goals.delta)?;
        put("mu", &goals.gdp)?;
        put("rho", &goals.zcdp)?;
        put("false_alarm", &goals.fpr)?;
        put("found", &goals.tpr)?;
        put("advantage", &goals.advantage)?;
        Ok(Self { kind: goal.name, numbers })
    }
}

/// Calibrates, then shows the value and what it reaches.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let goal = options.goals.goal()?;
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
        target: Wanted::of(&goal, &options.goals)?,
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
