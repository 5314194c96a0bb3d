//! What one unit can do to a stream.

use throng_numeric::Rational;

use crate::grid::MOST_STEPS;
use crate::{MechanismError, Neighbours};

/// A stream of integers, one per step, and what one unit contributes to it.
///
/// The number of steps is public; a step without data has the value 0. Values are clamped to
/// [lower, upper], which holds 0.
///
/// | unit | declared by | one unit moves |
/// |---|---|---|
/// | all of one step | [`Stream::of_steps`] | one value, by at most max(-lower, upper) |
/// | one event | [`Stream::of_events`] | one value, by at most `contribution` |
/// | a user of at most E of these | [`Stream::per_user`] | at most E values, by as much each |
///
/// The first is enforced by the clamp; that an event or a user moves no more than declared only
/// the caller can know. Under [`Neighbours::AddRemove`] and [`Neighbours::ZeroOut`], which mean the
/// same here, a unit's contributions are there or are 0. Under [`Neighbours::Replace`] they leave
/// and others come, possibly at other steps, so everything counts twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    lower: i64,
    upper: i64,
    contribution: i64,
    events: i64,
    under: Neighbours,
}

/// The largest value and the largest number of events.
const MOST: i64 = 1 << 30;

impl Stream {
    /// Each unit is one step.
    ///
    /// # Errors
    /// If not lower <= 0 <= upper, both are 0, or one is beyond ±2^30.
    pub fn of_steps(lower: i64, upper: i64, under: Neighbours) -> Result<Self, MechanismError> {
        if !(-MOST..=0).contains(&lower) {
            return Err(MechanismError::invalid("the lower bound", lower, "in -2^30..=0"));
        }
        if !(0..=MOST).contains(&upper) || lower == upper {
            return Err(MechanismError::invalid(
                "the upper bound",
                upper,
                "in 0..=2^30, and above the lower bound",
            ));
        }
        Ok(Self { lower, upper, contribution: upper.max(-lower), events: 1, under })
    }

    /// Each unit is an event that moves the value of one step by at most `contribution`.
    ///
    /// # Errors
    /// If the contribution is below 1.
    pub fn of_events(self, contribution: i64) -> Result<Self, MechanismError> {
        if contribution < 1 {
            return Err(MechanismError::invalid("the contribution", contribution, "at least 1"));
        }
        // Clamped values are no further apart than the bounds.
        Ok(Self { contribution: contribution.min(self.upper - self.lower), ..self })
    }

    /// Each unit is a user with at most `events` of them in the whole stream.
    ///
    /// # Errors
    /// If there are none or more than 2^30.
    pub fn per_user(self, events: i64) -> Result<Self, MechanismError> {
        if !(1..=MOST).contains(&events) {
            return Err(MechanismError::invalid("the events per user", events, "in 1..=2^30"));
        }
        Ok(Self { events, ..self })
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(self) -> Neighbours {
        self.under
    }

    /// Whether one unit moves one value only.
    pub(super) fn is_one_step(self) -> bool {
        match self.under {
            Neighbours::AddRemove | Neighbours::ZeroOut => self.events == 1,
            Neighbours::Replace => false,
        }
    }

    /// The L1 distance of the streams of two neighbours.
    pub(super) fn distance(self) -> Rational {
        let once = Rational::from(self.contribution) * Rational::from(self.events);
        match self.under {
            Neighbours::AddRemove | Neighbours::ZeroOut => once,
            Neighbours::Replace => &once + &once,
        }
    }

    /// The value of a step as it is counted.
    pub(super) fn clamp(self, value: i64) -> i64 {
        value.clamp(self.lower, self.upper)
    }

    /// Makes sure that `weight` times the largest value cannot overflow, so that sums are exact.
    pub(super) fn check_sums(self, weight: u64) -> Result<(), MechanismError> {
        let largest = self.upper.max(-self.lower).unsigned_abs();
        let most = largest.checked_mul(weight);
        if most.is_some_and(|most| most <= MOST_STEPS.unsigned_abs()) {
            return Ok(());
        }
        Err(MechanismError::invalid("the bounds", largest, "so small that sums have 62 bits"))
    }
}
