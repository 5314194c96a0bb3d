//! Weighted choice, permute-and-flip, orders and subsets against their exact laws.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support::judge::Experiment;
use crate::support::law::Law;
use crate::support::laws::{exp_neg, rational, whole};
use throng_numeric::{Enclosure, Rational};
use throng_sample::{
    BernoulliExp, ExponentialChoice, PermuteAndFlip, SampleError, SeededEntropy, Subset, Uniform,
    shuffle,
};

/// Scores 3, 2, 0 with ε = κ = 1: x = (3 - score)/2.
const ENERGIES: [&str; 3] = ["0", "1/2", "3/2"];
/// From an independent computation.
const CHOICE: [f64; 3] = [0.546_549_387_266_18, 0.331_498_960_424_092, 0.121_951_652_309_729];
const FLIP: [f64; 3] = [0.630_281_351_148_339, 0.280_709_449_316_881, 0.089_009_199_534_779_5];

fn energies(factor: &str) -> Vec<Rational> {
    ENERGIES.iter().map(|x| &rational(x) * &rational(factor)).collect()
}

fn choice_law(energies: &[Rational]) -> Vec<Enclosure> {
    let weights: Vec<Enclosure> = energies.iter().map(exp_neg).collect();
    let total = crate::support::law::sum(&weights);
    weights.iter().map(|weight| *weight / total).collect()
}

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The law of taking the first success in each of the given orders with equal chance.
fn flip_law(energies: &[Rational], orders: &[[usize; 3]]) -> Vec<Enclosure> {
    let mut law = vec![Enclosure::ZERO; 3];
    for order in orders {
        let mut reached = Enclosure::ONE / whole(i64::try_from(orders.len()).unwrap());
        for &i in order {
            let success = exp_neg(&energies[i]);
            law[i] = law[i] + reached * success;
            reached = reached * (Enclosure::ONE - success);
        }
    }
    law
}

fn index(drawn: usize) -> i64 {
    i64::try_from(drawn).unwrap()
}

#[test]
fn the_laws_are_the_published_vectors() {
    let x = energies("1");
    for (law, vector) in [(choice_law(&x), CHOICE), (flip_law(&x, &ORDERS), FLIP)] {
        for (cell, expected) in law.iter().zip(vector) {
            let around = Enclosure::new(expected, expected).unwrap()
                + Enclosure::new(-1e-15, 1e-15).unwrap();
            assert!(cell.intersect(around).is_ok(), "{cell} and {expected}");
        }
    }
}

/// Wrong: ε off by 5 %, ε off by the factor 2, and the other mechanism.
#[test]
fn exponential_choice() -> Result<(), SampleError> {
    let law = Law::finite(&choice_law(&energies("1")));
    let experiment = Experiment { law: &law, samples: 1_000_000, seed: 60 };
    // Only differences matter: the same law with all energies lowered by 10^30.
    let lowered: Vec<Rational> = energies("1").iter().map(|x| x - &rational("1e30")).collect();
    for x in [energies("1"), lowered] {
        let sampler = ExponentialChoice::new(&x)?;
        experiment.accepts(|entropy| sampler.draw(entropy).map(index));
    }
    for factor in ["1.05", "2"] {
        let sampler = ExponentialChoice::new(&energies(factor))?;
        let wrong = Law::finite(&choice_law(&energies(factor)));
        experiment.rejects(&wrong, |entropy| sampler.draw(entropy).map(index));
    }
    let other = PermuteAndFlip::new(&energies("1"))?;
    let wrong = Law::finite(&flip_law(&energies("1"), &ORDERS));
    experiment.rejects(&wrong, |entropy| other.draw(entropy).map(index));
    Ok(())
}

