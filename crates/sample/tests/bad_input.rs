//! No parameter makes a sampler panic or hang: it is refused with a typed error, or drawn from.

use proptest::prelude::*;
use throng_numeric::{Integer, Natural, Rational};
use throng_sample::{
    Bernoulli, BernoulliExp, Binomial, BulkNoise, DiscreteGaussian, DiscreteLaplace, Entropy,
    EntropyError, ExponentialChoice, Geometric, PermuteAndFlip, Poisson, RoundedLaplace,
    RoundedLaplaceLogNormal, RoundedNormal, RoundedStudent, Run, RunChoice, SampleError,
    SeededEntropy, Subset, Uniform, WeightedChoice, shuffle,
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

    /// Any centre, any scale but those that are not positive or longer than 4096 bits.
    #[test]
    fn every_centre_and_scale_is_rounded_or_refused(
        c in any_rational(), s in any_rational(), sigma in any_rational(), half in 1..9_u32, seed: u64,
    ) {
        let e = &mut SeededEntropy::new(seed);
        let long = |x: &Rational| {
            let limit = Natural::ONE << 4096;
            x.magnitude_of_numerator() >= limit || *x.denominator() >= limit
        };
        let refused = !s.is_positive() || long(&s);
        drawn_or_refused(RoundedNormal::new(&c, &s).and_then(|n| n.draw(e)), refused)?;
        drawn_or_refused(RoundedLaplace::new(&c, &s).and_then(|n| n.draw(e)), refused)?;
        let degrees = 2 * half;
        let large = refused || s >= Rational::from(Natural::ONE << 1024);
        drawn_or_refused(RoundedStudent::new(degrees, &c, &s).and_then(|n| n.draw(e)), large)?;
        let outside = sigma.is_negative() || sigma > Rational::from(64_u32) || long(&sigma);
        let drawn = RoundedLaplaceLogNormal::new(&c, &s, &sigma).and_then(|n| n.draw(e));
        drawn_or_refused(drawn, refused || outside)?;
    }

    #[test]
    fn every_entry_and_run_is_chosen_from_or_refused(
        entries in proptest::collection::vec((natural(), any_rational()), 0..20),
        runs in proptest::collection::vec((any_rational(), any_rational(), proptest::option::of(natural())), 0..6),
        seed: u64,
    ) {
        let e = &mut SeededEntropy::new(seed);
        let possible = entries.iter().any(|(n, _)| !n.is_zero());
        match WeightedChoice::new(entries.clone()).and_then(|s| s.draw(e)) {
            Ok(i) => prop_assert!(!entries[i].0.is_zero()),
            Err(error) => {
                prop_assert!(!possible);
                let empty = matches!(error, SampleError::Empty { .. });
                prop_assert!(empty);
            }
        }
        let endless = |(_, step, n): &(Rational, Rational, Option<Natural>)| n.is_none() && !step.is_positive();
        let refused = runs.iter().any(endless);
        let possible = runs.iter().any(|(_, _, n)| n.as_ref().is_none_or(|n| !n.is_zero()));
        let lengths: Vec<_> = runs.iter().map(|run| run.2.clone()).collect();
        let runs = runs.into_iter().map(|(start, step, length)| Run { start, step, length });
        match RunChoice::new(runs).and_then(|s| s.draw(e)) {
            Ok((i, j)) => prop_assert!(lengths[i].as_ref().is_none_or(|n| j < *n)),
            Err(SampleError::OutOfRange { .. }) => prop_assert!(refused),
            Err(SampleError::Empty { .. }) => prop_assert!(!possible),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
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
        let entries = [(3_u64, x.clone()), (1 << 40, third.clone())];
        until_dry(left, |e| WeightedChoice::new(entries.clone())?.draw(e).map(drop))?;
        let run = Run { start: x.clone(), step: third.clone(), length: None };
        until_dry(left, |e| RunChoice::new([run.clone()])?.draw(e).map(drop))?;
        until_dry(left, |e| RoundedNormal::new(&third, &x)?.draw(e).map(drop))?;
        until_dry(left, |e| RoundedLaplace::new(&third, &x)?.draw(e).map(drop))?;
        until_dry(left, |e| RoundedStudent::new(4, &third, &x)?.draw(e).map(drop))?;
        until_dry(left, |e| RoundedLaplaceLogNormal::new(&third, &x, &third)?.draw(e).map(drop))?;
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

/// What is refused is said without the value: scales, steps and multiplicities can be private.
#[test]
fn refusals_do_not_show_private_values() {
    let secret = Rational::from(-271_828);
    let run = Run { start: secret.clone(), step: secret.clone(), length: None };
    for error in [
        RoundedNormal::new(&secret, &secret).err(),
        RoundedLaplace::new(&secret, &secret).err(),
        RoundedStudent::new(2, &secret, &secret).err(),
        RoundedLaplaceLogNormal::new(&secret, &secret, &Rational::ONE).err(),
        RunChoice::new([run]).err(),
        WeightedChoice::new([(Natural::from(271_828_u32) << 65_536, secret.clone())]).err(),
        WeightedChoice::new([(0_u8, secret.clone())]).err(),
    ] {
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(!message.is_empty() && !message.contains("271828"), "{message}");
    }
}

/// The largest and smallest scales that are drawn from, and the widest shapes.
#[test]
fn extreme_scales_are_drawn_from() -> Result<(), SampleError> {
    let large = Rational::from((Natural::ONE << 4096) - 1_u8);
    let small = Rational::ONE.checked_div(&large)?;
    let ragged = Rational::new(Natural::ONE << 4095, (Natural::ONE << 4096) - 1_u8)?;
    let sigma = Rational::from(RoundedLaplaceLogNormal::MAX_SIGMA);
    let half = Rational::new(1, 2_u8)?;
    let e = &mut SeededEntropy::new(2);
    for scale in [&large, &small, &ragged] {
        for centre in [&half, &large, &-&small] {
            RoundedNormal::new(centre, scale)?.draw(e)?;
            RoundedLaplace::new(centre, scale)?.draw(e)?;
            assert_eq!(RoundedStudent::new(8, centre, scale).is_err(), scale == &large);
            RoundedLaplaceLogNormal::new(centre, scale, &sigma)?.draw(e)?;
        }
    }
    let most = Rational::from((Natural::ONE << 1024) - 1_u8);
    for scale in [&most, &small, &ragged] {
        RoundedStudent::new(RoundedStudent::MAX_DEGREES, &half, scale)?.draw(e)?;
    }
    // A tie of the centre, broken by noise of 2^-4096: up and down equally often.
    let ups = (0..200).map(|_| RoundedNormal::new(&half, &small)?.draw(e));
    let ups = ups.collect::<Result<Vec<_>, _>>()?;
    let count = ups.iter().filter(|up| **up == Integer::ONE).count();
    assert!(ups.iter().all(|up| *up == Integer::ONE || *up == Integer::ZERO));
    assert!((50..150).contains(&count), "a chance below 10^-11");
    RoundedNormal::new(&half, &(&large + &Rational::ONE)).err().map_or_else(
        || Err(SampleError::Internal { what: "a scale beyond the limit".into() }),
        |_| Ok(()),
    )
}
