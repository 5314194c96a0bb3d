//! The Python package, its lower half: what Rust does, as Python sees it.
//!
//! No logic here: arguments become the types of the crates below, work runs with the interpreter free, answers
//! become plain Python. The upper half, `python/throng`, is what people type.
//!
//! ```text
//! error       failures as exceptions, in the words of the command
//! number      numbers as people write them: exact
//! work        long work: the interpreter is free meanwhile, and Ctrl-C stops it
//! account     specs, losses, calibration
//! budget      what may be spent, in memory or in a ledger
//! column      columns of data, read where they lie
//! release     numbers from columns, with noise
//! audit       try to break a claim
//! entropy     where noise comes from
//! learn       private models
//! command     the command line
//! query       SQL on tables of a policy, or in memory
//! ```

#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::type_complexity,
    reason = "arguments and answers are Python's: by value, by keyword, in tuples"
)]
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types of Arrow's and models that have no such part are answered alike"
)]

mod account;
mod audit;
mod budget;
mod column;
mod command;
mod entropy;
mod error;
mod learn;
mod number;
mod query;
mod release;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    account::register(module)?;
    budget::register(module)?;
    release::register(module)?;
    audit::register(module)?;
    query::register(module)?;
    entropy::register(module)?;
    learn::register(module)?;
    command::register(module)
}
