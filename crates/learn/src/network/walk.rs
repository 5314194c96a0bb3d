//! The steps of a training.

use throng_account::MechanismSpec;
use throng_mechanism::{MechanismError, Run};
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
use super::state::State;
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
            sums: Vec::new(),
            gradient: vec![0.0; self.parameters()],
        };
        match &self.plan {
            Plan::Independent { noise, .. } => {
                let mut places = Vec::new();
                for _ in 0..steps {
                    unless_given_up()?;
                    self.coins.toss(walk.records.len(), &mut places, run.entropy())?;
                    walk.sum(state, &places);
                    noise.add(&mut walk.sums, run)?;
                    let unit = walk.unit(state);
                    scale(&walk.sums, unit, &mut walk.gradient);
                    let last = walk.sums.last().map(|sum| number(*sum));
                    walk.follow(state, last);
                    self.tell(state.step, Some(&meter));
                }
            }
            Plan::Correlated(ftrl) => {
                let batches = ftrl.assigned(walk.records.len(), run.entropy())?;
                let mut noisy = ftrl.noise().start(self.parameters());
                for (places, _) in batches.iter().cycle().zip(0..steps) {
                    unless_given_up()?;
                    walk.sum(state, places);
                    let sums = noisy.step(std::mem::take(&mut walk.sums), run)?;
                    let unit = walk.unit(state);
                    for (gradient, sum) in walk.gradient.iter_mut().zip(sums) {
                        *gradient = unit * single(sum);
                    }
                    walk.follow(state, None);
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
    sums: Vec<i64>,
    gradient: Vec<f32>,
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
        self.team.clipped(task, places, &mut self.sums);
        if training.count_weight == 0 {
            self.sums.pop();
        }
    }

    /// What one step of the grid is in the mean gradient.
    fn unit(&self, state: &State) -> f32 {
        let expected = count_of(self.training.options.expected());
        single(state.clip / (count_of(BOUND) * expected))
    }

    /// Moves the weights by the noisy gradient, and an adaptive clip norm by the last noisy sum;
    /// post-processing.
    fn follow(&mut self, state: &mut State, last: Option<f64>) {
        let training = self.training;
        if let (Clipping::Adaptive { quantile }, Some(last)) = (training.options.clipping, last) {
            let expected = count_of(training.options.expected());
            let surplus = last / count_of(training.count_weight) / expected;
            let within = 0.5 + 0.5 * surplus.clamp(-1.0, 1.0);
            let factor = crate::math::exp(-CLIP_RATE * (within - quantile));
            state.clip = (state.clip * factor).clamp(1e-6, 1e6);
        }
        state.follow(&mut self.gradient, &training.options);
    }
}
