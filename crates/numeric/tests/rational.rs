//! Exact arithmetic against a second library, and the text and `f64` forms of a rational.
//!
//! A rational library with a division bug once biased a proved sampler of another system, so
//! ours is compared, operation by operation, with an independent one.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use proptest::prelude::*;
use throng_numeric::{Integer, Natural, NumericError, Rational};

/// The same number in the other library, by way of bytes.
fn other(value: &Rational) -> BigRational {
    let sign = if value.is_negative() { Sign::Minus } else { Sign::Plus };
    let numerator = BigInt::from_bytes_le(sign, &value.magnitude_of_numerator().to_le_bytes());
    let denominator = BigInt::from_bytes_le(Sign::Plus, &value.denominator().to_le_bytes());
    BigRational::new_raw(numerator, denominator)
}

/// An integer of the sizes where carries and normalisation happen: zero, tiny, around one and
/// two machine words, and a few hundred bits; often a product of small factors, so that
/// fractions have something to cancel.
fn natural() -> impl Strategy<Value = Natural> {
    prop_oneof![
        Just(Natural::ZERO),
        (1_u64..40).prop_map(Natural::from),
        any::<u64>().prop_map(Natural::from),
        any::<u128>().prop_map(Natural::from),
        (0_u64..4, 60_usize..200).prop_map(|(k, bits)| (Natural::ONE << bits) - k),
        proptest::collection::vec(any::<u8>(), 1..80).prop_map(|b| Natural::from_le_bytes(&b)),
        (1_u64..50, 1_u64..50, 0_usize..130)
            .prop_map(|(a, b, bits)| (Natural::from(a * b) << bits) * 7_u8),
    ]
}

fn rational() -> impl Strategy<Value = Rational> {
    (natural(), natural(), any::<bool>()).prop_map(|(n, d, negative)| {
        let n = Integer::from(n);
        let d = if d == Natural::ZERO { Natural::ONE } else { d };
        Rational::new(if negative { -n } else { n }, d).expect("the denominator is not zero")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40_000))]

    #[test]
    fn arithmetic_agrees_with_a_second_library(a in rational(), b in rational()) {
        let (x, y) = (other(&a), other(&b));
        prop_assert_eq!(other(&(&a + &b)), &x + &y);
        prop_assert_eq!(other(&(&a - &b)), &x - &y);
        prop_assert_eq!(other(&(&a * &b)), &x * &y);
        prop_assert_eq!(other(&a.square()), &x * &x);
        prop_assert_eq!(other(&-&a), -&x);
        prop_assert_eq!(other(&a.abs()), if a.is_negative() { -&x } else { x.clone() });
        match a.checked_div(&b) {
            Ok(quotient) => prop_assert_eq!(other(&quotient), &x / &y),
            Err(error) => {
                prop_assert!(b.is_zero());
                prop_assert_eq!(error, NumericError::Zero { name: "divisor" });
            }
        }
        prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        let floor = Rational::from(a.floor());
        prop_assert_eq!(other(&floor), x.floor());
        prop_assert_eq!(other(&Rational::from(a.ceil())), x.ceil());
        // Lowest terms: the other library's reduction changes nothing.
        prop_assert_eq!(x.reduced(), x);
    }

    #[test]
    fn every_f64_becomes_its_exact_value_and_comes_back(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        match Rational::from_f64(value) {
            Ok(exact) => {
                prop_assert_eq!(exact.to_f64_down(), value);
                prop_assert_eq!(exact.to_f64_up(), value);
                prop_assert_eq!(exact.to_f64_nearest(), value);
                let second = BigRational::from_float(value).expect("finite");
                prop_assert_eq!(other(&exact), second);
            }
            Err(_) => prop_assert!(!value.is_finite()),
        }
    }

    #[test]
    fn the_f64_neighbours_enclose(a in rational()) {
        let (down, up) = (a.to_f64_down(), a.to_f64_up());
        prop_assert!(Rational::from_f64(down).map_or(down < 0.0, |down| down <= a));
        prop_assert!(Rational::from_f64(up).map_or(up > 0.0, |up| up >= a));
        prop_assert!(down == up || down.next_up() == up);
        let nearest = a.to_f64_nearest();
        prop_assert!(nearest == down || nearest == up);
    }
}

#[test]
fn rounding_at_the_ends_of_the_f64_range() {
    let parse = |text: &str| text.parse::<Rational>().expect("a number");
    let tiny = parse("1e-400");
    assert_eq!((tiny.to_f64_down(), tiny.to_f64_up()), (0.0, f64::from_bits(1)));
    let huge = parse("1e400");
    assert_eq!((huge.to_f64_down(), huge.to_f64_up()), (f64::MAX, f64::INFINITY));
    assert_eq!((-huge.clone()).to_f64_down(), f64::NEG_INFINITY);
    assert_eq!(huge.to_f64_nearest(), f64::INFINITY);
    // A subnormal between two others, and the step from subnormal to normal.
    let half_step = parse("3/2") * Rational::from_f64(f64::from_bits(1)).expect("finite");
    assert_eq!(half_step.to_f64_down(), f64::from_bits(1));
    assert_eq!(half_step.to_f64_up(), f64::from_bits(2));
    let below_normal = Rational::from_f64(f64::MIN_POSITIVE).expect("finite") - parse("1e-330");
    assert_eq!(below_normal.to_f64_up(), f64::MIN_POSITIVE);
    assert_eq!(below_normal.to_f64_down(), f64::MIN_POSITIVE.next_down());
}
