//! The accountant: every privacy notion in one currency, certified on both sides.

pub mod bracket;
pub mod conversion;
mod error;
pub mod filter;
pub mod pair;
pub mod spec;

pub use bracket::Bracket;
pub use error::AccountError;
pub use spec::{Leaf, MechanismSpec, Neighbours};
