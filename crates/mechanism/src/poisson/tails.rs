//! Tails of Poisson laws of any rate, from above.

use throng_numeric::{Enclosure, NumericError, Rational, normal, tails};

/// From here on the incomplete gamma function takes too long (its terms number √k).
const LARGE: u64 = 1 << 28;

/// At least P(N >= k) for N ~ Poi(rate).
///
/// # Guarantee
/// The certified tail up to k = 2^28; beyond, with H(m, k) = m - k + k ln(k/m), the inequalities
/// Φ(±√(2H(m, k))) < P(N <= k) < Φ(±√(2H(m, k+1))), signs those of k - m and k + 1 - m.
///
/// # Reference
/// M. Short, *Improved inequalities for the Poisson and binomial distribution and upper tail
/// quantile functions* (2013), after A. M. Zubkov, A. A. Serov (2012).
pub(super) fn at_least(k: u64, rate: f64) -> Result<f64, NumericError> {
    let mean = Enclosure::point(rate)?;
    match k.checked_sub(1) {
        None => Ok(1.0),
        Some(before) if k < LARGE => Ok(tails::poisson_survival(before, mean)?.upper()),
        Some(before) => beyond(before, mean, |place| place.lower() > rate),
    }
}

/// At least P(N <= k) for N ~ Poi(rate); see [`at_least`].
pub(super) fn at_most(k: u64, rate: f64) -> Result<f64, NumericError> {
    let mean = Enclosure::point(rate)?;
    if k < LARGE {
        return Ok(tails::poisson_cdf(k, mean)?.upper());
    }
    beyond(k.saturating_add(1), mean, |place| place.upper() < rate)
}

/// Φ(-√(2H)) at a place that lies on the far side of the mean, else 1.
fn beyond(
    place: u64,
    mean: Enclosure,
    far: impl FnOnce(Enclosure) -> bool,
) -> Result<f64, NumericError> {
    let place = Enclosure::of_rational(&Rational::from(place));
    if !far(place) {
        return Ok(1.0);
    }
    if mean.upper() <= 0.0 {
        return Ok(0.0); // nothing is ever counted
    }
    let excess = place - mean;
    let divergence = (place * (excess / mean).ln_1p()? - excess).max(Enclosure::ZERO);
    Ok(normal::survival((divergence + divergence).sqrt()?).upper())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inequalities hold against the certified tails, and cost little where they are used.
    #[test]
    fn the_inequalities_hold_and_are_tight_for_large_rates() {
        for rate in [0.5, 3.0, 40.0, 1000.0, 250_000.0] {
            let mean = Enclosure::point(rate).unwrap();
            let whole = u64::try_from(Rational::from_f64(rate).unwrap().floor()).unwrap();
            for step in 0..12 {
                let shift = step * (whole.isqrt() / 2 + 1);
                let above = whole + 2 + shift;
                let exact = tails::poisson_survival(above - 1, mean).unwrap();
                let bound = beyond(above - 1, mean, |place| place.lower() > rate).unwrap();
                assert!(bound >= exact.lower(), "{rate} {above}");
                assert!(rate < 1e5 || bound < 1.02 * exact.upper(), "{rate} {above}");
                let Some(below) = whole.checked_sub(2 + shift) else { continue };
                let exact = tails::poisson_cdf(below, mean).unwrap();
                let bound = beyond(below + 1, mean, |place| place.upper() < rate).unwrap();
                assert!(bound >= exact.lower(), "{rate} {below}");
                assert!(rate < 1e5 || bound < 1.02 * exact.upper(), "{rate} {below}");
            }
        }
    }

    #[test]
    fn both_ways_agree_where_one_takes_over() {
        let rate = 268_419_072.0; // 2^28 - 2^14: one standard deviation below
        let (exact, compared) = (at_least(LARGE - 1, rate), at_least(LARGE + 1, rate));
        assert!((exact.unwrap() - compared.unwrap()).abs() < 1e-3);
        assert_eq!(at_least(LARGE, 0.0).unwrap(), 0.0);
        assert_eq!(at_least(0, 1.0).unwrap(), 1.0);
        assert_eq!(at_most(LARGE, 1.0).unwrap(), 1.0);
    }
}
