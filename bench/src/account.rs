//! Throng's half of the accountant's benchmark; `account.py` is the other and knows the peers.
//!
//! Reads one workload per line from standard input, six fields with tabs between:
//! name, neighbours, width asked for, kind, argument, expression. Answers each with a line of
//! JSON: name, the least CPU seconds of several runs (from the parsed expression to the answer),
//! and both ends of what was found. One thread.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead};

use cpu_time::ProcessTime;
use throng_account::{
    Accuracy, Bracket, MechanismSpec, Neighbours, PrivacyLoss, Target, Template, calibrate,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs stop after so many, or once they have taken so long.
const RUNS: usize = 7;
const PATIENCE: f64 = 3.0;

/// One line of the input.
struct Workload {
    name: String,
    neighbours: Neighbours,
    accuracy: Accuracy,
    kind: String,
    argument: String,
    expression: String,
}

/// What came out: both ends, and of a curve the largest relative width.
struct Answer {
    ends: Bracket,
    relative_width: Option<f64>,
}

fn workload(line: &str) -> Outcome<Workload> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [name, neighbours, width, kind, argument, expression] = fields[..] else {
        return Err(format!("expected six fields, found {}", fields.len()).into());
    };
    let neighbours = match neighbours {
        "add-remove" => Neighbours::AddRemove,
        "replace" => Neighbours::Replace,
        other => return Err(format!("unknown neighbours {other}").into()),
    };
    Ok(Workload {
        name: name.to_owned(),
        neighbours,
        accuracy: Accuracy { width: width.parse()? },
        kind: kind.to_owned(),
        argument: argument.to_owned(),
        expression: expression.to_owned(),
    })
}

fn numbers(text: &str) -> Outcome<Vec<f64>> {
    Ok(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
}

/// The loss, and one question to it.
fn ask(work: &Workload, spec: &MechanismSpec, arguments: &[f64]) -> Outcome<Answer> {
    let loss = PrivacyLoss::of_spec(spec, work.neighbours, work.accuracy)?;
    let first = *arguments.first().ok_or("no argument")?;
    let ends = match work.kind.as_str() {
        "epsilon" => loss.epsilon(first)?,
        "delta" => loss.delta(first)?,
        "tradeoff" => loss.miss_rate(first)?,
        "curve" => return curve(&loss, arguments),
        other => return Err(format!("unknown kind {other}").into()),
    };
    Ok(Answer { ends, relative_width: None })
}

/// epsilon at the first argument (a delta), delta at all others.
fn curve(loss: &PrivacyLoss, arguments: &[f64]) -> Outcome<Answer> {
    let ends = loss.epsilon(arguments[0])?;
    let mut widest: f64 = 0.0;
    for &epsilon in &arguments[1..] {
        let delta = loss.delta(epsilon)?;
        widest = widest.max(delta.width() / delta.upper);
    }
    Ok(Answer { ends, relative_width: Some(widest) })
}

/// The parameter that reaches (epsilon, delta), and next to it the epsilon it reaches.
fn solve(work: &Workload, arguments: &[f64]) -> Outcome<Answer> {
    let &[epsilon, delta] = arguments else { return Err("expected epsilon and delta".into()) };
    let template = Template::parse(&work.expression)?;
    let target = Target::Epsilon { epsilon, delta };
    let found = calibrate(&template, &target, work.neighbours, work.accuracy)?;
    if found.achieved.upper > epsilon {
        return Err(format!("achieved {} only", found.achieved).into());
    }
    let value = found.value.to_f64_nearest();
    Ok(Answer { ends: Bracket { lower: value, upper: value }, relative_width: None })
}

/// The least seconds of several runs, and the answer.
fn timed(mut run: impl FnMut() -> Outcome<Answer>) -> Outcome<(f64, Answer)> {
    let mut best = f64::INFINITY;
    let mut spent = 0.0;
    let mut last = None;
    for _ in 0..RUNS {
        let start = ProcessTime::now();
        let answer = run()?;
        let seconds = start.elapsed().as_secs_f64();
        best = best.min(seconds);
        spent += seconds;
        last = Some(answer);
        if spent > PATIENCE {
            break;
        }
    }
    Ok((best, last.ok_or("no run")?))
}

fn measure(work: &Workload) -> Outcome<(f64, Answer)> {
    let arguments = numbers(&work.argument)?;
    if work.kind == "calibration" {
        return timed(|| solve(work, &arguments));
    }
    let spec: MechanismSpec = work.expression.parse()?;
    timed(|| ask(work, &spec, &arguments))
}

/// JSON knows no infinity.
fn json(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { format!("\"{x}\"") }
}

fn report(work: &Workload) -> String {
    let name = &work.name;
    match measure(work) {
        Err(error) => format!(r#"{{"workload":"{name}","error":{:?}}}"#, error.to_string()),
        Ok((seconds, answer)) => {
            let (lower, upper) = (json(answer.ends.lower), json(answer.ends.upper));
            let relative = answer.relative_width.map_or("null".to_owned(), json);
            format!(
                r#"{{"workload":"{name}","seconds":{seconds:e},"lower":{lower},"upper":{upper},"relative_width":{relative}}}"#
            )
        }
    }
}

/// The most memory this process has held, in MB.
fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn main() -> Outcome<()> {
    for line in io::stdin().lock().lines() {
        println!("{}", report(&workload(&line?)?));
    }
    if let Some(peak) = peak_megabytes() {
        println!(r#"{{"workload":"memory","megabytes":{peak:.1}}}"#);
    }
    Ok(())
}
