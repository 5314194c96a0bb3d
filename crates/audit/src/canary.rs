//! Canaries: many small audits in one training run.
//!
//! m canaries; for each a fair coin decides, independently, whether it goes into the data. After one
//! run every canary has a score, and whoever knows the scores but not the coins guesses: "in" for the
//! highest, "out" for the lowest, nothing for those between. How many guesses there are is fixed
//! beforehand. Too many right ones refute the claim.
//!
//! What "too many" is, says the largest chance P\[at least v of r guesses are right\] that the claim
//! allows: `one_run` for a pair (ε, δ), `certificate` for a whole curve. Both hold although the
//! guesses depend on one another through the run.
//!
//! # Reference
//! Steinke, Nasr, Jagielski 2023, "Privacy auditing with one (1) training run"; Mahloujifar, Melis,
//! Chaudhuri 2024, "Auditing f-differential privacy in one run".

mod bound;
mod certificate;
mod families;
mod guess;
mod one_run;

use serde::Serialize;
use throng_numeric::{Enclosure, tails};

use crate::region::Region;
use crate::{AuditError, Claim, Verdict, World};
use bound::Tail;
use guess::Ranking;

/// A canary after the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Canary {
    /// The higher, the more it looks as if it had been in the data.
    pub score: f64,
    /// What the coin said.
    pub included: bool,
}

/// How canaries are audited.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// One minus the largest chance that a claim that holds is said to be violated.
    pub confidence: f64,
    /// At which delta to bound epsilon.
    pub delta: f64,
    /// How many guesses; all if empty. Must not depend on which canaries were included. Of several
    /// numbers the best counts, and the bounds pay for it (a union bound).
    pub guesses: Vec<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self { confidence: 0.999, delta: 1e-5, guesses: Vec::new() }
    }
}

/// One way to guess, and how it went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Guesses {
    /// How many.
    pub made: usize,
    /// How many were right; where scores tie at the edge, the tie is broken against us.
    pub right: usize,
    /// The largest chance that the claim allows so many right ones.
    pub p_value: f64,
}

/// The result of an audit with canaries.
///
/// # Guarantee
/// If the claim holds for adding or removing any one canary and the coins were fair and
/// independent, the verdict is [`Verdict::Violated`] with a chance of at most `false_alarm`; the
/// same holds for each bound being wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Whether the claim was refuted.
    pub verdict: Verdict,
    /// The claim, as text.
    pub claim: String,
    /// The largest chance that a claim that holds is said to be violated.
    pub false_alarm: f64,
    /// The smallest false-alarm chance at which the verdict would be "violated".
    pub p_value: f64,
    /// The run is not (epsilon, delta)-private for any epsilon below this, at `delta`.
    pub epsilon_lower: f64,
    /// The delta of `epsilon_lower`.
    pub delta: f64,
    /// The run is not mu-Gaussian-private for any mu below this.
    pub mu_lower: f64,
    /// Canaries.
    pub canaries: usize,
    /// Of them in the data.
    pub included: usize,
    /// The ways to guess.
    pub guesses: Vec<Guesses>,
    /// For each threshold of the score: the part of the others above it, the part of the included.
    pub roc: Vec<(f64, f64)>,
    /// The area under it: 1/2 for scores that tell nothing.
    pub area: f64,
}

