//! Positive numbers with 128 bits and an unlimited exponent, multiplied with a direction.
//!
//! Exponential tilting meets numbers such as 1.01^100000 and M^1000000000, far outside the range
//! of `f64`, and needs them to far more than 53 bits, because an error in a weight is raised to
//! the number of convolutions. Integers do this simply and exactly.
//!
//! # Guarantee
//! [`Scaled::times`] rounds its exact product in the direction asked for, by less than one unit
//! of the last of 128 bits: a relative error below 2^-127. All numbers are positive, so products
//! rounded one way are monotone, and a power of n factors is on the right side of the exact one
//! with a relative error below n 2^-126 for n < 2^64.

use crate::Enclosure;
use crate::rounding::{div_down, div_up};

/// Which way to round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Towards {
    Below,
    Above,
}

/// mantissa 2^exponent, with the top bit of the mantissa set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scaled {
    mantissa: u128,
    exponent: i64,
}

impl Scaled {
    pub(crate) const ONE: Self = Self { mantissa: 1 << 127, exponent: -127 };

    /// The exact value of a positive finite `f64`; None for anything else.
    pub(crate) fn of(x: f64) -> Option<Self> {
        (x > 0.0 && x.is_finite()).then(|| {
            let (fraction, exponent) = parts(x);
            let up = fraction.leading_zeros();
            Self {
                mantissa: u128::from(fraction) << (64 + up),
                exponent: exponent - 64 - i64::from(up),
            }
        })
    }

    /// The product, rounded.
    pub(crate) fn times(self, other: Self, towards: Towards) -> Self {
        let (high, low) = wide_product(self.mantissa, other.mantissa);
        let exponent = self.exponent + other.exponent + 128;
        // Both top bits are set, so the product has 255 or 256 bits.
        let (mantissa, rest, exponent) = if high >> 127 == 1 {
            (high, low, exponent)
        } else {
            (high << 1 | low >> 127, low << 1, exponent - 1)
        };
        if rest == 0 || towards == Towards::Below {
            return Self { mantissa, exponent };
        }
        match mantissa.checked_add(1) {
            Some(mantissa) => Self { mantissa, exponent },
            None => Self { mantissa: 1 << 127, exponent: exponent + 1 },
        }
    }

    /// The n-th power, every product rounded the same way.
    pub(crate) fn power(self, n: u64, towards: Towards) -> Self {
        let (mut result, mut square, mut n) = (Self::ONE, self, n);
        while n > 0 {
            if n & 1 == 1 {
                result = result.times(square, towards);
            }
            n >>= 1;
            if n > 0 {
                square = square.times(square, towards);
            }
        }
        result
    }

    /// The same number with its exponent moved.
    pub(crate) fn shifted(self, exponent: i64) -> Self {
        Self { exponent: self.exponent + exponent, ..self }
    }

    /// The nearest `f64`, with a relative error below 1.01 * 2^-53 when it is a normal number,
    /// and an absolute error below 2^-1074 when it is not. Beyond the range: 0 or infinity.
    pub(crate) fn to_f64(self) -> f64 {
        // 64 bits remain of 128 (a relative error below 2^-63), then the conversion rounds once.
        times_power_of_two(to_nearest(top_half(self.mantissa)), self.exponent + 64)
    }

    /// The mantissa in [1, 2] as the two `f64` around it, and the exponent that goes with it.
    fn mantissa(self) -> (f64, f64, i64) {
        let kept = top_half(self.mantissa) >> 11; // 53 bits: exact as f64
        let below = to_nearest(kept) / 4_503_599_627_370_496.0; // 2^52
        (below, below.next_up(), self.exponent + 127)
    }

    /// The binary logarithm, roughly: for choices that need no proof.
    #[expect(clippy::disallowed_methods, reason = "an estimate")]
    pub(crate) fn log2(self) -> f64 {
        let (below, _, exponent) = self.mantissa();
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let whole = exponent as f64;
        below.log2() + whole
    }
}

/// x = lower .. upper times 2^exponent: an enclosure with an exponent of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quotient {
    ratio: Enclosure,
    exponent: i64,
}

