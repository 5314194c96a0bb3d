//! Mechanisms beside the plain computation: what privacy costs in time.
//!
//! One thread, CPU time. All works of a line take turns, and each figure is the best of several
//! rounds, because a shared machine can only make a run slower. Ours always includes the permit: the
//! accountant's work, the filter and the release. Prints a table; exits with 1 if a target is missed.

mod data;
mod histogram;
mod median;
mod noise;
mod numbers;
#[cfg(feature = "opendp")]
mod peer;
mod response;
mod stream;
mod table;

use std::process::ExitCode;

use throng_account::filter::Budget as Amount;
use throng_mechanism::{Budget, Neighbours};
use throng_numeric::Rational;

use table::Table;

const ROWS: usize = 10_000_000;

/// A budget that no benchmark exhausts.
fn budget(under: Neighbours) -> Budget {
    let delta = Rational::new(1, 2_u32).expect("a fraction");
    let amount = Amount::Zcdp { rho: 1_000_000_000_u64.into(), delta };
    Budget::of(amount, under).expect("a budget")
}

fn main() -> ExitCode {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| only.is_empty() || only.iter().any(|o| o == name);
    let mut table = Table::start();
    if asked("histogram") {
        histogram::compare(&mut table);
    }
    if asked("noise") {
        noise::compare(&mut table);
    }
    if asked("median") {
        median::compare(&mut table);
    }
    if asked("numbers") {
        numbers::compare(&mut table);
    }
    if asked("stream") {
        stream::compare(&mut table);
    }
    if asked("response") {
        response::compare(&mut table);
    }
    #[cfg(feature = "opendp")]
    if asked("opendp") {
        peer::compare(&mut table);
    }
    table.end()
}
