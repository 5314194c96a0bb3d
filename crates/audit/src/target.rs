//! What is audited: a black box that can be run on two neighbouring inputs.

mod command;
mod mechanism;

use serde::{Deserialize, Serialize};

use crate::error::unless_given_up;
use crate::{AuditError, Outcome, Outcomes};
pub use command::Command;
pub use mechanism::OfMechanism;

/// Which of the two neighbouring inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum World {
    /// The first.
    Zero,
    /// The second.
    One,
}

impl World {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Zero, Self::One];

    /// The other.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Zero => Self::One,
            Self::One => Self::Zero,
        }
    }

    /// 0 or 1.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }
}

/// A black box that can be run on two neighbouring inputs, each run with fresh randomness.
pub trait Target {
    /// Runs `n` times in a world and appends the outcomes.
    ///
    /// # Errors
    /// If the target cannot be run; then there is no verdict.
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError>;
}

/// A target made of a function that gives one outcome.
///
/// ```
/// use throng_audit::{FromFn, Outcome, Outcomes, Target, World};
/// let mut shows_it = FromFn::new(|world: World| Outcome::Integer(if world == World::One { 1 } else { 0 }));
/// let mut outcomes = Outcomes::new();
/// shows_it.run(World::One, 2, &mut outcomes)?;
/// assert_eq!(outcomes, Outcomes::Integers(vec![1, 1]));
/// # Ok::<(), throng_audit::AuditError>(())
/// ```
pub struct FromFn<F>(F);

impl<F: FnMut(World) -> Outcome> FromFn<F> {
    /// A target that calls a function.
    pub const fn new(function: F) -> Self {
        Self(function)
    }
}

impl<F: FnMut(World) -> Outcome> Target for FromFn<F> {
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError> {
        (0..n).try_for_each(|_| {
            unless_given_up()?;
            outcomes.push((self.0)(world));
            Ok(())
        })
    }
}
