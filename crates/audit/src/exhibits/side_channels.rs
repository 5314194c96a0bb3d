//! What an answer says beside its value: errors, nulls, lengths, fingerprints.

use super::{Exhibit, by, list, text};
use crate::dice::{Dice, hash};
use crate::{Neighbours, Outcome};

/// Noisy counts of people by page.
fn pages(dice: &mut Dice, people: &[i64]) -> Outcome {
    list(people.iter().map(|n| n + dice.two_sided(1.0)))
}

fn sentence(sum: i64) -> Outcome {
    text(&format!("They earn about {sum} a month."))
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "error-tells-a-row",
        title: "noisy number of people under 100",
        flaw: "A row that cannot be read stops the query with an error.",
        cure: "Such a row counts as missing.",
        reference: "opendp/opendp#1908",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let noisy = Outcome::Integer(40 + dice.two_sided(1.0));
            by(world, noisy, text("error: cannot read an age"))
        },
        mended: Some(|dice, _| Outcome::Integer(40 + dice.two_sided(1.0))),
    },
    Exhibit {
        name: "null-for-nobody",
        title: "noisy sum of ages in a group",
        flaw: "As in SQL, the sum of no rows is null: one person makes it a number.",
        cure: "The sum of no rows is 0, and noisy.",
        reference: "ISO SQL: aggregates of an empty group; Cebere, Erb, Desfontaines, Bellet, Fitzsimons, PETS 2026",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let sum: Option<i64> = by(world, None, Some(30));
            let noise = dice.two_sided(100.0);
            sum.map_or(Outcome::Nothing, |sum| Outcome::Integer(sum + noise))
        },
        mended: Some(|dice, world| Outcome::Integer(by(world, 0, 30) + dice.two_sided(100.0))),
    },
    Exhibit {
        name: "as-long-as-the-data",
        title: "noisy counts by page of five people",
        flaw: "There are as many pages as the data fill: one person more can add one.",
        cure: "A public number of pages.",
        reference: "Kifer, Machanavajjhala, No free lunch in data privacy, SIGMOD 2011: sizes are data",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| pages(dice, by(world, &[5, 5, 5][..], &[5, 5, 5, 1])),
        mended: Some(|dice, world| pages(dice, &[5, 5, 5, by(world, 0, 1)])),
    },
    Exhibit {
        name: "fingerprint-published",
        title: "a noisy count with the version of the data",
        flaw: "The version is a hash of the data.",
        cure: "The version is a number that the owner counts up.",
        reference: "metadata beside the answer; cf. Dwork, Roth 2014, section 1.1",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let count: i64 = by(world, 40, 41);
            let version = text(&format!("{:08x}", hash(count.unsigned_abs()) >> 32));
            Outcome::List(vec![Outcome::Integer(count + dice.two_sided(1.0)), version])
        },
        mended: Some(|dice, world| {
            let noisy = by(world, 40_i64, 41) + dice.two_sided(1.0);
            Outcome::List(vec![Outcome::Integer(noisy), text("version 1")])
        }),
    },
    Exhibit {
        name: "now-and-then-a-log-line",
        title: "a noisy count",
        flaw: "One answer in five hundred is a debugging line with the true count.",
        cure: "The line has no data in it.",
        reference: "Dwork, Roth 2014, section 2.3; Cebere, Erb, Desfontaines, Bellet, Fitzsimons, PETS 2026",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 200_000,
        broken: |dice, world| {
            let count: i64 = by(world, 40, 41);
            if dice.coin(0.002) {
                text(&format!("debug: count={count}"))
            } else {
                Outcome::Integer(count + dice.two_sided(1.0))
            }
        },
        mended: Some(|dice, world| {
            if dice.coin(0.002) {
                text("debug: counted")
            } else {
                Outcome::Integer(by(world, 40, 41) + dice.two_sided(1.0))
            }
        }),
    },
    Exhibit {
        name: "answer-in-a-sentence",
        title: "a noisy sum of incomes up to 10 000, in words",
        flaw: "Incomes are not clamped: one person brings 30 000. What shows it is a number in a text.",
        cure: "Each income is clamped to 10 000.",
        reference: "Dwork, McSherry, Nissim, Smith, TCC 2006: the sensitivity is that of clamped values",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| sentence(by(world, 500_000, 530_000) + dice.two_sided(1e4)),
        mended: Some(|dice, world| sentence(by(world, 500_000, 510_000) + dice.two_sided(1e4))),
    },
];