/// Audits a claim with canaries.
///
/// # Errors
/// If a parameter is out of range, a score is NaN, the coins cannot have been fair, or the claim
/// says different things of adding and of removing.
///
/// ```
/// use throng_audit::canary::{self, Canary};
/// use throng_audit::{Claim, Neighbours, Orientation, Verdict};
/// // The scores give every canary away.
/// let canaries: Vec<Canary> =
///     (0..100).map(|i| Canary { score: f64::from(i % 2), included: i % 2 == 1 }).collect();
/// let claim = Claim::parse("pure(epsilon=1)", Neighbours::AddRemove, Orientation::Either)?;
/// let report = canary::audit(&claim, &canaries, &canary::Options::default())?;
/// assert_eq!(report.verdict, Verdict::Violated);
/// assert!(report.epsilon_lower > 2.0);
/// # Ok::<(), throng_audit::AuditError>(())
/// ```
pub fn audit(claim: &Claim, canaries: &[Canary], options: &Options) -> Result<Report, AuditError> {
    let false_alarm = checked(canaries, options)?;
    let region = symmetric(claim)?;
    let ranking = Ranking::of(canaries)?;
    let all = [canaries.len()];
    let made = if options.guesses.is_empty() { &all[..] } else { &options.guesses };
    let tails: Vec<Tail> = made
        .iter()
        .map(|&made| {
            ranking.right(made).map(|right| Tail { canaries: canaries.len(), made, right })
        })
        .collect::<Result<_, _>>()?;
    let guesses = tails
        .iter()
        .map(|tail| {
            Ok(Guesses { made: tail.made, right: tail.right, p_value: tail.bound(region)? })
        })
        .collect::<Result<Vec<_>, AuditError>>()?;
    let p_value = of_several(guesses.iter().map(|guess| guess.p_value));
    Ok(Report {
        verdict: if p_value <= false_alarm { Verdict::Violated } else { Verdict::NotViolated },
        claim: claim.text().to_owned(),
        false_alarm,
        p_value,
        epsilon_lower: families::epsilon(&tails, options.delta, false_alarm)?,
        delta: options.delta,
        mu_lower: families::mu(&tails, false_alarm)?,
        canaries: canaries.len(),
        included: canaries.iter().filter(|canary| canary.included).count(),
        guesses,
        roc: ranking.roc(),
        area: ranking.area(),
    })
}

/// The best of several p-values, paid for: if each falls to x with a chance of at most x, their
/// smallest times their number does.
fn of_several(p_values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = real(p_values.len());
    (count * p_values.fold(1.0, f64::min)).next_up().min(1.0)
}

/// The false-alarm chance, if everything can be used.
fn checked(canaries: &[Canary], options: &Options) -> Result<f64, AuditError> {
    let Options { confidence, delta, .. } = options;
    if !(*confidence > 0.0 && *confidence < 1.0) {
        return Err(AuditError::invalid("confidence", confidence, "above 0 and below 1"));
    }
    if !(0.0..=1.0).contains(delta) {
        return Err(AuditError::invalid("delta", delta, "between 0 and 1"));
    }
    fair(canaries)?;
    Ok(1.0 - confidence)
}

/// Refuses coins that are not fair: then everybody guesses well.
fn fair(canaries: &[Canary]) -> Result<(), AuditError> {
    const IMPLAUSIBLE: f64 = 1e-9;
    let all = canaries.len();
    let included = canaries.iter().filter(|canary| canary.included).count();
    let fewer = u64::try_from(included.min(all - included)).unwrap_or(u64::MAX);
    let trials = u64::try_from(all).unwrap_or(u64::MAX);
    let chance = tails::binomial_cdf(fewer, trials, Enclosure::point(0.5)?)?;
    if all == 0 || 2.0 * chance.upper() < IMPLAUSIBLE {
        return Err(AuditError::outcomes(
            format!("{included} of {all} canaries were included, which fair coins do not do"),
            "include each canary with chance 1/2, independently of all others",
        ));
    }
    Ok(())
}

/// The region of a claim that says the same of both directions.
fn symmetric(claim: &Claim) -> Result<&Region, AuditError> {
    let region = claim.region(World::Zero);
    if region == claim.region(World::One) {
        return Ok(region);
    }
    Err(AuditError::invalid(
        "the direction of the claim",
        "one for each world",
        "both at once: canaries are added and removed",
    ))
}

/// A count as a float: exact below 2^53, and there is no room for more canaries.
#[expect(clippy::cast_precision_loss, reason = "exact for every count that fits into memory")]
const fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
