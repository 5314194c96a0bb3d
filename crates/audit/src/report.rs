//! What an audit hands over.

use serde::Serialize;

use crate::witness::Witness;

/// Whether the claim was refuted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim does not hold, but for the stated chance of a false alarm.
    Violated,
    /// The outcomes do not refute the claim; that is no proof of it.
    NotViolated,
}

/// The result of an audit: a certified statement about the target.
///
/// # Guarantee
/// If the claim holds for the two worlds and runs are independent, the verdict is
/// [`Verdict::Violated`] with a chance of at most `false_alarm`, whatever the target. Each of the
/// bounds, and the curve as a whole, is wrong with a chance of at most `false_alarm` as well.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Whether the claim was refuted.
    pub verdict: Verdict,
    /// The claim, as text.
    pub claim: String,
    /// The largest chance that a claim that holds is said to be violated.
    pub false_alarm: f64,
    /// The smallest false-alarm chance at which the verdict would be "violated" (for a verdict of
    /// many tests, of all of them together).
    pub p_value: f64,
    /// The target is not (epsilon, delta)-private for any epsilon below this, at `delta`.
    pub epsilon_lower: f64,
    /// The delta of `epsilon_lower`.
    pub delta: f64,
    /// The target is not mu-Gaussian-private for any mu below this.
    pub mu_lower: f64,
    /// The event that tells the worlds apart best, as it was chosen before it was counted.
    pub witness: Option<Witness>,
    /// Runs in both worlds together.
    pub samples: u64,
    /// How many of them chose the witness; the others certified it.
    pub explored: u64,
    /// What an attacker achieves at least: points (false-alarm rate, miss rate); the target's trade-off
    /// curve lies below the convex curve through them.
    pub curve: Vec<(f64, f64)>,
    /// The claimed trade-off curve, for the direction of the witness.
    pub claimed: Vec<(f64, f64)>,
    /// How the verdict was reached, in words.
    pub method: String,
}
