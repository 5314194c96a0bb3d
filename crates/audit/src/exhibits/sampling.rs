//! Samples that are not what the accounting says.
//!
//! Sums are in steps of 1/64.

use super::{Exhibit, by, list};
use crate::dice::Dice;
use crate::{Neighbours, Outcome, World};

/// The sum of a batch to which the person adds 1 if present in it, with normal noise.
fn batch_sum(dice: &mut Dice, present: bool, deviation: f64) -> i64 {
    let noise = dice.normal_steps(64.0 * deviation);
    if present { 64 + noise } else { noise }
}

/// Sums of some batches; in world 1 the person is in those that a rule says.
fn batches(
    dice: &mut Dice,
    world: World,
    count: usize,
    deviation: f64,
    mut chosen: impl FnMut(&mut Dice, usize) -> bool,
) -> Outcome {
    list((0..count).map(|i| {
        let present = chosen(dice, i) && by(world, false, true);
        batch_sum(dice, present, deviation)
    }))
}

/// Each of three others, whose values are 0, and in world 1 the person is sampled with chance 1/2: the
/// size of the sample and its noisy sum.
fn half_sample(dice: &mut Dice, world: World) -> (i64, i64) {
    let others = (0..3).filter(|_| dice.coin(0.5)).count();
    let present = by(world, false, true) && dice.coin(0.5);
    let size = i64::try_from(others).unwrap_or(0) + i64::from(present);
    (size, batch_sum(dice, present, 1.0))
}

/// Ten people, each sampled with chance 1/10; the value of person 7 is 0 or 1. Who is in the sample,
/// and its noisy sum.
fn sample_of_ten(dice: &mut Dice, world: World) -> (Vec<i64>, i64) {
    let ids: Vec<i64> = (0..10).filter(|_| dice.coin(0.1)).collect();
    let present = ids.contains(&7) && by(world, false, true);
    (ids, batch_sum(dice, present, 0.5))
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "batch-in-file-order",
        title: "noisy sum of a batch, accounted as Poisson sampling",
        flaw: "The batch is the first quarter of the file: who is in it is known, and nothing is amplified.",
        cure: "The batch takes each person with chance 1/4.",
        reference: "pytorch/opacus#80",
        claim: "sampled(gaussian(sigma=0.5), rate=1/4)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| Outcome::Integer(batch_sum(dice, by(world, false, true), 0.5)),
        mended: Some(|dice, world| {
            let present = by(world, false, true) && dice.coin(0.25);
            Outcome::Integer(batch_sum(dice, present, 0.5))
        }),
    },
    Exhibit {
        name: "shuffled-batches",
        title: "one epoch of private training over ten shuffled batches, with the accountant's curve of \
                10 * sampled(gaussian(sigma=0.3), rate=1/10)",
        flaw: "A shuffle puts each person into exactly one batch, Poisson sampling into none with chance \
               0.35: delta at epsilon 2 is 0.54 instead of 0.40.",
        cure: "Each batch takes each person with chance 1/10.",
        reference: "Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha, Zhang, How private are DP-SGD implementations?, ICML 2024",
        // Some sum above 0.82: 0.73 against 0.03. The curve is rounded up to three digits.
        claim: "profile([(0, 0.534), (1, 0.467), (2, 0.403), (4, 0.281), (8, 0.112)])",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| {
            let one = dice.below(10);
            batches(dice, world, 10, 0.3, |_, i| i == one)
        },
        mended: Some(|dice, world| batches(dice, world, 10, 0.3, |dice, _| dice.coin(0.1))),
    },
    Exhibit {
        name: "batch-size-published",
        title: "noisy sum of a Poisson sample, with its size",
        flaw: "The size of the sample is published as it is, and one more person can make it larger than \
               it could be.",
        cure: "The size is not published.",
        reference: "pytorch/opacus#571",
        // All four in the sample: 1/16 against 0.
        claim: "sampled(gaussian(sigma=1), rate=1/2)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| {
            let (size, sum) = half_sample(dice, world);
            list([size, sum])
        },
        mended: Some(|dice, world| Outcome::Integer(half_sample(dice, world).1)),
    },
    Exhibit {
        name: "sample-published",
        title: "noisy sum of a Poisson sample, with the numbers of those in it",
        flaw: "Sampling amplifies privacy while it is secret who was sampled; here it is not.",
        cure: "The sample stays secret.",
        reference: "Balle, Barthe, Gaboardi, Privacy amplification by subsampling, NeurIPS 2018",
        // Person 7 in the sample and a sum above 1/2: 0.084 against 0.016, which allows 0.06.
        claim: "sampled(gaussian(sigma=0.5), rate=1/10)",
        neighbours: Neighbours::ZeroOut,
        runs: 50_000,
        broken: |dice, world| {
            let (ids, sum) = sample_of_ten(dice, world);
            let ids = ids.into_iter().map(Outcome::Integer).collect();
            Outcome::List(vec![Outcome::Set(ids), Outcome::Integer(sum)])
        },
        mended: Some(|dice, world| Outcome::Integer(sample_of_ten(dice, world).1)),
    },
    Exhibit {
        name: "clipped-average",
        title: "private gradient of a batch of four, clipped to norm 1",
        flaw: "The average is clipped, not each gradient: one of them can turn it round.",
        cure: "Each gradient is clipped, then they are added.",
        reference: "Abadi et al., Deep learning with differential privacy, CCS 2016",
        // Three gradients of -1 and one of 0 or 100: 4 times -3/4, or 4 times 1.
        claim: "gdp(mu=1)",
        neighbours: Neighbours::ZeroOut,
        runs: 1_000,
        broken: |dice, world| Outcome::Integer(by(world, -192, 256) + dice.normal_steps(64.0)),
        mended: Some(|dice, world| {
            Outcome::Integer(by(world, -192, -128) + dice.normal_steps(64.0))
        }),
    },
    Exhibit {
        name: "sampling-for-noise",
        title: "exact count of a secret half of the data",
        flaw: "Sampling alone hides little: a count of everybody shows that there are so many.",
        cure: "Noise on the count of the sample.",
        reference: "Balle, Barthe, Gaboardi, NeurIPS 2018: sampling amplifies, it does not protect",
        // A count of 4 of four: 1/16, of three: never.
        claim: "approx_dp(epsilon=1, delta=0.01)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| Outcome::Integer(half_sample(dice, world).0),
        mended: Some(|dice, world| {
            Outcome::Integer(half_sample(dice, world).0 + dice.two_sided(1.0))
        }),
    },
    Exhibit {
        name: "untouched-rows-without-noise",
        title: "private gradient of an embedding table",
        flaw: "Rows that no example touches get no noise: which rows moved is known.",
        cure: "Noise on every row.",
        reference: "Ghazi, Huang, Kamath, Kumar, Manurangsi, Sinha, Zhang, Sparsity-preserving differentially \
                    private training, NeurIPS 2023",
        claim: "gdp(mu=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let noise = |touched: bool| if touched { dice.normal_steps(64.0) } else { 0 };
            let person = by(world, false, true);
            list([false, true, false, false, true, false, person, false].map(noise))
        },
        mended: Some(|dice, world| {
            let row = |gradient: i64| gradient + dice.normal_steps(64.0);
            list([0, 0, 0, 0, 0, 0, by(world, 0, 64), 0].map(row))
        }),
    },
];
