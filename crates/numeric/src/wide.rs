//! Double-word arithmetic: a number as the unevaluated sum of two `f64`.
//!
//! # Guarantee
//! Each operation returns the exact result times (1 + e) with |e| <= [`UNIT`] = 2^-101, as long
//! as nothing overflows and up to an absolute 2^-1060 where products underflow (a quotient: that
//! over the divisor). An overflow gives NaN or an infinity, never a plausible wrong number.
//!
//! # Reference
//! Joldes, Muller, Popescu, *Tight and rigorous error bounds for basic building blocks of
//! double-word arithmetic*, ACM TOMS 44(2), 2017: algorithms 4, 6, 7, 10, 15 and 17, with
//! relative errors of at most 2u², 3u² + 13u³, 2u², 7u², 3u² and 15u² + 56u³ for u = 2^-53.
//! The largest is below 2^-102. Exact products are Dekker's, for a fused multiply-add is a
//! slow library call on the baseline x86-64.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::rounding::{two_product, two_sum};

/// A bound on the relative error of every operation, with a factor two to spare.
pub(crate) const UNIT: f64 = exp2i(-101);

/// A real number hi + lo with |lo| at most half an ulp of hi.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wide {
    pub(crate) hi: f64,
    pub(crate) lo: f64,
}

/// 2^k for -1022 <= k <= 1023.
pub(crate) const fn exp2i(k: i32) -> f64 {
    f64::from_bits(((1023 + k).cast_unsigned() as u64) << 52)
}

/// a + b = s + e exactly, provided |a| >= |b| or a = 0 (Dekker).
#[inline]
fn fast_two_sum(a: f64, b: f64) -> Wide {
    let s = a + b;
    Wide { hi: s, lo: b - (s - a) }
}

impl Wide {
    pub(crate) const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// An `f64` as it is.
    #[inline]
    pub(crate) const fn of(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }

    /// a + b exactly.
    #[inline]
    pub(crate) fn sum(a: f64, b: f64) -> Self {
        let (hi, lo) = two_sum(a, b);
        Self { hi, lo }
    }

    /// a + b exactly, provided |a| >= |b| or a = 0.
    #[inline]
    pub(crate) fn sum_of_ordered(a: f64, b: f64) -> Self {
        fast_two_sum(a, b)
    }

    /// a b exactly (up to underflow).
    #[inline]
    pub(crate) fn product(a: f64, b: f64) -> Self {
        let (hi, lo) = two_product(a, b);
        Self { hi, lo }
    }

    /// The square.
    #[inline]
    pub(crate) fn square(self) -> Self {
        self * self
    }

    /// This times a power of two, exactly (up to underflow).
    #[inline]
    pub(crate) fn times_power(self, power: f64) -> Self {
        Self { hi: self.hi * power, lo: self.lo * power }
    }

    /// The mantissa in [1, 2) and exponent of a positive number: this = m 2^k exactly, also
    /// when it is subnormal.
    pub(crate) fn normalised(self) -> (Self, i64) {
        let (m, k) = mantissa_and_exponent(self.hi);
        if self.lo == 0.0 {
            return (Self::of(m), k);
        }
        // Two steps, for 2^-k may itself be out of range.
        let half = k / 2;
        let scaled = self.times_power(power_of_two(-half)).times_power(power_of_two(half - k));
        (scaled, k)
    }
}

/// x = m 2^k with 1 <= m < 2, for positive finite x.
#[inline]
pub(crate) fn mantissa_and_exponent(x: f64) -> (f64, i64) {
    let (bits, shift) = if x < f64::MIN_POSITIVE {
        ((x * exp2i(54)).to_bits(), 1023 + 54) // a subnormal, lifted exactly
    } else {
        (x.to_bits(), 1023)
    };
    let biased = ((bits >> 52) & 0x7ff).cast_signed();
    (f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52), biased - shift)
}

/// 2^k; 0 or infinity where that is no `f64`.
#[inline]
pub(crate) fn power_of_two(k: i64) -> f64 {
    match k {
        -1022..=1023 => f64::from_bits((1023 + k).cast_unsigned() << 52),
        -1074..=-1023 => f64::from_bits(1 << (k + 1074)),
        i64::MIN..=-1075 => 0.0,
        1024..=i64::MAX => f64::INFINITY,
    }
}

impl Neg for Wide {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

/// Algorithm 6.
impl Add for Wide {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let (sh, sl) = two_sum(self.hi, other.hi);
        let (th, tl) = two_sum(self.lo, other.lo);
        let v = fast_two_sum(sh, sl + th);
        fast_two_sum(v.hi, tl + v.lo)
    }
}

/// Algorithm 4.
impl Add<f64> for Wide {
    type Output = Self;
    #[inline]
    fn add(self, other: f64) -> Self {
        let (sh, sl) = two_sum(self.hi, other);
        fast_two_sum(sh, self.lo + sl)
    }
}

impl Sub for Wide {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

/// Algorithm 10.
impl Mul for Wide {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (ch, cl) = two_product(self.hi, other.hi);
        fast_two_sum(ch, cl + (self.hi * other.lo + self.lo * other.hi))
    }
}

/// Algorithm 7.
impl Mul<f64> for Wide {
    type Output = Self;
    #[inline]
    fn mul(self, other: f64) -> Self {
        let (ch, cl) = two_product(self.hi, other);
        let t = fast_two_sum(ch, self.lo * other);
        fast_two_sum(t.hi, t.lo + cl)
    }
}

/// Algorithm 17.
impl Div for Wide {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let quotient = self.hi / other.hi;
        let back = other * quotient;
        let remainder = (self.hi - back.hi) + (self.lo - back.lo);
        fast_two_sum(quotient, remainder / other.hi)
    }
}

/// Algorithm 15.
impl Div<f64> for Wide {
    type Output = Self;
    #[inline]
    fn div(self, other: f64) -> Self {
        let quotient = self.hi / other;
        let (ph, pl) = two_product(quotient, other);
        let remainder = ((self.hi - ph) - pl) + self.lo;
        fast_two_sum(quotient, remainder / other)
    }
}
