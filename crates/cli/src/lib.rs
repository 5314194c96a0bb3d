//! The `throng` command, as a library: the binary and the Python package start it from here.
//!
//! Data goes to stdout, talk to stderr. Exit codes: 0 done, 1 a bug of ours, 2 usage or invalid
//! input, 3 refused because there is no sound answer or a claim is violated, 4 the budget does not
//! cover it.

mod amount;
mod arguments;
mod asking;
mod bars;
mod bounds;
mod cell;
mod commands;
mod confirm;
mod digits;
mod expression;
mod failure;
mod goal;
mod inquiry;
mod intervals;
mod json;
mod number;
mod output;
mod place;
mod plot;
mod progress;
mod project;
mod promise;
mod records;
mod released;
mod setting;
mod spend;
mod statement;
mod table;
mod terminal;

use std::ffi::OsString;

use arguments::{Command, Throng};
pub use asking::{Asking, Said};
use clap::Parser;
pub use commands::explain::explained;
pub use commands::ledger::charges;
pub use commands::query::talk;
use commands::{
    account, audit, calibrate, completions, curve, explain, help, histogram, init, learn,
};
use commands::{ledger, man, noise, quantile, query};
pub use failure::{Failure, Kind};

/// Runs the command with these arguments, the first of which is its own name, and gives the exit code.
///
/// For a process of its own: it takes over stdout, stderr and the panic hook.
#[must_use]
pub fn command(arguments: Vec<OsString>) -> u8 {
    std::panic::set_hook(Box::new(|panic| failure::report_bug(&panic.to_string())));
    match std::panic::catch_unwind(|| run(arguments)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => failure.report(),
        Err(_) => failure::BUG,
    }
}

fn run(arguments: Vec<OsString>) -> Result<(), Failure> {
    match Throng::try_parse_from(arguments)?.command {
        Command::Init(options) => init::run(&options),
        Command::Query(options) => query::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Ledger(options) => ledger::run(&options),
        Command::Account(options) => account::run(&options),
        Command::Calibrate(options) => calibrate::run(&options),
        Command::Curve(options) => curve::run(&options),
        Command::Learn(options) => learn::run(&options),
        Command::Audit(options) => audit::run(&options),
        Command::Noise(options) => noise::run(&options),
        Command::Histogram(options) => histogram::run(&options),
        Command::Quantile(options) => quantile::run(&options),
        Command::Help(options) => help::run(&options),
        Command::Completions(options) => completions::run(&options),
        Command::Man(options) => man::run(&options),
    }
}
