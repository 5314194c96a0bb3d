//! Integration tests: one binary, because linking the engine takes long.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod audit;
mod defects;
mod differential;
mod fan_out;
mod neighbours;
mod plans;
mod refused;
mod sql;
mod texts;
