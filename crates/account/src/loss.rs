//! The privacy loss of a mechanism, and everything that is read off it.

pub(crate) mod composed;
pub(crate) mod side;
