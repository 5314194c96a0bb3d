//! Several answers: what was drawn once and used twice, paid once and given twice.

use super::{Exhibit, by, list};
use crate::dice::{Dice, hash};
use crate::{Neighbours, Outcome, World};

/// Running counts of a stream of eight by a binary tree of noisy partial sums (dyadic intervals).
fn tree(stream: [i64; 8], mut noise: impl FnMut(usize, usize) -> i64) -> Outcome {
    // Noise of the node that ends at a time, by level: each is drawn once.
    let drawn: Vec<[i64; 4]> =
        (1..=8).map(|end| std::array::from_fn(|level| noise(level, end))).collect();
    list((1..=8_usize).map(|time| {
        let true_count: i64 = stream.iter().take(time).sum();
        true_count + noise_at(&drawn, time)
    }))
}

/// The noise of the dyadic intervals that add up to [1, time].
fn noise_at(drawn: &[[i64; 4]], time: usize) -> i64 {
    let (mut end, mut total) = (time, 0);
    while end > 0 {
        let level = end.trailing_zeros();
        let node = drawn.get(end - 1).and_then(|levels| levels.get(usize::try_from(level).ok()?));
        total += node.copied().unwrap_or(0);
        end &= end - 1;
    }
    total
}

/// Somebody comes at one time, or does not.
fn stream(world: World, time: usize) -> [i64; 8] {
    std::array::from_fn(|i| by(world, 0, i64::from(i == time)))
}

/// Noise of scale 100 that is a function of the data and of the minute.
fn seeded_by_data(dice: &mut Dice, value: i64) -> i64 {
    let minute = dice.below(60);
    let seed = hash(value.unsigned_abs()) ^ u64::try_from(minute).unwrap_or(0);
    Dice::seeded(seed).two_sided(100.0)
}

