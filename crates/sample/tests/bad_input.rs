//! No parameter makes a sampler panic or hang: it is refused with a typed error, or drawn from.

use proptest::prelude::*;
use throng_numeric::{Integer, Natural, Rational};
use throng_sample::{
    Bernoulli, BernoulliExp, Binomial, BulkNoise, DiscreteGaussian, DiscreteLaplace, Entropy,
    EntropyError, ExponentialChoice, Geometric, PermuteAndFlip, Poisson, SampleError,
    SeededEntropy, Subset, Uniform, shuffle,
};

/// Natural numbers of very different lengths, up to 10^4 digits.
fn natural() -> impl Strategy<Value = Natural> {
    let digits = prop_oneof![6 => 1..4_usize, 6 => 4..40_usize, 1 => 40..4200_usize];
    digits
        .prop_flat_map(|bytes| proptest::collection::vec(any::<u8>(), bytes))
        .prop_map(|bytes| Natural::from_le_bytes(&bytes))
}

/// Rationals of either sign, including 0, with up to 10^4 digits above and below.
fn any_rational() -> impl Strategy<Value = Rational> {
    (any::<bool>(), natural(), natural()).prop_filter_map("a denominator", |(negative, n, d)| {
        let n = Integer::from(n);
        Rational::new(if negative { -n } else { n }, d).ok()
    })
}

/// A sampler may refuse a parameter as out of range; it may not fail in any other way.
fn drawn_or_refused<T>(result: Result<T, SampleError>, refused: bool) -> Result<(), TestCaseError> {
    match result {
        Ok(_) => prop_assert!(!refused, "a parameter out of range was accepted"),
        Err(SampleError::OutOfRange { value, .. }) => {
            prop_assert!(refused, "a parameter in range was refused");
            prop_assert!(value.len() < 80, "a message too long to read");
        }
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_rational_parameter_is_drawn_from_or_refused(x in any_rational(), seed: u64) {
        let e = &mut SeededEntropy::new(seed);
        let outside = x.is_negative() || x > Rational::ONE;
        let beyond = |most: u64| x.is_negative() || x > Rational::from(most);
        drawn_or_refused(Bernoulli::new(&x).and_then(|s| s.draw(e)), outside)?;
        drawn_or_refused(BernoulliExp::new(&x).and_then(|s| s.draw(e)), x.is_negative())?;
        drawn_or_refused(Geometric::new(&x).and_then(|s| s.draw(e)), !x.is_positive())?;
        drawn_or_refused(DiscreteLaplace::new(&x).and_then(|s| s.draw(e)), !x.is_positive())?;
        drawn_or_refused(DiscreteGaussian::new(&x).and_then(|s| s.draw(e)), !x.is_positive())?;
        drawn_or_refused(BulkNoise::laplace(&x).and_then(|s| s.draw(e)), !x.is_positive())?;
        drawn_or_refused(BulkNoise::gaussian(&x).and_then(|s| s.draw(e)), !x.is_positive())?;
        drawn_or_refused(Poisson::new(&x).and_then(|s| s.draw(e)), beyond(Poisson::MAX_RATE))?;
        drawn_or_refused(Binomial::new(1_000, &x).and_then(|s| s.draw(e)), outside)?;
    }

    /// Probabilities proper, which random rationals seldom are.
    #[test]
    fn every_probability_is_drawn_from(a in natural(), b in natural(), trials: u64, seed: u64) {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        prop_assume!(!high.is_zero());
        let p = Rational::new(Integer::from(low), high).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let e = &mut SeededEntropy::new(seed);
        prop_assert!(Bernoulli::new(&p).and_then(|s| s.draw(e)).is_ok());
        let trials = trials % 10_000_000;
        let drawn = Binomial::new(trials, &p).and_then(|s| s.draw(e));
        prop_assert!(drawn.is_ok_and(|k| k <= trials));
    }

    #[test]
    fn every_bound_and_size_is_drawn_from_or_refused(
        bound in natural(), population: u64, size in prop_oneof![0..2_000_u64, any::<u64>()],
        trials: u64, seed: u64,
    ) {
        let e = &mut SeededEntropy::new(seed);
        let drawn = Uniform::below(bound.clone()).and_then(|s| s.draw(e));
        prop_assert_eq!(drawn.is_ok_and(|k| k < bound), !bound.is_zero());
        if !(2_000..=Subset::MAX_SIZE).contains(&size) {
            let refused = size > population || size > Subset::MAX_SIZE;
            drawn_or_refused(Subset::new(population, size).and_then(|s| s.draw(e)), refused)?;
        }
        let never = Binomial::new(trials, &Rational::ZERO).and_then(|s| s.draw(e));
        drawn_or_refused(never, trials > Binomial::MAX_TRIALS)?;
    }

    #[test]
    fn every_list_is_chosen_from_or_refused(
        energies in proptest::collection::vec(any_rational(), 0..20), seed: u64,
    ) {
        let e = &mut SeededEntropy::new(seed);
        let results = [
            ExponentialChoice::new(&energies).and_then(|s| s.draw(e)),
            PermuteAndFlip::new(&energies).and_then(|s| s.draw(e)),
        ];
        for result in results {
            match result {
                Ok(i) => prop_assert!(i < energies.len()),
                Err(error) => {
                    prop_assert!(energies.is_empty());
                    prop_assert_eq!(error, SampleError::Empty { name: "energies" });
                }
            }
        }
        let mut shuffled = energies.clone();
        prop_assert!(shuffle(&mut shuffled, e).is_ok());
        shuffled.sort();
        let mut sorted = energies;
        sorted.sort();
        prop_assert_eq!(shuffled, sorted);
    }

    /// The source fails after some bytes: an entropy error, from every sampler, and no panic.
    #[test]
    fn a_source_that_dries_up_is_an_entropy_error(left in 0..600_usize) {
        let x = Rational::from(1_000_u32);
        let third = Rational::new(1, 3_u8).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let energies = [x.clone(), Rational::ZERO, third.clone()];
        until_dry(left, |e| Bernoulli::new(&third)?.draw(e).map(drop))?;
        until_dry(left, |e| BernoulliExp::new(&third)?.draw(e).map(drop))?;
        until_dry(left, |e| Uniform::below(7_u8)?.draw(e).map(drop))?;
        until_dry(left, |e| Geometric::new(&x)?.draw(e).map(drop))?;
        until_dry(left, |e| DiscreteLaplace::new(&x)?.draw(e).map(drop))?;
        until_dry(left, |e| DiscreteGaussian::new(&x)?.draw(e).map(drop))?;
        until_dry(left, |e| Poisson::new(&(&x + &third))?.draw(e).map(drop))?;
        until_dry(left, |e| Binomial::new(1_000, &third)?.draw(e).map(drop))?;
        until_dry(left, |e| ExponentialChoice::new(&energies)?.draw(e).map(drop))?;
        until_dry(left, |e| PermuteAndFlip::new(&energies)?.draw(e).map(drop))?;
        until_dry(left, |e| shuffle(&mut [1, 2, 3], e))?;
        until_dry(left, |e| Subset::new(100, 10)?.draw(e).map(drop))?;
    }
}

/// Gives `left` more bytes and then fails.
struct Drying {
    source: SeededEntropy,
    left: usize,
}

impl Entropy for Drying {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(|| EntropyError::new("dry"))?;
        self.source.fill(bytes)
    }
}

