//! Private training: noisy sums of clipped gradients of batches.

use std::fmt;
use std::sync::{Arc, OnceLock};

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::batch::Batch;
use super::checkpoint::Checkpoint;
use super::clip::Group;
use super::coins::Coins;
use super::frame::{Frame, count_weight, groups};
use super::goal::Goal;
use super::layer::{Layer, Shape, Stage};
use super::options::{NetworkOptions, StepNoise};
use super::plan::{self, Plan};
use super::progress::Progress;
use super::state::State;
use super::{Network, Segment};
use crate::data::check_columns;
use crate::{Bounds, Classes, Examples, LearnError, Learner, Privacy, Saved};

/// Who is told about a training while it runs.
type Watch = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;

/// Private training of a [`Network`] (DP-SGD, DP-Adam), for classes or for a number: see [`Goal`].
///
/// Each step draws a Poisson sample, clips each record's gradient, adds Gaussian noise to the sum, and
/// moves the weights by it. Divisions are by the declared number of records, never by how many there are.
///
/// # Guarantee
/// Neighbours have one record more or less. In every step, given the weights (which come from earlier
/// releases), a record in the batch adds to the sums a vector of whole numbers of norm at most B = 2^17,
/// checked in integers, that depends on it and the weights alone; sums are exact. So the sums of neighbours
/// are at most B apart, and the noise, discrete Gaussian, hides that as normal noise of `sigma` B would. The batch
/// holds each record with chance `rate`, by exact and independent coins, and nobody sees
/// it. So a step is `sampled(gaussian(sigma=…), rate=…)`, and the training the composition of its steps, which are
/// adaptive, with fixed specs.
///
/// The count of records within an adaptive clip norm is one more coordinate: each record adds ±w to it, and
/// its gradient is bounded by √(B² - w²).
///
/// With [`StepNoise::Correlated`] no sampling is assumed: each record is in one batch, drawn once and
/// independently of all others, and takes part whenever that comes round. The spec is one `gaussian` for all
/// steps together, under either relation: see [`Ftrl`](crate::correlated::Ftrl), whose contract on
/// contributions is what is said of B above.
///
/// ```
/// use throng_learn::network::{NetworkOptions, Training};
/// use throng_learn::{Bounds, Classes, Privacy};
/// use throng_mechanism::Mechanism;
/// let privacy = Privacy::approximate(3.0, 1e-5)?;
/// let options = NetworkOptions { records: Some(60_000), batch: Some(512), steps: 100, ..NetworkOptions::default() };
/// let training = Training::new(Bounds::same(784, 0.0, 255.0)?, Classes::new(10)?, &privacy, options)?;
/// assert!(training.spec().to_string().starts_with("100 * sampled(gaussian("));
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
///
/// # Reference
/// Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang, *Deep Learning with Differential Privacy*
/// (2016).
#[derive(Clone)]
pub struct Training<G: Goal = Classes> {
    pub(super) bounds: Bounds,
    pub(super) goal: G,
    pub(super) options: NetworkOptions,
    layers: Vec<Layer>,
    shape: Shape,
    pub(super) stages: Vec<Stage>,
    pub(super) coins: Coins,
    pub(super) plan: Plan,
    sigma: Rational,
    pub(super) groups: Vec<Group>,
    /// What a record adds to the count of records within the clip norm, in steps.
    pub(super) count_weight: u64,
    start: Option<Vec<f32>>,
    pub(super) watch: Option<Watch>,
    /// How this machine treats records alike, once that was looked at.
    machine: OnceLock<Result<usize, MechanismError>>,
}

impl<G: Goal> fmt::Debug for Training<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Training")
            .field("layers", &self.layers)
            .field("options", &self.options)
            .field("spec", &self.spec().to_string())
            .finish_non_exhaustive()
    }
}

impl<G: Goal> Training<G> {
    /// A training that reaches a target.
    ///
    /// # Errors
    /// If an option is out of range, layers do not fit each other, or nothing reaches the target; with
    /// independent noise also if the relation is not that of one record more or less.
    pub fn new(
        bounds: Bounds,
        goal: G,
        privacy: &Privacy,
        options: NetworkOptions,
    ) -> Result<Self, LearnError> {
        options.check()?;
        let frame = Frame::new(&bounds, goal.outputs(), &options)?;
        let training = match options.noise {
            StepNoise::Independent => {
                let found = plan::sigma(privacy, &options)?;
                let plan = Plan::independent(&found.value, &options)?;
                let training = Self::of(bounds, goal, options, frame, (found.value, plan))?;
                if training.spec() == found.spec {
                    return Ok(training);
                }
                training
            }
            StepNoise::Correlated { band } => {
                let gaussian = privacy.gaussian()?;
                let plan = Plan::correlated(&gaussian, band, &options, frame.parameters())?;
                let sigma = gaussian.multiplier(1, 1)?;
                Self::of(bounds, goal, options, frame, (sigma, plan))?
            }
        };
        privacy.certify(&training.spec())?;
        Ok(training)
    }

