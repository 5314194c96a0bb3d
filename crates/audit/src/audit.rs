//! The audit of a target or of recorded outcomes.

use crate::report::Report;
use crate::{AuditError, Claim, Event, Outcomes, Target};

/// How an audit is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// One minus the largest chance that a claim that holds is said to be violated.
    pub confidence: f64,
    /// At which delta to bound epsilon.
    pub delta: f64,
    /// Whether NaN is an outcome like others; otherwise it is refused.
    pub nan_is_an_outcome: bool,
    /// Whether the worlds may have different numbers of recorded outcomes.
    pub unequal: bool,
    /// Whether to compute the bounds and the curve, which takes longer than the verdict.
    pub bounds: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            confidence: 0.999,
            delta: 1e-5,
            nan_is_an_outcome: false,
            unequal: false,
            bounds: true,
        }
    }
}

/// When a live audit ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// After this many runs in each world.
    Runs(u64),
    /// As soon as the claim is refuted, or after this many runs in each world.
    UntilRefuted(u64),
}

/// How far a live audit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Runs so far in each world.
    pub runs: u64,
    /// At most as many.
    pub most: u64,
    /// How much of the evidence that a refutation takes is there: 1 is enough (on the scale of the
    /// logarithm). 0 in audits of fixed length.
    pub evidence: f64,
}

/// Audits outcomes that were recorded before.
///
/// # Errors
/// If they allow no verdict.
pub fn recorded(
    _claim: &Claim,
    _worlds: [&Outcomes; 2],
    _options: &Options,
) -> Result<Report, AuditError> {
    Err(AuditError::outcomes("nothing is audited yet", "wait"))
}

/// Audits a target by running it.
///
/// # Errors
/// If it cannot be run, or its outcomes allow no verdict.
pub fn live(
    _claim: &Claim,
    _target: &mut dyn Target,
    _options: &Options,
    _effort: Effort,
    _watch: &mut dyn FnMut(Progress),
) -> Result<Report, AuditError> {
    Err(AuditError::outcomes("nothing is audited yet", "wait"))
}

/// Audits recorded outcomes with an event that was chosen before they were: all of them certify.
///
/// # Errors
/// As for [`recorded`].
pub fn confirm(
    _claim: &Claim,
    _event: &Event,
    _worlds: [&Outcomes; 2],
    _options: &Options,
) -> Result<Report, AuditError> {
    Err(AuditError::outcomes("nothing is audited yet", "wait"))
}
