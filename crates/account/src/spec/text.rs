//! The text form: text to tree to spec, and back.
//!
//! ```text
//! sum     := product ('+' product)*
//! product := [COUNT '*'] factor | factor '*' COUNT
//! factor  := name ['(' [argument (',' argument)*] ')'] | '(' sum ')'
//! argument := [name '='] (number | '[' list ']' | sum)
//! ```
//!
//! The tree stands between all forms: text and JSON are read into it and written from it, and a
//! template is a tree with a hole.

pub(crate) mod build;
pub(crate) mod describe;
mod nearest;
pub(crate) mod number;
mod parse;
pub(crate) mod print;
pub(crate) mod resolve;
mod tokens;
pub(crate) mod tree;

use std::fmt;
use std::str::FromStr;

use super::{Leaf, MechanismSpec};
use crate::AccountError;

pub(crate) use parse::parse;

/// The longest text of a spec, in bytes, read or printed.
pub const MAX_TEXT: usize = 1 << 20;

/// How deep brackets of all kinds may nest in a text. A spec of depth
/// [`MAX_DEPTH`](super::MAX_DEPTH) needs at most three per level.
pub const MAX_BRACKETS: usize = 128;

impl FromStr for MechanismSpec {
    type Err = AccountError;

    /// Reads `14062 * sampled(gaussian(sigma=0.8), rate=256/60000) + laplace(scale=2)`.
    ///
    /// # Errors
    /// [`AccountError::Syntax`] if the text cannot be read; the errors of
    /// [`MechanismSpec::validate`] if it can but is not a mechanism.
    fn from_str(text: &str) -> Result<Self, AccountError> {
        let tree = parse(text)?;
        if let Some((column, _)) = tree.holes().first() {
            return Err(syntax(*column, "\"?\" stands for a number to be found; give the number"));
        }
        let spec = build::spec(&tree)?;
        spec.validate()?;
        Ok(spec)
    }
}

impl fmt::Display for MechanismSpec {
    /// The canonical text: it reads back as the same spec, if the spec is valid.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::tree(&describe::spec(self), f)
    }
}

impl fmt::Display for Leaf {
    /// The canonical text: `gaussian(sigma=0.8)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::tree(&describe::leaf(self), f)
    }
}

/// Whether the canonical text can be read back.
pub(crate) fn check_length(spec: &MechanismSpec) -> Result<(), AccountError> {
    print::tree(&describe::spec(spec), &mut Room(MAX_TEXT)).map_err(|fmt::Error| too_long())
}

fn too_long() -> AccountError {
    AccountError::TooLarge {
        what: "the text of the spec".to_owned(),
        limit: format!("{MAX_TEXT} bytes"),
    }
}

fn syntax(column: usize, reason: impl Into<String>) -> AccountError {
    AccountError::Syntax { column, reason: reason.into() }
}

/// Takes text until there is no more room for it, and keeps none.
struct Room(usize);

impl fmt::Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}
