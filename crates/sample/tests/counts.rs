//! Poisson and binomial counts against their exact laws.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support::judge::Experiment;
use crate::support::law::Law;
use crate::support::laws::{binomial, exp_neg, poisson, rational, single, whole};
use throng_numeric::{Enclosure, Rational};
use throng_sample::{Bernoulli, Binomial, Poisson, SampleError, SeededEntropy};

type Draw = Box<dyn Fn(&mut SeededEntropy) -> Result<i64, SampleError>>;

fn draw_poisson(rate: &Rational) -> Draw {
    let sampler = Poisson::new(rate).unwrap();
    Box::new(move |entropy| Ok(i64::try_from(sampler.draw(entropy)?).unwrap()))
}

fn draw_binomial(trials: i64, p: &Rational) -> Draw {
    let sampler = Binomial::new(u64::try_from(trials).unwrap(), p).unwrap();
    Box::new(move |entropy| Ok(i64::try_from(sampler.draw(entropy)?).unwrap()))
}

/// About 60 cells, four standard deviations either way.
fn around(mean: i64, deviation: i64) -> Vec<i64> {
    let step = (deviation / 7).max(1);
    (-30..=30).map(|i| mean + i * step).collect()
}

/// The pmf of the harness against e^-λ λ^k/k! computed another way.
#[test]
fn the_poisson_law_is_the_formula() {
    let rate = rational("5/2");
    let law = poisson(&rate, single(0, 20));
    let mut expected = exp_neg(&rate);
    for k in 0..20 {
        let cell = law.cells()[usize::try_from(k + 1).unwrap()];
        assert!(cell.intersect(expected).is_ok(), "k = {k}: {cell} and {expected}");
        expected = expected * Enclosure::of_rational(&rate) / whole(k + 1);
    }
}

#[test]
fn poisson_counts_tell_one_per_cent() {
    for (seed, rate, edges, samples) in [
        (40, "1/3", single(0, 5), 6_000_000),
        (41, "1", single(0, 8), 3_000_000),
        (42, "5/2", single(0, 15), 1_200_000),
        (43, "29/3", single(0, 30), 400_000),
        (44, "301/3", around(100, 10), 100_000),
    ] {
        let right = rational(rate);
        let wrong = &right * &rational("1.01");
        let law = poisson(&right, edges.clone());
        let experiment = Experiment { law: &law, samples, seed };
        experiment.accepts(draw_poisson(&right));
        experiment.rejects(&poisson(&wrong, edges), draw_poisson(&wrong));
    }
}

/// At a rate of 10^6 even a ten-thousandth shows; so does a standard deviation 13 % too
/// small (a binomial of the same mean).
#[test]
fn poisson_counts_of_a_large_rate() {
    let (right, wrong) = (rational("1000000"), rational("1000100"));
    let edges = around(1_000_000, 1_000);
    let law = poisson(&right, edges.clone());
    let experiment = Experiment { law: &law, samples: 25_000, seed: 45 };
    experiment.accepts(draw_poisson(&right));
    experiment.rejects(&poisson(&wrong, edges.clone()), draw_poisson(&wrong));
    let quarter = rational("1/4");
    let narrower = binomial(4_000_000, &quarter, edges);
    experiment.rejects(&narrower, draw_binomial(4_000_000, &quarter));
}

#[test]
fn a_poisson_count_of_rate_zero_is_zero() -> Result<(), SampleError> {
    let never = Poisson::new(&Rational::ZERO)?;
    for seed in 0..100 {
        assert_eq!(never.draw(&mut SeededEntropy::new(seed))?, 0);
    }
    Ok(())
}

