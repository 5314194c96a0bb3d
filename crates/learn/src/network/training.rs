//! Private training: noisy sums of clipped gradients of random batches.

use std::fmt;
use std::sync::Arc;

use throng_account::{
    Accuracy, Calibration, MechanismSpec, Neighbours, Target, Template, calibrate,
};
use throng_mechanism::{Grid, L2, Mechanism, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::batch::Batch;
use super::checkpoint::Checkpoint;
use super::clip::Group;
use super::coins::Coins;
use super::float::scale;
use super::grid::{BITS, BOUND};
use super::layer::{Layer, Shape, Stage, stages};
use super::options::{Clipping, NetworkOptions};
use super::records::Records;
use super::state::State;
use super::{Network, Segment};
use crate::data::check_columns;
use crate::math::{count, number, single};
use crate::{Bounds, Classes, Classified, LearnError, Learner, Privacy, Saved};

/// What is told about a training while it runs: the steps taken, and all.
type Watch = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Private training of a [`Network`] (DP-SGD, DP-Adam).
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
pub struct Training {
    bounds: Bounds,
    classes: Classes,
    options: NetworkOptions,
    layers: Vec<Layer>,
    shape: Shape,
    stages: Vec<Stage>,
    coins: Coins,
    noise: Noise,
    sigma: Rational,
    each: MechanismSpec,
    groups: Vec<Group>,
    /// What a record adds to the count of records within the clip norm, in steps.
    count_weight: u64,
    start: Option<Vec<f32>>,
    watch: Option<Watch>,
}

impl fmt::Debug for Training {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Training")
            .field("layers", &self.layers)
            .field("options", &self.options)
            .field("spec", &self.spec().to_string())
            .finish_non_exhaustive()
    }
}

impl Training {
    /// A training that reaches a target.
    ///
    /// # Errors
    /// If an option is out of range, layers do not fit each other, the relation is not that of one record
    /// more or less, or nothing reaches the target.
    pub fn new(
        bounds: Bounds,
        classes: Classes,
        privacy: &Privacy,
        options: NetworkOptions,
    ) -> Result<Self, LearnError> {
        options.check()?;
        check_relation(privacy)?;
        let found = sigma(privacy, &options)?;
        let training = Self::with_noise(bounds, classes, &found.value, options)?;
        if training.spec() == found.spec {
            return Ok(training);
        }
        privacy.certify(&training.spec())?;
        Ok(training)
    }

    /// A training with noise of so many times the clip norm; what that is worth is for the accountant to
    /// say, of its [`spec`](Mechanism::spec).
    ///
    /// # Errors
    /// If the noise is below 1/1024 or above 1024, an option is out of range, or layers do not fit each other.
    pub fn with_noise(
        bounds: Bounds,
        classes: Classes,
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
        let shape = shape(&bounds, &options)?;
        let mut layers = options.layers.clone();
        layers.push(Layer::Dense { units: classes.count() });
        let stages = stages(shape, &layers)?;
        let rate = rate(&options)?;
        let sensitivity = Sensitivity::<L2>::of(Rational::ONE, Neighbours::AddRemove)?;
        let grid = Grid::new(-i32::try_from(BITS).unwrap_or(0))?;
        let noise = Noise::gaussian_as(multiplier, &sensitivity, grid)?;
        let each = step(noise.spec().clone(), &rate)?;
        let count_weight = count_weight(&options, multiplier);
        Ok(Self {
            groups: groups(&stages, &options, count_weight),
            coins: Coins::new(&rate)?,
            sigma: multiplier.clone(),
            bounds,
            classes,
            options,
            layers,
            shape,
            stages,
            noise,
            each,
            count_weight,
            start: None,
            watch: None,
        })
    }

    /// The same, from the weights of a network that was trained on something else: public data, or private
    /// data that is paid for elsewhere.
    ///
    /// # Errors
    /// If the network has other layers, bounds or classes.
    pub fn from(self, network: &Network) -> Result<Self, LearnError> {
        if network.layers() != self.layers || network.classes() != self.classes {
            let found = format!("{:?}", network.layers());
            let allowed = format!("{:?}, those of the training", self.layers);
            return Err(LearnError::invalid("the layers of the first network", found, allowed));
        }
        check_columns(network.bounds().columns(), self.bounds.columns())?;
        Ok(Self { start: Some(network.parameters(&self.stages)), ..self })
    }

    /// The same, telling how many steps were taken, and of how many, after each.
    #[must_use]
    pub fn watched(self, watch: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Self { watch: Some(Arc::new(watch)), ..self }
    }

    /// How it was asked for.
    #[must_use]
    pub const fn options(&self) -> &NetworkOptions {
        &self.options
    }

    /// The standard deviation of the noise over the clip norm.
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
    /// If there are none.
    pub fn spec_of(&self, steps: u64) -> Result<MechanismSpec, LearnError> {
        Ok(MechanismSpec::repeated(steps, self.each.clone())?)
    }

