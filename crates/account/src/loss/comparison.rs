//! Which of two mechanisms reveals more, in Blackwell's sense.

use std::fmt;

use crate::AccountError;
use crate::loss::{Direction, PrivacyLoss};

/// What comparing the profiles of two mechanisms tells.
///
/// One mechanism can be simulated from the other exactly if its profile is nowhere above, in
/// both directions (Blackwell). Profiles are compared at many epsilon, each comparison
/// certified; where their brackets overlap nothing is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// The first reveals more somewhere, and less nowhere, as far as it was looked.
    Dominates,
    /// The first reveals less somewhere, and more nowhere, as far as it was looked.
    IsDominated,
    /// The first reveals more at one epsilon and less at another.
    Incomparable {
        /// Between these two the profiles cross: here the first reveals more,
        first_above: f64,
        /// and here the second.
        second_above: f64,
    },
    /// No difference was found.
    Alike,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dominates => f.write_str(
                "the first is less private: wherever they could be told apart, it reveals more",
            ),
            Self::IsDominated => f.write_str(
                "the first is more private: wherever they could be told apart, it reveals less",
            ),
            Self::Incomparable { first_above, second_above } => write!(
                f,
                "neither dominates: the first reveals more at epsilon {first_above:.4}, \
                 the second at epsilon {second_above:.4}"
            ),
            Self::Alike => f.write_str("no difference was found"),
        }
    }
}

/// Places to look at on each side of 0.
const PLACES: u32 = 60;

impl PrivacyLoss {
    /// Compares two mechanisms: "dominates" means that the first (this) reveals more.
    ///
    /// # Errors
    /// If the work would be too large.
    pub fn compare(&self, other: &Self) -> Result<Comparison, AccountError> {
        let reach =
            |loss: &Self| -> Result<f64, AccountError> { Ok(loss.epsilon(1e-9)?.upper.min(60.0)) };
        let reach = reach(self)?.max(reach(other)?).max(1e-6);
        let (mut first, mut second): (Option<f64>, Option<f64>) = (None, None);
        for k in 0..=PLACES {
            let epsilon = f64::from(k) / f64::from(PLACES) * reach;
            for direction in Direction::BOTH {
                let a = self.delta_in(direction, epsilon)?;
                let b = other.delta_in(direction, epsilon)?;
                // Of the places where one is above, keep the one nearest to the other's.
                if a.lower > b.upper && (first.is_none() || second.is_none()) {
                    first = Some(epsilon);
                }
                if b.lower > a.upper && (first.is_none() || second.is_none()) {
                    second = Some(epsilon);
                }
            }
        }
        Ok(match (first, second) {
            (Some(first_above), Some(second_above)) => {
                Comparison::Incomparable { first_above, second_above }
            }
            (Some(_), None) => Comparison::Dominates,
            (None, Some(_)) => Comparison::IsDominated,
            (None, None) => Comparison::Alike,
        })
    }
}
