//! The auditor: tries to break a claimed guarantee.

pub mod audit;
mod bounds;
pub mod canary;
mod claim;
pub mod dice;
mod error;
mod event;
pub mod exact;
pub mod exhibits;
mod explore;
mod gauge;
pub mod json;
mod judge;
mod outcome;
pub mod pairs;
mod plan;
pub mod probe;
pub mod region;
pub mod replay;
mod report;
pub mod score;
mod sequential;
pub mod simulation;
mod target;
pub mod test;
mod witness;

pub use audit::{Effort, Options, Progress};
pub use claim::{Claim, Orientation};
pub use error::AuditError;
pub use event::Event;
pub use gauge::{Gauge, Tally};
pub use outcome::{Outcome, Outcomes};
pub use report::{Report, Verdict};
pub use target::{Command, FromFn, OfMechanism, Target, World};
pub use throng_account::Neighbours;
pub use witness::Witness;
