//! Outward-rounded intervals.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::rounding::{
    add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up, sub_down, sub_up,
};
use crate::{NumericError, Rational};

/// A closed interval of `f64` in which the true value of a quantity is proved to lie.
///
/// The ends may be infinite, meaning "no bound known on this side"; they are never NaN, and
/// the lower end never exceeds the upper.
///
/// # Guarantee
/// Every operation returns an enclosure of the set of all exact results: if `x` is in `X` and
/// `y` in `Y`, then `x + y` is in `X + Y`, and so on, whatever rounding happens inside.
///
/// ```
/// use throng_numeric::Enclosure;
/// let tenth = Enclosure::point(1.0)? / Enclosure::point(10.0)?;
/// assert!(tenth.lower() < tenth.upper());           // 1/10 is not a float
/// assert_eq!(tenth.upper(), tenth.lower().next_up()); // but it is enclosed as tightly as can be
/// # Ok::<(), throng_numeric::NumericError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure {
    lower: f64,
    upper: f64,
}

impl Enclosure {
    /// The number 0.
    pub const ZERO: Self = Self { lower: 0.0, upper: 0.0 };
    /// The number 1.
    pub const ONE: Self = Self { lower: 1.0, upper: 1.0 };
    /// Everything: nothing is known.
    pub const REAL: Self = Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    /// The probabilities, [0, 1].
    pub const UNIT: Self = Self { lower: 0.0, upper: 1.0 };

    /// The interval between two ends.
    ///
    /// # Errors
    /// If an end is NaN or the ends are the wrong way round.
    pub fn new(lower: f64, upper: f64) -> Result<Self, NumericError> {
        if lower <= upper {
            Ok(Self { lower, upper })
        } else {
            Err(NumericError::NotAnInterval { lower, upper })
        }
    }

    /// The exact value of a finite `f64`.
    ///
    /// # Errors
    /// If `value` is NaN or infinite.
    pub fn point(value: f64) -> Result<Self, NumericError> {
        if value.is_finite() {
            Ok(Self { lower: value, upper: value })
        } else {
            Err(NumericError::NotFinite { name: "value", value })
        }
    }

    /// For results already rounded outward by this crate; NaN (from inf - inf) widens to
    /// "nothing known on this side", which keeps the enclosure true.
    pub(crate) fn outward(lower: f64, upper: f64) -> Self {
        let lower = if lower.is_nan() { f64::NEG_INFINITY } else { lower };
        let upper = if upper.is_nan() { f64::INFINITY } else { upper };
        debug_assert!(lower <= upper, "inverted enclosure [{lower}, {upper}]");
        Self { lower, upper }
    }

    /// The tightest enclosure of a rational.
    #[must_use]
    pub fn of_rational(value: &Rational) -> Self {
        Self { lower: value.to_f64_down(), upper: value.to_f64_up() }
    }

    /// The end that is certainly not above the true value.
    #[must_use]
    pub fn lower(self) -> f64 {
        self.lower
    }

    /// The end that is certainly not below the true value.
    #[must_use]
    pub fn upper(self) -> f64 {
        self.upper
    }

    /// An upper bound of the distance between the ends.
    #[must_use]
    pub fn width(self) -> f64 {
        if self.lower == self.upper { 0.0 } else { sub_up(self.upper, self.lower) }
    }

