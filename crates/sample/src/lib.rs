//! Exact noise.
//!
//! Every sampler here has *exactly* the law it is named for, given uniform random bytes: no
//! floating point, no truncation, no "statistical distance 2^-64". Parameters are exact
//! rationals, outputs are integers.
//!
//! | law | sampler | words per draw |
//! |---|---|---|
//! | uniform below n | [`Uniform`] | those of n |
//! | coins of p and of e^-x | [`Bernoulli`], [`BernoulliExp`] | O(1) |
//! | geometric, two-sided geometric | [`Geometric`], [`DiscreteLaplace`] | O(1) and those of the scale |
//! | discrete Gaussian | [`DiscreteGaussian`] | O(1) and those of σ |
//! | the last two, many at a time | [`BulkNoise`] | 1 to 2 |
//! | Poisson, binomial | [`Poisson`], [`Binomial`] | O(standard deviation) |
//! | index by weight e^(-xᵢ) | [`ExponentialChoice`], [`PermuteAndFlip`] | O(n) at most |
//! | index by weight nᵢ e^(-xᵢ) | [`WeightedChoice`] | O(1) |
//! | element of arithmetic runs of energies | [`RunChoice`] | O(1) |
//! | uniform, exponential, normal reals | [`real`] | O(1) and those looked at |
//! | such reals, scaled, to the nearest integer | [`RoundedNormal`], [`RoundedLaplace`], [`RoundedStudent`], [`RoundedLaplaceLogNormal`] | O(1) and those of the scale |
//! | random order, random subset | [`shuffle()`], [`Subset`] | O(n), O(k) |
//!
//! How long a draw takes depends on the value drawn: whoever can measure it to the nanosecond
//! learns something about the noise. [`BulkNoise`] is the exception.

// Unit tests share the harness in tests/support, which knows this crate by its name.
#[cfg(test)]
extern crate self as throng_sample;

mod bernoulli;
mod binomial;
mod bulk;
mod choice;
pub mod entropy;
mod error;
mod gaussian;
mod geometric;
mod laplace;
mod lazy;
mod log_concave;
mod permutation;
mod permute_and_flip;
mod poisson;
mod ratio;
pub mod real;
mod reservoir;
mod rounded;
mod runs;
#[cfg(test)]
mod script;
mod uniform;
mod weighted;
mod words;

pub use bernoulli::{Bernoulli, BernoulliExp};
pub use binomial::Binomial;
pub use bulk::{BulkNoise, add_clamped};
pub use choice::ExponentialChoice;
#[cfg(any(test, feature = "test-util"))]
pub use entropy::SeededEntropy;
pub use entropy::{Entropy, EntropyError, OsEntropy};
pub use error::SampleError;
pub use gaussian::DiscreteGaussian;
pub use geometric::Geometric;
pub use laplace::DiscreteLaplace;
pub use permutation::{Subset, shuffle};
pub use permute_and_flip::PermuteAndFlip;
pub use poisson::Poisson;
pub use rounded::{RoundedLaplace, RoundedLaplaceLogNormal, RoundedNormal, RoundedStudent};
pub use runs::{Run, RunChoice};
pub use uniform::Uniform;
pub use weighted::WeightedChoice;
