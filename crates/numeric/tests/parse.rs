//! Reading numbers: the property-based twin of the fuzz target, and the forms by example.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use throng_numeric::Rational;
use throng_numeric::rational::{MAX_DIGITS, ParseRationalReason as Reason};

#[path = "../../../fuzz/properties/parse_rational.rs"]
mod parse_rational;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        parse_rational::check(&text);
    }

    #[test]
    fn anything_like_a_number_is_read_or_refused(text in "[-+0-9._eE/ x]{0,24}") {
        parse_rational::check(&text);
    }

    #[test]
    fn well_formed_numbers_are_read(text in "[-+]?[0-9]{1,20}(\\.[0-9]{0,20})?(e[-+]?[0-9]{1,3})?") {
        prop_assert!(text.parse::<Rational>().is_ok());
        parse_rational::check(&text);
    }
}

fn read(text: &str) -> Rational {
    text.parse().expect(text)
}

#[test]
fn numbers_are_exact() {
    assert_eq!(read("256/60000"), Rational::new(256, 60_000_u32).unwrap());
    assert_eq!(read("0.8"), Rational::new(4, 5_u8).unwrap());
    assert_eq!(read("1e-6"), Rational::new(1, 1_000_000_u32).unwrap());
    assert_eq!(read("-1.5E3"), Rational::from(-1500));
    assert_eq!(read("60_000"), Rational::from(60_000));
    assert_eq!(read(".5/2.5"), Rational::new(1, 5_u8).unwrap());
    assert_ne!(read("0.1"), Rational::from_f64(0.1).unwrap());
}

#[test]
fn errors_say_where_and_why() {
    let refuse = |text: &str| {
        let error = text.parse::<Rational>().expect_err(text);
        (error.column, error.reason)
    };
    assert_eq!(refuse(""), (1, Reason::ExpectedDigit));
    assert_eq!(refuse("-"), (2, Reason::ExpectedDigit));
    assert_eq!(refuse("1e"), (3, Reason::ExpectedDigit));
    assert_eq!(refuse("1/"), (3, Reason::ExpectedDigit));
    assert_eq!(refuse("1/0.0"), (3, Reason::ZeroDenominator));
    assert_eq!(refuse("1 "), (2, Reason::TrailingText));
    assert_eq!(refuse("1__0"), (2, Reason::TrailingText));
    assert_eq!(refuse("NaN"), (1, Reason::ExpectedDigit));
    assert_eq!(refuse("inf"), (1, Reason::ExpectedDigit));
    assert_eq!(refuse("1e999999999"), (12, Reason::TooLong));
    assert_eq!(refuse("ε"), (1, Reason::ExpectedDigit));
    assert_eq!(refuse(&"9".repeat(MAX_DIGITS + 1)).1, Reason::TooLong);
}

#[test]
fn ten_thousand_digits_are_no_problem() {
    let long = format!("{}/{}", "7".repeat(10_000), "3".repeat(9_999));
    parse_rational::check(&long);
    parse_rational::check(&format!("1e-{MAX_DIGITS}"));
    parse_rational::check(&format!("1e{MAX_DIGITS}"));
}
