//! Randomised algorithms on trusted data.
//!
//! Every mechanism is a value. It *describes* itself to the accountant
//! ([`Mechanism::spec`]); the description is *paid* for, which gives a [`Permit`] ([`Budget`] here, a
//! ledger elsewhere); it is *run* once on [`Sensitive`] data; and what it *hands over* is a
//! [`Release`]: value, error bars, guarantee.

mod additive;
pub mod bayes;
pub mod bounds;
mod budget;
pub mod combine;
pub mod continual;
pub mod contribution;
pub mod count;
mod error;
pub mod estimate;
pub mod grid;
pub mod histogram;
pub mod mean;
mod mechanism;
pub mod noise;
pub mod number;
mod permit;
pub mod poisson;
pub mod propose_test_release;
pub mod quantile;
mod release;
pub mod response;
pub mod sample_and_aggregate;
pub mod selection;
mod sensitive;
pub mod sensitivity;
pub mod smooth;
pub mod sparse_vector;
pub mod sum;
pub mod variance;

pub use additive::{AddNoise, AddNoiseReal};
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
