//! Exact noise.
//!
//! Every sampler here has *exactly* the law it is named for, given uniform random bytes: no
//! floating point, no truncation, no "statistical distance 2^-64". Parameters are exact
//! rationals, outputs are integers.
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
mod reservoir;
#[cfg(test)]
mod script;
mod uniform;
mod words;

pub use bernoulli::{Bernoulli, BernoulliExp};
pub use binomial::Binomial;
pub use bulk::BulkNoise;
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
pub use uniform::Uniform;