    /// Whether `value` lies between the ends.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Whether the ends are the same number.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { lower: self.lower.min(other.lower), upper: self.upper.max(other.upper) }
    }

    /// What two enclosures of *the same* quantity say together.
    ///
    /// # Errors
    /// If they have no point in common: then one of them is not an enclosure of that quantity.
    pub fn intersect(self, other: Self) -> Result<Self, NumericError> {
        Self::new(self.lower.max(other.lower), self.upper.min(other.upper))
    }

    /// Moves both ends into [lower, upper], for a quantity known to lie there.
    pub(crate) fn clamp_to(self, lower: f64, upper: f64) -> Self {
        Self { lower: self.lower.clamp(lower, upper), upper: self.upper.clamp(lower, upper) }
    }

    /// The larger of two quantities.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.max(other.upper) }
    }

    /// The smaller of two quantities.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self { lower: self.lower.min(other.lower), upper: self.upper.min(other.upper) }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.lower >= 0.0 {
            self
        } else if self.upper <= 0.0 {
            -self
        } else {
            Self { lower: 0.0, upper: self.upper.max(-self.lower) }
        }
    }

    /// The square, tighter than `x * x` when the sign of x is unknown.
    #[must_use]
    pub fn square(self) -> Self {
        let a = self.abs();
        Self::outward(mul_down(a.lower, a.lower), mul_up(a.upper, a.upper))
    }

    /// The square root of the part of the interval that is not negative.
    ///
    /// # Errors
    /// If the whole interval is negative.
    pub fn sqrt(self) -> Result<Self, NumericError> {
        if self.upper < 0.0 {
            return Err(NumericError::domain("x", self, "at least 0"));
        }
        Ok(Self::outward(sqrt_down(self.lower.max(0.0)), sqrt_up(self.upper)))
    }

    /// The integer power x^n; x^0 is 1 for every x.
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        let magnitude = self.powu(n.unsigned_abs());
        if n < 0 { Self::ONE / magnitude } else { magnitude }
    }

    fn powu(self, n: u32) -> Self {
        if n == 0 {
            return Self::ONE;
        }
        // An even power only sees |x|; an odd one is monotone. Either way the powers of the
        // two ends, computed by repeated squaring of *points*, enclose the result.
        let base = if n.is_multiple_of(2) { self.abs() } else { self };
        Self::outward(power_down(base.lower, n), power_up(base.upper, n))
    }
}

/// At most x^n.
fn power_down(x: f64, n: u32) -> f64 {
    if x < 0.0 { -power_of_magnitude(-x, n, mul_up) } else { power_of_magnitude(x, n, mul_down) }
}

/// At least x^n.
fn power_up(x: f64, n: u32) -> f64 {
    if x < 0.0 { -power_of_magnitude(-x, n, mul_down) } else { power_of_magnitude(x, n, mul_up) }
}

/// x^n for x >= 0 with every product rounded the same way: products of non-negative numbers
/// are monotone, so the roundings only add up in that direction.
fn power_of_magnitude(x: f64, n: u32, product: fn(f64, f64) -> f64) -> f64 {
    let (mut result, mut square, mut n) = (1.0, x, n);
    loop {
        if n & 1 == 1 {
            result = product(result, square);
        }
        n >>= 1;
        if n == 0 {
            return result;
        }
        square = product(square, square);
    }
}

impl Neg for Enclosure {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower }
    }
}

impl Add for Enclosure {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::outward(add_down(self.lower, other.lower), add_up(self.upper, other.upper))
    }
}

impl Sub for Enclosure {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::outward(sub_down(self.lower, other.upper), sub_up(self.upper, other.lower))
    }
}

impl Mul for Enclosure {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (a, b, c, d) = (self.lower, self.upper, other.lower, other.upper);
        if a >= 0.0 && c >= 0.0 {
            return Self::outward(mul_down(a, c), mul_up(b, d));
        }
        let lower = mul_down(a, c).min(mul_down(a, d)).min(mul_down(b, c)).min(mul_down(b, d));
        let upper = mul_up(a, c).max(mul_up(a, d)).max(mul_up(b, c)).max(mul_up(b, d));
        Self::outward(lower, upper)
    }
}

impl Div for Enclosure {
    type Output = Self;
    /// A divisor that may be zero gives [`Enclosure::REAL`]: nothing is known.
    fn div(self, other: Self) -> Self {
        let (a, b, c, d) = (self.lower, self.upper, other.lower, other.upper);
        if c <= 0.0 && d >= 0.0 {
            return Self::REAL;
        }
        if a >= 0.0 && c > 0.0 {
            return Self::outward(div_down(a, d), div_up(b, c));
        }
        let down = [div_down(a, c), div_down(a, d), div_down(b, c), div_down(b, d)];
        let up = [div_up(a, c), div_up(a, d), div_up(b, c), div_up(b, d)];
        if down.iter().chain(&up).any(|q| q.is_nan()) {
            return Self::REAL;
        }
        Self::outward(
            down.into_iter().fold(f64::INFINITY, f64::min),
            up.into_iter().fold(f64::NEG_INFINITY, f64::max),
        )
    }
}

impl fmt::Display for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.lower, self.upper)
    }
}
