//! The search over neighbouring pairs: which two inputs tell a mechanism apart best?
//!
//! Small audits of every pair, of the better half with twice the runs, and so on (successive
//! halving) until one is left, which is then audited with fresh outcomes.
//!
//! # Guarantee
//! The pair is chosen before the outcomes of the last audit are drawn, and only these are counted:
//! whatever the search did, a claim that holds for all pairs is said to be violated with at most the
//! chance that the last audit states.
//!
//! # Reference
//! Jamieson, Talwalkar 2016, "Non-stochastic best arm identification" (successive halving).

use crate::audit::{self, Effort, Options, Progress};
use crate::{AuditError, Claim, Outcomes, Report, Target, World};

/// A black box with several pairs of neighbouring inputs.
pub trait Generator {
    /// How many pairs there are: 0, 1, ..., one less than this.
    fn pairs(&self) -> usize;

    /// Runs `n` times in a world of a pair and appends the outcomes.
    ///
    /// # Errors
    /// If it cannot be run; then there is no verdict.
    fn run(
        &mut self,
        pair: usize,
        world: World,
        n: usize,
        outcomes: &mut Outcomes,
    ) -> Result<(), AuditError>;
}

/// A generator at one of its pairs.
pub struct AtPair<'a> {
    generator: &'a mut dyn Generator,
    pair: usize,
}

impl<'a> AtPair<'a> {
    /// The target that a pair makes of a generator.
    pub fn new(generator: &'a mut dyn Generator, pair: usize) -> Self {
        Self { generator, pair }
    }
}

impl Target for AtPair<'_> {
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError> {
        self.generator.run(self.pair, world, n, outcomes)
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The pair that was audited last.
    pub pair: usize,
    /// Runs in both worlds together that chose it; none of them is in the report.
    pub searched: u64,
    /// The audit of that pair alone.
    pub report: Report,
}

/// Searches for the pair that breaks the claim best, then audits it.
///
/// The search takes about as many runs as the audit may take at most.
///
/// # Errors
/// If there is no pair, or as for [`audit::live`].
pub fn audit(
    claim: &Claim,
    generator: &mut dyn Generator,
    options: &Options,
    effort: Effort,
    watch: &mut dyn FnMut(Progress),
) -> Result<Found, AuditError> {
    let most = match effort {
        Effort::Runs(most) | Effort::UntilRefuted(most) => most,
    };
    let mut searched = 0;
    let mut alive: Vec<usize> = (0..generator.pairs()).collect();
    let rounds = u64::from(alive.len().max(1).ilog2()) + 1;
    while alive.len() > 1 {
        let count = u64::try_from(alive.len()).unwrap_or(u64::MAX);
        let runs = (most / rounds / count).clamp(FEWEST.min(most), most);
        searched += 2 * runs * count;
        alive = better_half(claim, generator, options, alive, runs)?;
    }
    let Some(pair) = alive.pop() else {
        return Err(AuditError::invalid("the number of pairs", 0, "at least 1"));
    };
    let mut target = AtPair::new(generator, pair);
    let report = audit::live(claim, &mut target, options, effort, watch)?;
    Ok(Found { pair, searched, report })
}

/// The fewest runs in each world from which anything is learnt.
const FEWEST: u64 = 200;

/// Audits each pair a little and keeps the half that looks worse for the claim.
fn better_half(
    claim: &Claim,
    generator: &mut dyn Generator,
    options: &Options,
    alive: Vec<usize>,
    runs: u64,
) -> Result<Vec<usize>, AuditError> {
    // Nothing is certified here: half confidence ranks pairs where full confidence sees none. Bounds
    // take their time; among few pairs they rank those too of which none breaks the claim.
    let rough = Options { confidence: 0.5, bounds: alive.len() <= 8, ..*options };
    let mut ranked = Vec::with_capacity(alive.len());
    for pair in alive {
        let mut target = AtPair::new(generator, pair);
        let (p_value, epsilon) =
            match audit::live(claim, &mut target, &rough, Effort::Runs(runs), &mut |_| {}) {
                Ok(report) => (report.p_value, report.epsilon_lower),
                // A pair that tells nothing, such as one with a single outcome, comes last.
                Err(AuditError::Outcomes { .. }) => (f64::INFINITY, 0.0),
                Err(other) => return Err(other),
            };
        ranked.push((p_value, -epsilon, pair));
    }
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let half = ranked.len() / 2;
    Ok(ranked.into_iter().take(half).map(|(_, _, pair)| pair).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;
    use crate::{Neighbours, Orientation, Outcome, Verdict};

    /// Pairs of which one gives itself away, most are silent, and one has a single outcome.
    struct Pairs {
        count: usize,
        broken: Option<usize>,
        state: u64,
    }

    impl Generator for Pairs {
        fn pairs(&self) -> usize {
            self.count
        }

        fn run(
            &mut self,
            pair: usize,
            world: World,
            n: usize,
            outcomes: &mut Outcomes,
        ) -> Result<(), AuditError> {
            for _ in 0..n {
                // A generator of small quality that is good enough for coins.
                self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let coin = i64::from((self.state >> 33).is_multiple_of(4));
                let shift = i64::from(self.broken == Some(pair) && world == World::One);
                outcomes.push(Outcome::Integer(if pair == 0 { 7 } else { coin + shift }));
            }
            Ok(())
        }
    }

    fn search(count: usize, broken: Option<usize>) -> Result<Found, AuditError> {
        let under = Neighbours::AddRemove;
        let claim = Claim::parse("pure(epsilon=1)", under, Orientation::Either)?;
        let mut pairs = Pairs { count, broken, state: 1 };
        audit(&claim, &mut pairs, &Options::default(), Effort::Runs(4000), &mut |_| {})
    }

    #[test]
    fn the_broken_pair_is_found_among_many() {
        for (count, broken) in [(2, 1), (9, 4), (17, 16)] {
            let found = search(count, Some(broken)).unwrap();
            assert_eq!((found.pair, found.report.verdict), (broken, Verdict::Violated));
            assert_eq!(found.report.samples, 8000);
        }
    }

    #[test]
    fn pairs_that_hold_are_not_refuted() {
        let found = search(9, None).unwrap();
        assert_eq!(found.report.verdict, Verdict::NotViolated);
        assert!(found.searched > 0);
        assert!(search(0, None).is_err());
    }
}