/// Wrong: ε off by 5 %, and a fixed order instead of a random one.
#[test]
fn permute_and_flip() -> Result<(), SampleError> {
    let law = Law::finite(&flip_law(&energies("1"), &ORDERS));
    let experiment = Experiment { law: &law, samples: 1_000_000, seed: 61 };
    let sampler = PermuteAndFlip::new(&energies("1"))?;
    experiment.accepts(|entropy| sampler.draw(entropy).map(index));
    let off = PermuteAndFlip::new(&energies("1.05"))?;
    let wrong = Law::finite(&flip_law(&energies("1.05"), &ORDERS));
    experiment.rejects(&wrong, |entropy| off.draw(entropy).map(index));

    let coins = energies("1").iter().map(BernoulliExp::new).collect::<Result<Vec<_>, _>>()?;
    let wrong = Law::finite(&flip_law(&energies("1"), &[[2, 1, 0]]));
    experiment.rejects(&wrong, |entropy| {
        for i in [2, 1] {
            if coins[i].draw(entropy)? {
                return Ok(index(i));
            }
        }
        Ok(0)
    });
    Ok(())
}

/// The worst case: a million candidates, of which all but one are hopeless.
#[test]
fn a_needle_among_a_million_is_found() -> Result<(), SampleError> {
    let mut x = vec![rational("1000"); 1_000_000];
    x[271_828] = rational("1/3");
    let mut entropy = SeededEntropy::new(62);
    assert_eq!(ExponentialChoice::new(&x)?.draw(&mut entropy)?, 271_828);
    assert_eq!(PermuteAndFlip::new(&x)?.draw(&mut entropy)?, 271_828);
    Ok(())
}

/// The number of an order of three items, 0 to 5.
fn rank(order: [usize; 3]) -> i64 {
    index(ORDERS.iter().position(|known| *known == order).unwrap())
}

/// Wrong: each item swapped with any of the three, 27 equally likely runs for 6 orders.
#[test]
fn orders_of_three() -> Result<(), SampleError> {
    let law = Law::finite(&[Enclosure::ONE / whole(6); 6]);
    let experiment = Experiment { law: &law, samples: 600_000, seed: 63 };
    experiment.accepts(|entropy| {
        let mut items = [0, 1, 2];
        shuffle(&mut items, entropy)?;
        Ok(rank(items))
    });
    let naive = |choice: &dyn Fn(usize) -> Result<usize, SampleError>| {
        let mut items = [0, 1, 2];
        for i in 0..3 {
            items.swap(i, choice(i)?);
        }
        Ok::<i64, SampleError>(rank(items))
    };
    let mut runs = [0; 6];
    for run in 0..27_usize {
        let digits = [run % 3, run / 3 % 3, run / 9];
        runs[usize::try_from(naive(&|i| Ok(digits[i]))?).unwrap()] += 1;
    }
    let three = Uniform::below(3_u8)?;
    experiment.rejects(&Law::finite(&runs.map(|n| whole(n) / whole(27))), |entropy| {
        let mut digits = [0; 3];
        for digit in &mut digits {
            *digit = usize::try_from(three.draw(entropy)?).unwrap();
        }
        naive(&|i| Ok(digits[i]))
    });
    Ok(())
}

/// Pairs out of five, numbered {0,1}, {0,2}, {1,2}, {0,3}, ... Wrong: pairs out of six, with the
/// strangers counted at {0,1}.
#[test]
fn pairs_out_of_five() -> Result<(), SampleError> {
    let number = |pair: Vec<u64>| {
        let (low, high) = (pair[0], pair[1]);
        if high > 4 { 0 } else { i64::try_from(high * (high - 1) / 2 + low).unwrap() }
    };
    let law = Law::finite(&[Enclosure::ONE / whole(10); 10]);
    let experiment = Experiment { law: &law, samples: 600_000, seed: 64 };
    let (five, six) = (Subset::new(5, 2)?, Subset::new(6, 2)?);
    experiment.accepts(|entropy| five.draw(entropy).map(number));
    let mut wrong = [Enclosure::ONE / whole(15); 10];
    wrong[0] = whole(6) / whole(15);
    experiment.rejects(&Law::finite(&wrong), |entropy| six.draw(entropy).map(number));
    Ok(())
}
