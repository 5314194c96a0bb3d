//! Selections: the best of several candidates.

use super::{Exhibit, by, text};
use crate::dice::{Dice, exp};
use crate::{Neighbours, Outcome, World};

const BOOK: &str =
    "Dwork, Roth, The algorithmic foundations of differential privacy, 2014, section 3.3";

/// The place of the largest.
fn largest(scores: &[f64]) -> usize {
    let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    best.unwrap_or(0)
}

fn place(index: usize) -> Outcome {
    Outcome::Integer(i64::try_from(index).unwrap_or(i64::MAX))
}

/// One candidate gains a point and all others lose one, or nothing changes.
fn scores<const N: usize>(world: World) -> [f64; N] {
    std::array::from_fn(|i| by(world, 0.0, if i == 0 { 1.0 } else { -1.0 }))
}

fn noisy_max<const N: usize>(dice: &mut Dice, scores: [f64; N], noise: [f64; N]) -> Outcome {
    let mut noise = noise.into_iter();
    place(largest(&scores.map(|score| score + dice.laplace(noise.next().unwrap_or(0.0)))))
}

/// Chooses a place with chances proportional to e^(rate score).
fn chosen<const N: usize>(dice: &mut Dice, scores: [f64; N], rate: f64) -> usize {
    let weights = scores.map(|score| exp(rate * score));
    let mut left = dice.uniform() * weights.iter().sum::<f64>();
    let chosen = weights.iter().position(|weight| {
        left -= weight;
        left <= 0.0
    });
    chosen.unwrap_or(0)
}

/// Names the choice.
fn exponential<const N: usize>(dice: &mut Dice, scores: [f64; N], rate: f64) -> Outcome {
    text(&format!("candidate {}", chosen(dice, scores, rate)))
}

/// Visits candidates in random order, and takes one with chance e^(rate (score - best)).
fn permute_and_flip<const N: usize>(dice: &mut Dice, scores: [f64; N], rate: f64) -> Outcome {
    let best = scores[largest(&scores)];
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    dice.shuffle(&mut order);
    let taken = order.into_iter().find(|i| dice.coin(exp(rate * (scores[*i] - best))));
    place(taken.unwrap_or(0))
}

/// Five counts that all grow by 1: the winner and, with the same noise, how much it has.
fn winner_and_value(dice: &mut Dice, world: World) -> Outcome {
    let noisy: [i64; 5] = std::array::from_fn(|_| by(world, 10, 11) + dice.two_sided(1.0));
    let best = (0..5).max_by_key(|i| noisy[*i]).unwrap_or(0);
    Outcome::List(vec![place(best), Outcome::Integer(noisy[best])])
}

/// The winner for half of the budget, a fresh count of it for the other half.
fn winner_then_value(dice: &mut Dice, world: World) -> Outcome {
    let winner = noisy_max(dice, [by(world, 10.0, 11.0); 5], [4.0; 5]);
    Outcome::List(vec![winner, Outcome::Integer(by(world, 10, 11) + dice.two_sided(2.0))])
}

/// The four best of eight by one noisy score each; in world 1 the first four gain a point.
fn best_four(dice: &mut Dice, world: World, scale: f64) -> Outcome {
    let gain = by(world, 0.0, 1.0);
    let mut noisy: Vec<(f64, usize)> =
        (0..8).map(|i| (if i < 4 { gain } else { 0.0 } + dice.laplace(scale), i)).collect();
    noisy.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best: Vec<usize> = noisy.into_iter().take(4).map(|(_, i)| i).collect();
    best.sort_unstable();
    Outcome::Set(best.into_iter().map(place).collect())
}

