//! What must hold for every text read as a number. Shared by the fuzzer and by the property
//! test that `make test` runs.

use throng_numeric::Rational;

/// Reading is total; what is read prints and reads back as the same number, lies between its
/// two `f64` neighbours, and an error points into the text.
pub(crate) fn check(text: &str) {
    match text.parse::<Rational>() {
        Ok(value) => {
            let printed = value.to_string();
            // A number in lowest terms may print longer than it was written (1e99999).
            if printed.len() <= throng_numeric::rational::MAX_DIGITS {
                assert_eq!(printed.parse(), Ok(value.clone()), "{printed} reads back differently");
            }
            let (down, up) = (value.to_f64_down(), value.to_f64_up());
            assert!(down == up || down.next_up() == up, "{down} and {up} are not neighbours");
            assert!(Rational::from_f64(down).map_or(down < 0.0, |down| down <= value));
            assert!(Rational::from_f64(up).map_or(up > 0.0, |up| up >= value));
        }
        Err(error) => {
            let end = text.chars().count() + 1;
            assert!((1..=end).contains(&error.column), "column {} of {end}", error.column);
        }
    }
}
