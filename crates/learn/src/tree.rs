//! Trees whose shape is drawn without looking at the data.
//!
//! A tree here is symmetric: it asks the same few questions of every row, each about one column, and
//! the answers together are the leaf. Where a column is divided is drawn at random within
//! what is declared about it, so the shape of a tree says nothing about anybody. What is learnt, and
//! takes noise, is what its leaves say.

pub(crate) mod codes;
pub(crate) mod shape;
