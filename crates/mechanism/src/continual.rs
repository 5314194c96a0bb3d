//! Counting over time: after each step, an estimate of the sum so far.
//!
//! | | estimates | noise | per step | memory | variance at step t |
//! |---|---|---|---|---|---|
//! | [`TreeCounter`] | sum of steps 1..=t | Laplace, Gaussian | O(log T) | O(log T) | O(log T) nodes |
//! | [`WindowCounter`] | sum of the last W steps | Laplace, Gaussian | O(log W) | O(W) | O(log W) nodes |
//! | [`MatrixCounter`] | sum of steps 1..=t | Gaussian | O(band) | O(band) | least, if band = T |
//!
//! A counter is started with a permit and then takes the stream step by step or in slices. What one
//! unit can do to the stream is said by a [`Stream`]. The guarantee is for all estimates
//! together, for streams that do not react to the estimates.
//!
//! Counters hold the exact sums of what is not yet complete, so they cannot be cloned; noise is
//! drawn when it is used and never kept.

mod counting;
mod estimate;
mod factor;
mod levels;
mod matrix;
mod nodes;
mod recent;
mod stream;
mod tree;
mod window;

pub use estimate::Estimate;
pub use factor::Factor;
pub use matrix::{MatrixCounter, MatrixSession};
pub use stream::Stream;
pub use tree::{TreeCounter, TreeSession};
pub use window::{WindowCounter, WindowSession};