impl Quotient {
    /// The quotient of two positive numbers, each known from below and from above.
    pub(crate) fn of(numerator: (Scaled, Scaled), denominator: (Scaled, Scaled)) -> Self {
        let (below, above) = (numerator.0.mantissa(), numerator.1.mantissa());
        let (under, over) = (denominator.0.mantissa(), denominator.1.mantissa());
        let exponent = below.2 - over.2;
        let lower = div_down(below.0, over.1);
        let upper = div_up(above.1, under.0);
        // The exponents of the two ends can differ by a few when a mantissa sits at 1 or 2, or
        // by more when the two are far apart.
        let upper = raised(upper, above.2 - under.2 - exponent);
        Self { ratio: Enclosure::outward(lower, upper), exponent }
    }

    /// The enclosure of this quotient times a non-negative quantity. The exponent is spent on
    /// both in turn, so that only a result outside the range of `f64` is lost, outward.
    pub(crate) fn times(self, quantity: Enclosure) -> Enclosure {
        let product = |factor: f64, of: f64, towards| match (Scaled::of(factor), Scaled::of(of)) {
            (Some(a), Some(b)) => a.times(b, towards).shifted(self.exponent).rounded(towards),
            _ if factor == 0.0 || of == 0.0 => 0.0,
            _ if towards == Towards::Above => f64::INFINITY,
            _ => 0.0,
        };
        Enclosure::outward(
            product(self.ratio.lower(), quantity.lower(), Towards::Below),
            product(self.ratio.upper(), quantity.upper(), Towards::Above),
        )
    }

    /// An upper bound of the quotient itself.
    pub(crate) fn upper(self) -> f64 {
        self.times(Enclosure::ONE).upper()
    }
}

impl Scaled {
    /// The nearest `f64` on the given side (at least the smallest positive one from above).
    fn rounded(self, towards: Towards) -> f64 {
        let (below, above, exponent) = self.mantissa();
        match towards {
            Towards::Below => lowered(below, exponent),
            Towards::Above => raised(above, exponent),
        }
    }
}

/// At most x 2^exponent, for x >= 0.
fn lowered(x: f64, exponent: i64) -> f64 {
    let y = times_power_of_two(x, exponent);
    if y.is_infinite() {
        f64::MAX
    } else if y < f64::MIN_POSITIVE {
        y.next_down().max(0.0)
    } else {
        y
    }
}

/// At least x 2^exponent, for x >= 0.
fn raised(x: f64, exponent: i64) -> f64 {
    let y = times_power_of_two(x, exponent);
    if y < f64::MIN_POSITIVE && x > 0.0 { y.next_up() } else { y }
}

/// The bits of a finite positive x: x = fraction 2^exponent.
fn parts(x: f64) -> (u64, i64) {
    let bits = x.to_bits();
    let biased = bits >> 52 & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    let fraction = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (fraction, i64::try_from(biased.max(1)).unwrap_or(0) - 1075)
}

/// x 2^exponent for x >= 0: exact when the result is normal or overflows to infinity, and
/// otherwise rounded once, off by at most half of 2^-1074.
pub(crate) fn times_power_of_two(x: f64, exponent: i64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (fraction, own) = parts(x);
    let up = fraction.leading_zeros() - 11;
    // x = unit 2^whole with unit in [1, 2).
    let unit = f64::from_bits((fraction << up) & ((1 << 52) - 1) | 1023 << 52);
    let whole = (own + 52 - i64::from(up)).saturating_add(exponent);
    if whole > 1023 {
        return f64::INFINITY;
    }
    // Two steps reach the subnormals; the first is exact, so only the second can round.
    let first = whole.max(-1000);
    unit * power_of_two(first) * power_of_two((whole - first).max(-1000))
}

/// 2^e for -1022 <= e <= 1023.
fn power_of_two(e: i64) -> f64 {
    f64::from_bits(u64::try_from(e + 1023).unwrap_or(0) << 52)
}

fn top_half(x: u128) -> u64 {
    u64::try_from(x >> 64).unwrap_or(u64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "`as` rounds to nearest, which is what is wanted")]
fn to_nearest(x: u64) -> f64 {
    x as f64
}

