//! Integration tests: one binary, because linking the engine takes long.

mod plans;
mod refused;
mod sql;
