//! Where a training stands, to go on from later.

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};

use super::state::State;
use crate::{Card, LearnError, Model};

/// Weights, state of the optimiser, and the plan that they are part of.
///
/// It is as public as a model: all in it is made of noisy sums. Each segment that goes on from it
/// is paid for by its own permit and draws its own noise from fresh entropy, so two copies that go on
/// are two releases, each of them paid; neither can take up noise that the other
/// used, as none is kept.
///
/// # Guarantee
/// That of the whole plan, [`Checkpoint::plan`]: it is what its card states. Whoever decides along the
/// way, by what was seen, to stop after k of T steps has run no more than all T of them and thrown the
/// rest away. What k steps cost ([`Checkpoint::spent`]) is a reading, and a guarantee only if k was fixed
/// in advance. To go on with other noise or more steps is another plan; a checkpoint does not take part in
/// two. A card knows the way that led to its weights, and no other: whoever runs a segment twice and keeps
/// the better has released both. A segment that is interrupted leaves nothing behind but its cost, in the
/// budget or ledger that issued its permit: that ledger's limit holds over all that is run, however it is
/// chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Checkpoint {
    pub(super) state: State,
    /// All steps of the plan, and the spec of one.
    plan: (u64, MechanismSpec),
    /// What was paid for the network that it started from, if that was private.
    start: Option<MechanismSpec>,
}

/// How a checkpoint looks in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    state: State,
    steps: u64,
    each: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
}

impl From<Checkpoint> for Stored {
    fn from(checkpoint: Checkpoint) -> Self {
        let Checkpoint { state, plan: (steps, each), start } = checkpoint;
        let start = start.map(|spec| spec.to_string());
        Self { state, steps, each: each.to_string(), start }
    }
}

impl TryFrom<Stored> for Checkpoint {
    type Error = LearnError;

    fn try_from(stored: Stored) -> Result<Self, LearnError> {
        let Stored { state, steps, each, start } = stored;
        let each = spec(&each)?;
        MechanismSpec::repeated(steps, each.clone())?;
        if state.step > steps {
            return Err(LearnError::malformed("it has taken more steps than its plan has"));
        }
        let start = start.as_deref().map(spec).transpose()?;
        Ok(Self { state, plan: (steps, each), start })
    }
}

fn spec(text: &str) -> Result<MechanismSpec, LearnError> {
    text.parse().map_err(|error| LearnError::malformed(format!("what it cost: {error}")))
}

impl Model for Checkpoint {
    const KIND: &'static str = "network-checkpoint";

    /// The whole plan, and what was paid for a private start.
    fn paid(&self) -> Option<MechanismSpec> {
        Some(self.plan())
    }
}

impl Checkpoint {
    pub(super) const fn new(
        state: State,
        plan: (u64, MechanismSpec),
        start: Option<MechanismSpec>,
    ) -> Self {
        Self { state, plan, start }
    }

    /// After some steps more.
    pub(super) fn moved(self, state: State) -> Self {
        Self { state, ..self }
    }

    /// Whether it is of this plan.
    pub(super) fn check(&self, steps: u64, each: &MechanismSpec) -> Result<(), LearnError> {
        if self.plan.0 == steps && self.plan.1 == *each {
            return Ok(());
        }
        let found = MechanismSpec::Repeated { times: steps, inner: Box::new(each.clone()) };
        Err(LearnError::invalid(
            "the plan of a checkpoint",
            repeated(&self.plan),
            format!("{found}, that of the training; another plan starts from its network"),
        ))
    }

    /// Steps taken.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.state.step
    }

    /// All that the plan costs, and what was paid for a private start before it.
    #[must_use]
    pub fn plan(&self) -> MechanismSpec {
        after(self.start.as_ref(), repeated(&self.plan))
    }

    /// What the steps up to here cost, and what was paid for a private start; none before the first
    /// step. A reading, not a guarantee: see [`Checkpoint`].
    #[must_use]
    pub fn spent(&self) -> Option<MechanismSpec> {
        match self.step() {
            0 => self.start.clone(),
            step => Some(after(self.start.as_ref(), repeated(&(step, self.plan.1.clone())))),
        }
    }

    /// What was paid for a private start.
    pub(super) const fn start(&self) -> Option<&MechanismSpec> {
        self.start.as_ref()
    }

    /// The card of the plan.
    pub(super) fn card(&self, under: Neighbours) -> Result<Card, LearnError> {
        if self.step() == 0 {
            let allowed = "at least 1, before it is a model";
            return Err(LearnError::invalid("the steps of a checkpoint", 0, allowed));
        }
        Ok(Card::stating(&self.plan(), under))
    }
}

fn repeated((times, each): &(u64, MechanismSpec)) -> MechanismSpec {
    MechanismSpec::Repeated { times: *times, inner: Box::new(each.clone()) }
}

/// One after the other.
pub(super) fn after(start: Option<&MechanismSpec>, then: MechanismSpec) -> MechanismSpec {
    match start {
        None => then,
        Some(MechanismSpec::Composed(parts)) => {
            MechanismSpec::Composed(parts.iter().cloned().chain([then]).collect())
        }
        Some(start) => MechanismSpec::Composed(vec![start.clone(), then]),
    }
}
