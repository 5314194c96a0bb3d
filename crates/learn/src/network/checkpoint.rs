//! Where a training stands, to go on from later.

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};

use super::state::State;
use crate::{Card, LearnError, Model};

/// Weights, state of the optimiser and what was paid for them.
///
/// It is as public as a model: all in it is made of noisy sums. Each segment that goes on from it
/// is paid for by its own permit and draws its own noise from fresh entropy, so two copies that go on
/// are two releases, each of them paid; neither can take up noise that the other
/// used, as none is kept.
///
/// [`Checkpoint::spent`] is written down when a segment ends, so it is what led to these weights. A
/// segment that is interrupted leaves nothing behind but its cost, in the budget or ledger that
/// issued its permit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    pub(super) state: State,
    /// What was paid for, segment by segment: steps, and the spec of one.
    spent: Vec<(u64, String)>,
}

impl Model for Checkpoint {
    const KIND: &'static str = "network-checkpoint";
}

impl Checkpoint {
    pub(super) const fn new(state: State) -> Self {
        Self { state, spent: Vec::new() }
    }

    /// After some steps more, each of which is described.
    pub(super) fn paid(mut self, state: State, steps: u64, each: &MechanismSpec) -> Self {
        self.state = state;
        let each = each.to_string();
        match self.spent.last_mut() {
            Some((before, same)) if *same == each => *before = before.saturating_add(steps),
            _ => self.spent.push((steps, each)),
        }
        self
    }

    /// Steps taken.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.state.step
    }

    /// All that was paid for to come here, by its own account; none before the first step.
    ///
    /// # Errors
    /// If the file that it was read from does not hold specs.
    pub fn spent(&self) -> Result<Option<MechanismSpec>, LearnError> {
        let mut parts = Vec::new();
        for (steps, each) in &self.spent {
            let each: MechanismSpec = each
                .parse()
                .map_err(|error| LearnError::malformed(format!("what it spent: {error}")))?;
            parts.push(MechanismSpec::repeated(*steps, each)?);
        }
        Ok(match parts.len() {
            0 => None,
            1 => parts.pop(),
            _ => Some(MechanismSpec::composed(parts)?),
        })
    }

    /// The card of what was paid for.
    pub(super) fn card(&self, under: Neighbours) -> Result<Card, LearnError> {
        let spent = self.spent()?.ok_or_else(|| {
            LearnError::invalid("the steps of a checkpoint", 0, "at least 1, before it is a model")
        })?;
        Ok(Card::stating(&spent, under))
    }
}
