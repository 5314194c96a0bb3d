//! Part of a training.

use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use super::checkpoint::Checkpoint;
use super::training::Training;
use crate::{Classified, LearnError, Learner};

/// Some steps of a training, on from a checkpoint: a mechanism of its own, whose permit pays for just
/// these steps.
///
/// # Guarantee
/// That of [`Segment::spec`](Mechanism::spec), for neighbours with one record more or less.
#[derive(Debug)]
pub struct Segment<'a> {
    pub(super) training: &'a Training,
    pub(super) from: Checkpoint,
    pub(super) steps: u64,
    pub(super) spec: MechanismSpec,
}

impl Mechanism for Segment<'_> {
    type Input = Classified;
    type Output = Checkpoint;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        Neighbours::AddRemove
    }

    fn answer(&self, input: &Classified, run: &mut Run<'_>) -> Result<Checkpoint, MechanismError> {
        self.check(input)?;
        let mut state = self.from.state.clone();
        self.training.walk(&mut state, self.steps, input, run)?;
        Ok(self.from.clone().paid(state, self.steps, self.training.each()))
    }
}

impl Learner for Segment<'_> {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        self.training.check(input)
    }
}
