//! Exact rationals.

mod float;
mod text;

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_base::{Abs, Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::NumericError;
pub use text::{MAX_DIGITS, ParseRationalError, ParseRationalReason};

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