/// Draws until the source is dry, which must be the error.
fn until_dry(
    left: usize,
    draw: impl Fn(&mut Drying) -> Result<(), SampleError>,
) -> Result<(), TestCaseError> {
    let mut entropy = Drying { source: SeededEntropy::new(1), left };
    for _ in 0..1_000 {
        match draw(&mut entropy) {
            Ok(()) => {}
            Err(SampleError::Entropy(_)) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }
    Err(TestCaseError::fail("drawing went on without entropy"))
}

/// Numbers of 10^4 digits above and below, the largest we are asked to stand.
#[test]
fn ten_thousand_digits_are_drawn_from() -> Result<(), SampleError> {
    let long =
        |digit: u8, length: usize| Natural::from(10_u8).pow(length) / 9_u8 * Natural::from(digit);
    let near_two = Rational::new(Integer::from(long(7, 10_000)), long(3, 10_000) + 1_u8)?;
    let large = Rational::from(long(7, 10_000));
    let small = Rational::new(1, long(7, 10_000))?;
    let e = &mut SeededEntropy::new(1);
    for x in [&near_two, &large, &small] {
        BernoulliExp::new(x)?.draw(e)?;
        DiscreteLaplace::new(x)?.draw(e)?;
        DiscreteGaussian::new(x)?.draw(e)?;
    }
    Bernoulli::new(&small)?.draw(e)?;
    Binomial::new(Binomial::MAX_TRIALS, &small)?.draw(e)?;
    Poisson::new(&near_two)?.draw(e)?;
    Poisson::new(&(&Rational::from(1_000_000_u32) + &small))?.draw(e)?;
    assert!(Poisson::new(&large).is_err());
    Ok(())
}

#[test]
fn the_limits_are_inclusive() -> Result<(), SampleError> {
    let most = Rational::from(Poisson::MAX_RATE);
    Poisson::new(&most)?;
    assert!(Poisson::new(&(&most + &Rational::new(1, 2_u8)?)).is_err());
    Binomial::new(Binomial::MAX_TRIALS, &Rational::ONE)?;
    assert!(Binomial::new(Binomial::MAX_TRIALS + 1, &Rational::ONE).is_err());
    Ok(())
}
