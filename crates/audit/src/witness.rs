//! The event that tells two worlds apart, for a person to run again.

use serde::{Deserialize, Serialize};

use crate::{Event, World};

/// An event, chosen before it was counted, and how often it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// The event in words.
    pub text: String,
    /// The event as data: what `--witness` reads.
    pub event: Event,
    /// The world in which it is more likely than the claim allows.
    pub likelier_in: World,
    /// How often it happened among the runs that certify, in world 0 and world 1.
    pub hits: [u64; 2],
    /// The runs that certify, in world 0 and world 1.
    pub runs: [u64; 2],
    /// The largest chance that the claim allows it in the likelier world, at the rate seen in the
    /// other.
    pub allowed: f64,
}
