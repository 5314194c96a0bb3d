//! Local randomisers: everybody protects an answer before it leaves.

use super::{Exhibit, by, list, text};
use crate::dice::{Dice, exp, hash};
use crate::{Neighbours, Outcome, World};

const COLOURS: [&str; 8] = ["red", "blue", "green", "black", "white", "brown", "grey", "pink"];

/// The true colour with some chance, else one of the other `k` - 1.
fn colour(dice: &mut Dice, world: World, k: usize, truth: f64) -> Outcome {
    let answer = by(world, 0, 1);
    let given = if dice.coin(truth) { answer } else { (answer + 1 + dice.below(k - 1)) % k };
    text(COLOURS.get(given).copied().unwrap_or_default())
}

/// The true bit with some chance.
fn respond(dice: &mut Dice, bit: bool, truth: f64) -> i64 {
    i64::from(bit == dice.coin(truth))
}

/// One bit of four, each kept with some chance.
fn unary(dice: &mut Dice, world: World, truth: f64) -> Outcome {
    list((0..4).map(|i| respond(dice, i == by(world, 0, 1), truth)))
}

/// One of four buckets by a hash function with a number below 16.
pub(super) fn bucket(function: usize, value: u64) -> usize {
    let seed = u64::try_from(function).unwrap_or(0) << 8;
    usize::try_from(hash(hash(seed) ^ value) % 4).unwrap_or(0)
}

/// A hash function and the bucket of the value, kept with chance e/(e + 3).
fn hashed(dice: &mut Dice, value: u64, function: usize) -> Outcome {
    let keep = dice.coin(exp(1.0) / (exp(1.0) + 3.0));
    let other = if keep { 0 } else { 1 + dice.below(3) };
    let given = (bucket(function, value) + other) % 4;
    list([function, given].map(|n| i64::try_from(n).unwrap_or(0)))
}

/// A function that puts the value into bucket 0.
fn suitable(dice: &mut Dice, value: u64) -> usize {
    (0..1000).map(|_| dice.below(16)).find(|f| bucket(*f, value) == 0).unwrap_or(0)
}

/// Twenty people answer, each truly with chance 3/4; the first one's bit differs.
fn answers(dice: &mut Dice, world: World) -> [i64; 20] {
    std::array::from_fn(|i| {
        respond(dice, if i == 0 { by(world, false, true) } else { i % 2 == 0 }, 0.75)
    })
}

