//! Why a command did not do what was asked, and the exit code that says so.

use std::fmt::Write as _;
use std::io;

use clap::error::ErrorKind;
use throng_account::AccountError;
use throng_audit::AuditError;
use throng_learn::LearnError;
use throng_ledger::LedgerError;
use throng_mechanism::MechanismError;
use throng_query::QueryError;

use crate::digits::Side;
use crate::terminal::{Paint, stderr_paint};
use crate::{amount, output};

/// The exit code of a bug of ours.
pub(crate) const BUG: u8 = 1;
/// The exit code of a wrong option, expression or file.
const USAGE: u8 = 2;
/// The exit code where there is no sound answer, and of a claim that does not hold.
const REFUSED: u8 = 3;
/// The exit code where the budget does not cover it.
const EXHAUSTED: u8 = 4;

/// Whose turn it is after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The caller can fix it.
    Invalid,
    /// There is no sound answer.
    Refused,
    /// The budget does not cover it; nothing was spent.
    Exhausted,
    /// We must fix it.
    Bug,
}

/// What went wrong, in the words of the command.
#[derive(Debug)]
pub enum Failure {
    /// Something to tell, and the exit code.
    Told {
        /// The exit code.
        code: u8,
        /// What went wrong.
        message: String,
        /// Where in an expression, with a caret.
        excerpt: Option<String>,
        /// What to do about it.
        hint: String,
    },
    /// What the option parser has to say, help included.
    Options(clap::Error),
    /// Whoever read our output has enough.
    PipeClosed,
    /// A claim does not hold. The answer is on stdout; only the exit code is left to say.
    Violated,
}

impl Failure {
    /// The caller can fix it.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::told(USAGE, message.into(), hint.into())
    }

    /// There is no sound answer, or none can be vouched for.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::told(REFUSED, message.into(), hint.into())
    }

    /// We must fix it.
    pub(crate) fn bug(message: impl Into<String>) -> Self {
        Self::told(BUG, message.into(), BUG_HINT.to_owned())
    }

    fn told(code: u8, message: String, hint: String) -> Self {
        Self::Told { code, message, excerpt: None, hint }
    }

    /// What the accountant has to say of the expression `text`.
    #[must_use]
    pub fn of_expression(text: &str, error: AccountError) -> Self {
        let place = if let AccountError::Syntax { column, .. } = &error {
            Some(caret(text, *column))
        } else {
            None
        };
        let mut failure = Self::from(error);
        if let Self::Told { excerpt, .. } = &mut failure {
            *excerpt = place;
        }
        failure
    }

    /// Whose turn it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Told { code: USAGE, .. } | Self::Options(_) | Self::PipeClosed => Kind::Invalid,
            Self::Told { code: REFUSED, .. } | Self::Violated => Kind::Refused,
            Self::Told { code: EXHAUSTED, .. } => Kind::Exhausted,
            Self::Told { .. } => Kind::Bug,
        }
    }

    /// What is said of it: the error, with the place in an expression if there is one, and a hint.
    #[must_use]
    pub fn words(&self) -> (String, &str) {
        match self {
            Self::Told { message, excerpt, hint, .. } => match excerpt {
                Some(excerpt) => (format!("{message}\n{}", excerpt.trim_end()), hint),
                None => (message.clone(), hint),
            },
            Self::Options(error) => (error.to_string(), ""),
            Self::PipeClosed => ("nobody reads the output".to_owned(), ""),
            Self::Violated => ("the claim does not hold".to_owned(), ""),
        }
    }

    /// Says it on stderr and gives the exit code.
    pub(crate) fn report(self) -> u8 {
        match self {
            Self::PipeClosed => 0,
            Self::Violated => REFUSED,
            Self::Options(error) => report_options(&error),
            Self::Told { code, message, excerpt, hint } => {
                let paint = stderr_paint();
                let mut text = format!("{} {message}\n", paint.error("error:"));
                if let Some(excerpt) = excerpt {
                    text.push_str(&excerpt);
                }
                let _ = writeln!(text, "{} {hint}", paint.hint("hint:"));
                output::talk(&text);
                code
            }
        }
    }
}

const BUG_HINT: &str = "this is a bug in throng; please report it with the command you typed";

/// Tells of a panic.
pub(crate) fn report_bug(what: &str) {
    output::talk(&format!("error: internal error: {what}\nhint: {BUG_HINT}\n"));
}

/// Help and version are answers; everything else is a usage error.
fn report_options(error: &clap::Error) -> u8 {
    let coloured = error.render().ansi().to_string();
    let plain = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // Whether the answer could be written does not make it less of an answer.
        let _ = output::answer(if output::paint().is_on() { &coloured } else { &plain });
        return 0;
    }
    let text = if stderr_paint().is_on() { coloured } else { plain };
    output::talk(&text.replace("For more information, try", "hint: for more information, try"));
    USAGE
}

