//! The auditor: tries to break a claimed guarantee, ours first.
//!
//! A claim is any description of the accountant's. A target is a black box that can be run on two neighbouring
//! inputs. An audit looks for an event that is more likely in one world than the claim allows, and hands over a
//! [`Report`]: the verdict with its false-alarm chance, what is certified about the target, and the event as
//! a [`Witness`] that anybody can count again.
//!
//! ```
//! use throng_audit::exhibits::exhibit;
//! use throng_audit::{Claim, Effort, Options, Orientation, Verdict, audit};
//!
//! // Noise on the integers, cut off at the ends.
//! let broken = exhibit("truncated-geometric").ok_or("it is in the zoo")?;
//! let claim = Claim::parse(broken.claim, broken.neighbours, Orientation::Either)?;
//! let effort = Effort::Runs(broken.runs);
//! let report =
//!     audit::live(&claim, &mut *broken.broken(1), &Options::default(), effort, &mut |_| {})?;
//! assert_eq!(report.verdict, Verdict::Violated);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//! | module | what it holds |
//! |---|---|
//! | [`audit`](mod@audit) | audits of recorded outcomes, of targets that are run, of saved witnesses |
//! | [`region`] | a claim as what it allows to events |
//! | [`probe`], [`score`] | what can be asked of an outcome; how much it speaks for world 1 |
//! | [`test`](mod@test) | the tests that certify |
//! | [`pairs`], [`canary`] | games: the worst of many pairs of inputs; canaries in one run |
//! | [`simulation`] | described mechanisms acted out: the accountant audited |
//! | [`exact`] | certified laws: refutation without sampling |
//! | [`replay`] | neighbours with the same randomness, compared primitive by primitive |
//! | [`exhibits`] | broken mechanisms and their correct twins |
//!
//! # Guaranteed
//! What a [`Report`] says is wrong with at most its stated chance, whatever the target.
//!
//! # Assumed
//! That runs are independent, each with fresh randomness, and that the two inputs are neighbours.
//!
//! # Not covered
//! A claim that is not refuted may be false: on other inputs, by other events, with more runs.

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
