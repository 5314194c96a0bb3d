//! The accountant: every privacy notion in one currency, certified on both sides.

pub mod bracket;
mod error;
pub mod pair;
pub mod pld;
pub mod spec;

pub use bracket::Bracket;
pub use error::AccountError;
pub use spec::{Leaf, MechanismSpec, Neighbours};