/// The line of `text` that holds a column (in characters of the whole text, from 1), and a caret
/// under it. Of a long line only the neighbourhood is shown.
fn caret(text: &str, column: usize) -> String {
    const AROUND: usize = 50;
    let mut before = column.saturating_sub(1);
    let mut shown = "";
    for line in text.split('\n') {
        shown = line;
        let length = line.chars().count();
        if before <= length {
            break;
        }
        before -= length + 1;
    }
    let from = before.saturating_sub(AROUND);
    let window: String = shown
        .chars()
        .skip(from)
        .take(2 * AROUND)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let paint: Paint = stderr_paint();
    format!("  {window}\n  {}{}\n", " ".repeat(before - from), paint.error("^"))
}

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        const EXPRESSIONS: &str = "`throng help expressions` lists the mechanisms";
        let message = error.to_string();
        match error {
            AccountError::Refused { what, hint } => Self::told(REFUSED, what, hint),
            AccountError::Syntax { .. } => Self::usage(message, EXPRESSIONS),
            AccountError::Invalid { name, allowed, .. } => {
                Self::usage(message, format!("give {name} a value that is {allowed}"))
            }
            AccountError::TooLarge { .. } => Self::usage(
                message,
                "ask for a wider bracket, such as --width 1e-2, or make the mechanism smaller",
            ),
            AccountError::Numeric(_) => {
                Self::usage(message, "a parameter is out of the range that can be computed")
            }
            AccountError::Exhausted { .. } => {
                Self::told(EXHAUSTED, message, "ask for less; nothing was spent".to_owned())
            }
            AccountError::Interrupted | _ => Self::bug(message),
        }
    }
}

impl From<MechanismError> for Failure {
    fn from(error: MechanismError) -> Self {
        let message = error.to_string();
        match error {
            MechanismError::Account(error) => error.into(),
            MechanismError::Refused { what, hint } => Self::told(REFUSED, what, hint),
            MechanismError::Invalid { name, allowed, .. } => {
                Self::usage(message, format!("choose {name} so that it is {allowed}"))
            }
            MechanismError::Numeric(_) => {
                Self::usage(message, "a parameter is out of the range that can be computed")
            }
            MechanismError::Sample(_) | _ => Self::bug(message),
        }
    }
}

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        let message = error.to_string();
        match error {
            AuditError::Invalid { name, allowed, .. } => {
                Self::usage(message, format!("choose {name} so that it is {allowed}"))
            }
            AuditError::Outcomes { what, hint } => Self::usage(what, hint),
            AuditError::Target { what, hint } => Self::usage(format!("the target {what}"), hint),
            AuditError::Claim(error) => error.into(),
            AuditError::Mechanism(error) => error.into(),
            AuditError::Numeric(_) => {
                Self::usage(message, "a parameter is out of the range that can be computed")
            }
            AuditError::Interrupted | _ => Self::bug(message),
        }
    }
}

impl From<LearnError> for Failure {
    fn from(error: LearnError) -> Self {
        let message = error.to_string();
        match error {
            LearnError::Mechanism(error) => error.into(),
            LearnError::Refused { what, hint } => Self::told(REFUSED, what, hint),
            LearnError::Invalid { name, allowed, .. } => {
                Self::usage(message, format!("choose {name} so that it is {allowed}"))
            }
            LearnError::Malformed { .. } => {
                Self::usage(message, "give a model that `throng learn fit` wrote")
            }
            _ => Self::bug(message),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        let message = error.to_string();
        match error {
            LedgerError::Invalid { what, hint } => Self::usage(what, hint),
            LedgerError::Refused { what, hint } => Self::refused(what, hint),
            LedgerError::Exhausted { asked, left, whose } => Self::told(
                EXHAUSTED,
                format!(
                    "{whose} does not cover this: {} asked, {} left",
                    amount::words(&asked, Side::Up),
                    amount::words(&left, Side::Down)
                ),
                "ask for less, or ask what was answered before: that is free; nothing was spent"
                    .to_owned(),
            ),
            LedgerError::Corrupt { what, hint } => {
                Self::refused(format!("the ledger is damaged: {what}"), hint)
            }
            LedgerError::Locked { what, hint } => {
                Self::usage(format!("the ledger is locked: {what}"), hint)
            }
            LedgerError::Io { what, hint } => {
                Self::usage(format!("the ledger cannot be read or written: {what}"), hint)
            }
            LedgerError::Account(error) => error.into(),
            LedgerError::AlreadyAnswered(_) | _ => {
                Self::usage(message, "ask again: the stored answer is free")
            }
        }
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        let or = |hint: String, other: &str| if hint.is_empty() { other.to_owned() } else { hint };
        let message = error.to_string();
        match error {
            QueryError::Invalid { what, hint } => {
                Self::usage(what, or(hint, "`throng help query` shows examples"))
            }
            QueryError::Refused { part, reason, hint } => Self::refused(
                format!("{part}: {reason}"),
                or(hint, "docs/guide/sql.md lists what can be asked"),
            ),
            QueryError::Ledger(error) => error.into(),
            QueryError::Account(error) => error.into(),
            QueryError::Mechanism(error) => error.into(),
            QueryError::Interrupted { .. } => Self::usage(message, "ask again"),
            QueryError::Engine { doing, hint } => Self::usage(
                format!("the engine failed while {doing}"),
                or(hint, "check that the files are whole and that there is memory and disk left"),
            ),
            _ => Self::bug(message),
        }
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Options(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::PipeClosed;
        }
        Self::usage(error.to_string(), "check that the place can be written to")
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::bug(error.to_string())
    }
}