    /// A training with noise of so many times the clip norm in each step (with correlated noise: so many
    /// times as far as neighbours are apart over all steps, for one record more or less); what that is worth
    /// is for the accountant to say, of its [`spec`](Mechanism::spec).
    ///
    /// # Errors
    /// If the noise is below 1/1024 or above 1024, an option is out of range, or layers do not fit each other.
    pub fn with_noise(
        bounds: Bounds,
        goal: G,
        multiplier: &Rational,
        options: NetworkOptions,
    ) -> Result<Self, LearnError> {
        options.check()?;
        let most = Rational::from(1024);
        if *multiplier > most || multiplier * &most < Rational::ONE {
            return Err(LearnError::invalid(
                "the noise",
                multiplier,
                "from 1/1024 to 1024 clip norms",
            ));
        }
        let frame = Frame::new(&bounds, goal.outputs(), &options)?;
        let plan = options.noise.plan(multiplier, &options, frame.parameters())?;
        Self::of(bounds, goal, options, frame, (multiplier.clone(), plan))
    }

    fn of(
        bounds: Bounds,
        goal: G,
        options: NetworkOptions,
        Frame { shape, layers, stages }: Frame,
        (sigma, plan): (Rational, Plan),
    ) -> Result<Self, LearnError> {
        let count_weight = count_weight(&options, &sigma);
        Ok(Self {
            groups: groups(&stages, &options, count_weight),
            coins: Coins::new(&plan::rate(&options)?)?,
            bounds,
            goal,
            options,
            layers,
            shape,
            stages,
            plan,
            sigma,
            count_weight,
            start: None,
            watch: None,
            machine: OnceLock::new(),
        })
    }

    /// The same, from the weights of a network that was trained on public data. For one that was trained
    /// on private data see [`Training::begin_from_private`].
    ///
    /// # Errors
    /// If the network has other layers, bounds or labels, or images of another shape.
    pub fn starting_from_public(self, network: &Network<G>) -> Result<Self, LearnError> {
        self.check_start(network)?;
        Ok(Self { start: Some(network.parameters(&self.stages)), ..self })
    }

    /// Before the first step, at the weights of a network that was trained on private data. What its card
    /// states is part of what [`Training::finish`] states: both plans together, which is a guarantee if
    /// both were fixed in advance; if this one was chosen after seeing the network, it is for the budget
    /// or ledger of both to bound them.
    ///
    /// # Errors
    /// If the network has other layers, bounds or labels, or images of another shape; if its card is of
    /// another relation; or as for [`Training::begin`].
    pub fn begin_from_private(&self, start: &Saved<Network<G>>) -> Result<Checkpoint, LearnError> {
        self.check_start(start.model())?;
        let under = start.card().neighbours()?;
        if under != self.neighbours() {
            return Err(LearnError::invalid(
                "the relation of the first network",
                under,
                format!("{}, that of the training", self.neighbours()),
            ));
        }
        let state = State::from(&start.model().parameters(&self.stages), &self.options);
        let plan = (self.options.steps, self.each()?.clone());
        Ok(Checkpoint::new(state, plan, Some(start.card().spec()?)))
    }

    fn check_start(&self, network: &Network<G>) -> Result<(), LearnError> {
        let same = network.layers() == self.layers
            && network.shape == self.shape
            && network.goal == self.goal
            && *network.bounds() == self.bounds;
        if same {
            return Ok(());
        }
        let found = format!("{:?} of {:?}", network.layers(), network.shape);
        let allowed = format!(
            "{:?} of {:?}, with the bounds and labels of the training",
            self.layers, self.shape
        );
        Err(LearnError::invalid("the first network", found, allowed))
    }

    /// The same, telling how far it is after each step.
    #[must_use]
    pub fn watched(self, watch: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        Self { watch: Some(Arc::new(watch)), ..self }
    }

    /// How it was asked for.
    #[must_use]
    pub const fn options(&self) -> &NetworkOptions {
        &self.options
    }

