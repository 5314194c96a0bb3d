//! The steps of a training.

use throng_account::MechanismSpec;
use throng_mechanism::{InBlocks, MechanismError, Run};
use throng_sample::Entropy;

use super::Network;
use super::batch::Batch;
use super::checkpoint::after;
use super::float::scale;
use super::frame::count_of;
use super::goal::Goal;
use super::grid::{BLOCK, BOUND};
use super::options::Clipping;
use super::plan::Plan;
use super::progress::{Meter, Progress};
use super::records::Records;
use super::state::{State, Step};
use super::team::{Task, Team};
use super::training::Training;
use crate::data::check_columns;
use crate::error::unless_given_up;
use crate::math::{number, single};
use crate::{Examples, LearnError};

/// How fast an adaptive clip norm follows.
const CLIP_RATE: f64 = 0.2;

impl<G: Goal> Training<G> {
    /// Training without privacy, for data that is public: batches of the same sizes and the same steps, no
    /// clipping and no noise.
    ///
    /// # Errors
    /// If the table has other columns than there are bounds, or no randomness can be drawn.
    pub fn on_public(
        &self,
        examples: &Examples<G::Label>,
        entropy: &mut dyn Entropy,
    ) -> Result<Network<G>, LearnError> {
        check_columns(examples.features().columns(), self.bounds.columns())?;
        let records = Records::of(examples, &self.bounds, self.goal);
        let mut state = self.first(entropy)?;
        let mut batch = Batch::new(&self.stages, BLOCK);
        let mut places = Vec::new();
        let share = single(1.0 / count_of(self.options.expected()));
        for _ in 0..self.options.steps {
            unless_given_up()?;
            self.coins.toss(records.len(), &mut places, entropy)?;
            let parameters = state.parameters.values();
            let gradient = batch.plain(&self.stages, parameters, &records, &places);
            gradient.iter_mut().for_each(|x| *x *= share);
            state.follow(gradient, &self.options);
            self.tell(state.step, None);
        }
        Ok(self.network(&state))
    }

    /// Some steps on private records, from weights and what was paid for them.
    pub(super) fn walk(
        &self,
        (state, start): (&mut State, Option<&MechanismSpec>),
        steps: u64,
        examples: &Examples<G::Label>,
        run: &mut Run<'_>,
    ) -> Result<(), MechanismError> {
        check_columns(examples.features().columns(), self.bounds.columns())?;
        let block = self.check_machine()?;
        let cost = |steps: u64| after(start, self.plan.spec(steps));
        let meter = Meter::new(&cost, self.plan.neighbours());
        let mut walk = Walk {
            training: self,
            team: Team::of_machine(&self.stages, block),
            records: Records::of(examples, &self.bounds, self.goal),
            gradient: Vec::new(),
        };
        match &self.plan {
            Plan::Independent { noise, .. } => {
                let mut places = Vec::new();
                for _ in 0..steps {
                    unless_given_up()?;
                    self.coins.toss(walk.records.len(), &mut places, run.entropy())?;
                    walk.sum(state, &places);
                    let last = {
                        let (unit, length) = (walk.unit(state), walk.length());
                        let step = state.begin(&self.options);
                        let (team, gradient) = (&walk.team, &mut walk.gradient);
                        let mut sums = Sums { team, length, unit, step, gradient, state, last: 0 };
                        noise.add_in_blocks(&mut sums, run)?;
                        number(sums.last)
                    };
                    walk.adapt(state, last);
                    self.tell(state.step, Some(&meter));
                }
            }
            Plan::Correlated(ftrl) => {
                let batches = ftrl.assigned(walk.records.len(), run.entropy())?;
                let mut noisy = ftrl.noise().start(self.parameters());
                for (places, _) in batches.iter().cycle().zip(0..steps) {
                    unless_given_up()?;
                    walk.sum(state, places);
                    let mut sums = vec![0; walk.length()];
                    walk.team.read(0, &mut sums);
                    let unit = walk.unit(state);
                    let sums = noisy.step(sums, run)?.into_iter();
                    walk.gradient.clear();
                    walk.gradient.extend(sums.map(|sum| unit * single(sum)));
                    state.follow(&mut walk.gradient, &self.options);
                    self.tell(state.step, Some(&meter));
                }
            }
        }
        Ok(())
    }

    fn tell(&self, step: u64, meter: Option<&Meter<'_>>) {
        if let Some(watch) = &self.watch {
            watch(&Progress::new(step, self.options.steps, meter));
        }
    }
}

/// A training on its way through private records.
struct Walk<'a, G: Goal> {
    training: &'a Training<G>,
    team: Team,
    records: Records,
    gradient: Vec<f32>,
}

/// The sums of a step: read as they were formed, taken with noise, and followed by the weights; the last may
/// be the count.
struct Sums<'a> {
    team: &'a Team,
    length: usize,
    unit: f32,
    step: Step,
    gradient: &'a mut Vec<f32>,
    state: &'a mut State,
    /// The last of them, with noise.
    last: i64,
}

impl InBlocks for Sums<'_> {
    fn len(&self) -> usize {
        self.length
    }

    fn read(&mut self, start: usize, values: &mut [i64]) {
        self.team.read(start, values);
    }

    /// Post-processing. The sums are formed: that weights move does not change them.
    fn take(&mut self, start: usize, noisy: &[i64]) {
        self.last = noisy.last().copied().unwrap_or(self.last);
        let weights = self.state.parameters.values().len().saturating_sub(start);
        let noisy = &noisy[..noisy.len().min(weights)];
        self.gradient.resize(noisy.len(), 0.0);
        scale(noisy, self.unit, self.gradient);
        self.state.follow_part(&self.step, start, self.gradient);
    }
}

impl<G: Goal> Walk<'_, G> {
    /// The exact sums of a batch: private.
    fn sum(&mut self, state: &State, places: &[usize]) {
        let training = self.training;
        let task = Task {
            stages: &training.stages,
            parameters: state.parameters.values(),
            records: &self.records,
            groups: &training.groups,
            clip: state.clip,
            weight: i64::try_from(training.count_weight).unwrap_or(0),
        };
        self.team.clipped(task, places);
    }

    /// How many sums there are: one for each parameter, and perhaps the count.
    fn length(&self) -> usize {
        self.training.parameters() + usize::from(self.training.count_weight > 0)
    }

    /// What one step of the grid is in the mean gradient.
    fn unit(&self, state: &State) -> f32 {
        let expected = count_of(self.training.options.expected());
        single(state.clip / (count_of(BOUND) * expected))
    }

    /// Moves an adaptive clip norm by the last noisy sum; post-processing.
    fn adapt(&self, state: &mut State, last: f64) {
        let training = self.training;
        if let Clipping::Adaptive { quantile } = training.options.clipping {
            let expected = count_of(training.options.expected());
            let surplus = last / count_of(training.count_weight) / expected;
            let within = 0.5 + 0.5 * surplus.clamp(-1.0, 1.0);
            let factor = crate::math::exp(-CLIP_RATE * (within - quantile));
            state.clip = (state.clip * factor).clamp(1e-6, 1e6);
        }
    }
}
