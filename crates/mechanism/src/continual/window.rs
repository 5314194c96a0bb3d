//! Sums of the last steps, from a binary tree.

use std::fmt;

use throng_account::MechanismSpec;
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::counting::Counting;
use super::estimate::Estimate;
use super::levels::{Levels, levels_of};
use super::nodes::{Nodes, Readout, share};
use super::recent::Recent;
use super::stream::Stream;
use crate::{Guarantee, MechanismError, Neighbours, Permit, Release, Run, Sensitive};

/// The sum of the last W steps, after each step of a stream without an end.
///
/// # Guarantee
/// For all estimates together, that of one noise per level, ⌊log₂ W⌋ + 1 times: no window holds a
/// larger node, so there are none, and the stream may go on for ever.
///
/// # Why this is right
/// As for [`super::TreeCounter`]. A window is the union of at most 2 log₂ W + 1 nodes; they are
/// disjoint, so their estimates from below are independent and the variances add.
///
/// ```
/// use throng_mechanism::continual::{Stream, WindowCounter};
/// use throng_mechanism::{Budget, Neighbours, Sensitive};
/// # use throng_sample::OsEntropy;
/// let visits = Stream::of_steps(0, 100, Neighbours::AddRemove)?.of_events(1)?;
/// let counter = WindowCounter::laplace(&"5".parse()?, visits, 7)?;
/// let mut budget = Budget::pure("1".parse()?, Neighbours::AddRemove)?;
/// let mut session = counter.start(budget.authorise(counter.spec())?)?;
/// let week = session.step(&Sensitive::new(12), &mut OsEntropy)?;
/// println!("{}", week.value().interval(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WindowCounter {
    levels: Levels,
    window: u64,
}

impl WindowCounter {
    /// Laplace noise of a scale on each node.
    ///
    /// # Errors
    /// If the scale is not above 0, the window is not in 1..=2^31, or sums could overflow.
    pub fn laplace(scale: &Rational, stream: Stream, window: u64) -> Result<Self, MechanismError> {
        let levels = levels_of(window, "the window")?;
        Ok(Self { levels: Levels::laplace(scale, stream, levels)?, window })
    }

    /// Laplace noise such that all estimates together are epsilon-private.
    ///
    /// # Errors
    /// If epsilon is not above 0, or as for [`WindowCounter::laplace`].
    pub fn pure(epsilon: &Rational, stream: Stream, window: u64) -> Result<Self, MechanismError> {
        let levels = levels_of(window, "the window")?;
        Ok(Self { levels: Levels::pure(epsilon, stream, levels)?, window })
    }

    /// Gaussian noise of standard deviation `sigma` on each node.
    ///
    /// # Errors
    /// If sigma is not above 0, the window is not in 1..=2^31, or sums could overflow.
    pub fn gaussian(sigma: &Rational, stream: Stream, window: u64) -> Result<Self, MechanismError> {
        let levels = levels_of(window, "the window")?;
        Ok(Self { levels: Levels::gaussian(sigma, stream, levels)?, window })
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
    /// [`WindowCounter::spec`] for all its estimates together.
    ///
    /// # Errors
    /// If the permit is for something else; it is spent all the same.
    pub fn start(&self, permit: Permit) -> Result<WindowSession, MechanismError> {
        let guarantee = permit.redeem(self.spec(), self.neighbours())?;
        let nodes = Nodes::new(&self.levels, guarantee)?;
        let kept = |level: u32| usize::try_from((self.window >> level) + 1).unwrap_or(usize::MAX);
        let past = (0..self.levels.levels).map(|level| Recent::new(kept(level))).collect();
        Ok(WindowSession { nodes, window: Window { steps: self.window, past } })
    }
}

/// A [`WindowCounter`] on its way.
///
/// Every [`Release`] carries the guarantee of the *whole* session: it is paid once, not per step.
pub struct WindowSession {
    nodes: Nodes,
    window: Window,
}

impl fmt::Debug for WindowSession {
    /// Without the sums, which are private.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowSession").field("steps", &self.nodes.steps()).finish_non_exhaustive()
    }
}

impl WindowSession {
    /// Takes one step; the estimate is of the last W steps, or all if there are fewer.
    ///
    /// # Guarantee
    /// That of the session, for all its estimates together.
    ///
    /// # Errors
    /// If no noise can be drawn; then the session is of no more use.
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
    /// As for [`WindowSession::step`].
    ///
    /// # Errors
    /// As for [`WindowSession::step`].
    pub fn steps(
        &mut self,
        values: &Sensitive<impl AsRef<[i64]> + ?Sized>,
        entropy: &mut dyn Entropy,
    ) -> Result<Release<Vec<Estimate>>, MechanismError> {
        self.several(values, entropy)
    }
}

impl Counting for WindowSession {
    fn guarantee(&self) -> &Guarantee {
        &self.nodes.guarantee
    }

    fn left(&self) -> Option<u64> {
        None
    }

    fn take(&mut self, values: &[i64], run: &mut Run<'_>) -> Result<Vec<Estimate>, MechanismError> {
        self.nodes.advance(values, &mut self.window, run)
    }
}

/// The nodes that make up the last steps.
struct Window {
    steps: u64,
    /// The estimates of the last nodes of each level.
    past: Vec<Recent<f64>>,
}

impl Readout for Window {
    fn complete(&mut self, level: usize, estimate: f64) {
        if let Some(past) = self.past.get_mut(level) {
            past.push(estimate);
        }
    }

    /// The largest nodes that fit, from the start of the window on.
    fn sum(&self, end: u64, _: &[f64]) -> (f64, f64) {
        let mut start = end.saturating_sub(self.steps);
        let mut sum = (0.0, 0.0);
        while start < end {
            let (level, estimate) = self.node(start, end);
            sum = (sum.0 + estimate, sum.1 + share(level));
            start += 1 << level;
        }
        sum
    }
}

impl Window {
    /// The largest node that begins after step `start` and ends by step `end`.
    fn node(&self, start: u64, end: u64) -> (usize, f64) {
        let fits = |level: &usize| start.is_multiple_of(1 << level) && start + (1 << level) <= end;
        let level = (0..self.past.len()).rev().find(fits).unwrap_or(0);
        // After `end` steps, that many nodes of the level have come since.
        let since = (end >> level).saturating_sub((start >> level) + 1);
        let since = usize::try_from(since).unwrap_or(usize::MAX);
        (level, self.past.get(level).and_then(|past| past.back(since)).unwrap_or(0.0))
    }
}
