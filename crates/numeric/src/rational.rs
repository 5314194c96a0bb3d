//! Exact rationals and their text form.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

use dashu_base::{Abs, BitTest, Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::NumericError;

/// An exact rational number, always in lowest terms with a positive denominator.
///
/// Privacy parameters are exact: `0.1` in a policy is one tenth, not the nearest `f64`.
/// There is no `Div` operator because division can fail; see [`Rational::checked_div`].
///
/// ```
/// use throng_numeric::Rational;
/// let rate: Rational = "256/60000".parse()?;
/// assert_eq!(rate.to_string(), "8/1875");
/// assert_eq!("0.8".parse::<Rational>()?, "4/5".parse()?);
/// assert_eq!("1e-6".parse::<Rational>()?, "1/1_000_000".parse()?);
/// # Ok::<(), throng_numeric::rational::ParseRationalError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(RBig);

impl Rational {
    /// The number 0.
    pub const ZERO: Self = Self(RBig::ZERO);
    /// The number 1.
    pub const ONE: Self = Self(RBig::ONE);

    /// numerator / denominator.
    ///
    /// # Errors
    /// If the denominator is zero.
    pub fn new(
        numerator: impl Into<IBig>,
        denominator: impl Into<UBig>,
    ) -> Result<Self, NumericError> {
        let denominator = denominator.into();
        if denominator.is_zero() {
            return Err(NumericError::Zero { name: "denominator" });
        }
        Ok(Self(RBig::from_parts(numerator.into(), denominator)))
    }

    /// The exact value of a finite `f64` (every one is an integer times a power of two).
    ///
    /// # Errors
    /// If `value` is NaN or infinite.
    pub fn from_f64(value: f64) -> Result<Self, NumericError> {
        if !value.is_finite() {
            return Err(NumericError::NotFinite { name: "value", value });
        }
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let biased = (bits >> 52) & 0x7ff;
        // A subnormal has no hidden bit and the exponent of the smallest normal.
        let mantissa = UBig::from(if biased == 0 { fraction } else { fraction | 1 << 52 });
        let shift = biased.max(1);
        let magnitude = if shift >= 1075 {
            RBig::from(mantissa << usize::try_from(shift - 1075).unwrap_or(0))
        } else {
            let down = usize::try_from(1075 - shift).unwrap_or(0);
            RBig::from_parts(mantissa.into(), UBig::ONE << down)
        };
        Ok(Self(if value.is_sign_negative() { -magnitude } else { magnitude }))
    }

    /// The numerator, which carries the sign.
    #[must_use]
    pub fn numerator(&self) -> &IBig {
        self.0.numerator()
    }

    /// The denominator, at least 1.
    #[must_use]
    pub fn denominator(&self) -> &UBig {
        self.0.denominator()
    }

    /// The numerator without its sign.
    #[must_use]
    pub fn magnitude_of_numerator(&self) -> UBig {
        self.0.numerator().unsigned_abs()
    }

    /// Whether this is below 0.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Whether this is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is above 0.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    /// Whether the denominator is 1.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.0.is_int()
    }

    /// The largest integer not above this.
    #[must_use]
    pub fn floor(&self) -> IBig {
        self.0.floor()
    }

    /// The smallest integer not below this.
    #[must_use]
    pub fn ceil(&self) -> IBig {
        self.0.ceil()
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self(self.0.clone().abs())
    }

    /// The square.
    #[must_use]
    pub fn square(&self) -> Self {
        self * self
    }

    /// self / divisor.
    ///
    /// # Errors
    /// If the divisor is zero.
    pub fn checked_div(&self, divisor: &Self) -> Result<Self, NumericError> {
        if divisor.is_zero() {
            return Err(NumericError::Zero { name: "divisor" });
        }
        Ok(Self(&self.0 / &divisor.0))
    }

    /// The largest `f64` not above this (`f64::MAX` if this is larger than every `f64`).
    #[must_use]
    pub fn to_f64_down(&self) -> f64 {
        if self.is_negative() {
            -magnitude_to_f64(&self.magnitude_of_numerator(), self.denominator(), Towards::Infinity)
        } else {
            magnitude_to_f64(&self.magnitude_of_numerator(), self.denominator(), Towards::Zero)
        }
    }

    /// The smallest `f64` not below this (`f64::INFINITY` if this is larger than every `f64`).
    #[must_use]
    pub fn to_f64_up(&self) -> f64 {
        -(-self).to_f64_down()
    }

    /// The `f64` nearest to this, for display and for starting guesses.
    #[must_use]
    pub fn to_f64_nearest(&self) -> f64 {
        let (down, up) = (self.to_f64_down(), self.to_f64_up());
        let (Ok(below), Ok(above)) = (Self::from_f64(down), Self::from_f64(up)) else {
            // Beyond the largest f64: the ends are MAX and infinity, and infinity is nearer.
            return if self.is_negative() { down } else { up };
        };
        if (self - &below) <= (&above - self) { down } else { up }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Towards {
    Zero,
    Infinity,
}

/// n/d as f64, rounded in one direction.
fn magnitude_to_f64(n: &UBig, d: &UBig, towards: Towards) -> f64 {
    if n.is_zero() {
        return 0.0;
    }
    let floor = truncated_to_f64(n, d);
    if floor.is_infinite() {
        return if towards == Towards::Zero { f64::MAX } else { f64::INFINITY };
    }
    let exact = Rational::from_f64(floor)
        .is_ok_and(|f| f.magnitude_of_numerator() * d == n * f.denominator());
    if exact || towards == Towards::Zero { floor } else { floor.next_up() }
}

/// n/d truncated to the f64 below, infinite if beyond the largest.
fn truncated_to_f64(n: &UBig, d: &UBig) -> f64 {
    let signed = |bits: usize| i64::try_from(bits).unwrap_or(i64::MAX);
    // 2^(size - 1) < n/d < 2^(size + 1).
    let size = signed(n.bit_len()) - signed(d.bit_len());
    if size > 1025 {
        return f64::INFINITY;
    }
    // quotient = floor(n/d 2^shift) has 54 or 55 bits, fewer for subnormals; a unit of the
    // last place of any f64 is at least 2^-1074.
    let shift = (54 - size).min(1074);
    let quotient = match usize::try_from(shift) {
        Ok(up) => (n << up) / d,
        Err(_) => n / (d << usize::try_from(-shift).unwrap_or(0)),
    };
    let quotient = u64::try_from(quotient).unwrap_or(u64::MAX);
    let surplus = (64 - quotient.leading_zeros()).saturating_sub(53);
    let mantissa = quotient >> surplus;
    power_of_two_times(mantissa, i64::from(surplus) - shift)
}

/// mantissa 2^exponent for a mantissa below 2^53 whose product is a f64 or overflows.
fn power_of_two_times(mantissa: u64, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let length = i64::from(64 - mantissa.leading_zeros());
    let biased = exponent + length - 1 + 1023;
    if biased > 2046 {
        return f64::INFINITY;
    }
    if biased < 1 {
        // Subnormal: the stored fraction counts units of 2^-1074.
        let up = u32::try_from(exponent + 1074).unwrap_or(0);
        return f64::from_bits(mantissa << up);
    }
    let fraction = (mantissa << (53 - length)) & ((1 << 52) - 1);
    f64::from_bits(u64::try_from(biased).unwrap_or(0) << 52 | fraction)
}

macro_rules! operator {
    ($trait:ident, $method:ident, $symbol:tt) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                Rational(&self.0 $symbol &other.0)
            }
        }
        impl $trait for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                Rational(self.0 $symbol other.0)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);

impl Neg for Rational {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(-self.0.clone())
    }
}

macro_rules! from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Rational {
            fn from(value: $integer) -> Self {
                Self(RBig::from(value))
            }
        }
    )*};
}
from_integer!(u8, u32, u64, u128, i32, i64, i128, UBig, IBig);

impl fmt::Display for Rational {
    /// `3`, `-8/1875`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

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