/// Sixteen bits of which two are set, each kept with some chance.
fn bloom(dice: &mut Dice, set: [usize; 2], truth: f64) -> Outcome {
    list((0..16).map(|i| respond(dice, set.contains(&i), truth)))
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "kary-response-leftover",
        title: "randomised response with four answers",
        flaw: "The table of chances is divided by e^epsilon + k instead of e^epsilon + k - 1, and what is \
               left over falls to the true answer.",
        cure: "e^epsilon + k - 1.",
        reference: "Kairouz, Bonawitz, Ramage, Discrete distribution estimation under local privacy, ICML 2016",
        // The true answer: (e + 1)/(e + 4) = 0.553; each other 0.149.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 5_000,
        broken: |dice, world| colour(dice, world, 4, (exp(1.0) + 1.0) / (exp(1.0) + 4.0)),
        mended: Some(|dice, world| colour(dice, world, 4, exp(1.0) / (exp(1.0) + 3.0))),
    },
    Exhibit {
        name: "kary-response-binary-coin",
        title: "randomised response with eight answers",
        flaw: "The chance of the truth is that for two answers, e^epsilon/(e^epsilon + 1).",
        cure: "e^epsilon/(e^epsilon + 7).",
        reference: "Kairouz, Bonawitz, Ramage, ICML 2016",
        // 0.731 against 0.038: seven times what is allowed.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 1_000,
        broken: |dice, world| colour(dice, world, 8, exp(1.0) / (exp(1.0) + 1.0)),
        mended: Some(|dice, world| colour(dice, world, 8, exp(1.0) / (exp(1.0) + 7.0))),
    },
    Exhibit {
        name: "unary-encoding-whole-budget",
        title: "one-hot vector of four bits, each flipped",
        flaw: "Each bit is randomised for the whole epsilon, but another value changes two of them.",
        cure: "Half of epsilon for each bit.",
        reference: "Wang, Blocki, Li, Jha, Locally differentially private protocols, USENIX Security 2017",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 5_000,
        broken: |dice, world| unary(dice, world, exp(1.0) / (1.0 + exp(1.0))),
        mended: Some(|dice, world| unary(dice, world, exp(0.5) / (1.0 + exp(0.5)))),
    },
    Exhibit {
        name: "response-wrong-coin",
        title: "randomised response with two coins",
        flaw: "The first coin decides whether to tell the truth with chance e^epsilon/(1 + e^epsilon), and \
               the second coin tells it by accident half of the other times.",
        cure: "That is the chance of a true answer in all.",
        reference: "Warner, Randomized response, JASA 1965",
        // 0.866 against 0.134: a ratio of 6.4.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 2_000,
        broken: |dice, world| {
            let truthful = dice.coin(exp(1.0) / (1.0 + exp(1.0)));
            let bit = if truthful { by(world, false, true) } else { dice.coin(0.5) };
            Outcome::Integer(i64::from(bit))
        },
        mended: Some(|dice, world| {
            let truth = exp(1.0) / (1.0 + exp(1.0));
            Outcome::Integer(respond(dice, by(world, false, true), truth))
        }),
    },
    Exhibit {
        name: "truth-now-and-then",
        title: "an age between 0 and 100 with local noise of scale 100",
        flaw: "One report in fifty skips the noise, to check the pipeline.",
        cure: "No report skips it.",
        reference: "Dwork, Roth 2014: name and shame, section 2.3",
        // 100 in world 1: 0.0249; in world 0: 0.0018.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 20_000,
        broken: |dice, world| {
            let noise = if dice.coin(0.02) { 0 } else { dice.two_sided(100.0) };
            Outcome::Integer(by(world, 0, 100) + noise)
        },
        mended: Some(|dice, world| Outcome::Integer(by(world, 0, 100) + dice.two_sided(100.0))),
    },
    Exhibit {
        name: "hash-chosen-by-value",
        title: "local hashing: a random hash function and a noisy bucket",
        flaw: "The device tries functions until its value falls into the first bucket, so the function \
               tells about the value.",
        cure: "The function is drawn first.",
        reference: "Wang, Blocki, Li, Jha, USENIX Security 2017: optimal local hashing",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 5_000,
        broken: |dice, world| {
            let value = by(world, 3, 8);
            let function = suitable(dice, value);
            hashed(dice, value, function)
        },
        mended: Some(|dice, world| {
            let function = dice.below(16);
            hashed(dice, by(world, 3, 8), function)
        }),
    },
    Exhibit {
        name: "shuffler-keeps-order",
        title: "reports of twenty people, accounted as shuffled",
        flaw: "Reports are passed on in the order in which people sent them.",
        cure: "Reports are put in random order.",
        reference: "Erlingsson et al., Amplification by shuffling, SODA 2019",
        claim: "shuffled(randomized_response(p=1/4), users=20)",
        neighbours: Neighbours::Replace,
        runs: 2_000,
        broken: |dice, world| list(answers(dice, world)),
        mended: Some(|dice, world| {
            let mut reports = answers(dice, world);
            dice.shuffle(&mut reports);
            list(reports)
        }),
    },
    Exhibit {
        name: "two-hashes-paid-as-one",
        title: "a word in a Bloom filter of sixteen bits, each bit flipped",
        flaw: "Each bit is randomised as if another word changed two bits; with two hash functions it \
               changes four.",
        cure: "A quarter of epsilon for each bit.",
        reference: "Erlingsson, Pihur, Korolova, RAPPOR, CCS 2014",
        claim: "pure(epsilon=2)",
        neighbours: Neighbours::Replace,
        runs: 10_000,
        broken: |dice, world| bloom(dice, by(world, [2, 9], [5, 12]), exp(1.0) / (1.0 + exp(1.0))),
        mended: Some(|dice, world| {
            bloom(dice, by(world, [2, 9], [5, 12]), exp(0.5) / (1.0 + exp(0.5)))
        }),
    },
    Exhibit {
        name: "response-as-bounded-range",
        title: "randomised response for epsilon 1, as rho = epsilon^2/8",
        flaw: "The eighth holds for mechanisms of bounded range; pure epsilon gives half of its square.",
        cure: "Randomised response for epsilon 1/2.",
        reference: "Cesar, Rogers, Bounding, concentrating, and truncating, ALT 2021",
        claim: "zcdp(rho=1/8)",
        neighbours: Neighbours::Replace,
        runs: 5_000,
        broken: |dice, world| {
            let truth = exp(1.0) / (1.0 + exp(1.0));
            Outcome::Integer(respond(dice, by(world, false, true), truth))
        },
        mended: Some(|dice, world| {
            let truth = exp(0.5) / (1.0 + exp(0.5));
            Outcome::Integer(respond(dice, by(world, false, true), truth))
        }),
    },
];
