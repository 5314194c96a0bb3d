//! Where to look: estimates of the composed law near the question asked. Only quality depends on
//! this file, no guarantee does.

#![expect(
    clippy::disallowed_methods,
    reason = "any grid, cut and tilt is sound: only quality depends on these estimates"
)]

use super::loss::OUTSIDE;

/// The question for which a grid is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// δ at this ε.
    Epsilon(f64),
    /// ε at this δ.
    Delta(f64),
}

/// One factor: losses by increasing order, with their chances.
#[derive(Debug, Clone)]
struct Part {
    atoms: Vec<(f64, f64)>,
    times: f64,
}

/// The cumulant generating function K(θ) = Σ times ln Σ p e^(θ loss), roughly.
#[derive(Debug, Clone)]
pub(super) struct Cumulant {
    parts: Vec<Part>,
}

/// K and its first two derivatives at one place.
#[derive(Debug, Clone, Copy, Default)]
struct At {
    value: f64,
    mean: f64,
    variance: f64,
}

/// A place of the composed law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saddle {
    /// θ >= 0, the tilt.
    pub(super) tilt: f64,
    pub(super) epsilon: f64,
    /// ln δ(ε).
    pub(super) log_delta: f64,
    /// The standard deviation of the tilted law.
    pub(super) spread: f64,
}

impl Part {
    fn at(&self, theta: f64) -> At {
        let top = self.atoms.iter().map(|(l, _)| theta * l).fold(f64::NEG_INFINITY, f64::max);
        let centre = self.atoms.get(self.atoms.len() / 2).map_or(0.0, |(l, _)| *l);
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for (loss, p) in &self.atoms {
            let weight = p * (theta * loss - top).exp();
            let far = loss - centre;
            mass += weight;
            first += weight * far;
            second += weight * far * far;
        }
        if mass <= 0.0 {
            return At::default();
        }
        let far = first / mass;
        let variance = (second / mass - far * far).max(0.0);
        At { value: mass.ln() + top, mean: centre + far, variance }
    }
}

impl Cumulant {
    /// Of factors given by losses and chances, with repetition counts.
    pub(super) fn of<I: Iterator<Item = (f64, f64)>>(
        factors: impl Iterator<Item = (I, u64)>,
    ) -> Self {
        let part = |(atoms, times): (I, u64)| {
            let usable = |(l, p): &(f64, f64)| l.is_finite() && *p > 0.0;
            let mut atoms: Vec<(f64, f64)> = atoms.filter(usable).collect();
            atoms.sort_by(|a, b| a.0.total_cmp(&b.0));
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let times = times as f64;
            Part { atoms, times }
        };
        Self { parts: factors.map(part).filter(|part| !part.atoms.is_empty()).collect() }
    }

    fn at(&self, theta: f64) -> At {
        self.parts.iter().fold(At::default(), |sum, part| {
            let one = part.at(theta);
            At {
                value: sum.value + part.times * one.value,
                mean: sum.mean + part.times * one.mean,
                variance: sum.variance + part.times * one.variance,
            }
        })
    }

    fn ends(&self) -> (f64, f64) {
        let first = self.parts.iter().filter_map(|part| part.atoms.first());
        let last = self.parts.iter().filter_map(|part| part.atoms.last());
        (
            first.map(|a| a.0).fold(f64::INFINITY, f64::min),
            last.map(|a| a.0).fold(f64::NEG_INFINITY, f64::max),
        )
    }

    /// The place that an aim means.
    pub(super) fn saddle(&self, aim: Aim) -> Saddle {
        let tilt = match aim {
            Aim::Epsilon(epsilon) => self.crossing(epsilon, |_, at| at.mean),
            Aim::Delta(delta) => self.crossing(-delta.ln(), depth),
        };
        let at = self.at(tilt);
        let epsilon = match aim {
            Aim::Epsilon(epsilon) => epsilon,
            Aim::Delta(_) => at.mean,
        };
        let log_delta = -depth(tilt, &at) + tilt * (at.mean - epsilon);
        Saddle { tilt, epsilon, log_delta: log_delta.min(0.0), spread: at.variance.sqrt() }
    }

    /// The smallest tilt, from 0 on, at which a growing function of it reaches a target.
    fn crossing(&self, target: f64, height: impl Fn(f64, &At) -> f64) -> f64 {
        let start = self.at(0.0);
        if self.parts.is_empty() || height(0.0, &start) >= target {
            return 0.0;
        }
        let (first, last) = self.ends();
        let most = 500.0 / (last - first).max(1e-9);
        let reaches = |theta: f64| height(theta, &self.at(theta)) >= target;
        let mut high = (1.0 / start.variance.sqrt().max(1e-9)).min(most);
        while high < most && !reaches(high) {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..20 {
            let middle = f64::midpoint(low, high);
            if reaches(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// Between which losses of one step the factors matter, if mass `share` of δ may be lost.
    pub(super) fn cut(&self, saddle: &Saddle, share: f64) -> (f64, f64) {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let share = share / self.parts.len() as f64;
        let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
        for part in &self.parts {
            let allowed = share / part.times;
            let above = (saddle.log_delta + allowed.ln()).exp();
            let mut gone = 0.0;
            let top = part.atoms.iter().rev().find(|(_, p)| {
                gone += p;
                gone > above
            });
            let value = part.at(saddle.tilt).value;
            let mut gone = 0.0;
            let bottom = part.atoms.iter().find(|(loss, p)| {
                gone += p;
                gone * (saddle.tilt * loss - value).exp() > allowed
            });
            ends.0 = ends.0.min(bottom.map_or(f64::INFINITY, |a| a.0));
            ends.1 = ends.1.max(top.map_or(f64::NEG_INFINITY, |a| a.0));
        }
        if ends.0 <= ends.1 { ends } else { self.ends_or_zero() }
    }

    fn ends_or_zero(&self) -> (f64, f64) {
        if self.parts.is_empty() { (0.0, 0.0) } else { self.ends() }
    }

    /// The length of a window around the mean of the tilted law, in units of loss, outside of
    /// which next to nothing lies; by Chernoff, as the window itself is chosen.
    pub(super) fn window(&self, saddle: &Saddle) -> f64 {
        let here = self.at(saddle.tilt);
        let depth = -OUTSIDE.ln();
        let unit = (2.0 * depth).sqrt() / saddle.spread.max(1e-12);
        let reach = |sign: f64| {
            (-4..=2)
                .map(|k| unit * f64::exp2(f64::from(k) * 0.5))
                .map(|t| (self.at(saddle.tilt + sign * t).value - here.value + depth) / t)
                .fold(f64::INFINITY, f64::min)
        };
        2.0 * (reach(1.0) - here.mean).max(reach(-1.0) + here.mean)
    }

    /// A first step: splitting changes ln δ by about n θ(θ+1) h²/12, merging by as much again.
    pub(super) fn first_step(&self, saddle: &Saddle, width: f64) -> f64 {
        let times: f64 = self.parts.iter().map(|part| part.times).sum();
        let rate = times * saddle.tilt * (saddle.tilt + 1.0);
        let smooth = (6.0 * width / rate.max(1e-300)).sqrt();
        let coarsest = if saddle.spread > 0.0 { saddle.spread / 20.0 } else { 1.0 };
        smooth.min(coarsest)
    }
}

/// About -ln δ at ε = K'(θ): the exponent of Chernoff's bound and the factor in front of it.
fn depth(theta: f64, at: &At) -> f64 {
    let factor = theta * (theta + 1.0) * (std::f64::consts::TAU * at.variance).sqrt();
    theta * at.mean - at.value + factor.max(1.0).ln()
}
