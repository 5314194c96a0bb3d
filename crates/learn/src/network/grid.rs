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
//! exceeds the norm, 2^17. So all partial sums over 2^7 records are whole numbers up to 2^24 (times a
//! power of two): a single holds those exactly.

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

/// How many records are taken at a time: sums over so many are exact in single precision.
pub(super) const ROWS: usize = 128;
