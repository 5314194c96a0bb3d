//! Rationals from text.

use std::str::FromStr;

use dashu_int::UBig;
use dashu_ratio::RBig;

use super::Rational;

/// Why a text is not a number, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {reason}")]
pub struct ParseRationalError {
    /// Where reading stopped, counted in characters from 1.
    pub column: usize,
    /// What was wrong there.
    pub reason: ParseRationalReason,
}

/// What can be wrong with the text of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseRationalReason {
    /// Nothing, or nothing after a sign, point, `e` or `/`.
    #[error("expected a digit")]
    ExpectedDigit,
    /// A whole number was read and then something else followed.
    #[error("unexpected character after the number (allowed: 3, -0.8, 1e-6, 256/60000)")]
    TrailingText,
    /// Division by zero.
    #[error("the denominator is zero")]
    ZeroDenominator,
    /// More digits, or a larger exponent, than [`MAX_DIGITS`].
    #[error("too many digits: at most {MAX_DIGITS} in a number or its exponent's reach")]
    TooLong,
}

/// The longest text, and the largest decimal exponent, that is read as a number. The limit
/// stops `1e999999999` from becoming a gigabyte; no privacy parameter comes near it.
pub const MAX_DIGITS: usize = 100_000;

impl FromStr for Rational {
    type Err = ParseRationalError;

    /// Reads `3`, `-0.8`, `.5`, `1e-6`, `256/60000`, `1_000_000`, exactly.
    fn from_str(text: &str) -> Result<Self, ParseRationalError> {
        Reader { text: text.as_bytes(), at: 0 }.rational()
    }
}

/// A cursor over the text of a number.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn error<T>(&self, reason: ParseRationalReason) -> Result<T, ParseRationalError> {
        // A column counts characters: continuation bytes of UTF-8 are not characters.
        let before = &self.text[..self.at.min(self.text.len())];
        let column = before.iter().filter(|byte| *byte & 0xc0 != 0x80).count() + 1;
        Err(ParseRationalError { column, reason })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, wanted: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| wanted.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    fn rational(mut self) -> Result<Rational, ParseRationalError> {
        if self.text.len() > MAX_DIGITS {
            return self.error(ParseRationalReason::TooLong);
        }
        let negative = self.eat(b"+-") == Some(b'-');
        let mut value = self.decimal()?;
        if self.eat(b"/").is_some() {
            let start = self.at;
            let divisor = self.decimal()?;
            value = match value.checked_div(&divisor) {
                Ok(quotient) => quotient,
                Err(_) => {
                    self.at = start;
                    return self.error(ParseRationalReason::ZeroDenominator);
                }
            };
        }
        if self.at < self.text.len() {
            return self.error(ParseRationalReason::TrailingText);
        }
        Ok(if negative { -value } else { value })
    }

    /// digits [. digits] [e [sign] digits], with at least one digit before the exponent.
    fn decimal(&mut self) -> Result<Rational, ParseRationalError> {
        let mut digits = String::new();
        self.digits(&mut digits);
        let whole = digits.len();
        if self.eat(b".").is_some() {
            self.digits(&mut digits);
        }
        if digits.is_empty() {
            return self.error(ParseRationalReason::ExpectedDigit);
        }
        let places = i64::try_from(digits.len() - whole).unwrap_or(i64::MAX);
        let exponent = self.exponent()? - places;
        let mantissa = UBig::from_str_radix(&digits, 10).unwrap_or(UBig::ZERO);
        let power =
            UBig::from(10_u8).pow(usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX));
        Ok(Rational(if exponent < 0 {
            RBig::from_parts(mantissa.into(), power)
        } else {
            RBig::from(mantissa * power)
        }))
    }

    /// The value of `e-6`, or 0 if there is no exponent.
    fn exponent(&mut self) -> Result<i64, ParseRationalError> {
        if self.eat(b"eE").is_none() {
            return Ok(0);
        }
        let negative = self.eat(b"+-") == Some(b'-');
        let mut digits = String::new();
        self.digits(&mut digits);
        if digits.is_empty() {
            return self.error(ParseRationalReason::ExpectedDigit);
        }
        match digits.parse::<i64>() {
            Ok(size) if usize::try_from(size).is_ok_and(|size| size <= MAX_DIGITS) => {
                Ok(if negative { -size } else { size })
            }
            _ => self.error(ParseRationalReason::TooLong),
        }
    }

    /// Digits, with single underscores allowed between them.
    fn digits(&mut self, into: &mut String) {
        while let Some(byte) = self.peek() {
            let between = byte == b'_'
                && self.at > 0
                && self.text[self.at - 1].is_ascii_digit()
                && self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit);
            if byte.is_ascii_digit() {
                into.push(char::from(byte));
            } else if !between {
                return;
            }
            self.at += 1;
        }
    }
}
