//! The accountant: every privacy notion in one currency, certified on both sides.

pub mod bracket;
pub mod calibrate;
pub mod classical;
mod component;
pub mod conversion;
pub mod decomposition;
mod disc;
mod error;
mod estimate;
pub mod filter;
mod fold;
mod inversion;
mod law;
pub mod lemma;
mod loss;
pub mod pair;
pub mod pld;
pub mod spec;
mod tradeoff;

pub use bracket::Bracket;
pub use calibrate::{Calibration, Target, calibrate};
pub use error::AccountError;
pub use loss::comparison::Comparison;
pub use loss::readings::{Cell, Moments};
pub use loss::{Accuracy, Direction, PrivacyLoss};
pub use spec::{Leaf, MechanismSpec, Neighbours, SpecDocument, Template};
