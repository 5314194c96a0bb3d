//! What is different where it must not be.

use std::fmt;

use super::{Norm, Number};

/// A difference between two runs on neighbours with the same randomness that nothing released
/// explains. Texts name primitives and distances, which are of data made for the replay.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// Something else happened, or nothing.
    DifferentFlow {
        /// After so many events that were alike.
        after: usize,
        /// What happened on the first input.
        zero: String,
        /// What happened on the second.
        one: String,
    },
    /// Inputs of a primitive are further apart than declared.
    InputsTooFar {
        /// Which.
        primitive: String,
        /// How the distance is measured.
        norm: Norm,
        /// How far they are apart.
        distance: Number,
        /// How far they were said to be.
        declared: Number,
    },
    /// A primitive has other inputs: more or fewer.
    InputsDiffer {
        /// Which.
        primitive: String,
        /// How many on the first input and on the second.
        lengths: [usize; 2],
    },
    /// The noise depends on the data.
    ScaleDependsOnData {
        /// Which primitive.
        primitive: String,
        /// On the first input.
        zero: String,
        /// On the second.
        one: String,
    },
    /// What is declared depends on the data.
    SensitivityDependsOnData {
        /// Which primitive.
        primitive: String,
        /// On the first input.
        zero: Number,
        /// On the second.
        one: Number,
    },
    /// One fails and the other does not, or with other words.
    ErrorDiffers {
        /// On the first input, if it failed.
        zero: Option<String>,
        /// On the second.
        one: Option<String>,
    },
    /// Releases are of different kinds.
    KindDiffers {
        /// The first.
        zero: &'static str,
        /// The second.
        one: &'static str,
    },
    /// Releases have different lengths.
    LengthDiffers {
        /// The first.
        zero: usize,
        /// The second.
        one: usize,
    },
    /// What both releases list is in another order.
    OrderDiffers,
    /// More randomness was used.
    RandomnessDiffers {
        /// After which primitive, or before all of them.
        after: Option<String>,
        /// Bytes on the first input and on the second.
        bytes: [usize; 2],
    },
    /// Releases differ, though nothing that reaches them through noise does.
    BypassesNoise,
    /// What the primitives cost on these inputs is more than was claimed.
    CostsMore {
        /// What they cost.
        found: Number,
        /// What was claimed.
        claimed: Number,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DifferentFlow { after, zero, one } => {
                write!(f, "after {after} events: {zero} in one world, {one} in the other")
            }
            Self::InputsTooFar { primitive, norm, distance, declared } => write!(
                f,
                "`{primitive}`: inputs are {distance} apart {norm}, declared are {declared}"
            ),
            Self::InputsDiffer { primitive, lengths: [zero, one] } => {
                write!(f, "`{primitive}`: {zero} inputs in one world, {one} in the other")
            }
            Self::ScaleDependsOnData { primitive, zero, one } => {
                write!(f, "`{primitive}`: {zero} in one world, {one} in the other")
            }
            Self::SensitivityDependsOnData { primitive, zero, one } => {
                write!(f, "`{primitive}`: declared {zero} in one world, {one} in the other")
            }
            Self::ErrorDiffers { zero, one } => {
                let words = |error: &Option<String>| error.clone().unwrap_or("no error".into());
                write!(f, "errors differ: {} and {}", words(zero), words(one))
            }
            Self::KindDiffers { zero, one } => write!(f, "releases are {zero} and {one}"),
            Self::LengthDiffers { zero, one } => {
                write!(f, "releases have lengths {zero} and {one}")
            }
            Self::OrderDiffers => f.write_str("what both releases list is in another order"),
            Self::RandomnessDiffers { after, bytes: [zero, one] } => {
                let after = after
                    .as_ref()
                    .map_or("before all primitives".into(), |label| format!("from `{label}` on"));
                write!(f, "{after}: {zero} bytes of randomness in one world, {one} in the other")
            }
            Self::BypassesNoise => {
                f.write_str("releases differ, though nothing that reaches them through noise does")
            }
            Self::CostsMore { found, claimed } => {
                write!(f, "the primitives cost {found} on these inputs, claimed is {claimed}")
            }
        }
    }
}
