//! Mechanisms made of others.
//!
//! | | what it does | described as | relations |
//! |---|---|---|---|
//! | [`Preprocessed`] | maps each record first | as what runs on it | add-remove, replace |
//! | [`Transformed`] | maps the value first, by a Lipschitz function | noise for the stretched distance | all |
//! | [`Both`], [`Sequence`] | several on the same data | `Composed` | all |
//! | [`Analyst`] | each chosen after the releases before | paid one by one | all |
//! | [`Partitioned`] | one on each of disjoint parts | `Parallel` | add-remove, replace |
//! | [`Sampled`] | on a Poisson sample | `Sampled` | add-remove |
//! | [`Batched`] | on a random batch of fixed size | `WithoutReplacement` | replace |
//! | [`Grouped`] | the guarantee for several units | `Group` | all |
//!
//! Post-processing is [`crate::Release::map`]. What samples or splits records takes mechanisms only
//! for which each record is a unit ([`crate::Mechanism::units_are_records`]). Functions on records must be functions: what they return depends on their argument only.

mod analyst;
mod composed;
mod grouped;
mod mapped;
mod partitioned;
mod sampled;
mod shape;

pub use analyst::Analyst;
pub use composed::{Both, Sequence};
pub use grouped::Grouped;
pub use mapped::{Preprocessed, Transformed};
pub use partitioned::Partitioned;
pub use sampled::{Batched, Sampled};

use crate::{Mechanism, MechanismError, Neighbours};

/// Refuses a mechanism whose input is not a slice of one record per unit.
///
/// # Why
/// Of a vector of cells, or of several rows of one unit, a part is not what the mechanism's
/// guarantee is about: cells that are missing show, and of a unit with two rows one is sampled
/// nearly twice as often.
fn check_records<M: Mechanism>(mechanism: &M) -> Result<(), MechanismError> {
    if mechanism.units_are_records() {
        return Ok(());
    }
    Err(MechanismError::refused(
        "the mechanism does not take one record per unit, so records cannot be sampled or split",
        "use a mechanism on records, such as a count or a histogram of rows",
    ))
}

/// The refusal of two relations in one mechanism.
fn different(one: Neighbours, other: Neighbours) -> MechanismError {
    MechanismError::refused(
        format!("one part is for {one} and one for {other} neighbours"),
        "use one relation throughout",
    )
}
