//! Weighted choice among entries and among runs of energies, against the exact laws.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::time::{Duration, Instant};

use crate::support::judge::Experiment;
use crate::support::law::Law;
use crate::support::laws::{discrete_laplace, exp_neg, rational, single};
use throng_numeric::{Enclosure, Natural, Rational};
use throng_sample::{Run, RunChoice, SampleError, SeededEntropy, WeightedChoice};

type Entries = Vec<(Natural, Rational)>;

fn entries(of: &[(&str, &str)]) -> Entries {
    of.iter().map(|(n, x)| (Natural::try_from(rational(n).floor()).unwrap(), rational(x))).collect()
}

/// nᵢ e^(-xᵢ) over their sum, for xᵢ >= 0.
fn law(entries: &Entries) -> Law {
    let weight = |(n, x): &(Natural, Rational)| {
        Enclosure::of_rational(&Rational::from(n.clone())) * exp_neg(x)
    };
    let weights: Vec<Enclosure> = entries.iter().map(weight).collect();
    let total = crate::support::law::sum(&weights);
    Law::finite(&weights.iter().map(|weight| *weight / total).collect::<Vec<_>>())
}

fn index(drawn: usize) -> i64 {
    i64::try_from(drawn).unwrap()
}

/// Accepts the right entries, also with all energies lowered by 10^30; rejects wrong ones.
fn tells(right: &[(&str, &str)], wrong: &[(&str, &str)], seed: u64) -> Result<(), SampleError> {
    let (right, wrong) = (entries(right), entries(wrong));
    let law_of_right = law(&right);
    let experiment = Experiment { law: &law_of_right, samples: 200_000, seed };
    let lowered = right.iter().map(|(n, x)| (n.clone(), x - &rational("1e30"))).collect();
    for entries in [right, lowered] {
        let choice = WeightedChoice::new(entries)?;
        experiment.accepts(|entropy| choice.draw(entropy).map(index));
    }
    let law_of_wrong = law(&wrong);
    let choice = WeightedChoice::new(wrong)?;
    experiment.rejects(&law_of_wrong, |entropy| choice.draw(entropy).map(index));
    Ok(())
}

/// Equal energies: rational probabilities.
#[test]
fn multiplicities() -> Result<(), SampleError> {
    let right = [("2", "1/3"), ("0", "0"), ("1", "1/3"), ("50", "1/3")];
    let wrong = [("2", "1/3"), ("0", "0"), ("1", "1/3"), ("30", "1/3")];
    tells(&right, &wrong, 100)
}

#[test]
fn multiplicities_and_energies() -> Result<(), SampleError> {
    let right = [("1", "0"), ("3", "1/2"), ("1000", "5"), ("7", "1/300"), ("0", "1")];
    let wrong = [("1", "0"), ("3", "1/2"), ("1000", "5.1"), ("7", "1/300"), ("0", "1")];
    tells(&right, &wrong, 101)
}

/// Weights that balance only because lengths of 2^64 and 2^200 meet energies of 44 and 139.
#[test]
fn long_gaps_of_high_energy() -> Result<(), SampleError> {
    let (word, long) = ("18446744073709551616", "1e60");
    let right = [("1", "0"), (word, "44.3"), (long, "138"), ("3", "1"), (word, "200")];
    let wrong = [("1", "0"), (word, "44.4"), (long, "138"), ("3", "1"), (word, "200")];
    tells(&right, &wrong, 102)
}

/// The use this is for: gaps about a rank, a million of them, drawn from once.
#[test]
fn a_million_gaps() -> Result<(), SampleError> {
    for (seed, rate) in [(103, "1/2"), (104, "1/1000003"), (105, "3")] {
        let rate = rational(rate);
        let energy = |i: u64| &rate * &Rational::from(i.abs_diff(271_828));
        let gaps: Vec<(u64, Rational)> =
            (0..1_000_000).map(|i| (1 + i % 1000 * (u64::MAX / 1000), energy(i))).collect();
        let start = Instant::now();
        let chosen = WeightedChoice::new(gaps)?.draw(&mut SeededEntropy::new(seed))?;
        let taken = start.elapsed();
        println!("a million gaps: {taken:?}");
        assert!(taken < Duration::from_secs(20), "{taken:?}");
        // Energies beyond 60 have a share below 10^6 e^-60 (every gap here but a thousandth has
        // a length within 1000 of the longest).
        assert!(rational("80") > energy(u64::try_from(chosen).unwrap()));
    }
    let mut needle = vec![(1_u64, rational("1000")); 1_000_000];
    needle[314_159].1 = rational("1/3");
    assert_eq!(WeightedChoice::new(needle)?.draw(&mut SeededEntropy::new(106))?, 314_159);
    Ok(())
}

