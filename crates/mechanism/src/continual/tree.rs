//! Sums of all steps so far, from a binary tree.

use std::fmt;

use throng_account::MechanismSpec;
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::counting::Counting;
use super::estimate::Estimate;
use super::levels::{Levels, levels_of};
use super::nodes::{Nodes, Readout, share};
use super::stream::Stream;
use crate::{Guarantee, MechanismError, Neighbours, Permit, Release, Run, Sensitive};

/// The sum of all steps so far, after each of at most T steps, by the binary mechanism.
///
/// # Guarantee
/// For all estimates together, that of one noise per level, ⌊log₂ T⌋ + 1 times, each on a value
/// that one unit moves by what the [`Stream`] says; under its relation.
///
/// # Why this is right
/// All that is computed from the stream is the sums of the nodes, each with noise of its own.
/// Nodes of one level are sums of disjoint steps: so the vector of a level moves, in L1 and in
/// L2, by at most the L1 distance of the streams (and if one step moves, one node per level
/// does). The levels are `levels` runs of additive noise on such a vector. Estimates are computed
/// from the noisy nodes.
///
/// # Accuracy
/// An estimate at t adds up one node for each bit of t; a node of level l has the variance
/// v 2^l/(2^(l+1) - 1) where v is that of the noise: half of it for large nodes, since what
/// is known of a node from below is used too.
///
/// # Reference
/// Dwork, Naor, Pitassi, Rothblum (2010); Chan, Shi, Song (2011); Honaker (2015).
///
/// ```
/// use throng_mechanism::continual::{Stream, TreeCounter};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let visits = Stream::of_steps(0, 100, Neighbours::AddRemove)?.of_events(1)?;
/// let counter = TreeCounter::pure(&"1".parse()?, visits, 365)?;
/// let mut budget = Budget::pure("1".parse()?, Neighbours::AddRemove)?;
/// let mut session = counter.start(budget.authorise(counter.spec())?)?;
/// for today in [17, 25, 12] {
///     let so_far = session.step(&Sensitive::new(today), &mut OsEntropy)?;
///     println!("{} {}", so_far.value().value(), so_far.value().interval(0.95)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TreeCounter {
    levels: Levels,
    horizon: u64,
}

impl TreeCounter {
    /// Laplace noise of a scale on each node.
    ///
    /// # Errors
    /// If the scale is not above 0, the horizon is not in 1..=2^31, or sums could overflow.
    pub fn laplace(scale: &Rational, stream: Stream, horizon: u64) -> Result<Self, MechanismError> {
        let levels = levels_of(horizon, "the horizon")?;
        Ok(Self { levels: Levels::laplace(scale, stream, levels)?, horizon })
    }

    /// Laplace noise such that all estimates together are epsilon-private.
    ///
    /// # Errors
    /// If epsilon is not above 0, or as for [`TreeCounter::laplace`].
    pub fn pure(epsilon: &Rational, stream: Stream, horizon: u64) -> Result<Self, MechanismError> {
        let levels = levels_of(horizon, "the horizon")?;
        Ok(Self { levels: Levels::pure(epsilon, stream, levels)?, horizon })
    }

    /// Gaussian noise of standard deviation `sigma` on each node.
    ///
    /// # Errors
    /// If sigma is not above 0, the horizon is not in 1..=2^31, or sums could overflow.
    pub fn gaussian(
        sigma: &Rational,
        stream: Stream,
        horizon: u64,
    ) -> Result<Self, MechanismError> {
        let levels = levels_of(horizon, "the horizon")?;
        Ok(Self { levels: Levels::gaussian(sigma, stream, levels)?, horizon })
    }

    /// What a session costs.
    #[must_use]
    pub const fn spec(&self) -> &MechanismSpec {
        &self.levels.spec
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(&self) -> Neighbours {
        self.levels.stream.neighbours()
    }

    /// Starts a session.
    ///
    /// # Guarantee
    /// [`TreeCounter::spec`] for all its estimates together.
    ///
    /// # Errors
    /// If the permit is for something else; it is spent all the same.
    pub fn start(&self, permit: Permit) -> Result<TreeSession, MechanismError> {
        let guarantee = permit.redeem(self.spec(), self.neighbours())?;
        Ok(TreeSession { nodes: Nodes::new(&self.levels, guarantee)?, horizon: self.horizon })
    }
}

/// A [`TreeCounter`] on its way.
///
/// Every [`Release`] carries the guarantee of the *whole* session: it is paid once, not per step.
pub struct TreeSession {
    nodes: Nodes,
    horizon: u64,
}

impl fmt::Debug for TreeSession {
    /// Without the sums, which are private.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeSession").field("steps", &self.nodes.steps()).finish_non_exhaustive()
    }
}

impl TreeSession {
    /// How many more steps can be taken.
    #[must_use]
    pub const fn steps_left(&self) -> u64 {
        self.horizon - self.nodes.steps()
    }

    /// Takes one step.
    ///
    /// # Guarantee
    /// That of the session, for all its estimates together.
    ///
    /// # Errors
    /// If the horizon is reached or no noise can be drawn; after the latter the session is of no
    /// more use.
    pub fn step(
        &mut self,
        value: &Sensitive<i64>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Estimate>, MechanismError> {
        self.one(value, entropy)
    }

    /// Takes several steps at once: many times faster than one by one.
    ///
    /// # Guarantee
    /// As for [`TreeSession::step`].
    ///
    /// # Errors
    /// As for [`TreeSession::step`]; nothing is taken if there are fewer steps left.
    pub fn steps(
        &mut self,
        values: &Sensitive<impl AsRef<[i64]> + ?Sized>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Vec<Estimate>>, MechanismError> {
        self.several(values, entropy)
    }
}

impl Counting for TreeSession {
    fn guarantee(&self) -> &Guarantee {
        &self.nodes.guarantee
    }

    fn left(&self) -> Option<u64> {
        Some(self.steps_left())
    }

    fn take(&mut self, values: &[i64], run: &mut Run<'_>) -> Result<Vec<Estimate>, MechanismError> {
        self.nodes.advance(values, &mut Prefix, run)
    }
}

/// The nodes that make up the steps so far.
struct Prefix;

impl Readout for Prefix {
    fn complete(&mut self, _: usize, _: f64) {}

    fn sum(&self, steps: u64, waiting: &[f64]) -> (f64, f64) {
        let (mut bits, mut sum) = (steps, (0.0, 0.0));
        while bits != 0 {
            let level = usize::try_from(bits.trailing_zeros()).unwrap_or(0);
            let estimate = waiting.get(level).copied().unwrap_or(0.0);
            sum = (sum.0 + estimate, sum.1 + share(level));
            bits &= bits - 1;
        }
        sum
    }
}
