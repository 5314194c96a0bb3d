//! e^-x in integers: bounds at one precision must hold the bounds at a finer one, wherever x is.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use throng_numeric::fixed::{FixedBounds, MAX_BITS, exp_neg};
use throng_numeric::{Natural, NumericError, Rational};

/// x of any size that matters: tiny, around 1, around the number of bits, huge.
fn exponent() -> impl Strategy<Value = Rational> {
    let fraction = (any::<u64>(), 1_u64..).prop_map(|(n, d)| Rational::new(n, d).unwrap());
    let tiny = (1_u64..100, 0_usize..300)
        .prop_map(|(n, down)| Rational::new(n, Natural::ONE << down).unwrap());
    let large = (0_u64..400, 1_u64..1000).prop_map(|(n, d)| Rational::new(n * 1000, d).unwrap());
    prop_oneof![fraction, tiny, large]
}

/// e^-x between `coarse` (bits) and `fine` (bits + 64): nested, and as narrow as promised.
fn assert_nested(coarse: &FixedBounds, fine: &FixedBounds) {
    assert!(&coarse.upper - &coarse.lower <= Natural::from(2_u8));
    assert!(&coarse.lower << 64 <= fine.upper, "the coarse lower bound is above e^-x");
    assert!(&coarse.upper << 64 >= fine.lower, "the coarse upper bound is below e^-x");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn finer_bounds_lie_within_coarser_ones(x in exponent(), bits in 0_usize..300) {
        assert_nested(&exp_neg(&x, bits).unwrap(), &exp_neg(&x, bits + 64).unwrap());
    }

    /// e^-(x + y) = e^-x e^-y ties values at different arguments together.
    #[test]
    fn the_exponential_law_holds(x in exponent(), y in exponent()) {
        const BITS: usize = 128;
        let (a, b) = (exp_neg(&x, BITS).unwrap(), exp_neg(&y, BITS).unwrap());
        let sum = exp_neg(&(&x + &y), 2 * BITS).unwrap();
        prop_assert!(&a.lower * &b.lower <= sum.upper);
        prop_assert!(&a.upper * &b.upper >= sum.lower);
    }
}

#[test]
fn bad_and_extreme_arguments_are_answered() {
    assert!(matches!(exp_neg(&Rational::from(-1), 64), Err(NumericError::OutOfDomain { .. })));
    assert!(matches!(exp_neg(&Rational::ONE, MAX_BITS + 1), Err(NumericError::TooLarge { .. })));
    let huge = format!("{}/7", "9".repeat(10_000)).parse::<Rational>().unwrap();
    let bounds = exp_neg(&huge, 64).unwrap();
    assert_eq!((bounds.lower, bounds.upper), (Natural::ZERO, Natural::ONE));
    let near_zero = format!("1/{}", "9".repeat(10_000)).parse::<Rational>().unwrap();
    let bounds = exp_neg(&near_zero, 64).unwrap();
    assert!(bounds.lower >= (Natural::ONE << 64) - 2_u8 && bounds.upper >= Natural::ONE << 64);
}