/// How many values more are on one side of a candidate than on the other, negative; replacing a value
/// moves it by at most 2.
fn off_the_middle(values: &[i64], candidate: usize) -> f64 {
    let side = |value: &i64| value.cmp(&i64::try_from(candidate).unwrap_or(0)) as i32;
    f64::from(-values.iter().map(side).sum::<i32>().abs())
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "noisy-max-quiet-arm",
        title: "report noisy max of seven candidates",
        flaw: "The first candidate, the default, gets no noise.",
        cure: "Noise on every candidate.",
        reference: BOOK,
        // The quiet arm wins if six others are below it: 2^-6 = 0.0156 against (1 - e^-1/2)^6 = 0.296.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| noisy_max(dice, scores(world), [0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]),
        mended: Some(|dice, world| noisy_max(dice, scores(world), [2.0; 7])),
    },
    Exhibit {
        name: "exponential-without-two",
        title: "exponential mechanism over twenty candidates",
        flaw: "Weights e^(epsilon score) instead of e^(epsilon score/2), though one person can raise one \
               score and lower the others: the normaliser moves too.",
        cure: "Weights e^(epsilon score/2).",
        reference: "McSherry, Talwar, Mechanism design via differential privacy, FOCS 2007",
        // 1/20 against e^2/(e^2 + 19) = 0.28: a ratio of 5.6.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| exponential::<20>(dice, scores(world), 1.0),
        mended: Some(|dice, world| exponential::<20>(dice, scores(world), 0.5)),
    },
    Exhibit {
        name: "noisy-max-with-value",
        title: "report noisy max of five counts, with the winner's noisy count",
        flaw: "The noisy maximum itself is published for the same budget: it bounds all other noises.",
        cure: "Half of the budget for the winner, half for a fresh count.",
        reference: BOOK,
        // The largest of five is at most 10 with chance 0.73^5 = 0.21 against 0.27^5 = 0.0014.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: winner_and_value,
        mended: Some(winner_then_value),
    },
    Exhibit {
        name: "top-four-paid-once",
        title: "the four best of eight candidates, by one noise of scale 1/epsilon each",
        flaw: "Four selections for the price of one.",
        cure: "Noise of scale 2 k/epsilon for k winners.",
        reference: "Qiao, Su, Zhang, Oneshot differentially private top-k selection, ICML 2021",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| best_four(dice, world, 1.0),
        mended: Some(|dice, world| best_four(dice, world, 8.0)),
    },
    Exhibit {
        name: "permute-and-flip-without-two",
        title: "permute-and-flip over ten candidates",
        flaw: "Candidates are taken with chance e^(epsilon (score - best)), without the factor 1/2 that \
               scores moving both ways need.",
        cure: "Chance e^(epsilon (score - best)/2).",
        reference: "McKenna, Sheldon, Permute-and-flip, NeurIPS 2020",
        // 1/10 against (1 - (1 - q)^10)/(10 q) = 0.57 with q = e^-2.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| permute_and_flip::<10>(dice, scores(world), 1.0),
        mended: Some(|dice, world| permute_and_flip::<10>(dice, scores(world), 0.5)),
    },
    Exhibit {
        name: "permute-and-flip-as-bounded-range",
        title: "permute-and-flip with the accounting of the exponential mechanism",
        flaw: "Pure epsilon is kept, but not the bounded range that makes the exponential mechanism compose \
               cheaply.",
        cure: "The exponential mechanism.",
        reference: "opendp/opendp#2911; Durfee, Rogers, Practical differentially private top-k, NeurIPS 2019",
        // The better of two is chosen with chance 1/2 against 1 - e^-1/2 = 0.816; allowed is 0.745.
        claim: "exponential(eps=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| permute_and_flip::<2>(dice, scores(world), 0.5),
        mended: Some(|dice, world| exponential::<2>(dice, scores(world), 0.5)),
    },
    Exhibit {
        name: "candidates-from-the-data",
        title: "median by the exponential mechanism",
        flaw: "The candidates are the values in the data, so a value that is chosen is somebody's.",
        cure: "Public candidates.",
        reference: "Smith, Privacy-preserving statistical estimation with optimal convergence rates, STOC 2011",
        // Each candidate's score is how far it is from the middle: 9 and 8 are two places off.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 5_000,
        broken: |dice, world| {
            let values = by(world, [1, 3, 5, 7, 9], [1, 3, 5, 7, 8]);
            let chosen = chosen(dice, [-2.0, -1.0, 0.0, -1.0, -2.0], 0.5);
            Outcome::Integer(values[chosen])
        },
        mended: Some(|dice, world| {
            let values = by(world, [1, 3, 5, 7, 9], [1, 3, 5, 7, 8]);
            place(chosen(
                dice,
                std::array::from_fn::<_, 11, _>(|i| off_the_middle(&values, i)),
                0.25,
            ))
        }),
    },
    Exhibit {
        name: "best-of-ten-runs",
        title: "the best of ten models, each trained with mu 1",
        flaw: "Choosing by what all ten gave costs more than one of them.",
        cure: "One of the ten, chosen at random.",
        reference: "Papernot, Steinke, Hyperparameter tuning with Renyi differential privacy, ICLR 2022",
        // The largest of ten normal numbers has a deviation of 0.59, and still moves by 1.
        claim: "gdp(mu=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| {
            let best = (0..10).map(|_| dice.normal_steps(64.0)).max();
            Outcome::Integer(by(world, 0, 64) + best.unwrap_or(0))
        },
        mended: Some(|dice, world| Outcome::Integer(by(world, 0, 64) + dice.normal_steps(64.0))),
    },
];
