//! Text to tokens, one at a time.

use throng_numeric::Rational;

use super::{number, syntax};
use crate::AccountError;

/// A token and where it begins, counted from 1 in characters.
#[derive(Debug, Clone)]
pub(super) struct Spot<'a> {
    pub(super) column: usize,
    pub(super) token: Token<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Number(Rational),
    /// One of `+ * , = ( ) [ ] ?`.
    Sign(char),
    End,
}

/// What is left to read; a copy looks ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, column: 1 }
    }

    pub(super) fn next(&mut self) -> Result<Spot<'a>, AccountError> {
        self.take_while(char::is_whitespace);
        let column = self.column;
        let token = match self.rest.chars().next() {
            None => Token::End,
            Some('0'..='9' | '.' | '-') => Token::Number(self.number()?),
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                Token::Name(self.take_while(|c| c.is_ascii_alphanumeric() || c == '_'))
            }
            Some(sign) if "+*,=()[]?".contains(sign) => {
                self.skip(sign);
                Token::Sign(sign)
            }
            Some('/') => {
                return Err(syntax(column, "\"/\" may only stand between two numbers"));
            }
            Some(other) => {
                return Err(syntax(column, format!("unexpected character {other:?}")));
            }
        };
        Ok(Spot { column, token })
    }

    /// Whether the next token is this sign.
    pub(super) fn next_is(mut self, sign: char) -> bool {
        self.take_while(char::is_whitespace);
        self.rest.starts_with(sign)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.column += taken.chars().count();
        self.rest = rest;
        taken
    }

    fn skip(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.column += usize::from(rest.is_some());
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// `-0.8`, `1e-6`, `256 / 60000`.
    fn number(&mut self) -> Result<Rational, AccountError> {
        let start = self.column;
        let mut text = String::new();
        if self.skip('-') {
            text.push('-');
        }
        self.decimal(&mut text);
        let mut divided = *self;
        divided.take_while(char::is_whitespace);
        // Spaces around "/" are dropped, so what follows it is further right than it seems.
        let mut gap = 0;
        let numerator = text.len();
        if divided.skip('/') {
            divided.take_while(char::is_whitespace);
            *self = divided;
            text.push('/');
            gap = self.column - start - text.len();
            self.decimal(&mut text);
        }
        number::read(&text).map_err(|error| {
            let before = error.column - 1;
            let gap = if before > numerator { gap } else { 0 };
            syntax(start + before + gap, error.reason)
        })
    }

    /// Digits and whatever sticks to them; whether that is a number is decided later.
    fn decimal(&mut self, into: &mut String) {
        loop {
            let part = self.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
            into.push_str(part);
            let sign = self.rest.chars().next().filter(|c| matches!(c, '+' | '-'));
            match sign {
                Some(sign) if part.ends_with(['e', 'E']) => {
                    self.skip(sign);
                    into.push(sign);
                }
                _ => return,
            }
        }
    }
}
