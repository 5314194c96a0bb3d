//! Selection: which candidate is best?
//!
//! The candidates are public and each has a private score, an integer in any unit (counts, steps of
//! a grid). What is released is one candidate, or the best few.
//!
//! | mechanism | law | described as |
//! |---|---|---|
//! | [`Exponential`] | P(i) proportional to e^(λ sᵢ); also that of the noisy maximum with Gumbel noise | `exponential` |
//! | [`PermuteAndFlip`] | that of the noisy maximum with exponential noise; never worse | `permute_and_flip` |
//! | [`NoisyMax`] | that of the noisy maximum with discrete Laplace noise | `noisy_max` |
//! | [`Top`] | the best k by peeling; also that of the k largest with Gumbel noise | k times `exponential` |
//! | [`OnLine`] | P(y) proportional to e^(λ s(y)) on a grid, bounded or not | `exponential` |
//!
//! The rate is λ = ε/R for all of them, where R is the *range* of the change that one unit makes:
//! between two neighbours all scores change by amounts within some interval of length R
//! ([`ScoreChange`]). If every score changes by at most κ either way, R = 2κ; if moreover all
//! change the same way, R = κ.

mod exponential;
mod ladder;
mod line;
mod noisy_max;
mod permute_and_flip;
mod top;

use throng_account::spec::MAX_NUMBER_BITS;
use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Natural, Rational};

use crate::MechanismError;
use crate::replay::{Distance, Drawn, Observed, Primitive};
pub use exponential::Exponential;
pub use line::{Domain, Landscape, OnLine};
pub use noisy_max::NoisyMax;
pub use permute_and_flip::PermuteAndFlip;
pub use top::Top;

/// How one unit can change the scores of all candidates, in the unit of the scores.
///
/// What matters is not how far one score moves but how far scores move *against each other*: a
/// constant added to all of them changes no choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoreChange {
    range: Rational,
    under: Neighbours,
}

impl ScoreChange {
    /// Each score changes by at most `kappa`, up or down: a range of 2 kappa.
    ///
    /// # Errors
    /// If kappa is not above 0.
    pub fn within(kappa: &Rational, under: Neighbours) -> Result<Self, MechanismError> {
        Self::spanning(kappa + kappa, under)
    }

    /// Each score changes by at most `kappa`, and all of them the same way, as counts do when a
    /// person is added: a range of kappa.
    ///
    /// # Errors
    /// If kappa is not above 0. Refused under replace, where one person leaves and another comes,
    /// so that one count falls and another rises.
    pub fn monotone(kappa: &Rational, under: Neighbours) -> Result<Self, MechanismError> {
        match under {
            Neighbours::AddRemove | Neighbours::ZeroOut => Self::spanning(kappa.clone(), under),
            Neighbours::Replace => Err(MechanismError::refused(
                "scores that all move the same way when a unit comes do not if one is replaced",
                "use `within`, or `spanning` with a range that you have proved",
            )),
        }
    }

    /// All changes lie in one interval of length `range`, wherever that is.
    ///
    /// # Errors
    /// If the range is not above 0.
    pub fn spanning(range: Rational, under: Neighbours) -> Result<Self, MechanismError> {
        positive("the change of a score", &range)?;
        Ok(Self { range, under })
    }

    /// R.
    #[must_use]
    pub const fn range(&self) -> &Rational {
        &self.range
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.under
    }

    /// λ = ε/R.
    pub(crate) fn rate(&self, epsilon: &Rational) -> Result<Rational, MechanismError> {
        positive("epsilon", epsilon)?;
        Ok(epsilon.checked_div(&self.range)?)
    }
}

/// What the mechanisms on a list of scores have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Contest {
    candidates: usize,
    /// R.
    range: Rational,
    rate: Rational,
    spec: MechanismSpec,
    under: Neighbours,
}

impl Contest {
    fn new(
        candidates: usize,
        epsilon: &Rational,
        change: &ScoreChange,
        leaf: impl FnOnce(Rational) -> Leaf,
    ) -> Result<Self, MechanismError> {
        if candidates == 0 {
            return Err(MechanismError::invalid("the number of candidates", 0, "at least 1"));
        }
        let rate = change.rate(epsilon)?;
        let spec = MechanismSpec::leaf(leaf(epsilon.clone()))?;
        let range = change.range().clone();
        Ok(Self { candidates, range, rate, spec, under: change.neighbours() })
    }

    /// The scores, if there is one per candidate. The candidates are public, so this check is.
    fn scores<'a>(&self, scores: &'a [i64]) -> Result<&'a [i64], MechanismError> {
        if scores.len() == self.candidates {
            return Ok(scores);
        }
        let allowed = format!("that of the candidates, {}", self.candidates);
        Err(MechanismError::invalid("the number of scores", scores.len(), allowed))
    }

    fn observed(&self, what: &'static str, scores: &[i64]) -> Observed {
        Observed::Primitive(Primitive {
            what,
            law: Drawn::Choice(self.rate.clone()),
            declared: Some(Distance::Span(self.range.clone())),
            inputs: scores.iter().copied().map(i128::from).collect(),
        })
    }

    /// -λ s for each score.
    fn energies(&self, scores: &[i64]) -> Vec<Rational> {
        scores.iter().map(|score| energy(&self.rate, *score)).collect()
    }

    /// The number of candidates that are not the best.
    fn others(&self) -> Enclosure {
        count(self.candidates - 1)
    }
}

/// -λ s.
fn energy(rate: &Rational, score: i64) -> Rational {
    -(rate * &Rational::from(score))
}

fn count(n: usize) -> Enclosure {
    Enclosure::of_rational(&Rational::from(u64::try_from(n).unwrap_or(u64::MAX)))
}

/// A g such that a gap beyond g has a chance of at most beta, if a gap of g or more has odds of at
/// most (candidates that are not the best) e^(-rate g) against the best: rounded up.
///
/// *Proof.* The best candidate has weight 1 and each of the m others that are g or more behind at
/// most w = e^(-λg), so one of them is chosen with a chance of at most m w/(1 + m w), which is β
/// at m w = β/(1 - β). (If that asks for g < 0, the chance of missing the best at all is at most
/// m/(1 + m) <= β, and 0 does.) This implies the textbook form g = (ln(m + 1) + ln(1/β))/λ.
pub(crate) fn gap_of_odds(
    others: Enclosure,
    beta: f64,
    rate: &Rational,
) -> Result<f64, MechanismError> {
    let beta = Enclosure::point(beta)?;
    gap_of_chance(others * (Enclosure::ONE - beta) / beta, rate)
}

/// ln(ratio)/rate, at least 0, rounded up.
fn gap_of_chance(ratio: Enclosure, rate: &Rational) -> Result<f64, MechanismError> {
    if ratio.upper() <= 1.0 {
        return Ok(0.0);
    }
    let ratio = Enclosure::point(ratio.upper())?;
    Ok((ratio.ln()? / Enclosure::of_rational(rate)).upper())
}

/// Whether a parameter is above 0 and no longer than the accountant's numbers; so no energy, which
/// is a product of a few of them with scores, is too long for the samplers.
pub(crate) fn positive(name: &str, value: &Rational) -> Result<(), MechanismError> {
    let bits = usize::try_from(MAX_NUMBER_BITS).unwrap_or(0);
    let longest = &value.magnitude_of_numerator().max(value.denominator().clone());
    if !value.is_positive() {
        return Err(MechanismError::invalid(name, value, "above 0"));
    }
    if *longest >= Natural::ONE << bits {
        return Err(MechanismError::invalid(name, "longer", format!("of at most {bits} bits")));
    }
    Ok(())
}