    /// Before the first step; no data is used.
    ///
    /// # Errors
    /// If no random weights can be drawn.
    pub fn begin(&self, entropy: &mut dyn Entropy) -> Result<Checkpoint, LearnError> {
        let state = match &self.start {
            Some(start) => State::from(start, &self.options),
            None => State::random(&self.stages, &self.options, entropy)?,
        };
        Ok(Checkpoint::new(state))
    }

    /// Some steps on from a checkpoint, as a mechanism of its own.
    ///
    /// # Guarantee
    /// That of as many steps. What led to the checkpoint is paid for elsewhere; [`Training::finish`] states
    /// both together.
    ///
    /// # Errors
    /// If there are no steps, or more than are left; or the checkpoint is of another training.
    pub fn segment(&self, from: Checkpoint, steps: u64) -> Result<Segment<'_>, LearnError> {
        from.state.check(&self.options, &self.stages)?;
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

    /// The network of a checkpoint, with the card of all that was paid for it.
    ///
    /// # Errors
    /// If the checkpoint is of another training, or before the first step.
    pub fn finish(&self, checkpoint: &Checkpoint) -> Result<Saved<Network>, LearnError> {
        checkpoint.state.check(&self.options, &self.stages)?;
        let card = checkpoint.card(Neighbours::AddRemove)?;
        Ok(Saved::new(card, self.network(&checkpoint.state)))
    }

    /// Training without privacy, for data that is public: the same batches and steps, no clipping and no
    /// noise.
    ///
    /// # Errors
    /// If the table has other columns than there are bounds, or no randomness can be drawn.
    pub fn on_public(
        &self,
        examples: &Classified,
        entropy: &mut dyn Entropy,
    ) -> Result<Network, LearnError> {
        check_columns(examples.features().columns(), self.bounds.columns())?;
        let records = Records::of(examples, &self.bounds, self.classes);
        let mut state = self.begin(entropy)?.state;
        let mut batch = Batch::new(&self.stages);
        let mut places = Vec::new();
        let share = single(1.0 / count_of(self.options.expected()));
        for _ in 0..self.options.steps {
            self.coins.toss(records.len(), &mut places, entropy)?;
            let parameters = state.parameters.values();
            let gradient = batch.plain(&self.stages, parameters, &records, &places);
            gradient.iter_mut().for_each(|x| *x *= share);
            state.follow(gradient, &self.options);
            self.tell(state.step);
        }
        Ok(self.network(&state))
    }

    /// Some steps on private records.
    pub(super) fn walk(
        &self,
        state: &mut State,
        steps: u64,
        examples: &Classified,
        run: &mut Run<'_>,
    ) -> Result<(), MechanismError> {
        let mut batch = Batch::new(&self.stages);
        batch.check_machine(&self.stages)?;
        let records = Records::of(examples, &self.bounds, self.classes);
        let (mut places, mut sums) = (Vec::new(), Vec::new());
        let mut gradient = vec![0.0; self.parameters()];
        for _ in 0..steps {
            self.coins.toss(records.len(), &mut places, run.entropy())?;
            let parameters = state.parameters.values();
            let how = (self.groups.as_slice(), state.clip);
            let weight = i64::try_from(self.count_weight).unwrap_or(0);
            batch
                .clipped(&self.stages, parameters, &records, &places, how)
                .write(weight, &mut sums);
            if self.count_weight == 0 {
                sums.pop();
            }
            self.noise.add(&mut sums, run)?;
            self.follow(state, &sums, &mut gradient);
            self.tell(state.step);
        }
        Ok(())
    }

    /// Moves the weights by noisy sums; post-processing.
    fn follow(&self, state: &mut State, sums: &[i64], gradient: &mut [f32]) {
        let expected = count_of(self.options.expected());
        let unit = single(state.clip / (count_of(BOUND) * expected));
        scale(sums, unit, gradient);
        if let (Clipping::Adaptive { quantile }, Some(last)) = (self.options.clipping, sums.last())
        {
            let surplus = number(*last) / count_of(self.count_weight) / expected;
            let within = 0.5 + 0.5 * surplus.clamp(-1.0, 1.0);
            let factor = crate::math::exp(-CLIP_RATE * (within - quantile));
            state.clip = (state.clip * factor).clamp(1e-6, 1e6);
        }
        state.follow(gradient, &self.options);
    }

    /// What one step costs.
    pub(super) const fn each(&self) -> &MechanismSpec {
        &self.each
    }

    fn tell(&self, step: u64) {
        if let Some(watch) = &self.watch {
            watch(step, self.options.steps);
        }
    }

    fn network(&self, state: &State) -> Network {
        let parameters = state.outcome(&self.options);
        Network::of(&self.bounds, self.classes, self.shape, &self.layers, &self.stages, &parameters)
    }
}

impl Mechanism for Training {
    type Input = Classified;
    type Output = Network;

