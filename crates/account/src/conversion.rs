//! From one notion of privacy to another, by formula.
//!
//! | from | to | where |
//! |---|---|---|
//! | Renyi divergence at an order | (epsilon, delta) | [`renyi`] |
//! | approximate Renyi divergence | (epsilon, delta) | [`renyi`] |
//! | concentrated privacy (zCDP) | (epsilon, delta) | [`zcdp`] |
//! | pure privacy, bounded range | zCDP | [`zcdp`] |
//! | Gaussian privacy | (epsilon, delta) and back | [`gaussian`] |
//! | noise on the integers | noise on the line | [`grid`] |
//! | one unit | a group of units | [`group`] |
//! | named mechanisms | their Renyi divergence | [`divergence`] |
//! | trade-off polygon | (epsilon, delta) lines and back | [`duality`] |
//!
//! # Guarantee
//! Every result is an enclosure of the formula, rounding included. Where a formula is itself only
//! an upper bound on what the mechanism reveals, the upper end is the promise.

pub(crate) mod arithmetic;
pub mod divergence;
pub mod duality;
pub mod gaussian;
pub mod grid;
pub mod group;
pub mod renyi;
pub mod zcdp;
