//! The accountant: every privacy notion in one currency, certified on both sides.

pub mod bracket;
mod component;
pub mod conversion;
mod disc;
mod error;
mod estimate;
mod fold;
mod inversion;
mod law;
mod loss;
pub mod pair;
pub mod spec;
mod tradeoff;

pub use bracket::Bracket;
pub use error::AccountError;
pub use loss::{Accuracy, Direction, PrivacyLoss};
pub use spec::{Leaf, MechanismSpec, Neighbours, SpecDocument, Template};
