//! Which groups there are, and in which order.

use super::{Exhibit, by, list, text};
use crate::dice::Dice;
use crate::{Neighbours, Outcome, World};

/// A group and its noisy count.
fn row(dice: &mut Dice, key: &str, count: i64) -> Outcome {
    Outcome::List(vec![text(key), Outcome::Integer(count + dice.two_sided(1.0))])
}

/// Noisy counts of the groups, in this order.
fn histogram(dice: &mut Dice, groups: &[(&str, i64)]) -> Vec<Outcome> {
    groups.iter().map(|(key, count)| row(dice, key, *count)).collect()
}

/// A group of one person or none: shown if its noisy count reaches a threshold.
fn thresholded(dice: &mut Dice, world: World, threshold: i64) -> Outcome {
    let noisy = by(world, None, Some(1)).map(|count: i64| count + dice.two_sided(1.0));
    noisy.filter(|count| *count >= threshold).map_or(Outcome::Nothing, Outcome::Integer)
}

/// Noisy minutes of two wards.
fn minutes(dice: &mut Dice, more: i64) -> Outcome {
    let rows = [("north", 20_000), ("south", 30_000 + more)];
    let row = |(key, sum): (&str, i64)| {
        Outcome::List(vec![text(key), Outcome::Integer(sum + dice.two_sided(1_000.0))])
    };
    Outcome::List(rows.map(row).to_vec())
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "empty-groups-absent",
        title: "noisy counts by town",
        flaw: "Only towns that occur in the data have a row, so a town's first person adds one.",
        cure: "A row for every town of a public list.",
        reference: "Korolova, Kenthapadi, Mishra, Ntoulas, Releasing search queries and clicks privately, WWW 2009",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let present =
                by(world, &[("ash", 5), ("elm", 3)][..], &[("ash", 5), ("elm", 3), ("oak", 1)]);
            Outcome::Set(histogram(dice, present))
        },
        mended: Some(|dice, world| {
            let all = [("ash", 5), ("elm", 3), ("oak", by(world, 0, 1))];
            Outcome::Set(histogram(dice, &all))
        }),
    },
    Exhibit {
        name: "threshold-too-low",
        title: "noisy count of a group, if it reaches a threshold",
        flaw: "The threshold is one too low for delta: a group of one person is shown with chance 0.0134 \
               instead of 0.0049.",
        cure: "A threshold of 6.",
        reference: "opendp/opendp#2922",
        // With a = e^-1 noise reaches k with chance a^k/(1 + a): 0.01339 for 4, 0.004926 for 5.
        claim: "approx_dp(epsilon=1, delta=0.004926)",
        neighbours: Neighbours::AddRemove,
        runs: 50_000,
        broken: |dice, world| thresholded(dice, world, 5),
        mended: Some(|dice, world| thresholded(dice, world, 6)),
    },
    Exhibit {
        name: "rows-in-order-of-arrival",
        title: "noisy counts by public keys",
        flaw: "Rows come in the order in which their keys first occur in the data.",
        cure: "Rows sorted by key.",
        reference: "a hash map that keeps the order of insertion; Cebere, Erb, Desfontaines, Bellet, \
                    Fitzsimons, PETS 2026",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let arrived = by(world, [("no", 3), ("yes", 4)], [("yes", 5), ("no", 3)]);
            Outcome::List(histogram(dice, &arrived))
        },
        mended: Some(|dice, world| {
            Outcome::List(histogram(dice, &[("no", 3), ("yes", by(world, 4, 5))]))
        }),
    },
    Exhibit {
        name: "small-groups-suppressed",
        title: "noisy count of a group, if it has five people",
        flaw: "Whether to suppress is decided by the true count.",
        cure: "By the noisy count.",
        reference: "small-cell suppression, as in official statistics before 2020",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let count = by(world, 4, 5);
            let noisy = count + dice.two_sided(1.0);
            if count < 5 { Outcome::Nothing } else { Outcome::Integer(noisy) }
        },
        mended: Some(|dice, world| {
            let noisy = by(world, 4, 5) + dice.two_sided(1.0);
            if noisy < 5 { Outcome::Nothing } else { Outcome::Integer(noisy) }
        }),
    },
    Exhibit {
        name: "zeros-stay-zero",
        title: "noisy table of counts, zeros kept",
        flaw: "Cells without people get no noise, so anything but 0 says that somebody is there.",
        cure: "Noise on every cell.",
        reference: "structural zeros taken from the data; cf. Cormode, Procopiuc, Srivastava, Tran, ICDT 2012",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let noisy = |n| if n == 0 { 0 } else { n + dice.two_sided(1.0) };
            list([4, by(world, 0, 1), 7].map(noisy))
        },
        mended: Some(|dice, world| list([4, by(world, 0, 1), 7].map(|n| n + dice.two_sided(1.0)))),
    },
    Exhibit {
        name: "minutes-by-ward",
        title: "noisy minutes by ward, up to 1000 for each person",
        flaw: "Minutes are not clamped: one person brings 3000.",
        cure: "Each person's minutes are clamped to 1000.",
        reference: "Wilson et al., Differentially private SQL with bounded user contribution, PoPETs 2020",
        // Rows of a table: the number that moves is within one of them.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| minutes(dice, by(world, 0, 3_000)),
        mended: Some(|dice, world| minutes(dice, by(world, 0, 1_000))),
    },
];
