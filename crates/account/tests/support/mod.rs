//! What several test files share.
#![allow(dead_code, clippy::unwrap_used, reason = "no test file uses all of it")]

pub(crate) mod strategy;
