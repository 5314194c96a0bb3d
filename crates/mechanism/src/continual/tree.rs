//! Sums of all steps so far, from a binary tree.

use throng_account::MechanismSpec;
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::estimate::Estimate;
use super::levels::{Levels, levels_of};
use super::nodes::{Nodes, share};
use super::stream::Stream;
use crate::{MechanismError, Neighbours, Permit, Release, Run, Sensitive};

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
#[derive(Debug)]
pub struct TreeSession {
    nodes: Nodes,
    horizon: u64,
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
        #[expect(
            clippy::disallowed_methods,
            reason = "what leaves is the estimate, paid at the start"
        )]
        let value = *value.expose();
        let estimates = self.take(&[value], entropy)?;
        let none = Estimate::new(self.nodes.steps(), 0.0, 0.0, self.nodes.spread);
        Ok(Release::new(estimates.last().copied().unwrap_or(none), self.nodes.guarantee.clone()))
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
        #[expect(
            clippy::disallowed_methods,
            reason = "what leaves are estimates, paid at the start"
        )]
        let values = values.expose().as_ref();
        let estimates = self.take(values, entropy)?;
        Ok(Release::new(estimates, self.nodes.guarantee.clone()))
    }

    fn take(
        &mut self,
        values: &[i64],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Estimate>, MechanismError> {
        // The number of steps is public.
        if u64::try_from(values.len()).unwrap_or(u64::MAX) > self.steps_left() {
            return Err(MechanismError::refused(
                format!("the counter was paid for {} steps", self.horizon),
                "start another, or choose a longer horizon",
            ));
        }
        let mut run = Run::start(entropy)?;
        let mut estimates = Vec::with_capacity(values.len());
        let spread = self.nodes.spread;
        self.nodes.advance(
            values,
            &mut run,
            |_, _| {},
            |steps, waiting| {
                let (value, weight) = prefix(steps, waiting);
                estimates.push(Estimate::new(steps, value, weight, spread));
            },
        )?;
        Ok(estimates)
    }
}

/// The sum of the nodes that make up the first `steps` steps, and of their relative variances.
fn prefix(steps: u64, waiting: &[f64]) -> (f64, f64) {
    let mut sum = (0.0, 0.0);
    for (level, estimate) in waiting.iter().enumerate() {
        if steps >> level & 1 == 1 {
            sum = (sum.0 + estimate, sum.1 + share(level));
        }
    }
    sum
}
