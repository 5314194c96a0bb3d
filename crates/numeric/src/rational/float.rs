//! Rationals from and to `f64`.

use dashu_base::BitTest;
use dashu_int::UBig;
use dashu_ratio::RBig;

use super::Rational;
use crate::NumericError;

impl Rational {
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
        // Subtracted, so that 0 has no sign.
        0.0 - (-self).to_f64_down()
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
