//! Plain floating-point functions for choices that are certified afterwards.
//!
//! Where a line is put, how many nodes are taken, where a search starts: none of this can make
//! an answer wrong, only slow. Nothing a guarantee depends on may use these.
#![expect(clippy::disallowed_methods, reason = "estimates; every use is certified afterwards")]

/// About e^x.
pub(crate) fn exp(x: f64) -> f64 {
    x.exp()
}

/// About ln x.
pub(crate) fn ln(x: f64) -> f64 {
    x.ln()
}
