//! Part of a training.

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use super::checkpoint::Checkpoint;
use super::goal::Goal;
use super::training::Training;
use crate::{Classes, Examples, LearnError, Learner};

/// Some steps of a training, on from a checkpoint: a mechanism of its own, whose permit pays for just
/// these steps.
///
/// # Guarantee
/// That of [`Segment::spec`](Mechanism::spec), for neighbours with one record more or less, given the
/// checkpoint. All segments of a training together: that of the whole plan, which is what a saved
/// checkpoint states ([`Checkpoint`]). How many steps the next segment has may depend on what was seen;
/// what a step is may not.
#[derive(Debug)]
pub struct Segment<'a, G: Goal = Classes> {
    pub(super) training: &'a Training<G>,
    pub(super) from: Checkpoint,
    pub(super) steps: u64,
    pub(super) spec: MechanismSpec,
}

impl<G: Goal> Mechanism for Segment<'_, G> {
    type Input = Examples<G::Label>;
    type Output = Checkpoint;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.training.neighbours()
    }

    fn answer(&self, input: &Self::Input, run: &mut Run<'_>) -> Result<Checkpoint, MechanismError> {
        let mut state = self.from.state.clone();
        self.training.walk((&mut state, self.from.start()), self.steps, input, run)?;
        Ok(self.from.clone().moved(state))
    }
}

impl<G: Goal> Learner for Segment<'_, G> {
    fn check(&self, input: &Self::Input) -> Result<(), LearnError> {
        self.training.check(input)
    }
}