    fn spec(&self) -> MechanismSpec {
        MechanismSpec::Repeated { times: self.options.steps, inner: Box::new(self.each.clone()) }
    }

    fn neighbours(&self) -> Neighbours {
        Neighbours::AddRemove
    }

    fn answer(&self, input: &Classified, run: &mut Run<'_>) -> Result<Network, MechanismError> {
        self.check(input)?;
        let mut state = self.begin(run.entropy())?.state;
        self.walk(&mut state, self.options.steps, input, run)?;
        Ok(self.network(&state))
    }
}

impl Learner for Training {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        check_columns(input.features().columns(), self.bounds.columns())
    }
}

/// How fast an adaptive clip norm follows.
const CLIP_RATE: f64 = 0.2;

fn check_relation(privacy: &Privacy) -> Result<(), LearnError> {
    match privacy.neighbours() {
        Neighbours::AddRemove => {}
        Neighbours::Replace | Neighbours::ZeroOut => {
            return Err(LearnError::refused(
                "how many records a network is trained on is private",
                "use neighbours with one record more or less",
            ));
        }
    }
    if privacy.epsilon_if_pure()?.is_some() {
        return Err(LearnError::refused(
            "Gaussian noise has no epsilon without a delta",
            "give a delta, such as 1e-5",
        ));
    }
    Ok(())
}

fn shape(bounds: &Bounds, options: &NetworkOptions) -> Result<Shape, LearnError> {
    let shape = options.image.unwrap_or(Shape::flat(bounds.columns()));
    check_columns(shape.len(), bounds.columns())?;
    Ok(shape)
}

/// The chance that a step takes a record.
fn rate(options: &NetworkOptions) -> Result<Rational, LearnError> {
    Ok(match (options.batch, options.records) {
        (Some(batch), Some(records)) => Rational::new(batch, records)?,
        _ => Rational::ONE,
    })
}

/// One step; a sample of all is no sample.
fn step(noise: MechanismSpec, rate: &Rational) -> Result<MechanismSpec, LearnError> {
    if *rate == Rational::ONE {
        return Ok(noise);
    }
    Ok(MechanismSpec::sampled(rate.clone(), noise)?)
}

/// The least noise, over the clip norm, that reaches the target; certified by who finds it.
fn sigma(privacy: &Privacy, options: &NetworkOptions) -> Result<Calibration, LearnError> {
    let (steps, rate) = (options.steps, rate(options)?);
    let text = if rate == Rational::ONE {
        format!("{steps} * gaussian(sigma=?)")
    } else {
        format!("{steps} * sampled(gaussian(sigma=?), rate={rate})")
    };
    let (target, under) = (closer(*privacy.target()), privacy.neighbours());
    Ok(calibrate(&Template::parse(&text)?, &target, under, Accuracy::default())?)
}

/// A target closer by a hair than what is asked for, so that the target is met also by a reader who brackets
/// epsilon less closely than the search did.
fn closer(target: Target) -> Target {
    const HAIR: f64 = 1.0 - 1e-5;
    match target {
        Target::Epsilon { epsilon, delta } => Target::Epsilon { epsilon: epsilon * HAIR, delta },
        Target::Advantage { advantage } => Target::Advantage { advantage: advantage * HAIR },
        Target::Detection { false_alarm, found } => {
            Target::Detection { false_alarm, found: false_alarm + (found - false_alarm) * HAIR }
        }
        Target::Gdp { .. } | Target::Zcdp { .. } => target,
    }
}

/// What a record adds to the count, so that noise moves the estimated share by about 1/20: Andrew et al.
/// find that enough.
fn count_weight(options: &NetworkOptions, sigma: &Rational) -> u64 {
    match options.clipping {
        Clipping::Flat | Clipping::PerLayer => 0,
        Clipping::Adaptive { .. } => {
            let wanted = sigma.to_f64_nearest() * count_of(BOUND) * 10.0;
            let weight = crate::math::nearest(wanted / count_of(options.expected()));
            u64::try_from(weight).unwrap_or(1).clamp(1, BOUND / 4)
        }
    }
}

/// What is clipped together, and to what norm: the squares, with that of the count, sum to at most B².
fn groups(stages: &[Stage], options: &NetworkOptions, count_weight: u64) -> Vec<Group> {
    let all = stages.iter().enumerate().filter(|(_, stage)| stage.parameters() > 0);
    let all: Vec<usize> = all.map(|(at, _)| at).collect();
    let square = BOUND * BOUND - count_weight * count_weight;
    match options.clipping {
        Clipping::Flat | Clipping::Adaptive { .. } => vec![Group { stages: all, square }],
        Clipping::PerLayer => {
            let share = square / u64::try_from(all.len().max(1)).unwrap_or(u64::MAX);
            all.into_iter().map(|at| Group { stages: vec![at], square: share }).collect()
        }
    }
}

fn count_of(n: u64) -> f64 {
    count(usize::try_from(n).unwrap_or(usize::MAX))
}
