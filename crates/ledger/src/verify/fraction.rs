//! Fractions in machine words.

use std::fmt;

use throng_numeric::Rational;

use crate::error::Result;

/// A fraction in lowest terms that fits into two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    numerator: u64,
    denominator: u64,
}

impl Fraction {
    /// The same number, if it fits.
    pub(super) fn of(number: &Rational) -> Option<Self> {
        let numerator = u64::try_from(number.numerator()).ok()?;
        let denominator = u64::try_from(number.denominator()).ok()?;
        Some(Self { numerator, denominator })
    }

    /// The same number.
    pub(super) fn rational(self) -> Result<Rational> {
        Ok(Rational::new(self.numerator, self.denominator)?)
    }

    /// The sum, exactly, if it fits.
    ///
    /// *Why it is in lowest terms.* Let g = gcd(b, d), so that a/b + c/d = n / (b d / g) with
    /// n = a d/g + c b/g. A prime that divides b/g but not g divides c b/g and not a d/g, hence not
    /// n, and so for d/g: what n and b d / g have in common divides g.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (b, d) = (self.denominator, other.denominator);
        let common = gcd(b, d);
        let (b, d) = (b.checked_div(common)?, d.checked_div(common)?);
        let left = u128::from(self.numerator) * u128::from(d);
        let sum = left.checked_add(u128::from(other.numerator) * u128::from(b))?;
        let rest = u64::try_from(sum.checked_rem(u128::from(common))?).ok()?;
        let factor = gcd(rest, common);
        let numerator = u64::try_from(sum.checked_div(u128::from(factor))?).ok()?;
        let denominator = b.checked_mul(other.denominator.checked_div(factor)?)?;
        Some(Self { numerator, denominator })
    }

    /// Whether this is at most the other.
    pub(super) fn at_most(self, other: Self) -> bool {
        let cross = |x: u64, y: u64| u128::from(x) * u128::from(y);
        cross(self.numerator, other.denominator) <= cross(other.numerator, self.denominator)
    }
}

impl fmt::Display for Fraction {
    /// As a [`Rational`] is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.numerator, f)?;
        if self.denominator == 1 { Ok(()) } else { write!(f, "/{}", self.denominator) }
    }
}

/// The greatest common divisor, by halving and subtracting; gcd(0, b) = b.
const fn gcd(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    let (mut a, mut b) = (a >> a.trailing_zeros(), b >> b.trailing_zeros());
    while a != b {
        if a < b {
            (a, b) = (b, a);
        }
        a -= b;
        a >>= a.trailing_zeros();
    }
    a << twos
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of every size, small denominators and common factors among them.
    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![0..30_u64, any::<u32>().prop_map(u64::from), any::<u64>(), Just(u64::MAX)]
    }

    fn fraction() -> impl Strategy<Value = Rational> {
        (number(), number()).prop_map(|(n, d)| Rational::new(n, d.max(1)).unwrap())
    }

    proptest! {
        #[test]
        fn it_is_the_rational(x in fraction(), y in fraction()) {
            let (a, b) = (Fraction::of(&x).unwrap(), Fraction::of(&y).unwrap());
            prop_assert_eq!(a.rational().unwrap(), x.clone());
            prop_assert_eq!(a.to_string(), x.to_string());
            prop_assert_eq!(a.at_most(b), x <= y);
            // Exact where it fits, and nothing where it does not.
            prop_assert_eq!(a.plus(b), Fraction::of(&(x + y)));
        }
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        let half = |text: &str| Fraction::of(&text.parse().unwrap());
        assert_eq!(half("-1/2"), None);
        assert_eq!(half("18446744073709551616"), None);
        assert_eq!(half("1/18446744073709551616"), None);
        let most = half("18446744073709551615").unwrap();
        assert_eq!(most.plus(most), None);
        assert_eq!(
            half("1/4294967291").unwrap().plus(half("1/18446744073709551557").unwrap()),
            None
        );
    }
}
