//! Tests that are valid for any target: what is certified.

pub mod binomial;
pub mod curve;
pub mod exact;
