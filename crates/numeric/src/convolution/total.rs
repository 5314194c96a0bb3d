//! Sums of non-negative masses, quickly and tightly.

use super::direct::count;
use crate::Enclosure;
use crate::rounding::{add_down, add_up, mul_up, sqrt_up, sub_down, two_sum};

/// Half a unit in the last place of 1.
const UNIT: f64 = f64::EPSILON / 2.0;

/// The sum of finite non-negative masses; its upper end is infinite if it is out of range.
///
/// # Guarantee
/// Each addition loses eᵢ *exactly*: sᵢ + eᵢ = sᵢ₋₁ + aᵢ (Knuth's two-sum, which underflow does not
/// hurt), so the sum is sₙ + Σ eᵢ. The sᵢ rise, so |eᵢ| <= u sₙ, and adding the n losses up in
/// floating point is off by at most γ_n n u sₙ < 1.01 (n u)² sₙ for n <= 2^28. The enclosure is
/// therefore a few units wide, whatever n.
pub(super) fn total(masses: &[f64]) -> Enclosure {
    let (sum, lost) = compensated(masses.iter().copied());
    if sum.is_infinite() || lost.is_nan() {
        return Enclosure::outward(0.0, f64::INFINITY);
    }
    let growth = mul_up(count(masses.len()), UNIT);
    let slack = mul_up(mul_up(1.01, mul_up(growth, growth)), sum);
    let lower = sub_down(add_down(sum, lost), slack).max(0.0);
    Enclosure::outward(lower, add_up(add_up(sum, lost), slack))
}

/// The sum as rounded, and the sum of what rounding lost.
pub(super) fn compensated(terms: impl Iterator<Item = f64>) -> (f64, f64) {
    terms.fold((0.0, 0.0), |(sum, lost), term| {
        let (next, error) = two_sum(sum, term);
        (next, lost + error)
    })
}

/// At least the Euclidean norm of masses that are at most about 1.
///
/// The plain sum of n squares is at least (1 - γ_{n+1}) times the exact one, less 2^-1075 for each
/// square that underflows; n <= 2^28 makes γ_{n+1} < 2^-24.
pub(super) fn norm(masses: &[f64]) -> f64 {
    let sum: f64 = masses.iter().map(|mass| mass * mass).sum();
    let underflow = mul_up(count(masses.len()), f64::from_bits(1));
    sqrt_up(mul_up(add_up(sum, underflow), 1.0 + 1.0 / 4_194_304.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumericError, Rational};
    use proptest::prelude::*;

    fn exact(terms: impl Iterator<Item = f64>) -> Result<Rational, NumericError> {
        terms.map(Rational::from_f64).try_fold(Rational::ZERO, |sum, term| Ok(&sum + &term?))
    }

    proptest! {
        #[test]
        fn totals_and_norms_bound_the_exact_ones(
            masses in prop::collection::vec(prop_oneof![0.0..1.0_f64, 0.0..1e-300_f64, Just(5e-324), 0.9..1.0_f64], 1..200),
        ) {
            let got = total(&masses);
            let truth = exact(masses.iter().copied())?;
            prop_assert!(Rational::from_f64(got.lower())? <= truth);
            prop_assert!(Rational::from_f64(got.upper())? >= truth);
            prop_assert!(got.width() <= 1e-15 * got.upper() + 2e-323);
            let square = masses.iter().try_fold(Rational::ZERO, |sum, &mass| {
                Ok::<_, NumericError>(&sum + &Rational::from_f64(mass)?.square())
            })?;
            prop_assert!(Rational::from_f64(norm(&masses))?.square() >= square);
        }
    }

    #[test]
    fn a_million_tenths_are_within_a_few_units() {
        let got = total(&vec![0.1; 1_000_000]);
        // 0.1 as f64 is 0.1 + 5.55e-18.
        assert!(got.contains(100_000.0) && got.width() < 1e-10);
        assert!(total(&[f64::MAX, f64::MAX]).upper().is_infinite());
    }
}
