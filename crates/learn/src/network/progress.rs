//! What is told about a training while it runs.

use std::cell::RefCell;

use throng_account::{Accuracy, MechanismSpec, Neighbours, PrivacyLoss};

use crate::LearnError;

/// Epsilon is computed at so many points of a training, at most.
const MARKS: u64 = 20;

/// How far a training is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    step: u64,
    steps: u64,
    meter: Option<&'a Meter<'a>>,
}

impl<'a> Progress<'a> {
    pub(super) const fn new(step: u64, steps: u64, meter: Option<&'a Meter<'a>>) -> Self {
        Self { step, steps, meter }
    }

    /// The steps taken.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// All steps of the plan.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Epsilon at a delta for what was released up to here, that of a private start included; 0 if the
    /// data is public.
    ///
    /// It is the upper end, at the next twentieth of the plan: so it is computed at most twenty times,
    /// however often it is asked for, and is never too small. With
    /// correlated noise it is that of the whole run.
    ///
    /// It tells how a plan that was fixed in advance goes on. To stop when it reaches some value
    /// is no guarantee of that value: the guarantee is that of the plan.
    ///
    /// # Errors
    /// If the delta is out of range.
    pub fn epsilon(&self, delta: f64) -> Result<f64, LearnError> {
        self.meter.map_or(Ok(0.0), |meter| meter.epsilon(self.step, self.steps, delta))
    }
}

/// What steps cost; it remembers the last answer.
pub(super) struct Meter<'a> {
    cost: &'a dyn Fn(u64) -> MechanismSpec,
    under: Neighbours,
    /// The loss of so many steps.
    known: RefCell<Option<(u64, PrivacyLoss)>>,
}

impl std::fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter").field("under", &self.under).finish_non_exhaustive()
    }
}

impl<'a> Meter<'a> {
    pub(super) const fn new(cost: &'a dyn Fn(u64) -> MechanismSpec, under: Neighbours) -> Self {
        Self { cost, under, known: RefCell::new(None) }
    }

    fn epsilon(&self, step: u64, steps: u64, delta: f64) -> Result<f64, LearnError> {
        let mark = step.max(1).next_multiple_of(steps.div_ceil(MARKS).max(1)).min(steps.max(1));
        let mut known = self.known.borrow_mut();
        let loss = match known.take() {
            Some((at, loss)) if at == mark => loss,
            Some(_) | None => {
                PrivacyLoss::of_spec(&(self.cost)(mark), self.under, Accuracy::default())?
            }
        };
        let (_, loss) = known.insert((mark, loss));
        Ok(loss.epsilon(delta)?.upper)
    }
}
