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
//! Post-processing is [`crate::Release::map`]. Where data is a slice, each of its records is one
//! unit. Functions on records must be functions: what they return depends on their argument only.

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

use crate::{MechanismError, Neighbours};

/// The refusal of two relations in one mechanism.
fn different(one: Neighbours, other: Neighbours) -> MechanismError {
    MechanismError::refused(
        format!("one part is for {one} and one for {other} neighbours"),
        "use one relation throughout",
    )
}
