//! Exact noise.
//!
//! Every sampler here has *exactly* the law it is named for, given uniform random bytes: no
//! floating point, no truncation, no "statistical distance 2^-64". Parameters are exact
//! rationals, outputs are integers.
#[cfg(test)]
extern crate self as throng_sample;

pub mod entropy;
mod error;
mod lazy;
mod words;

#[cfg(any(test, feature = "test-util"))]
pub use entropy::SeededEntropy;
pub use entropy::{Entropy, EntropyError, OsEntropy};
pub use error::SampleError;
