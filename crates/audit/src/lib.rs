//! The auditor: tries to break a claimed guarantee.

pub mod audit;
pub mod canary;
mod claim;
mod error;
mod event;
pub mod json;
mod outcome;
pub mod pairs;
pub mod region;
mod report;
mod target;
mod witness;

pub use audit::{Effort, Options, Progress};
pub use claim::{Claim, Orientation};
pub use error::AuditError;
pub use event::Event;
pub use outcome::{Outcome, Outcomes};
pub use report::{Report, Verdict};
pub use target::{Command, FromFn, Target, World};
pub use throng_account::Neighbours;
pub use witness::Witness;
