//! Noise for a sensitivity that the query does not have.

use super::{Exhibit, by, list};
use crate::dice::{Dice, real, whole};
use crate::{Neighbours, Outcome, World};

/// A whole value with discrete Laplace noise.
fn noisy(dice: &mut Dice, value: i64, scale: f64) -> Outcome {
    Outcome::Integer(value + dice.two_sided(scale))
}

/// Values 0 and 1, or 0 alone: their mean in steps of 1/1024, with noise for their number.
fn mean_of_known_number(dice: &mut Dice, world: World) -> Outcome {
    let (mean, n) = by(world, (0, 1.0), (512, 2.0));
    Outcome::Number(real(mean + whole(dice.laplace(1024.0 / n))) / 1024.0)
}

/// To the eleven bits of a half-precision number.
fn half(x: f64) -> f64 {
    let exponent = i32::try_from(x.to_bits() >> 52).unwrap_or(0) - 1023;
    let step = f64::from(exponent - 10).exp2();
    (x / step).round_ties_even() * step
}

/// Rows of 16, then fifty rows of 1.25.
fn rows(world: World) -> impl Iterator<Item = f64> {
    let first = by(world, 127, 128);
    std::iter::repeat_n(16.0, first).chain(std::iter::repeat_n(1.25, 50))
}

