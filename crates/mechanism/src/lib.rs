//! Randomised algorithms on trusted data.
//!
//! Every mechanism is a value. It *describes* itself to the accountant
//! ([`Mechanism::spec`]); the description is *paid* for, which gives a [`Permit`] ([`Budget`] here, a
//! ledger elsewhere); it is *run* once on [`Sensitive`] data; and what it *hands over* is a
//! [`Release`]: value, error bars, guarantee.
//!
//! # Mechanisms
//! A: add or remove a unit, R: replace one, Z: zero one out.
//!
//! | module | what | described as | relations |
//! |---|---|---|---|
//! | (top) [`AddNoise`], [`AddNoiseReal`] | noise on a vector of known distance | as its [`noise`] | A R Z |
//! | [`count`] | rows, rows that match, units, rows of at most k per unit | as its noise | A; matches and bounded rows R Z |
//! | [`histogram`] | rows by key: keys listed, unknown, too many to list; keys alone | noise, with `approx_dp` for unknown keys; `approx_dp` for keys alone | A R Z |
//! | [`sum`], [`mean`], [`variance`] | of clamped numbers | as their noise | A; R Z with a public number of records |
//! | [`bounds`] | the powers of two between which a column lies | as its noise | A R Z |
//! | [`quantile`] | median, extremes, any fraction, many at once | `exponential` | A R Z |
//! | [`selection`] | the best of a list, the best few, a point on a line | `exponential`, `permute_and_flip`, `noisy_max` | A R Z; monotone scores A Z |
//! | [`sparse_vector`] | which of a stream of questions are above a threshold | `pure`; `profile`, `zcdp`, `renyi` | A R Z; monotone queries A Z |
//! | [`continual`] | sums over time: all steps, the last steps | noise, once per level | A R Z |
//! | [`response`] | randomised answers of each unit | `randomized_response`, `kary_response`, `discrete` | R Z |
//! | [`poisson`] | counts as Poisson variables, degrees of a graph | `poisson`, `infinitely_divisible` | A R Z; nodes Z |
//! | [`smooth`] | median, variance, with noise scaled to smooth sensitivity | `pure`, `zcdp`, `approx_dp` | A R Z; variance R Z |
//! | [`propose_test_release`] | median, most frequent item, if the data is stable | test, noise and delta | A R Z |
//! | [`sample_and_aggregate`] | any function, run on blocks | noise, `exponential`, or as smooth noise | A R Z; blocks by position R Z |
//! | [`bayes`] | posteriors from noisy sums | as their noise | R; yes or no also A |
//! | [`combine`] | several, on samples, on parts, for groups, after a map | `composed`, `sampled`, `without_replacement`, `parallel`, `group` | see there |
//!
//! What they are made of: [`grid`] (integers between data and release), [`number`] (data on its way to
//! a grid), [`sensitivity`] (distances), [`noise`] (laws with their descriptions), [`contribution`]
//! (what one unit may do), [`parts`] (records in several slices), [`estimate`] (released numbers and
//! their error bars).

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
pub mod parts;
mod permit;
pub mod poisson;
pub mod propose_test_release;
pub mod quantile;
mod release;
pub mod replay;
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
pub use noise::{InBlocks, Noise, NoiseLaw};
pub use permit::Permit;
pub use release::{Guarantee, Release};
pub use sensitive::Sensitive;
pub use sensitivity::{L1, L2, PerCell, Sensitivity};
pub use throng_account::{MechanismSpec, Neighbours};
