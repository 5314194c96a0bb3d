//! Plain floating-point functions for choices that are certified afterwards.
//!
//! Where a line is put, how many nodes are taken, where a search starts: none of this can make
//! an answer wrong, only slow. In a few places they enter a bound of what is *negligible* (how
//! far a transform has decayed); there a slack of at least 1e-12, mostly 1e-9, is taken, far more
//! than any implementation of e^x and ln x errs by.
#![expect(
    clippy::disallowed_methods,
    reason = "estimates: certified afterwards or covered by slack"
)]

/// About e^x.
pub(crate) fn exp(x: f64) -> f64 {
    x.exp()
}

/// About ln x.
pub(crate) fn ln(x: f64) -> f64 {
    x.ln()
}

/// A count as a number: exact up to 2^53, which no count of nodes or atoms reaches.
#[expect(clippy::cast_precision_loss, reason = "exact for the counts it is used on")]
pub(crate) fn real(count: u64) -> f64 {
    count as f64
}

/// A length as a number.
#[expect(clippy::cast_precision_loss, reason = "exact for the lengths it is used on")]
pub(crate) fn length(count: usize) -> f64 {
    count as f64
}

/// The whole part of a number that is not negative; 0 for NaN, the largest count beyond.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(crate) fn whole(x: f64) -> u64 {
    x as u64
}

/// The whole part of a number, saturating.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
pub(crate) fn integer(x: f64) -> i32 {
    x as i32
}