fn run(start: &str, step: &str, length: Option<u64>) -> Run {
    Run { start: rational(start), step: rational(step), length: length.map(Natural::from) }
}

/// Two endless runs make the two sides of a discrete Laplace law, whose exact law is known. Scales
/// below and above 1: blocks of one element and of many.
#[test]
fn two_tails_make_a_laplace_law() -> Result<(), SampleError> {
    for (seed, step, off, reach) in
        [(110, "1/7", "5/37", 40), (111, "0.9", "1", 7), (112, "7/2", "3", 2)]
    {
        let sided = |step: &str| RunChoice::new([run("0", step, None), run(step, step, None)]);
        let signed = |(side, place): (usize, Natural)| {
            let place = i64::try_from(place).unwrap();
            if side == 0 { place } else { -1 - place }
        };
        let law_of = |step: &str| {
            let scale = Rational::ONE.checked_div(&rational(step)).unwrap();
            discrete_laplace(&scale, single(-reach, reach))
        };
        let law = law_of(step);
        let experiment = Experiment { law: &law, samples: 100_000, seed };
        let (right, wrong) = (sided(step)?, sided(off)?);
        experiment.accepts(|entropy| right.draw(entropy).map(signed));
        experiment.rejects(&law_of(off), |entropy| wrong.draw(entropy).map(signed));
    }
    Ok(())
}

/// The law of finite runs by enumeration, all energies being at least 0.
fn enumerated(runs: &[Run]) -> Law {
    let mut weights = Vec::new();
    for run in runs {
        for j in 0..u32::try_from(run.length.clone().unwrap()).unwrap() {
            weights.push(exp_neg(&(&run.start + &(&run.step * &Rational::from(j)))));
        }
    }
    let total = crate::support::law::sum(&weights);
    Law::finite(&weights.iter().map(|weight| *weight / total).collect::<Vec<_>>())
}

/// Rising, falling, flat, short, long, empty. Wrong: the falling run rises.
#[test]
fn finite_runs() -> Result<(), SampleError> {
    let lengths = [5, 7, 3, 0, 12, 4, 1];
    let runs = |sign: &str| {
        vec![
            run("1", "1/9", Some(5)),
            run("5/2", &format!("{sign}1/3"), Some(7)),
            run("1/2", "0", Some(3)),
            run("0", "-1", Some(0)),
            run("1/4", "1/4", Some(12)),
            run("5", "-3/2", Some(4)),
            run("2", "5", Some(1)),
        ]
    };
    let number = |(run, place): (usize, Natural)| {
        lengths[..run].iter().sum::<i64>() + i64::try_from(place).unwrap()
    };
    let (law, wrong) = (enumerated(&runs("-")), enumerated(&runs("")));
    let experiment = Experiment { law: &law, samples: 200_000, seed: 113 };
    let (right, off) = (RunChoice::new(runs("-"))?, RunChoice::new(runs(""))?);
    experiment.accepts(|entropy| right.draw(entropy).map(number));
    experiment.rejects(&wrong, |entropy| off.draw(entropy).map(number));
    Ok(())
}

/// A run of 2^200 elements that rises by 10^-30 a step, against one element: its weight is nearly
/// 10^30, and its element is where it should be, below 100 · 10^30.
#[test]
fn runs_of_any_length() -> Result<(), SampleError> {
    let huge = Run { length: Some(Natural::ONE << 200), ..run("0", "1e-30", None) };
    let choice = RunChoice::new([run("0", "1", Some(1)), huge])?;
    let law = Law::finite(&[exp_neg(&rational("1")), Enclosure::ONE - exp_neg(&rational("1"))]);
    Experiment { law: &law, samples: 20_000, seed: 114 }.accepts(|entropy| {
        let (run, place) = choice.draw(entropy)?;
        assert_eq!(run, 1);
        // Beyond 10^30 with probability 1/e but for 10^-30.
        Ok(i64::from(place < Natural::from(10_u8).pow(30)))
    });
    Ok(())
}
