//! Whole-numbered noise.

use super::{Exhibit, by};
use crate::dice::Dice;
use crate::{Neighbours, Outcome, World};

/// A count of 0 or 1 with whole noise.
fn count(world: World, noise: i64) -> Outcome {
    Outcome::Integer(by(world, 0, 1) + noise)
}

/// Draws until it fits.
fn redraw(dice: &mut Dice, fits: impl Fn(i64) -> bool) -> i64 {
    loop {
        let noise = dice.two_sided(1.0);
        if fits(noise) {
            return noise;
        }
    }
}

/// Heads of some fair coins, less their mean; an even number of them, at most 256.
fn coins(dice: &mut Dice, number: u32) -> i64 {
    let heads: u32 = (0..number / 64).map(|_| dice.bits().count_ones()).sum();
    let rest = match number % 64 {
        0 => 0,
        some => (dice.bits() >> (64 - some)).count_ones(),
    };
    i64::from(heads + rest) - i64::from(number / 2)
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "truncated-geometric",
        title: "a count with geometric noise between -4 and 4",
        flaw: "Noise is drawn again until it is in the range, so the largest report is possible in one world \
               only.",
        cure: "The noisy count is cut to a public range.",
        reference: "Ghosh, Roughgarden, Sundararajan, Universally utility-maximizing mechanisms, STOC 2009",
        // 5 has a chance of 0.0085 in world 1, and none in world 0.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| count(world, redraw(dice, |noise| noise.abs() <= 4)),
        mended: Some(|dice, world| {
            Outcome::Integer((by(world, 0, 1) + dice.two_sided(1.0)).clamp(-4, 4))
        }),
    },
    Exhibit {
        name: "even-noise",
        title: "a count with geometric noise, rounded to even numbers",
        flaw: "The noise is rounded, not the noisy count: whether the report is even is whether the count is.",
        cure: "The noisy count is rounded.",
        reference: "Balcer, Vadhan, Differential privacy on finite computers, ITCS 2018",
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 1_000,
        broken: |dice, world| count(world, dice.two_sided(1.0) & !1),
        mended: Some(|dice, world| Outcome::Integer((by(world, 0, 1) + dice.two_sided(1.0)) & !1)),
    },
    Exhibit {
        name: "zero-twice",
        title: "discrete Laplace noise as a geometric number with a random sign",
        flaw: "Zero of either sign is kept, so it is twice as likely as it should be: epsilon grows by ln 2.",
        cure: "Minus zero is drawn again.",
        reference: "Canonne, Kamath, Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020",
        // 0 has a chance of 1 - e^-1 = 0.632 in world 0 and of 0.116 in world 1.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| {
            let size = dice.geometric(1.0);
            count(world, if dice.coin(0.5) { size } else { -size })
        },
        mended: Some(|dice, world| {
            loop {
                let (size, positive) = (dice.geometric(1.0), dice.coin(0.5));
                if positive || size != 0 {
                    return count(world, if positive { size } else { -size });
                }
            }
        }),
    },
    Exhibit {
        name: "too-few-coins",
        title: "binomial noise",
        flaw: "Eight coins are far from normal noise: delta at epsilon 1 is 0.049.",
        cure: "128 coins.",
        reference: "Agarwal, Suresh, Yu, Kumar, McMahan, cpSGD, NeurIPS 2018",
        // 7 heads or more: 37/256 in world 1, 9/256 in world 0.
        claim: "approx_dp(epsilon=1, delta=0.001)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| count(world, coins(dice, 8)),
        mended: Some(|dice, world| count(world, coins(dice, 128))),
    },
    Exhibit {
        name: "redrawn-until-positive",
        title: "a noisy count that is never negative",
        flaw: "Noise is drawn again while the report would be negative; how often depends on the count.",
        cure: "Negative reports become 0.",
        reference: "Holohan, Antonatos, Braghin, Mac Aonghusa, The bounded Laplace mechanism, JPC 2020",
        // 0 has a chance of 0.632 in world 0 and of 0.189 in world 1: a ratio of 3.35.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| {
            let least = by(world, 0, -1);
            count(world, redraw(dice, |noise| noise >= least))
        },
        mended: Some(|dice, world| {
            Outcome::Integer((by(world, 0, 1) + dice.two_sided(1.0)).max(0))
        }),
    },
    Exhibit {
        name: "whole-units-on-cents",
        title: "an income in cents with noise of scale 100 000 units",
        flaw: "The noise is a whole number of units, so the cents are those of the income.",
        cure: "Noise in cents.",
        reference: "Balcer, Vadhan, Differential privacy on finite computers, ITCS 2018: noise on the grid of the data",
        // 37 cents: always in world 1, never in world 0. Hardly any outcome occurs twice.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::Replace,
        runs: 5_000,
        broken: |dice, world| Outcome::Integer(by(world, 1_200, 1_237) + 100 * dice.two_sided(1e5)),
        mended: Some(|dice, world| Outcome::Integer(by(world, 1_200, 1_237) + dice.two_sided(1e7))),
    },
];

#[cfg(test)]
mod tests {
    #[test]
    fn a_hundred_and_twenty_eight_coins_are_enough() {
        // Chances of binomial(128, 1/2), by the ratio of neighbours from the middle out.
        let mut law = [0.0f64; 131];
        law[65] = 1.0;
        (65..129_u8).for_each(|k| {
            let i = usize::from(k);
            law[i + 1] = law[i] * (129.0 - f64::from(k)) / f64::from(k);
        });
        (1..65).for_each(|k| law[k] = law[130 - k]);
        let total: f64 = law.iter().sum();
        let e = std::f64::consts::E;
        let delta: f64 = law.windows(2).map(|w| (w[0] - e * w[1]).max(0.0) / total).sum();
        assert!(delta < 1e-3, "{delta}");
    }
}
