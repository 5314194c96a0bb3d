//! Randomised response with k answers.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::{Enclosure, Rational};

use super::chance::{Chance, Coin, Split, of_count, within_unit};
use super::words::Words;
use super::{Answers, not_negative, of_unit, whole_units};
use crate::replay::Observed;
use crate::{Mechanism, MechanismError, Run};

/// Randomised response with k answers 0, 1, ..., k-1: the true one with chance e^ε/(e^ε + k - 1),
/// else any other, all alike.
///
/// The data is one slice: `width` answers per unit, unit by unit. An answer of k or more counts as
/// k-1.
///
/// # Guarantee
/// Each answer is ε-private, and a unit's answers together are described as `width` runs of one.
/// The ratio of the chances of a report under two truths is 1 or e^±ε, and reports are independent.
///
/// # Reference
/// P. Kairouz, K. Bonawitz, D. Ramage, *Discrete Distribution Estimation under Local Privacy*
/// (2016).
///
/// ```
/// use throng_mechanism::response::KaryResponse;
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let mechanism = KaryResponse::new(3, &2.into(), 1, Neighbours::Replace)?;
/// let mut budget = Budget::pure(2.into(), Neighbours::Replace)?;
/// let permit = budget.permit(&mechanism)?;
/// let votes = Sensitive::new([0, 2, 2, 1, 0, 2]);
/// let release = mechanism.run(votes.as_slice(), permit, &mut OsEntropy)?;
/// let twos = release.value().count(0, 2);
/// println!("{} in {}", twos.estimate()?, twos.interval(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KaryResponse {
    answers: u32,
    untrue: Coin,
    width: usize,
    spec: MechanismSpec,
    under: Neighbours,
}

impl KaryResponse {
    /// `answers` = k possible answers, each given one epsilon-private.
    ///
    /// # Errors
    /// If there are fewer than 2 answers, epsilon is negative, the width is 0, or the relation is
    /// add/remove.
    pub fn new(
        answers: u32,
        epsilon: &Rational,
        width: usize,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        not_negative(epsilon)?;
        if answers < 2 {
            return Err(MechanismError::invalid("the number of answers", answers, "at least 2"));
        }
        let k = u64::from(answers);
        let spec = of_unit(Leaf::KaryResponse { k, epsilon: epsilon.clone() }, width, under)?;
        let untrue = Coin::new(Chance::Untrue { others: k - 1, epsilon: epsilon.clone() })?;
        Ok(Self { answers, untrue, width, spec, under })
    }

    /// How many answers a unit gives.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// How many answers there are to choose from.
    #[must_use]
    pub const fn answers(&self) -> u32 {
        self.answers
    }

    /// The chance that an answer is reported as another; answers beyond the last are the last.
    #[must_use]
    pub fn chance(&self, answer: u32, report: u32) -> Enclosure {
        let [hit, stray] = self.chances();
        if answer.min(self.answers - 1) == report { hit.yes } else { stray.yes }
    }

    /// The chance to report an answer of units for which it is true, and of others.
    fn chances(&self) -> [Split; 2] {
        let hit = self.untrue.chance().enclosed().complement();
        // (1 - a)/(k - 1), and its complement.
        let others = of_count(u64::from(self.answers) - 1);
        let yes = within_unit(hit.no / others);
        let no = within_unit(hit.yes + hit.no * (of_count(u64::from(self.answers) - 2) / others));
        [hit, Split { yes, no }]
    }
}

impl Mechanism for KaryResponse {
    type Input = [u32];
    type Output = Answers;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn units_are_records(&self) -> bool {
        self.width == 1
    }

    fn answer(&self, input: &[u32], run: &mut Run<'_>) -> Result<Answers, MechanismError> {
        whole_units(input.len(), self.width)?;
        run.observe(|| Observed::drawn("k-ary response"));
        let mut words = Words::new(run.entropy());
        let mut report = |answer: &u32| {
            let truth = (*answer).min(self.answers - 1);
            // Both are drawn whatever comes out, so that the time does not tell.
            let other = words.below(self.answers - 1)?;
            let other = other + u32::from(other >= truth);
            Ok::<_, MechanismError>(if self.untrue.toss(&mut words)? { other } else { truth })
        };
        let answers = input.iter().map(&mut report).collect::<Result<_, _>>()?;
        Ok(Answers::new(answers, self.answers, self.width, self.chances()))
    }
}
