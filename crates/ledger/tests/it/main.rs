//! What the ledger promises, put to the test: rules, races, crashes and damage.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test that fails says so by panicking"
)]

mod common;
mod crashes;
mod damage;
mod hostile;
mod prices;
mod processes;
mod races;
mod rewriting;
mod rules;
mod tampering;