    /// The standard deviation of the noise over the clip norm; with correlated noise, over how far
    /// neighbours are apart.
    #[must_use]
    pub const fn noise_multiplier(&self) -> &Rational {
        &self.sigma
    }

    /// How many numbers are learned.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.stages.iter().map(Stage::parameters).sum()
    }

    /// What so many steps cost.
    ///
    /// # Errors
    /// If there are none, or noise is correlated over the steps.
    pub fn spec_of(&self, steps: u64) -> Result<MechanismSpec, LearnError> {
        Ok(MechanismSpec::repeated(steps, self.each()?.clone())?)
    }

    /// Before the first step; no data is used.
    ///
    /// # Errors
    /// If no random weights can be drawn, or noise is correlated over the steps.
    pub fn begin(&self, entropy: &mut dyn Entropy) -> Result<Checkpoint, LearnError> {
        let plan = (self.options.steps, self.each()?.clone());
        Ok(Checkpoint::new(self.first(entropy)?, plan, None))
    }

    /// The first weights.
    pub(super) fn first(&self, entropy: &mut dyn Entropy) -> Result<State, MechanismError> {
        match &self.start {
            Some(start) => Ok(State::from(start, &self.options)),
            None => State::random(&self.stages, &self.options, entropy),
        }
    }

    /// Some steps on from a checkpoint, as a mechanism of its own.
    ///
    /// # Guarantee
    /// That of as many steps, given the checkpoint; all segments together: that of the plan ([`Segment`]).
    ///
    /// # Errors
    /// If there are no steps, or more than are left; or the checkpoint is of another training or plan.
    pub fn segment(&self, from: Checkpoint, steps: u64) -> Result<Segment<'_, G>, LearnError> {
        self.check_checkpoint(&from)?;
        let left = self.options.steps.saturating_sub(from.step());
        if !(1..=left).contains(&steps) {
            return Err(LearnError::invalid(
                "the steps of a segment",
                steps,
                format!("from 1 to {left}"),
            ));
        }
        Ok(Segment { training: self, from, steps, spec: self.spec_of(steps)? })
    }

    /// The network of a checkpoint, with the card of the whole plan, whether or not all of its steps were
    /// taken (see [`Checkpoint`] for why), and of what was paid for a private start.
    ///
    /// # Errors
    /// If the checkpoint is of another training or plan, or before the first step.
    pub fn finish(&self, checkpoint: &Checkpoint) -> Result<Saved<Network<G>>, LearnError> {
        self.check_checkpoint(checkpoint)?;
        let card = checkpoint.card(self.neighbours())?;
        Ok(Saved::new(card, self.network(&checkpoint.state)))
    }

    fn check_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), LearnError> {
        checkpoint.state.check(&self.options, &self.stages)?;
        checkpoint.check(self.options.steps, self.each()?)
    }

    /// What one step costs.
    fn each(&self) -> Result<&MechanismSpec, LearnError> {
        match &self.plan {
            Plan::Independent { each, .. } => Ok(each),
            Plan::Correlated(_) => Err(LearnError::refused(
                "correlated noise goes through all steps, and what it hides on the way is private",
                "train in one go, or with independent noise",
            )),
        }
    }

    /// How chunks must be cut on this machine so that records are treated alike wherever they are in a
    /// batch ([`Batch::alike`]); no data is used.
    pub(super) fn check_machine(&self) -> Result<usize, MechanismError> {
        self.machine.get_or_init(|| Batch::alike(&self.stages)).clone()
    }

    pub(super) fn network(&self, state: &State) -> Network<G> {
        let parameters = state.outcome(&self.options);
        Network::of(&self.bounds, self.goal, self.shape, &self.layers, &self.stages, &parameters)
    }
}

impl<G: Goal> Mechanism for Training<G> {
    type Input = Examples<G::Label>;
    type Output = Network<G>;

    fn spec(&self) -> MechanismSpec {
        self.plan.spec(self.options.steps)
    }

    fn neighbours(&self) -> Neighbours {
        self.plan.neighbours()
    }

    fn answer(&self, input: &Self::Input, run: &mut Run<'_>) -> Result<Network<G>, MechanismError> {
        let mut state = self.first(run.entropy())?;
        self.walk((&mut state, None), self.options.steps, input, run)?;
        Ok(self.network(&state))
    }
}

impl<G: Goal> Learner for Training<G> {
    fn check(&self, input: &Self::Input) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.bounds.columns())?;
        self.check_machine()?;
        Ok(())
    }
}
