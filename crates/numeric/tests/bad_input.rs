//! Whatever goes in, an enclosure or a typed error comes out.

use proptest::prelude::*;
use throng_numeric::elementary::{log_add_exp, log_sub_exp, log_sum_exp};
use throng_numeric::{Enclosure, NumericError, beta, gamma, normal, tails};

/// Any `f64` but NaN, with the awkward ones made frequent.
fn end() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => any::<f64>().prop_filter("NaN cannot enter", |x| !x.is_nan()),
        2 => -50.0..50.0_f64,
        1 => prop::sample::select(vec![
            0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN,
            f64::MIN_POSITIVE, 5e-324, -5e-324, 1e-300, 1e300, 1e18, 1e10, 1.0_f64.next_down(),
        ]),
    ]
}

/// Any interval, half of them points.
fn interval() -> impl Strategy<Value = Enclosure> {
    (end(), end(), any::<bool>()).prop_filter_map("an interval", |(a, b, point)| {
        if point { Enclosure::point(a).ok() } else { Enclosure::new(a.min(b), a.max(b)).ok() }
    })
}

/// The invariant of every result.
fn is_sound(x: Enclosure) -> bool {
    x.lower() <= x.upper()
}

fn is_sound_or_refused(x: Result<Enclosure, NumericError>) -> bool {
    x.map_or_else(|error| matches!(error, NumericError::OutOfDomain { .. }), is_sound)
}

fn is_probability_or_refused(x: Result<Enclosure, NumericError>) -> bool {
    is_sound_or_refused(x.clone()) && x.map_or(true, |x| x.lower() >= 0.0 && x.upper() <= 1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn functions_of_one_argument(x in interval()) {
        for y in [x.exp(), x.expm1(), normal::erf(x), normal::erfc(x), normal::erfcx(x), normal::cdf(x),
                  normal::survival(x), normal::ln_cdf(x), normal::density(x)] {
            prop_assert!(is_sound(y));
        }
        for y in [x.ln(), x.ln_1p(), normal::quantile(x), gamma::ln_gamma(x), log_sum_exp(&[x])] {
            prop_assert!(is_sound_or_refused(y));
        }
        prop_assert_eq!(x.ln().is_err(), x.upper() <= 0.0);
        prop_assert_eq!(gamma::ln_gamma(x).is_err(), x.upper() <= 0.0);
        prop_assert_eq!(normal::quantile(x).is_err(), x.upper() <= 0.0 || x.lower() >= 1.0);
    }

    #[test]
    fn functions_of_two_arguments(x in interval(), y in interval()) {
        prop_assert!(is_sound(log_add_exp(x, y)));
        prop_assert!(is_sound_or_refused(log_sub_exp(x, y)));
    }

    #[test]
    fn a_wider_argument_holds_the_result(x in interval(), y in interval()) {
        let both = x.hull(y);
        for f in [Enclosure::exp, Enclosure::expm1, normal::erf, normal::erfc, normal::cdf, normal::ln_cdf, normal::density] {
            // Up to rounding: two enclosures of one value must meet.
            prop_assert!(f(both).intersect(f(x)).is_ok());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn incomplete_integrals(a in interval(), b in interval(), x in interval()) {
        prop_assert!(is_probability_or_refused(gamma::regularised_lower(a, x)));
        prop_assert!(is_probability_or_refused(gamma::regularised_upper(a, x)));
        prop_assert!(is_sound_or_refused(gamma::ln_regularised_lower(a, x)));
        prop_assert!(is_sound_or_refused(gamma::ln_regularised_upper(a, x)));
        prop_assert!(is_probability_or_refused(beta::regularised(a, b, x)));
        prop_assert!(is_probability_or_refused(beta::complement(a, b, x)));
        prop_assert!(is_sound_or_refused(beta::ln_regularised(a, b, x)));
        prop_assert!(is_sound_or_refused(beta::ln_complement(a, b, x)));
        prop_assert_eq!(gamma::regularised_lower(a, x).is_err(), a.upper() <= 0.0 || x.upper() < 0.0);
    }

    #[test]
    fn tails_of_counts(k in any::<u64>(), n in any::<u64>(), small in 0_u64..100, x in interval()) {
        for (k, n) in [(k, n), (small, n), (small / 2, small)] {
            prop_assert!(is_probability_or_refused(tails::poisson_cdf(k, x)));
            prop_assert!(is_probability_or_refused(tails::poisson_survival(k, x)));
            prop_assert!(is_probability_or_refused(tails::binomial_cdf(k, n, x)));
            prop_assert!(is_probability_or_refused(tails::binomial_survival(k, n, x)));
            prop_assert!(is_sound_or_refused(tails::ln_binomial_cdf(k, n, x)));
            prop_assert!(is_sound_or_refused(tails::ln_poisson_cdf(k, x)));
        }
    }
}

#[test]
fn an_empty_sum_is_refused() {
    assert!(matches!(log_sum_exp(&[]), Err(NumericError::OutOfDomain { name: "terms", .. })));
}