/// The 256 bits of a product, as high and low halves: schoolbook in 64-bit digits.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, middle_a, middle_b) = (a0 * b0, a1 * b0, a0 * b1);
    // Each is below 2^64 - 1 squared, so adding two carries of 64 bits cannot overflow.
    let middle = middle_a + (low >> 64);
    let (middle, carry) = (middle & LOW, middle >> 64);
    let middle = middle + middle_b;
    (a1 * b1 + carry + (middle >> 64), middle << 64 | low & LOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumericError, Rational};
    use proptest::prelude::*;

    /// Exact, for exponents that a rational can hold.
    fn exact(x: Scaled) -> Result<Rational, NumericError> {
        let mantissa = Rational::from(x.mantissa);
        let power = crate::Natural::ONE << usize::try_from(x.exponent.unsigned_abs()).unwrap_or(0);
        Ok(if x.exponent < 0 {
            Rational::new(mantissa.magnitude_of_numerator(), power)?
        } else {
            &mantissa * &Rational::from(power)
        })
    }

    fn positive() -> impl Strategy<Value = f64> {
        prop_oneof![f64::from_bits(1)..1e-300, 1e-10..1e10_f64, 1e290..f64::MAX]
    }

    proptest! {
        #[test]
        fn a_float_is_held_exactly(x in positive()) {
            let scaled = Scaled::of(x).unwrap_or(Scaled::ONE);
            prop_assert_eq!(exact(scaled)?, Rational::from_f64(x)?);
            prop_assert_eq!(scaled.to_f64(), x);
        }

        #[test]
        fn products_are_on_the_side_asked_for(a in positive(), b in positive(), c in positive()) {
            let [a, b, c] = [a, b, c].map(|x| Scaled::of(x).unwrap_or(Scaled::ONE));
            let truth = &(&exact(a)? * &exact(b)?) * &exact(c)?;
            let below = exact(a.times(b, Towards::Below).times(c, Towards::Below))?;
            let above = exact(a.times(b, Towards::Above).times(c, Towards::Above))?;
            prop_assert!(below <= truth && truth <= above);
            let width = &(&above - &below) * &Rational::from(1_u128 << 125);
            prop_assert!(width <= truth);
        }

        #[test]
        fn powers_and_quotients_enclose(x in 0.5..2.0_f64, n in 0..60_u64, m in 0..60_u64) {
            let base = Scaled::of(x).unwrap_or(Scaled::ONE);
            let power = |n| (base.power(n, Towards::Below), base.power(n, Towards::Above));
            let got = Quotient::of(power(n), power(m)).times(Enclosure::ONE);
            let mut truth = Rational::ONE;
            for _ in 0..n { truth = &truth * &Rational::from_f64(x)?; }
            for _ in 0..m { truth = truth.checked_div(&Rational::from_f64(x)?)?; }
            prop_assert!(Rational::from_f64(got.lower())? <= truth);
            prop_assert!(Rational::from_f64(got.upper())? >= truth);
            prop_assert!(got.width() <= 2e-15 * got.upper());
        }
    }

    #[test]
    fn results_outside_the_range_are_bounded() {
        let huge = Scaled::of(1e300).unwrap_or(Scaled::ONE).power(1_000_000_000, Towards::Below);
        let over = Quotient::of((huge, huge), (Scaled::ONE, Scaled::ONE)).times(Enclosure::ONE);
        assert_eq!((over.lower(), over.upper()), (f64::MAX, f64::INFINITY));
        let under = Quotient::of((Scaled::ONE, Scaled::ONE), (huge, huge)).times(Enclosure::ONE);
        assert!(under.lower() == 0.0 && under.upper() > 0.0 && under.upper() < 1e-320);
    }

    #[test]
    fn subnormals_are_rounded_once() {
        assert_eq!(times_power_of_two(1.5, -1074), 1.5 * 5e-324);
        assert_eq!(times_power_of_two(5e-324, 1074), 1.0);
        assert_eq!(times_power_of_two(1.0, -5000), 0.0);
        assert_eq!(times_power_of_two(1.0, 5000), f64::INFINITY);
    }
}
