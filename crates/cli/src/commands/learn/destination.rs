//! Where an answer goes: a file that can be written is made sure of before anything is paid.

use std::fs::OpenOptions;
use std::path::Path;

use crate::failure::Failure;

/// Makes sure that a file can be written, and leaves things as they are.
pub(super) fn tried(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let is_new = !path.exists();
    OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
        Failure::usage(
            format!("{} cannot be written: {error}", path.display()),
            "check that the folder exists and may be written to; nothing was spent",
        )
    })?;
    if is_new {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// Writes what was paid for.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| {
        let hint = "it was paid for, and is lost unless a ledger has it";
        Failure::usage(format!("{} cannot be written: {error}", path.display()), hint)
    })
}