/// Forgetting the rejection of the small-rate sampler: P(k) = δ^k/k! (1 - δ/(k+1)).
#[test]
fn poisson_counts_need_their_rejection() -> Result<(), SampleError> {
    let half = rational("1/2");
    let power = |k: i64| {
        (1..=k).fold(Enclosure::ONE, |weight, j| weight * Enclosure::of_rational(&half) / whole(j))
    };
    let wrong = Law::new(single(0, 8), |cell| match (cell.from, cell.below) {
        (None, _) => Enclosure::ZERO,
        (Some(k), Some(_)) => power(k) - power(k + 1),
        (Some(k), None) => power(k),
    });
    let coins = (1..40)
        .map(|k| Bernoulli::new(&Rational::new(1, 2_u64 * k)?))
        .collect::<Result<Vec<_>, SampleError>>()?;
    let law = poisson(&half, single(0, 8));
    let experiment = Experiment { law: &law, samples: 100_000, seed: 46 };
    experiment.accepts(draw_poisson(&half));
    experiment.rejects(&wrong, |entropy| {
        let mut k = 0;
        while coins[k].draw(entropy)? {
            k += 1;
        }
        Ok(i64::try_from(k).unwrap())
    });
    Ok(())
}

#[test]
fn binomial_counts_tell_one_per_cent() {
    let long = "333333333333333333333333333333/1000000000000000000000000000001";
    for (seed, trials, p, edges, samples) in [
        (50, 10, "1/3", single(0, 9), 500_000),
        (51, 100, "9/10", around(90, 3), 10_000),
        (52, 1_000, "1/3", around(333, 15), 20_000),
        (53, 1_000, long, around(333, 15), 20_000),
        (54, 17, long, single(0, 16), 300_000),
        (55, 1_000_000, "1/1000000", single(0, 8), 3_000_000),
    ] {
        let right = rational(p);
        let wrong = &right * &rational("1.01");
        let law = binomial(trials, &right, edges.clone());
        let experiment = Experiment { law: &law, samples, seed };
        experiment.accepts(draw_binomial(trials, &right));
        experiment.rejects(&binomial(trials, &wrong, edges), draw_binomial(trials, &wrong));
    }
}

/// A billion trials: p off by a hundred-thousandth is a third of a standard deviation.
#[test]
fn binomial_counts_of_many_trials() {
    let trials = 1_000_000_000;
    let edges = around(500_000_000, 15_811);
    for (seed, right) in [(56, "1/2"), (57, "1000000000000000000001/2000000000000000000000")] {
        let right = rational(right);
        let wrong = &right * &rational("1.00001");
        let law = binomial(trials, &right, edges.clone());
        let experiment = Experiment { law: &law, samples: 2_500, seed };
        experiment.accepts(draw_binomial(trials, &right));
        let wrong_law = binomial(trials, &wrong, edges.clone());
        experiment.rejects(&wrong_law, draw_binomial(trials, &wrong));
    }
}

#[test]
fn binomial_counts_of_certain_outcomes() -> Result<(), SampleError> {
    let mut entropy = SeededEntropy::new(58);
    for trials in [0, 1, 16, 17, 1_000_000_000_000] {
        assert_eq!(Binomial::new(trials, &Rational::ZERO)?.draw(&mut entropy)?, 0);
        assert_eq!(Binomial::new(trials, &Rational::ONE)?.draw(&mut entropy)?, trials);
        // p = 10^-100 and 1 - 10^-100 take the path of long denominators to its end.
        let tiny = rational("1e-100");
        assert_eq!(Binomial::new(trials, &tiny)?.draw(&mut entropy)?, 0);
        let nearly = &Rational::ONE - &tiny;
        assert_eq!(Binomial::new(trials, &nearly)?.draw(&mut entropy)?, trials);
    }
    Ok(())
}

/// One event too many, and one trial too many.
#[test]
fn counts_tell_one_more() {
    let rate = rational("5/2");
    let law = poisson(&rate, single(0, 15));
    let draw = draw_poisson(&rate);
    let wrong = poisson(&rate, single(-1, 14));
    let experiment = Experiment { law: &law, samples: 1_000, seed: 47 };
    experiment.rejects(&wrong, |entropy| draw(entropy).map(|k| k + 1));

    let third = rational("1/3");
    let law = binomial(20, &third, single(0, 20));
    let wrong = binomial(21, &third, single(0, 20));
    let experiment = Experiment { law: &law, samples: 10_000, seed: 48 };
    experiment.accepts(draw_binomial(20, &third));
    experiment.rejects(&wrong, draw_binomial(21, &third));
}
