//! Permute-and-flip on a list.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational};
use throng_sample::PermuteAndFlip as Sampler;

use super::{Contest, ScoreChange, gap_of_chance};
use crate::estimate::miss;
use crate::{Mechanism, MechanismError, Run};

/// One of a list of candidates: the first, in random order, whose coin of chance
/// e^(-λ (best score - score)) shows heads.
///
/// Never worse in expectation than [`super::Exponential`] of the same epsilon, and pure; but not of
/// bounded range, so it composes worse.
///
/// # Guarantee
/// `permute_and_flip(eps)`.
///
/// *Proof.* The law is that of the largest of sᵢ + Eᵢ with independent exponential noise of rate λ
/// (Ding et al. 2021). A constant added to all scores changes nothing, so let sᵢ <= sᵢ' <= sᵢ + R.
/// Given the noise of the others, whose best is m, candidate i wins with chance
/// g(m - sᵢ), g(x) = min(1, e^(-λx)). As m too rises by at most R, m - sᵢ moves by at most R either way,
/// and ln g by at most λR = ε.
///
/// # Reference
/// R. McKenna, D. Sheldon, "Permute-and-flip: a new mechanism for differentially private
/// selection", 2020; Z. Ding et al., "The permute-and-flip mechanism is identical to
/// report-noisy-max with exponential noise", 2021.
///
/// ```
/// use throng_mechanism::selection::{PermuteAndFlip, ScoreChange};
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let change = ScoreChange::within(&1.into(), Neighbours::Replace)?;
/// let mechanism = PermuteAndFlip::new(3, &1.into(), &change)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::Replace)?;
/// let permit = budget.permit(&mechanism)?;
/// let best = mechanism.run(Sensitive::new([3, 2, 0]).as_slice(), permit, &mut OsEntropy)?;
/// assert!(*best.value() < 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermuteAndFlip {
    contest: Contest,
}

impl PermuteAndFlip {
    /// Chooses one of `candidates`.
    ///
    /// # Errors
    /// If there are no candidates or epsilon is not above 0.
    pub fn new(
        candidates: usize,
        epsilon: &Rational,
        change: &ScoreChange,
    ) -> Result<Self, MechanismError> {
        let leaf = |epsilon| Leaf::PermuteAndFlip { epsilon };
        Ok(Self { contest: Contest::new(candidates, epsilon, change, leaf)? })
    }

    /// λ.
    #[must_use]
    pub const fn rate(&self) -> &Rational {
        &self.contest.rate
    }

    /// How far the chosen candidate's score is behind the best, at most, with this confidence;
    /// whatever the scores are.
    ///
    /// *Proof.* A candidate that is g or more behind is chosen only if it comes before the best one,
    /// whose coin never fails, and its own coin shows heads: a chance of at most ½ e^(-λg). At most
    /// m candidates are behind, and m e^(-λg)/2 = β at g = ln(m/(2β))/λ. (For β >= m/2, g = 0: the best
    /// is missed with a chance of at most m/2.)
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn gap(&self, confidence: f64) -> Result<f64, MechanismError> {
        let beta = Enclosure::point(2.0 * miss(confidence)?)?;
        gap_of_chance(self.contest.others() / beta, &self.contest.rate)
    }
}

impl Mechanism for PermuteAndFlip {
    type Input = [i64];
    type Output = usize;

    fn spec(&self) -> MechanismSpec {
        self.contest.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.contest.under
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<usize, MechanismError> {
        let scores = self.contest.scores(input)?;
        run.observe(|| self.contest.observed("permute and flip", scores));
        let energies = self.contest.energies(scores);
        Ok(Sampler::new(&energies)?.draw(run.entropy())?)
    }
}
