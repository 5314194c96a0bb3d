//! The one walk over a spec: from the tree to the parts of a composition.
//!
//! Counts are threaded here and nowhere else; what a leaf is does not know how often it is run.

mod amplified;
mod gather;
mod leaf;
mod relation;

pub(crate) use gather::fold;
