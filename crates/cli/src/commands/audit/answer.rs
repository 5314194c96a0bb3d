//! The answer, as data. Its JSON form is documented in docs/reference/audit.md.

use serde::Serialize;
use throng_audit::{Neighbours, Report, Verdict, Witness};
use throng_numeric::Rational;

use super::Options;
use crate::json::Real;
use crate::number::Number;

/// What an audit found.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    pub(super) false_alarm: f64,
    pub(super) epsilon_lower: Real,
    pub(super) delta: f64,
    pub(super) mu_lower: Real,
    pub(super) witness: Option<Witness>,
    pub(super) samples: u64,
    pub(super) claim: String,
    pub(super) neighbours: String,
    pub(super) p_value: f64,
    /// Of the samples, those that chose the witness.
    pub(super) explored: u64,
    /// The pair of inputs that was audited, where pairs were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pair: Option<usize>,
    pub(super) method: String,
    /// What an attacker achieves at least: (false-alarm rate, miss rate).
    pub(super) curve: Vec<(f64, f64)>,
    /// What the claim leaves to an attacker.
    pub(super) claimed: Vec<(f64, f64)>,
    #[serde(skip)]
    pub(super) delta_text: String,
    #[serde(skip)]
    pub(super) confidence_text: String,
}

impl Answer {
    /// The report, with the numbers as they were typed.
    pub(super) fn new(
        options: &Options,
        under: Neighbours,
        delta: &Number,
        pair: Option<usize>,
        report: Report,
    ) -> Self {
        Self {
            verdict: report.verdict,
            false_alarm: false_alarm(&options.confidence),
            epsilon_lower: Real(report.epsilon_lower),
            delta: delta.nearest(),
            mu_lower: Real(report.mu_lower),
            witness: report.witness,
            samples: report.samples,
            claim: report.claim,
            neighbours: under.to_string(),
            p_value: report.p_value,
            explored: report.explored,
            pair,
            method: report.method,
            curve: report.curve,
            claimed: report.claimed,
            delta_text: delta.text().to_owned(),
            confidence_text: options.confidence.text().to_owned(),
        }
    }
}

/// One minus the confidence, as it was typed; not below it.
pub(super) fn false_alarm(confidence: &Number) -> f64 {
    (&Rational::from(1u8) - confidence.exact()).to_f64_up()
}
