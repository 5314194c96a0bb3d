//! The noisy maximum with discrete Laplace noise.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Integer, Rational};
use throng_sample::DiscreteLaplace;

use super::{Contest, ScoreChange};
use crate::estimate::miss;
use crate::{Mechanism, MechanismError, NoiseLaw, Run};

/// The candidate whose score is largest once each has got its own discrete Laplace noise, of
/// scale R/ε; of equal ones the first.
///
/// [`super::PermuteAndFlip`] is the noisy maximum with exponential noise, which is better, and
/// [`super::Exponential`] that with Gumbel noise; both are drawn without any noise. This one is
/// here for those who have to reproduce it.
///
/// # Guarantee
/// `noisy_max(eps)`, ties included.
///
/// *Proof.* Noise Z on the integers with r = e^(-1/b) has P(Z >= c + 1) >= r P(Z >= c) for every c:
/// the share P(Z = c)/P(Z >= c) is 1 - r for c >= 1, and for c <= 0 at most (1 - r) r^|c|, as
/// P(Z >= c) >= P(Z >= 0) = 1/(1 + r). So ln P(Z >= c) moves by at most d/b when c moves by d.
/// A constant added to all scores changes nothing, so let sᵢ <= sᵢ' <= sᵢ + R. Given the noise of the
/// others, i wins iff Zᵢ >= c with c the largest of sⱼ + zⱼ - sᵢ, plus 1 for j before i. Each of these moves
/// by at most R either way, so c does, and the chance to win changes by a factor of at most
/// e^(R/b) = e^ε.
///
/// # Reference
/// C. Dwork, A. Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3
/// (continuous noise).
///
/// ```
/// use throng_mechanism::selection::{NoisyMax, ScoreChange};
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let change = ScoreChange::monotone(&1.into(), Neighbours::AddRemove)?;
/// let mechanism = NoisyMax::new(3, &1.into(), &change)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let best = mechanism.run(Sensitive::new([3, 2, 0]).as_slice(), permit, &mut OsEntropy)?;
/// assert!(*best.value() < 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyMax {
    contest: Contest,
    scale: Rational,
}

impl NoisyMax {
    /// Chooses one of `candidates`.
    ///
    /// # Errors
    /// If there are no candidates or epsilon is not above 0.
    pub fn new(
        candidates: usize,
        epsilon: &Rational,
        change: &ScoreChange,
    ) -> Result<Self, MechanismError> {
        let contest = Contest::new(candidates, epsilon, change, |e| Leaf::NoisyMax { epsilon: e })?;
        let scale = Rational::ONE.checked_div(&contest.rate)?;
        Ok(Self { contest, scale })
    }

    /// The scale b of the noise.
    #[must_use]
    pub const fn scale(&self) -> &Rational {
        &self.scale
    }

    /// How far the chosen candidate's score is behind the best, at most, with this confidence;
    /// whatever the scores are: twice what all noises stay within.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn gap(&self, confidence: f64) -> Result<f64, MechanismError> {
        let beta = miss(confidence)?;
        let count = u64::try_from(self.contest.candidates).unwrap_or(u64::MAX);
        let most = NoiseLaw::laplace(self.scale.clone())?.half_width_of_all(count, beta)?;
        Ok((Rational::from(most) * Rational::from(2)).to_f64_up())
    }
}

impl Mechanism for NoisyMax {
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
        run.observe(|| self.contest.observed("noisy max", scores));
        let noise = DiscreteLaplace::new(&self.scale)?;
        let mut best: Option<(Integer, usize)> = None;
        for (i, score) in scores.iter().enumerate() {
            let noisy = Integer::from(*score) + noise.draw(run.entropy())?;
            if best.as_ref().is_none_or(|(most, _)| noisy > *most) {
                best = Some((noisy, i));
            }
        }
        Ok(best.map_or(0, |(_, i)| i))
    }
}
