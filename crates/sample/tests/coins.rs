//! Coins and uniform integers against their exact laws.

use crate::support::judge::Experiment;
use crate::support::law::Law;
use crate::support::laws::{coin, exp_neg, rational, whole};
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::{Bernoulli, BernoulliExp, SampleError, SeededEntropy, Uniform};

type Draw = Box<dyn Fn(&mut SeededEntropy) -> Result<i64, SampleError>>;

fn bernoulli(p: &Rational) -> Result<Draw, SampleError> {
    let sampler = Bernoulli::new(p)?;
    Ok(Box::new(move |entropy| sampler.draw(entropy).map(i64::from)))
}

fn bernoulli_exp(x: &Rational) -> Result<Draw, SampleError> {
    let sampler = BernoulliExp::new(x)?;
    Ok(Box::new(move |entropy| sampler.draw(entropy).map(i64::from)))
}

#[test]
fn a_coin_of_one_third() -> Result<(), SampleError> {
    let law = |p: &Rational| coin(Enclosure::of_rational(p));
    let (right, wrong) = (rational("1/3"), rational("101/300"));
    let experiment = Experiment { law: &law(&right), samples: 4_000_000, seed: 1 };
    experiment.accepts(bernoulli(&right)?);
    experiment.rejects(&law(&wrong), bernoulli(&wrong)?);
    Ok(())
}

/// The same p with a numerator and a denominator of 10^4 digits takes the other path.
#[test]
fn a_coin_of_nearly_one_third_with_many_digits() -> Result<(), SampleError> {
    let power = Natural::from(10_u8).pow(10_000);
    let right = Rational::new(power.clone(), power * 3_u8 + 1_u8)?;
    let law = coin(Enclosure::of_rational(&right));
    Experiment { law: &law, samples: 100_000, seed: 2 }.accepts(bernoulli(&right)?);
    Ok(())
}

/// Each x with a wrong one, 1 % off where samples can show it.
#[test]
fn exponential_coins() -> Result<(), SampleError> {
    let cases = [
        ("1/1000000000", "1/100000", 3_000_000),
        ("1/3", "101/300", 6_000_000),
        ("1", "101/100", 3_000_000),
        ("7/2", "707/200", 5_000_000),
        ("40", "8", 1_000_000),
        ("7/2", "3", 30_000),  // the fraction forgotten
        ("7/2", "1/2", 1_000), // the whole part forgotten
    ];
    for (seed, (right, wrong, samples)) in (10..).zip(cases) {
        let (right, wrong) = (rational(right), rational(wrong));
        let experiment = Experiment { law: &coin(exp_neg(&right)), samples, seed };
        experiment.accepts(bernoulli_exp(&right)?);
        experiment.rejects(&coin(exp_neg(&wrong)), bernoulli_exp(&wrong)?);
    }
    Ok(())
}

/// e^-(10^100) is false, at once; so is a number of 10^4 digits; and e^0 is true.
#[test]
fn exponential_coins_of_extreme_arguments() -> Result<(), SampleError> {
    let mut entropy = SeededEntropy::new(3);
    for x in ["1e100", "1e10000", "1e10000/7"] {
        let sampler = BernoulliExp::new(&rational(x))?;
        for _ in 0..1_000 {
            assert!(!sampler.draw(&mut entropy)?);
        }
    }
    for x in ["0", "1e-100", "1e-10000"] {
        let sampler = BernoulliExp::new(&rational(x))?;
        for _ in 0..1_000 {
            assert!(sampler.draw(&mut entropy)?);
        }
    }
    Ok(())
}

fn equal(n: i64) -> Vec<Enclosure> {
    (0..n).map(|_| Enclosure::ONE / whole(n)).collect()
}

/// The classical mistake: four bits modulo ten, which favours 0 to 5.
#[test]
fn uniform_digits_are_not_a_remainder() -> Result<(), SampleError> {
    let (digit, nibble) = (Uniform::below(10_u8)?, Uniform::below(16_u8)?);
    let number = |drawn: Natural| i64::try_from(drawn).unwrap_or(-1);
    let biased: Vec<Enclosure> =
        (0..10).map(|k| whole(if k < 6 { 2 } else { 1 }) / whole(16)).collect();
    let experiment = Experiment { law: &Law::finite(&equal(10)), samples: 1_000_000, seed: 4 };
    experiment.accepts(|entropy| digit.draw(entropy).map(number));
    let remainder = |drawn| number(drawn) % 10;
    experiment.rejects(&Law::finite(&biased), |entropy| nibble.draw(entropy).map(remainder));
    Ok(())
}

/// Thirds of 3 2^70, a bound beyond machine words; wrong: a bound of 4 2^70.
#[test]
fn uniform_below_a_large_bound() -> Result<(), SampleError> {
    let (bound, wrong) = (Uniform::below(Natural::from(3_u8) << 70)?, Natural::ONE << 72);
    let wrong_bound = Uniform::below(wrong)?;
    let part = |drawn: Natural| i64::try_from(drawn >> 70).unwrap_or(-1);
    let mut four_thirds = equal(4);
    let last = four_thirds.remove(3);
    four_thirds[2] = four_thirds[2] + last;
    let experiment = Experiment { law: &Law::finite(&equal(3)), samples: 1_000_000, seed: 5 };
    experiment.accepts(|entropy| bound.draw(entropy).map(part));
    let wrong_law = Law::finite(&four_thirds);
    experiment.rejects(&wrong_law, |entropy| wrong_bound.draw(entropy).map(part));
    Ok(())
}
