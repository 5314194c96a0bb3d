//! The sparse vector technique: a stream of questions "is it above the threshold?" of which only
//! the few answered Above cost.
//!
//! A session is started with a permit, takes one value at a time, each possibly chosen after the
//! answers before, and ends after the last Above it has paid for.
//!
//! | | noise | Above | questions | described as |
//! |---|---|---|---|---|
//! | [`AboveThreshold`] | Laplace | c | any number | `pure` |
//! | [`GaussianThreshold`] | Gaussian | 1 | at most K | `profile`, `zcdp` or `renyi` |
//!
//! Four published variants of the technique are not private as claimed (no noise on the queries;
//! noise not scaled with c; the noise that decided handed out with the answer). They live in the
//! tests, where they are refuted.
//!
//! # Reference
//! Dwork, Roth, *The Algorithmic Foundations of Differential Privacy* (2014), algorithms 1 and 2;
//! Lyu, Su, Li, *Understanding the Sparse Vector Technique for Differential Privacy* (2017),
//! algorithm 7.

mod gaussian;
mod laplace;
mod session;

use crate::{MechanismError, Neighbours};

pub use gaussian::{Claim, GaussianThreshold};
pub use laplace::AboveThreshold;
pub use session::{Reply, Session, Side};

/// What is known of the queries that will be asked: integers, each of which moves by at most
/// `distance` between neighbours.
///
/// Only the caller can know that it is true of the values asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queries {
    distance: u64,
    monotone: bool,
    under: Neighbours,
}

impl Queries {
    /// The largest distance.
    pub const MOST: u64 = 1 << 40;

    /// Queries that each move by at most `distance`.
    ///
    /// # Errors
    /// If the distance is 0 or above [`Queries::MOST`].
    pub fn moving(distance: u64, under: Neighbours) -> Result<Self, MechanismError> {
        if distance == 0 || distance > Self::MOST {
            return Err(MechanismError::invalid(
                "the distance of a query",
                distance,
                "in 1..=2^40",
            ));
        }
        Ok(Self { distance, monotone: false, under })
    }

    /// The same, if between two neighbours all queries move in one direction: none rises while
    /// another falls. Counts do, where one unit is added or removed.
    ///
    /// # Errors
    /// Under [`Neighbours::Replace`], where one count may fall as another rises.
    pub fn monotone(self) -> Result<Self, MechanismError> {
        match self.under {
            Neighbours::AddRemove | Neighbours::ZeroOut => Ok(Self { monotone: true, ..self }),
            Neighbours::Replace => Err(MechanismError::refused(
                "a unit that is exchanged may raise one query and lower another",
                "use add-remove neighbours, or queries that are not monotone",
            )),
        }
    }

    /// How far one query moves.
    #[must_use]
    pub const fn distance(self) -> u64 {
        self.distance
    }

    /// Whether all move in one direction.
    #[must_use]
    pub const fn is_monotone(self) -> bool {
        self.monotone
    }

    /// The relation.
    #[must_use]
    pub const fn neighbours(self) -> Neighbours {
        self.under
    }

    /// How far a query moves against the threshold that has been shifted by `distance`.
    const fn relative(self) -> u64 {
        if self.monotone { self.distance } else { 2 * self.distance }
    }
}

/// Values and thresholds lie within ± this; values saturate, which moves no two further apart.
pub const MOST: i64 = 1 << 60;

fn check_threshold(threshold: i64) -> Result<(), MechanismError> {
    if threshold.unsigned_abs() <= MOST.unsigned_abs() {
        return Ok(());
    }
    Err(MechanismError::invalid("the threshold", threshold, "between ±2^60"))
}
