//! The grid that contributions lie on.
//!
//! | what | unit | largest |
//! |---|---|---|
//! | inputs of a layer, as gradients see them | 1/64 | 32 |
//! | gradients with respect to the outputs of a dense layer | C/2048 | |
//! | gradients with respect to weights and biases | C/2^17 | C |
//!
//! C is the clip norm; it is public and only scales. A record's gradient of a dense layer is the product
//! of an output's and an input's whole number, so it is whole in the unit of the last line, and no entry
//! exceeds the norm, 2^17. So all partial sums over [`HALF`] records are whole numbers below 2^24 (times a
//! power of two): a single holds those exactly.
//!
//! Inputs of the first layer are at most 1, 64 steps, as much as the bias's. So with d for an output's whole
//! number, d a and 64 d are both entries of the gradient, |a| <= 64, and 2 (d a)^2 <= (d a)^2 + (64 d)^2 <=
//! 2^34: no entry for a weight exceeds 2^16.5, and sums over [`SURE`] records are below 2^24.
//!
//! More records than that may be summed at once if it is seen to be exact: all partial sums for the weights of
//! one output are at most 64 Σ|d| over the records, so Σ|d| <= [`ENOUGH`] will do. Deltas are at most 2^12, so
//! Σ|d| over [`ROWS`] is itself exact. It is hundreds of times smaller than that on ordinary data.

/// Steps of a layer's input per 1.
pub(super) const INPUT: f32 = 64.0;

/// The largest number of steps of a layer's input.
pub(super) const MOST_INPUT: f32 = 2048.0;

/// Steps of an output's gradient per clip norm.
pub(super) const OUTPUT: f64 = 2048.0;

/// The largest number of steps of an output's gradient; more than any that passes the check.
pub(super) const MOST_OUTPUT: f32 = 4096.0;

/// 2 to this is how many steps of a gradient the clip norm has.
pub(super) const BITS: u32 = 17;

/// Steps of a gradient per clip norm: the bound of a record's contribution.
pub(super) const BOUND: u64 = 1 << BITS;

/// How many records are taken at a time.
pub(super) const ROWS: usize = 352;

/// Over how many records sums for the first stage are exact in single precision: 176 · 2^16.5 < 2^24.
pub(super) const SURE: usize = 176;

/// Over how many records sums are exact in single precision whatever the inputs: 88 · 2^17 < 2^24.
pub(super) const HALF: usize = 88;

/// Sums for the first stage are exact over records for whose deltas Σ|d| is at most this: 64 · 2^18 = 2^24.
pub(super) const ENOUGH: f32 = 262_144.0;

/// Chunks have a multiple of so many rows.
pub(super) const BLOCK: usize = 16;
