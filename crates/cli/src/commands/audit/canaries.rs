//! Canaries after one training run.

mod file;

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use throng_audit::canary::{self, Guesses};
use throng_audit::{Claim, Verdict};

use super::answer::false_alarm;
use super::{Options, draw, show, verdict};
use crate::digits::{self, Side};
use crate::failure::Failure;
use crate::json::Real;
use crate::number::Number;
use crate::output;
use crate::plot::axis::{Axis, Scale};
use crate::plot::figure::{Corner, Figure};
use crate::table::Table;

/// What canaries tell. Its JSON form is documented in docs/reference/audit.md.
#[derive(Debug, Serialize)]
struct Answer {
    verdict: Verdict,
    false_alarm: f64,
    epsilon_lower: Real,
    delta: f64,
    mu_lower: Real,
    /// Canaries have no event of their own.
    witness: Option<()>,
    samples: usize,
    claim: String,
    neighbours: String,
    p_value: f64,
    included: usize,
    guesses: Vec<Guesses>,
    roc: Vec<(f64, f64)>,
    area: f64,
    #[serde(skip)]
    delta_text: String,
}

/// Reads the scores, audits them, shows what was found.
pub(super) fn run(
    options: &Options,
    claim: &Claim,
    delta: &Number,
    path: &Path,
) -> Result<(), Failure> {
    if options.report.is_some() {
        return Err(Failure::usage(
            "--report is not written for canaries",
            "use --json, or -o for the curve of the scores",
        ));
    }
    let canaries = file::read(path)?;
    let asked = canary::Options {
        confidence: options.confidence.up().min(1f64.next_down()),
        delta: delta.up(),
        guesses: options.guesses.iter().filter_map(|&r| usize::try_from(r).ok()).collect(),
    };
    let answer = Answer::new(options, delta, canary::audit(claim, &canaries, &asked)?);
    if let Some(path) = &options.output {
        draw::put(&answer.figure(), path)?;
    }
    if options.json {
        output::json(&answer)?;
    } else {
        output::answer(&answer.text())?;
    }
    verdict(answer.verdict)
}

impl Answer {
    fn new(options: &Options, delta: &Number, report: canary::Report) -> Self {
        Self {
            verdict: report.verdict,
            false_alarm: false_alarm(&options.confidence),
            epsilon_lower: Real(report.epsilon_lower),
            delta: delta.nearest(),
            mu_lower: Real(report.mu_lower),
            witness: None,
            samples: report.canaries,
            claim: report.claim,
            neighbours: options.neighbours.to_string(),
            p_value: report.p_value,
            included: report.included,
            guesses: report.guesses,
            roc: report.roc,
            area: report.area,
            delta_text: delta.text().to_owned(),
        }
    }

    /// The scores as an attacker: found against false alarms.
    fn figure(&self) -> Figure {
        Figure {
            title: None,
            x: Axis::exactly("false-alarm rate α", 0.0, 1.0, Scale::Linear),
            y: Axis::exactly("found 1 − β(α)", 0.0, 1.0, Scale::Linear),
            lines: vec![draw::line("scores of the canaries".to_owned(), &self.roc)],
            guessing: vec![(0.0, 0.0), (1.0, 1.0)],
            marks: Vec::new(),
            legend: Corner::BottomRight,
        }
    }

    fn text(&self) -> String {
        let paint = output::paint();
        let mut text = show::verdict_line(self.verdict, &self.claim, self.false_alarm, paint);
        let _ = writeln!(text, "\n{}", self.bounds().render(paint).trim_end());
        let mut table = Table::new(["guesses", "right", "p-value at most"]);
        for guess in &self.guesses {
            let p_value = digits::single(guess.p_value, Side::Up);
            table.row([&guess.made.to_string(), &guess.right.to_string(), &p_value]);
        }
        let _ = writeln!(text, "\n{}", table.render(paint).trim_end());
        text
    }

    fn bounds(&self) -> Table {
        let mut table = Table::new(["what", "bound"]);
        let least = |bound: f64| format!("at least {}", digits::single(bound, Side::Down));
        let epsilon = format!("epsilon at delta {}", self.delta_text);
        let p_value = format!("at most {}", digits::single(self.p_value, Side::Up));
        table.row([&epsilon, &least(self.epsilon_lower.0)]);
        table.row(["mu of Gaussian privacy", &least(self.mu_lower.0)]);
        table.row(["p-value of the claim", &p_value]);
        table.row([
            "canaries",
            &format!("{}, of which {} were included", self.samples, self.included),
        ]);
        table.row(["area under the curve of scores", &format!("{:.4}", self.area)]);
        table
    }
}
