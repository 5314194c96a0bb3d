//! What the terminal can show.

use std::env;
use std::io::{self, IsTerminal};

/// Colours, or none: only on a terminal, and not if `NO_COLOR` is set or the terminal is dumb.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// The colours of a stream.
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { on: stream.is_terminal() && !refused && !dumb }
    }

    /// Whether there are colours.
    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    /// Text in a colour given by its ANSI code.
    pub(crate) fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A heading.
    pub(crate) fn heading(self, text: &str) -> String {
        self.with("1", text)
    }

    /// What is wrong.
    pub(crate) fn error(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// What to do about it.
    pub(crate) fn hint(self, text: &str) -> String {
        self.with("1;36", text)
    }
}

/// Colours for stderr.
pub(crate) fn stderr_paint() -> Paint {
    Paint::of(&io::stderr())
}

/// Columns and rows of the terminal; 80 x 24 where there is none.
pub(crate) fn size() -> (usize, usize) {
    match console::Term::stdout().size_checked() {
        Some((rows, columns)) if rows > 0 && columns > 0 => (columns.into(), rows.into()),
        _ => (80, 24),
    }
}

/// Whether characters beyond ASCII are understood, as far as the locale tells.
pub(crate) fn speaks_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(env::var_os)
        .find(|value| !value.is_empty())
        .map(|value| value.to_string_lossy().to_lowercase());
    match locale {
        Some(name) => name.contains("utf-8") || name.contains("utf8"),
        None => cfg!(windows),
    }
}
