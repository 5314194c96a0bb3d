//! Values of public keys.

use std::fmt;

use throng_numeric::Rational;

/// A value of a public key, as the policy writes it; the schema decides its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number, exactly.
    Number(Rational),
    /// True or false.
    Boolean(bool),
    /// A date or a time, as text: `2026-01-31`, `2026-01-31T12:00:00`.
    Moment(String),
    /// As typed on a command line: the type of the column decides what it is.
    Plain(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Moment(text) | Self::Plain(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Boolean(flag) => write!(f, "{flag}"),
        }
    }
}
