//! The exponential mechanism on a list.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::ladder::Ladder;
use super::{Contest, ScoreChange, gap_of_odds};
use crate::estimate::miss;
use crate::{Mechanism, MechanismError, Run};

/// One of a list of candidates, with a chance proportional to e^(λ score).
///
/// # Guarantee
/// `exponential(eps)`: on two neighbours the loss lies within an interval of length ε, which is
/// more than ε-privacy says.
///
/// *Proof.* With λ = ε/R the loss at candidate i is λ(sᵢ - sᵢ') + ln Z' - ln Z. The second part is the
/// same for all i, and the first lies in an interval of length λR = ε by the meaning of R.
///
/// # Reference
/// F. McSherry, K. Talwar, "Mechanism design via differential privacy", 2007; for the range,
/// D. Durfee, R. Rogers, "Practical differentially private top-k selection with pay-what-you-get
/// composition", 2019.
///
/// ```
/// use throng_mechanism::selection::{Exponential, ScoreChange};
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// // Votes: a voter adds 1 to one of the counts.
/// let change = ScoreChange::monotone(&1.into(), Neighbours::AddRemove)?;
/// let mechanism = Exponential::new(3, &"1/2".parse()?, &change)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let votes = Sensitive::new([120, 45, 7]);
/// let winner = mechanism.run(votes.as_slice(), permit, &mut OsEntropy)?;
/// println!("{} is at most {} votes behind", winner.value(), mechanism.gap(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exponential {
    contest: Contest,
}

impl Exponential {
    /// Chooses one of `candidates`.
    ///
    /// # Errors
    /// If there are no candidates or epsilon is not above 0.
    pub fn new(
        candidates: usize,
        epsilon: &Rational,
        change: &ScoreChange,
    ) -> Result<Self, MechanismError> {
        let leaf = |epsilon| Leaf::Exponential { epsilon };
        Ok(Self { contest: Contest::new(candidates, epsilon, change, leaf)? })
    }

    /// λ: chances are proportional to e^(λ score).
    #[must_use]
    pub const fn rate(&self) -> &Rational {
        &self.contest.rate
    }

    /// How far the chosen candidate's score is behind the best, at most, with this confidence;
    /// whatever the scores are.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn gap(&self, confidence: f64) -> Result<f64, MechanismError> {
        gap_of_odds(self.contest.others(), miss(confidence)?, &self.contest.rate)
    }
}

impl Mechanism for Exponential {
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
        run.observe(|| self.contest.observed("exponential", scores));
        let place = Ladder::of(scores).take(&self.contest.rate, run)?;
        Ok(run.settled(place))
    }
}
