//! Exponential tilting.
//!
//! # Guarantee
//! [`Tilted::of`] returns numbers âⱼ with âⱼ = T rʲ aⱼ (1 + δⱼ) + ηⱼ, where T is an exactly known
//! positive number, |δⱼ| <= [`Tilted::relative`] and |ηⱼ| <= 2^-1074. Since all numbers are
//! non-negative, replacing each aⱼ by aⱼ (1 + δⱼ) in a product of K factors multiplies it by
//! something between (1 - δ)^K and (1 + δ)^K: a relative error of every entry of the result.
//!
//! *Proof.* rʲ is built from j < 2^28 factors rounded to 128 bits, so its relative error is below
//! 2^-98 (see `scaled`); two more products, by aⱼ and by T, add less than 2^-125; the conversion
//! to `f64` at the end adds at most 1.01 2^-53, or 2^-1074 if the result is subnormal. Together
//! less than 1.25 2^-53.
//!
//! T is chosen so that the âⱼ add up to about 1: then powers of the spectrum neither overflow nor
//! vanish. How near to 1 does not matter for validity.

#![expect(
    clippy::disallowed_methods,
    reason = "a tilt may be any ratio: only its quality depends on these estimates"
)]

use super::Factor;
use super::direct::count;
use super::total::{compensated, total};
use crate::scaled::{Scaled, Towards, times_power_of_two};
use crate::search::{Tolerance, Trend, solve};
use crate::{Enclosure, NumericError};

/// Above the relative error of a weighted entry: 1.25 u.
const WEIGHT_ERROR: f64 = 1.25 * f64::EPSILON / 2.0;

/// Up to this many repetitions a plain power of two is a good enough scale: the sum of the masses
/// lies in (1/2, 1], and (1/2)^64 does no harm.
const FEW: u64 = 64;

/// A factor after tilting and scaling.
pub(super) struct Tilted {
    pub(super) masses: Vec<f64>,
    pub(super) times: u64,
    /// T, exactly.
    pub(super) scale: Scaled,
    /// An upper bound of the relative error of every entry.
    pub(super) relative: f64,
    /// An upper bound of the sum of the masses.
    pub(super) total: f64,
}

impl Tilted {
    /// Tilts a factor that has some mass, one of `repetitions` in all.
    pub(super) fn of(factor: &Factor, ratio: f64, repetitions: u64) -> Self {
        let (masses, scale, relative) = if ratio == 1.0 {
            scaled(factor.masses, repetitions)
        } else {
            weighted(factor.masses, &Weights::of(ratio, factor.masses.len()))
        };
        let total = total(&masses).upper();
        Self { masses, times: factor.times, scale, relative, total }
    }
}

/// No tilt: the masses times a power of two, exactly, if that is good enough.
fn scaled(masses: &[f64], repetitions: u64) -> (Vec<f64>, Scaled, f64) {
    let total = sum(masses.iter().copied());
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let drift = (total - 1.0).abs() * repetitions as f64;
    if drift < 1e-3 {
        return (masses.to_vec(), Scaled::ONE, 0.0);
    }
    if repetitions > FEW {
        return weighted(masses, &Weights::of(1.0, 1));
    }
    let shift = Scaled::of(total).map_or(0, |t| -whole(t.log2()) - 1);
    let masses = masses.iter().map(|&mass| times_power_of_two(mass, shift)).collect();
    (masses, Scaled::ONE.shifted(shift), 0.0)
}

#[expect(clippy::cast_possible_truncation, reason = "a logarithm of an f64 is small")]
fn whole(x: f64) -> i64 {
    x.floor() as i64
}

fn weighted(masses: &[f64], weights: &Weights) -> (Vec<f64>, Scaled, f64) {
    let terms: Vec<Option<Scaled>> = masses
        .iter()
        .enumerate()
        .map(|(j, &mass)| Some(Scaled::of(mass)?.times(weights.at(j), Towards::Below)))
        .collect();
    let largest = terms.iter().flatten().map(|t| t.log2()).fold(f64::NEG_INFINITY, f64::max);
    let down = if largest.is_finite() { -whole(largest) } else { 0 };
    let total = sum(terms.iter().flatten().map(|t| t.shifted(down).to_f64()));
    let scale = Scaled::of(total.recip()).unwrap_or(Scaled::ONE).shifted(down);
    let masses = terms
        .iter()
        .map(|term| term.map_or(0.0, |t| t.times(scale, Towards::Below).to_f64()))
        .collect();
    (masses, scale, WEIGHT_ERROR)
}

