//! Small theorems that proofs about private systems keep using, as functions.

mod attribution;
mod definitions;
mod limits;

pub use attribution::Attribution;
pub use definitions::{FourWays, four_ways};
pub use limits::{BerryEsseen, Moments, PoissonLimit, poissonised};

use throng_numeric::Enclosure;

use crate::conversion::arithmetic::{not_negative, small};
use crate::{AccountError, MechanismSpec};

/// How far the means of two numbers in [-B, B] can be apart if their laws are (ε, δ)-close both
/// ways: E X - E Y <= (e^ε - 1) E Y_+ + (1 - e^-ε) E Y_- + (1 + e^-ε) δ B.
///
/// `above` and `below` are E max(Y, 0) and E max(-Y, 0). The weaker form
/// (e^ε - 1) E|Y| + 2δB follows.
///
/// # Guarantee
/// The upper end bounds E X - E Y.
///
/// # Errors
/// If an argument may be negative.
pub fn moment_difference(
    epsilon: Enclosure,
    delta: Enclosure,
    bound: Enclosure,
    above: Enclosure,
    below: Enclosure,
) -> Result<Enclosure, AccountError> {
    let epsilon = not_negative("epsilon", epsilon)?;
    let delta = not_negative("delta", delta)?;
    let bound = not_negative("the bound", bound)?;
    let (above, below) = (not_negative("E Y+", above)?, not_negative("E Y-", below)?);
    let rest = (Enclosure::ONE + (-epsilon).exp()) * delta * bound;
    Ok(epsilon.expm1() * above - (-epsilon).expm1() * below + rest)
}

/// The weaker form of [`moment_difference`]: (e^ε - 1) E|Y| + 2δB.
///
/// # Errors
/// If an argument may be negative.
pub fn moment_difference_simple(
    epsilon: Enclosure,
    delta: Enclosure,
    bound: Enclosure,
    mean_size: Enclosure,
) -> Result<Enclosure, AccountError> {
    let epsilon = not_negative("epsilon", epsilon)?;
    let delta = not_negative("delta", delta)?;
    let (bound, size) = (not_negative("the bound", bound)?, not_negative("E|Y|", mean_size)?);
    Ok(epsilon.expm1() * size + small(2) * delta * bound)
}

/// A public signal from which everyone computes their own output with their own data.
///
/// # Guarantee
/// The billboard lemma. If participant i's output is F(x_i, S), where S is the output of `signal`,
/// then the outputs of *all others* together have the guarantee of S with respect to x_i:
/// they are computed from S and from data that does not include x_i, which is post-processing.
/// So the system is *jointly* private with the guarantee of S. Nothing is promised about what
/// i's own output says about i, and nothing if the others see i's output.
///
/// # Reference
/// M. Kearns, M. Pai, A. Roth, J. Ullman (2014); J. Hsu et al. (2014), the billboard lemma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Billboard {
    signal: MechanismSpec,
}

impl Billboard {
    /// A billboard that shows the output of a mechanism.
    #[must_use]
    pub fn of(signal: MechanismSpec) -> Self {
        Self { signal }
    }

    /// What everyone else, colluding, learns about one participant: as much as the signal tells.
    #[must_use]
    pub fn guarantee_against_others(&self) -> &MechanismSpec {
        &self.signal
    }
}
