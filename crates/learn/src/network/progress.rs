//! What is told about a training while it runs.

use std::cell::Cell;

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
    /// It is the upper end, at the next twentieth of the plan: so it is computed at most twenty times (some
    /// milliseconds each) for one delta, however often it is asked for, and is never too small. With
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
    /// The step, the bits of the delta, and epsilon.
    known: Cell<Option<(u64, u64, f64)>>,
}

impl std::fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter").field("known", &self.known).finish_non_exhaustive()
    }
}

impl<'a> Meter<'a> {
    pub(super) const fn new(cost: &'a dyn Fn(u64) -> MechanismSpec, under: Neighbours) -> Self {
        Self { cost, under, known: Cell::new(None) }
    }

    fn epsilon(&self, step: u64, steps: u64, delta: f64) -> Result<f64, LearnError> {
        let mark = step.max(1).next_multiple_of(steps.div_ceil(MARKS).max(1)).min(steps.max(1));
        match self.known.get() {
            Some((at, bits, epsilon)) if (at, bits) == (mark, delta.to_bits()) => Ok(epsilon),
            _ => {
                let spec = (self.cost)(mark);
                let loss = PrivacyLoss::of_spec(&spec, self.under, Accuracy::default())?;
                let epsilon = loss.epsilon(delta)?.upper;
                self.known.set(Some((mark, delta.to_bits(), epsilon)));
                Ok(epsilon)
            }
        }
    }
}
