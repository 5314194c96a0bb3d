//! The accountant: every privacy notion in one currency, certified on both sides.

pub mod bracket;
pub mod classical;
pub mod conversion;
pub mod decomposition;
mod error;
pub mod filter;
pub mod lemma;
pub mod pair;
pub mod spec;

pub use bracket::Bracket;
pub use error::AccountError;
pub use spec::{Leaf, MechanismSpec, Neighbours};
