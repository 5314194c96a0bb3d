//! The best few.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::ladder::Ladder;
use super::{Contest, ScoreChange, gap_of_odds};
use crate::estimate::miss;
use crate::{Mechanism, MechanismError, Run};

/// The best k of a list of candidates, best first, by peeling: the exponential mechanism with ε/k
/// chooses one, then one of those that are left, and so on.
///
/// Adding Gumbel noise once to λ sᵢ and taking the k largest in order has the same law, so this is
/// that mechanism too.
///
/// # Guarantee
/// `k * exponential(eps/k)`: each round is an exponential mechanism, chosen after seeing the rounds
/// before.
///
/// # Reference
/// D. Durfee, R. Rogers, "Practical differentially private top-k selection with pay-what-you-get
/// composition", 2019, lemma 4.2 for the equality of the two laws.
///
/// ```
/// use throng_mechanism::selection::{ScoreChange, Top};
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let change = ScoreChange::monotone(&1.into(), Neighbours::AddRemove)?;
/// let mechanism = Top::new(2, 4, &1.into(), &change)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let two = mechanism.run(Sensitive::new([90, 7, 85, 3]).as_slice(), permit, &mut OsEntropy)?;
/// assert_eq!(two.value().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    /// One round.
    contest: Contest,
    rounds: usize,
    spec: MechanismSpec,
}

impl Top {
    /// Chooses `k` of `candidates`, with `epsilon` for all of them together.
    ///
    /// # Errors
    /// If k is 0 or above the number of candidates, or epsilon is not above 0.
    pub fn new(
        k: usize,
        candidates: usize,
        epsilon: &Rational,
        change: &ScoreChange,
    ) -> Result<Self, MechanismError> {
        if k == 0 || k > candidates {
            let allowed = format!("from 1 to the number of candidates, {candidates}");
            return Err(MechanismError::invalid("k", k, allowed));
        }
        let times = u64::try_from(k).unwrap_or(u64::MAX);
        let each = epsilon.checked_div(&Rational::from(times))?;
        let contest =
            Contest::new(candidates, &each, change, |epsilon| Leaf::Exponential { epsilon })?;
        let spec = match times {
            1 => contest.spec.clone(),
            _ => MechanismSpec::repeated(times, contest.spec.clone())?,
        };
        Ok(Self { contest, rounds: k, spec })
    }

    /// λ of each round.
    #[must_use]
    pub const fn rate(&self) -> &Rational {
        &self.contest.rate
    }

    /// How far the score of each chosen candidate is behind that of the same place in the true
    /// order, at most, for all k at once with this confidence; whatever the scores are.
    ///
    /// *Proof.* Each round misses this gap to the best that is left with a chance of at most β/k.
    /// When the i-th is chosen, i - 1 candidates are gone, so one of the true best i is left.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn gap(&self, confidence: f64) -> Result<f64, MechanismError> {
        let each = throng_numeric::Enclosure::point(miss(confidence)?)? / super::count(self.rounds);
        gap_of_odds(self.contest.others(), each.lower(), &self.contest.rate)
    }
}

impl Mechanism for Top {
    type Input = [i64];
    type Output = Vec<usize>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.contest.under
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<Vec<usize>, MechanismError> {
        let scores = self.contest.scores(input)?;
        let mut ladder = Ladder::of(scores);
        let mut round = || {
            run.observe(|| self.contest.observed("exponential", scores));
            ladder.take(&self.contest.rate, run)
        };
        (0..self.rounds).map(|_| round()).collect()
    }
}
