//! Whatever goes in, an enclosure or a typed error comes out.
#![allow(clippy::disallowed_methods, reason = "inputs of a test may be anything")]

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

    /// The function of an interval must meet the function of any point in it: a wrong direction
    /// of monotonicity would show.
    #[test]
    fn inner_points_are_covered(ends in prop::array::uniform6(0.01..30.0_f64), at in prop::array::uniform3(0.0..1.0_f64)) {
        let [a0, a1, b0, b1, x0, x1] = ends;
        let pick = |low: f64, high: f64, at: f64| {
            let (low, high) = (low.min(high), low.max(high));
            let inner = (low + at * (high - low)).clamp(low, high);
            Ok::<_, NumericError>((Enclosure::new(low, high)?, Enclosure::point(inner)?))
        };
        let ((a, p), (b, q), (x, r)) = (pick(a0, a1, at[0])?, pick(b0, b1, at[1])?, pick(x0, x1, at[2])?);
        let (y, s) = pick(x0 / 31.0, x1 / 31.0, at[2])?;
        let pairs = [
            (gamma::ln_gamma(a)?, gamma::ln_gamma(p)?),
            (gamma::regularised_lower(a, x)?, gamma::regularised_lower(p, r)?),
            (gamma::regularised_upper(a, x)?, gamma::regularised_upper(p, r)?),
            (gamma::ln_regularised_lower(a, x)?, gamma::ln_regularised_lower(p, r)?),
            (gamma::ln_regularised_upper(a, x)?, gamma::ln_regularised_upper(p, r)?),
            (beta::regularised(a, b, y)?, beta::regularised(p, q, s)?),
            (beta::complement(a, b, y)?, beta::complement(p, q, s)?),
            (beta::ln_regularised(a, b, y)?, beta::ln_regularised(p, q, s)?),
            (beta::ln_complement(a, b, y)?, beta::ln_complement(p, q, s)?),
            (normal::quantile(y)?, normal::quantile(s)?),
            (log_add_exp(a, b), log_add_exp(p, q)),
        ];
        for (whole, inner) in pairs {
            prop_assert!(whole.intersect(inner).is_ok(), "{} misses {}", whole, inner);
        }
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

/// Beyond 2^22 terms the sums are cut and the rest is bounded: wide, but true and soon done. The
/// median of a Poisson law of integer mean n is n, so that P[X <= n] >= 1/2 >= P[X <= n - 1].
#[test]
fn huge_counts_are_enclosed_in_time() -> Result<(), NumericError> {
    for exponent in [12, 13, 14, 15, 18] {
        let n = 10_u64.pow(exponent);
        let mean = Enclosure::point(10.0_f64.powi(exponent.cast_signed()))?;
        let (at, below) = (tails::poisson_cdf(n, mean)?, tails::poisson_cdf(n - 1, mean)?);
        assert!(at.upper() >= 0.5 && below.lower() <= 0.5, "{n}: {at} {below}");
        let half = tails::binomial_cdf(n / 2 - 1, n, Enclosure::point(0.5)?)?;
        assert!(half.lower() <= 0.5 && half.upper() >= 0.4999, "{n}: {half}");
        if exponent == 12 {
            assert!(at.width() < 1e-4 && half.width() < 1e-9, "{at} {half}");
        }
    }
    Ok(())
}
