//! Principal components: the directions in which a table varies most.

pub(crate) mod moments;
