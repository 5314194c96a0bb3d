//! Noise of the wrong scale.

use super::{Exhibit, by, list};
use crate::dice::{Dice, exp, real, whole};
use crate::{Neighbours, Outcome, World};

/// A value that moves by 1, in 64 steps, with normal noise.
fn normal(dice: &mut Dice, world: World, deviation: f64) -> Outcome {
    Outcome::Integer(by(world, 0, 64) + dice.normal_steps(64.0 * deviation))
}

/// A whole value that moves by some steps, with discrete Laplace noise.
fn moved(dice: &mut Dice, world: World, by_steps: i64, scale: f64) -> Outcome {
    Outcome::Integer(by(world, 0, by_steps) + dice.two_sided(scale))
}

/// Sixteen coordinates that each move by one step of 1/4.
fn sixteen(dice: &mut Dice, world: World, scale: f64) -> Outcome {
    list((0..16).map(|_| by(world, 0, 1) + dice.two_sided(4.0 * scale)))
}

/// sqrt(2 ln(1.25/delta))/epsilon for epsilon 8, delta 0.2.
const CLASSICAL: f64 = 0.239_31;

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "gaussian-classical-large-epsilon",
        title: "Gaussian noise by the classical formula, at epsilon 8",
        flaw: "sigma = sqrt(2 ln(1.25/delta))/epsilon is proved for epsilon below 1; here delta is 0.477 \
               where 0.2 is claimed.",
        cure: "sigma from the exact profile of the Gaussian: 0.3 is enough.",
        reference: "Balle, Wang, Improving the Gaussian mechanism, ICML 2018",
        // Above 1.05 in world 1: 0.41 against 5e-6, of which e^8 = 2981 times are allowed and 0.2. With far
        // fewer runs nobody can tell that 5e-6 is so small; at epsilon 10, delta 1e-5 (where the formula
        // gives 2.3e-5) nobody can with a million.
        claim: "approx_dp(epsilon=8, delta=0.2)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000_000,
        broken: |dice, world| normal(dice, world, CLASSICAL),
        mended: Some(|dice, world| normal(dice, world, 0.3)),
    },
    Exhibit {
        name: "gaussian-variance-for-deviation",
        title: "Gaussian noise of standard deviation 4",
        flaw: "The library's second argument is the variance: the deviation is 2.",
        cure: "Standard deviation 4.",
        reference: "a common slip between libraries; cf. the parametrisations in numpy and in textbooks",
        claim: "gdp(mu=0.25)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| normal(dice, world, 2.0),
        mended: Some(|dice, world| normal(dice, world, 4.0)),
    },
    Exhibit {
        name: "laplace-scale-inverted",
        title: "Laplace noise for epsilon 1/2",
        flaw: "The scale is epsilon times the sensitivity instead of the sensitivity over epsilon.",
        cure: "Scale 2.",
        reference: "Dwork, McSherry, Nissim, Smith, Calibrating noise to sensitivity, TCC 2006",
        claim: "pure(epsilon=0.5)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| moved(dice, world, 1, 0.5),
        mended: Some(|dice, world| moved(dice, world, 1, 2.0)),
    },
    Exhibit {
        name: "add-remove-noise-under-replace",
        title: "a sum of values in [-1, 1], where one person's value may be replaced",
        flaw: "The sensitivity is that of adding or removing a person: 1. Replacing -1 by 1 moves the sum by 2.",
        cure: "Sensitivity 2.",
        reference: "opendp/opendp#2945",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 10_000,
        broken: |dice, world| moved(dice, world, 2, 1.0),
        mended: Some(|dice, world| moved(dice, world, 2, 2.0)),
    },
    Exhibit {
        name: "euclidean-sensitivity-for-laplace",
        title: "Laplace noise on a vector of sixteen coordinates",
        flaw: "The scale follows the Euclidean norm of a contribution, 1, where the sum of its \
               coordinates, 4, is needed.",
        cure: "Scale 4/epsilon.",
        reference: "Dwork, McSherry, Nissim, Smith, TCC 2006",
        // Sixteen times epsilon 1/2: about Gaussian with mu 2, of which delta at epsilon 2 is 0.33.
        claim: "pure(epsilon=2)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| sixteen(dice, world, 0.5),
        mended: Some(|dice, world| sixteen(dice, world, 2.0)),
    },
    Exhibit {
        name: "one-sided-noise",
        title: "a count that is never reported too small",
        flaw: "Exponential noise instead of Laplace noise: a report below the larger count excludes it.",
        cure: "Noise on both sides.",
        reference: "Dwork, McSherry, Nissim, Smith, TCC 2006",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| Outcome::Integer(by(world, 0, 1) + dice.geometric(1.0)),
        mended: Some(|dice, world| moved(dice, world, 1, 1.0)),
    },
    Exhibit {
        name: "multiplicative-noise",
        title: "an amount times 1 + noise",
        flaw: "The noise grows with the amount, so its size tells the amount.",
        cure: "Noise of fixed scale, added.",
        reference: "Kim, A method for limiting disclosure in microdata based on random noise and transformation, 1986",
        // Above 3.4: 0.25 at 2 against 0.045 at 1.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| {
            let amount = by(world, 1.0, 2.0);
            Outcome::Number(real(whole(64.0 * amount * (1.0 + dice.laplace(1.0)))) / 64.0)
        },
        mended: Some(|dice, world| {
            Outcome::Number(real(by(world, 64, 128) + dice.two_sided(64.0)) / 64.0)
        }),
    },
    Exhibit {
        name: "geometric-parameter-swapped",
        title: "a count with discrete Laplace noise for epsilon 1/4",
        flaw: "The parameter of the geometric law is taken for the chance of going on, e^(-epsilon), where \
               the library means the chance of stopping.",
        cure: "A chance of stopping of 1 - e^(-epsilon).",
        reference: "Ghosh, Roughgarden, Sundararajan, Universally utility-maximizing mechanisms, STOC 2009",
        // At epsilon 2 the noise would go on with chance 1 - e^-2 = 0.86, too much; at 1/4 with 0.22
        // instead of 0.78: epsilon is then 1.5.
        claim: "pure(epsilon=0.25)",
        neighbours: Neighbours::AddRemove,
        runs: 5_000,
        broken: |dice, world| {
            Outcome::Integer(
                by(world, 0, 1) + stopping(dice, exp(-0.25)) - stopping(dice, exp(-0.25)),
            )
        },
        mended: Some(|dice, world| {
            let stop = 1.0 - exp(-0.25);
            Outcome::Integer(by(world, 0, 1) + stopping(dice, stop) - stopping(dice, stop))
        }),
    },
    Exhibit {
        name: "gaussian-claimed-pure",
        title: "Gaussian noise of deviation sensitivity/epsilon",
        flaw: "Normal tails fall faster than any exponential: there is no pure epsilon.",
        cure: "Laplace noise.",
        reference: "Dwork, Kenthapadi, McSherry, Mironov, Naor, Our data, ourselves, EUROCRYPT 2006",
        // Above 1.5: 0.309 against 0.067.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| normal(dice, world, 1.0),
        mended: Some(|dice, world| moved(dice, world, 64, 64.0)),
    },
    Exhibit {
        name: "zcdp-without-root",
        title: "Gaussian noise for rho 2",
        flaw: "The deviation is 1/(2 rho) instead of its root.",
        cure: "Deviation 1/2.",
        reference: "Bun, Steinke, Concentrated differential privacy, TCC 2016",
        claim: "zcdp(rho=2)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| normal(dice, world, 0.25),
        mended: Some(|dice, world| normal(dice, world, 0.5)),
    },
    Exhibit {
        name: "plane-by-axis",
        title: "a place in the plane, for epsilon 2 per kilometre",
        flaw: "Laplace noise on each axis hides distances along the axes; diagonally a kilometre costs \
               2.8 instead of 2.",
        cure: "More noise on each axis, by the root of 2.",
        reference: "Andres, Bordenabe, Chatzikokolakis, Palamidessi, Geo-indistinguishability, CCS 2013",
        // Both coordinates past the new place: 0.25 against 0.015.
        claim: "pure(epsilon=2)",
        neighbours: Neighbours::Replace,
        runs: 20_000,
        broken: |dice, world| list([(); 2].map(|()| by(world, 0, 45) + dice.two_sided(32.0))),
        mended: Some(|dice, world| list([(); 2].map(|()| by(world, 0, 45) + dice.two_sided(45.5)))),
    },
];

/// How often a coin of this chance fails first.
fn stopping(dice: &mut Dice, chance: f64) -> i64 {
    let mut failures = 0;
    while !dice.coin(chance) {
        failures += 1;
    }
    failures
}