/// Three random numbers below 2^16 whose sum is the value modulo 2^16.
fn shares(dice: &mut Dice, value: i64) -> Outcome {
    let [a, b] = [(); 2].map(|()| i64::try_from(dice.bits() >> 48).unwrap_or(0));
    list([a, b, (value - a - b).rem_euclid(1 << 16)])
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "tree-counter-one-noise-per-level",
        title: "running counts by a binary tree of noisy sums",
        flaw: "All nodes of a level share one noise, so sums of answers cancel it: answer 3 less answers 1 \
               and 2 is a difference of true counts.",
        cure: "Every node has its own noise.",
        reference: "Chan, Shi, Song, Private and continual release of statistics, 2011",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| {
            let levels: [i64; 4] = std::array::from_fn(|_| dice.two_sided(4.0));
            tree(stream(world, 2), |level, _| levels[level])
        },
        mended: Some(|dice, world| tree(stream(world, 2), |_, _| dice.two_sided(4.0))),
    },
    Exhibit {
        name: "tree-counter-one-level-paid",
        title: "running counts by a binary tree of noisy sums, scale 1/epsilon",
        flaw: "A person is in a node of each of the four levels, but only one of them is paid for.",
        cure: "Noise of scale 4/epsilon.",
        reference: "Dwork, Naor, Pitassi, Rothblum, Differential privacy under continual observation, STOC 2010",
        // Answers 1, 2, 4 and 8 are four releases with independent noise: epsilon is 4.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| tree(stream(world, 0), |_, _| dice.two_sided(1.0)),
        mended: Some(|dice, world| tree(stream(world, 0), |_, _| dice.two_sided(4.0))),
    },
    Exhibit {
        name: "asked-three-times",
        title: "a dashboard that shows a noisy count on each of three visits",
        flaw: "Each visit draws fresh noise and none but the first is paid for.",
        cure: "The first answer is kept and shown again.",
        reference: "averaging attacks; cf. Kenthapadi, Tran, PriPeARL, CIKM 2018",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| list((0..3).map(|_| by(world, 5, 6) + dice.two_sided(1.0))),
        mended: Some(|dice, world| list([by(world, 5, 6) + dice.two_sided(1.0); 3])),
    },
    Exhibit {
        name: "noise-used-twice",
        title: "two counts for epsilon 1 each",
        flaw: "Both workers were forked after the generator was seeded and draw the same noise: the \
               difference of the answers is exact.",
        cure: "Each draws its own noise.",
        reference: "opendp/opendp#2934",
        claim: "2 * pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let noise = dice.two_sided(1.0);
            list([by(world, 10, 11) + noise, 5 + noise])
        },
        mended: Some(|dice, world| {
            list([by(world, 10, 11) + dice.two_sided(1.0), 5 + dice.two_sided(1.0)])
        }),
    },
    Exhibit {
        name: "overlapping-groups-as-parallel",
        title: "counts by tag, paid as counts of disjoint groups",
        flaw: "A person has three tags and is in three groups.",
        cure: "Noise of scale 3/epsilon.",
        reference: "McSherry, Privacy integrated queries, SIGMOD 2009: parallel composition",
        claim: "parallel(pure(epsilon=1), pure(epsilon=1), pure(epsilon=1))",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| list([4, 7, 9].map(|n| n + by(world, 0, 1) + dice.two_sided(1.0))),
        mended: Some(|dice, world| {
            list([4, 7, 9].map(|n| n + by(world, 0, 1) + dice.two_sided(3.0)))
        }),
    },
    Exhibit {
        name: "noise-seeded-by-data",
        title: "a noisy sum that is the same when asked again within a minute",
        flaw: "The seed is made of the data and the minute: sixty possible answers for each data set.",
        cure: "Fresh noise from a secret seed; answers are stored.",
        reference: "Kenthapadi, Tran, PriPeARL, CIKM 2018: noise from a secret key and the query, not from data",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| {
            let value = by(world, 900, 1000);
            Outcome::Integer(value + seeded_by_data(dice, value))
        },
        mended: Some(|dice, world| Outcome::Integer(by(world, 900, 1000) + dice.two_sided(100.0))),
    },
    Exhibit {
        name: "unchanged-means-cached",
        title: "a count asked twice, for epsilon 1 each",
        flaw: "The second answer is the first one again exactly if the data have not changed.",
        cure: "Fresh noise each time it is paid for.",
        reference: "a cache keyed by a fingerprint of the data",
        // Different answers: 0.74 if somebody came in between, never otherwise.
        claim: "2 * pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| {
            let first = 5 + dice.two_sided(1.0);
            list([first, by(world, first, 6 + dice.two_sided(1.0))])
        },
        mended: Some(|dice, world| {
            list([5 + dice.two_sided(1.0), by(world, 5, 6) + dice.two_sided(1.0)])
        }),
    },
    Exhibit {
        name: "exact-total",
        title: "noisy counts of four groups that add up",
        flaw: "The last count is set so that the sum is the true total.",
        cure: "Counts are left as they are.",
        reference: "Gong, Meng, Congenial differential privacy under mandated disclosure, FODS 2020: invariants",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let total = by(world, 16, 17);
            let [a, b, c] = [by(world, 3, 4), 5, 2].map(|n| n + dice.two_sided(1.0));
            list([a, b, c, total - a - b - c])
        },
        mended: Some(|dice, world| {
            list([by(world, 3, 4), 5, 2, 6].map(|n| n + dice.two_sided(1.0)))
        }),
    },
    Exhibit {
        name: "all-shares-published",
        title: "a noisy count, shared among three servers",
        flaw: "What is shared is the true count, and the log shows all three shares: each is uniform, \
               their sum modulo 2^16 is the count.",
        cure: "The noisy count is shared.",
        reference: "Bonawitz et al., Practical secure aggregation, CCS 2017: noise goes in before sharing",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| shares(dice, by(world, 40, 41)),
        mended: Some(|dice, world| {
            let noisy = by(world, 40, 41) + dice.two_sided(1.0);
            shares(dice, noisy)
        }),
    },
];
