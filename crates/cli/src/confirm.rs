//! Asking before something is spent.

use std::io::{self, BufRead, IsTerminal};

use throng_ledger::Amount;

use crate::digits::Side;
use crate::failure::Failure;
use crate::{amount, output};

/// Asks on a terminal whether to spend; elsewhere refuses. `left` is what there is before.
pub(crate) fn spending(cost: &Amount, left: &Amount) -> Result<(), Failure> {
    agreed(&format!(
        "Spend {} of {}? This cannot be undone.",
        amount::words(cost, Side::Up),
        amount::words(left, Side::Down)
    ))
}

/// Asks a question on a terminal; elsewhere, and unless the answer is yes, nothing is done.
pub(crate) fn agreed(question: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::usage(
            format!("{question} There is no terminal to ask on"),
            "add --yes; nothing was spent",
        ));
    }
    output::talk(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Failure::usage("not confirmed", "nothing was spent"))
}
