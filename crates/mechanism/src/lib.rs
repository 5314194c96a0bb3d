//! Randomised algorithms on trusted data.
//!
//! Every mechanism is a value. It *describes* itself to the accountant
//! ([`Mechanism::spec`]); the description is *paid* for, which gives a [`Permit`] ([`Budget`] here, a
//! ledger elsewhere); it is *run* once on [`Sensitive`] data; and what it *hands over* is a
//! [`Release`]: value, error bars, guarantee.

mod additive;
mod budget;
pub mod contribution;
pub mod count;
mod error;
pub mod estimate;
pub mod grid;
pub mod histogram;
mod mechanism;
pub mod noise;
mod permit;
pub mod quantile;
mod release;
pub mod selection;
mod sensitive;
pub mod sensitivity;

pub use additive::AddNoise;
pub use budget::Budget;
pub use error::MechanismError;
pub use estimate::{Interval, Noisy, Uncovered};
pub use grid::{Clamp, Grid};
pub use mechanism::{Mechanism, Run};
pub use noise::{Noise, NoiseLaw};
pub use permit::Permit;
pub use release::{Guarantee, Release};
pub use sensitive::Sensitive;
pub use sensitivity::{L1, L2, PerCell, Sensitivity};
pub use throng_account::{MechanismSpec, Neighbours};
