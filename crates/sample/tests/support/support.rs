//! What the statistical tests of this crate share: exact laws, and a judge with proved error
//! probabilities.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::float_arithmetic,
    clippy::panic,
    clippy::unwrap_used,
    dead_code,
    reason = "a test harness, of which each test target uses its own part"
)]

pub(crate) mod continuous;
pub(crate) mod judge;
pub(crate) mod law;
pub(crate) mod laws;