/// The sum, so near that a billionth power of it is still near 1.
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (sum, lost) = compensated(terms);
    sum + lost
}

/// The powers of a ratio, each as the product of two table entries.
struct Weights {
    low: Vec<Scaled>,
    high: Vec<Scaled>,
}

impl Weights {
    /// For indices below `length`. A table has about sqrt(length) <= 2^14 entries.
    fn of(ratio: f64, length: usize) -> Self {
        let step = length.isqrt() + 1;
        let base = Scaled::of(ratio).unwrap_or(Scaled::ONE);
        let low = powers(base, step);
        let high = powers(base.power(u64::try_from(step).unwrap_or(1), Towards::Below), step);
        Self { low, high }
    }

    /// r^j, from below, with a relative error below 2^-98; the last index repeats for a ratio of
    /// 1, of which a table of length 1 is enough.
    fn at(&self, j: usize) -> Scaled {
        let step = self.low.len();
        let high = self.high.get(j / step).or(self.high.last());
        let low = self.low.get(j % step);
        match (high, low) {
            (Some(high), Some(low)) => high.times(*low, Towards::Below),
            _ => Scaled::ONE,
        }
    }
}

fn powers(base: Scaled, count: usize) -> Vec<Scaled> {
    std::iter::successors(Some(Scaled::ONE), |p| Some(p.times(base, Towards::Below)))
        .take(count)
        .collect()
}

/// A ratio e^θ at which the mean of the result is near `index`.
pub(super) fn saddle(factors: &[Factor], index: u64) -> Result<f64, NumericError> {
    let laws: Vec<Law> = factors.iter().map(Law::of).collect::<Result<_, _>>()?;
    let (least, most) = laws.iter().fold((0.0, 0.0), |(least, most), law| {
        (least + law.times * law.first, most + law.times * law.last)
    });
    if most - least <= 1.0 {
        return Ok(1.0);
    }
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let target = (index as f64).clamp(least + 0.5, most - 0.5);
    let mean = |theta: f64| laws.iter().map(|law| law.times * law.moments(theta).0).sum::<f64>();
    let reach = bracket(target, mean);
    let spread = laws.iter().map(|law| law.times * law.moments(0.0).1).sum::<f64>();
    let tolerance = Tolerance { absolute: 1e-3 / spread.sqrt().max(1e-3), relative: 1e-9 };
    let found = solve(-reach, reach, target, Trend::Rising, tolerance, |theta| {
        Enclosure::point(mean(theta))
    });
    // No bracket can only mean that the estimates ran out of range: then do not tilt.
    Ok(found.map_or(1.0, |at| f64::midpoint(at.left, at.right).exp()))
}

/// A tilt large enough, either way, to reach beyond the target.
fn bracket(target: f64, mean: impl Fn(f64) -> f64) -> f64 {
    let mut reach = 1e-8;
    while reach < 350.0 && !(mean(-reach) <= target && mean(reach) >= target) {
        reach *= 2.0;
    }
    reach
}

/// Logarithms of the masses, for estimates that cannot overflow.
struct Law {
    /// Index and logarithm of every positive mass.
    logs: Vec<(f64, f64)>,
    times: f64,
    first: f64,
    last: f64,
}

impl Law {
    fn of(factor: &Factor) -> Result<Self, NumericError> {
        let logs: Vec<(f64, f64)> = factor
            .masses
            .iter()
            .enumerate()
            .filter(|(_, mass)| **mass > 0.0)
            .map(|(j, mass)| (count(j), mass.ln()))
            .collect();
        let (Some(first), Some(last)) = (logs.first(), logs.last()) else {
            return Err(NumericError::Zero { name: "the sum of the masses" });
        };
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let times = factor.times as f64;
        Ok(Self { first: first.0, last: last.0, times, logs })
    }

    /// Mean and variance of the tilted law.
    fn moments(&self, theta: f64) -> (f64, f64) {
        let largest = self.logs.iter().map(|(j, log)| log + theta * j).fold(f64::MIN, f64::max);
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for (j, log) in &self.logs {
            let weight = (log + theta * j - largest).exp();
            mass += weight;
            first += weight * j;
            second += weight * j * j;
        }
        let mean = first / mass;
        (mean, (second / mass - mean * mean).max(0.0))
    }
}