/// The middle of seven values in [0, 100], and how far replacing one value can move it here.
fn middle(world: World) -> (i64, i64) {
    let sorted = by(world, [0, 0, 0, 0, 0, 100, 100], [0, 0, 0, 0, 100, 100, 100]);
    (sorted[3], (sorted[4] - sorted[3]).max(sorted[3] - sorted[2]))
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "local-sensitivity-gaussian",
        title: "Gaussian noise scaled to how far this data set can move the query",
        flaw: "The scale itself depends on the data: on 0, 0, 0, B it is B/2 at one point and B at the next, \
               and delta is 0.197 where 1e-5 is claimed.",
        cure: "The largest scale of all data sets.",
        reference: "Nissim, Raskhodnikova, Smith, Smooth sensitivity and sampling, STOC 2007",
        claim: "approx_dp(epsilon=1, delta=1e-5)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| Outcome::Integer(dice.normal_steps(3.74 * by(world, 32.0, 64.0))),
        mended: Some(|dice, _| Outcome::Integer(dice.normal_steps(3.74 * 64.0))),
    },
    Exhibit {
        name: "unsmoothed-median",
        title: "median with noise of its local sensitivity",
        flaw: "Where the middle values agree there is hardly any noise; one person more and there is much.",
        cure: "Noise for the whole range of values.",
        reference: "Nissim, Raskhodnikova, Smith, STOC 2007",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 1_000,
        broken: |dice, world| {
            let (median, local) = middle(world);
            noisy(dice, median, real(local.max(1)))
        },
        mended: Some(|dice, world| noisy(dice, middle(world).0, 100.0)),
    },
    Exhibit {
        name: "mean-of-private-number",
        title: "mean of values in [0, 1], with sensitivity 1/n",
        flaw: "The number of rows n is private under adding or removing a person, and the scale shows it.",
        cure: "Noisy sum and noisy number, half of the budget each.",
        reference: "opendp/smartnoise-core#356",
        // Below -0.69: 0.25 with one row, 0.046 with two.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: mean_of_known_number,
        mended: Some(|dice, world| {
            let (sum, n) = by(world, (0, 1), (1, 2));
            list([sum + dice.two_sided(2.0), n + dice.two_sided(2.0)])
        }),
    },
    Exhibit {
        name: "bounds-from-the-data",
        title: "sum with noise for the range between the smallest and the largest value",
        flaw: "The bounds are read from the data, so an outlier shows in the size of the noise.",
        cure: "Values clamped to public bounds.",
        reference: "IBM/differential-privacy-library: bounds taken from the data with a warning",
        // The sum of 0, 1 with scale 1, or of 0, 1, 10 with scale 10.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| {
            let (sum, range) = by(world, (1, 1.0), (11, 10.0));
            noisy(dice, sum, range)
        },
        mended: Some(|dice, world| noisy(dice, by(world, 1, 2), 1.0)),
    },
    Exhibit {
        name: "clamp-after-noise",
        title: "sum of ten values in [0, 1]",
        flaw: "The noisy sum is clamped to [0, 10], the values are not: one of 50 moves it all the way.",
        cure: "Each value is clamped before it is added.",
        reference: "Cebere, Erb, Desfontaines, Bellet, Fitzsimons, PETS 2026",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            Outcome::Integer((by(world, 2, 52) + dice.two_sided(1.0)).clamp(0, 10))
        },
        mended: Some(|dice, world| {
            Outcome::Integer((by(world, 2, 3) + dice.two_sided(1.0)).clamp(0, 10))
        }),
    },
    Exhibit {
        name: "nan-in-clamped-sum",
        title: "sum of values clamped to [0, 1]",
        flaw: "Clamping NaN gives NaN, and so does the sum with its noise.",
        cure: "NaN counts as 0.",
        reference: "IEEE 754: comparisons with NaN are false; Cebere et al., PETS 2026",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| {
            let value = by(world, 0.0, f64::NAN).clamp(0.0, 1.0);
            Outcome::Number(3.0 + value + real(dice.two_sided(1.0)))
        },
        mended: Some(|dice, world| {
            let value = by(world, 0.0, f64::NAN);
            let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
            Outcome::Number(3.0 + value + real(dice.two_sided(1.0)))
        }),
    },
    Exhibit {
        name: "wrapping-sum",
        title: "sum of 32-bit values that are 0 or 1",
        flaw: "The sum wraps around: one more and it is the smallest number there is.",
        cure: "A sum that cannot overflow.",
        reference: "Casacuberta, Shoemate, Vadhan, Wagaman, Widespread underestimation of sensitivity, CCS 2022",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| noisy(dice, i64::from(i32::MAX.wrapping_add(by(world, 0, 1))), 1.0),
        mended: Some(|dice, world| noisy(dice, i64::from(i32::MAX) + by(world, 0, 1), 1.0)),
    },
    Exhibit {
        name: "rounded-sum",
        title: "sum of values in [0, 16] in half precision",
        flaw: "Each addition rounds: one row of 16 more at the start lifts the sum above 2048, where fifty \
               rows of 1.25 count 2 each instead of 1. The sum moves by 32.",
        cure: "An exact sum in quarters.",
        reference: "Casacuberta, Shoemate, Vadhan, Wagaman, CCS 2022",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| {
            noisy(dice, whole(rows(world).fold(0.0, |sum, row| half(sum + row))), 16.0)
        },
        mended: Some(|dice, world| {
            noisy(dice, rows(world).map(|row| whole(4.0 * row)).sum::<i64>(), 64.0)
        }),
    },
    Exhibit {
        name: "two-rows-counted-once",
        title: "number of visits, private for each visitor",
        flaw: "A visitor comes up to twice, but the noise is for one row.",
        cure: "Noise for two rows.",
        reference: "google/differential-privacy#84",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| noisy(dice, by(world, 40, 42), 1.0),
        mended: Some(|dice, world| noisy(dice, by(world, 40, 42), 2.0)),
    },
    Exhibit {
        name: "count-distinct-as-count",
        title: "number of different visitors",
        flaw: "DISTINCT is dropped when the query is rewritten: three rows of a visitor count three times.",
        cure: "Each visitor counts once.",
        reference: "Johnson, Near, Song, Towards practical differential privacy for SQL queries, VLDB 2018",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| noisy(dice, by(world, 40, 43), 1.0),
        mended: Some(|dice, world| noisy(dice, by(world, 20, 21), 1.0)),
    },
    Exhibit {
        name: "sum-of-two-columns",
        title: "sum of two columns, each in [0, 1]",
        flaw: "The sensitivity of the expression is that of one column.",
        cure: "Sensitivities add.",
        reference: "opendp/smartnoise-sdk#320",
        claim: "pure(epsilon=0.5)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| noisy(dice, by(world, 7, 9), 2.0),
        mended: Some(|dice, world| noisy(dice, by(world, 7, 9), 4.0)),
    },
    Exhibit {
        name: "column-without-bounds",
        title: "sum of a column whose bounds are not in the metadata",
        flaw: "An unknown sensitivity switches the noise off for sums, while the count beside it is noisy.",
        cure: "Bounds are needed before anything is answered.",
        reference: "opendp/smartnoise-sdk#317",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| list([by(world, 12, 13), by(world, 20, 21) + dice.two_sided(1.0)]),
        mended: Some(|dice, world| {
            list([by(world, 12, 13) + dice.two_sided(2.0), by(world, 20, 21) + dice.two_sided(2.0)])
        }),
    },
    Exhibit {
        name: "sensitivity-rounded-down",
        title: "sum of values in [0, 1.5], rounded to whole numbers",
        flaw: "The sensitivity 1.5 becomes 1 as a whole number; rounding can move the sum by 2.",
        cure: "The sensitivity is rounded up: 2.",
        reference: "opendp/opendp#314",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| noisy(dice, whole(by(world, 0.5, 2.0)), 1.0),
        mended: Some(|dice, world| noisy(dice, whole(by(world, 0.5, 2.0)), 2.0)),
    },
    Exhibit {
        name: "join-fan-out",
        title: "number of rows of a join, private for each customer",
        flaw: "A customer row matches five orders, but counts as one.",
        cure: "Noise for five rows.",
        reference: "Johnson, Near, Song, VLDB 2018",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| noisy(dice, by(world, 30, 35), 1.0),
        mended: Some(|dice, world| noisy(dice, by(world, 30, 35), 5.0)),
    },
];
