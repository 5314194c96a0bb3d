//! Real numbers that are drawn exactly, and bit by bit.
//!
//! A continuous variate has infinitely many bits, of which nobody ever needs more than some. Each
//! type here holds what has been drawn of one variate: its sign, its integer part, and as many
//! bits of its fraction as were looked at. `bounds` draws more of them when asked to; bits once
//! drawn never change. So every number is the whole variate of exactly the stated law, seen
//! through an interval that can be made as narrow as one likes.
//!
//! The laws need comparisons only, no arithmetic: von Neumann (*Various techniques used in
//! connection with random digits*, 1951) for the exponential law, Karney ([*Sampling exactly from
//! the normal distribution*](https://arxiv.org/abs/1303.6257), ACM TOMS 2016) for the normal.
//!
//! ```
//! use throng_sample::{OsEntropy, real::LazyNormal};
//! let mut normal = LazyNormal::draw(&mut OsEntropy)?;
//! let coarse = normal.bounds(10, &mut OsEntropy)?;
//! let fine = normal.bounds(100, &mut OsEntropy)?;
//! assert!(coarse.lower()? <= fine.lower()? && fine.upper()? <= coarse.upper()?);
//! # Ok::<(), throng_sample::SampleError>(())
//! ```

mod exponential;
mod interval;
mod normal;
mod uniform;

pub use exponential::LazyExponential;
pub use interval::Interval;
pub use normal::LazyNormal;
pub use uniform::LazyUniform;
