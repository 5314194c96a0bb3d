//! The event of an audit, kept in a file for the next.

use std::fs;
use std::path::Path;

use throng_audit::Witness;

use super::answer::Answer;
use super::{Options, write};
use crate::failure::Failure;
use crate::output;

/// The witness to count again, if one was given.
pub(super) fn given(options: &Options) -> Result<Option<Witness>, Failure> {
    const HINT: &str = "--witness reads what --save-witness wrote";
    let Some(path) = &options.witness else { return Ok(None) };
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{name} cannot be read: {error}"), HINT))?;
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| Failure::usage(format!("{name} is no witness: {error}"), HINT))
}

/// Writes the event of an answer; an audit without one is told.
pub(super) fn save(answer: &Answer, path: &Path) -> Result<(), Failure> {
    let Some(witness) = &answer.witness else {
        output::talk("note: no event tells the worlds apart: no witness is saved\n");
        return Ok(());
    };
    write(path, &[serde_json::to_vec_pretty(witness)?, b"\n".to_vec()].concat())
}
