//! The test of a whole curve: many events at once.
//!
//! For each threshold j of a gauge let A_j be the event "at least that cell", with chances p_j and q_j in
//! the worlds 0 and 1, and (s_j, d_j) a line of the claim: q_j <= s_j p_j + d_j. For weights w_j >= 0, with
//! G(y) = sum of w_j over the thresholds that y reaches, K(x) = sum of w_j s_j over those that x reaches and
//! c = sum of w_j d_j, the claim implies
//!
//! ```text
//! E Z <= 0   for   Z = G(y) - K(x) - c,   x from world 0, y from world 1.
//! ```
//!
//! Weights and lines are fixed beforehand, so pairs (x, y) give independent copies of one bounded variable, and
//! what is tested is its mean. A Gaussian is told from one that is a little closer by all its thresholds
//! together, far better than by any single one.
//!
//! # The p-value of a sum
//! Fix λ > 0 beforehand and let Y = ln(1 + λ Z), S the sum of Y over n pairs. Under the claim
//! E e^Y = 1 + λ E Z <= 1. Let P' be the law tilted by e^Y: then for any s
//!
//! ```text
//! P(S >= s) = (E e^Y)^n E'[e^-S; S >= s] <= e^-s E'[e^-(S-s); S >= s]
//!           = e^-s ∫ e^-u P'(s <= S <= s + u) du <= e^-s (erfcx(√(2nv)) + 2Δ),
//! ```
//!
//! where v is the variance of Y under P': an interval of length u has at most the chance
//! 2 Phi(u / 2√(nv)) - 1 under a normal law of variance nv, wherever it lies, and ∫ e^-u of that is erfcx(√(2nv))
//! = e^(2nv) erfc(√(2nv)); and Δ = 0.4748 E'|Y - E'Y|^3 / (v^(3/2) √n) bounds the distance of
//! S from a normal variable (Berry-Esseen). Without the last factor this is Markov's inequality for a product
//! of bets; with it, it is within a few percent of the normal tail, at false-alarm chances of 5 % and of
//! 1e-9 alike. The moments under P' are means of bounded functions of Z under P; they are bounded on
//! a confidence set, whose share of the false-alarm chance is added.
//!
//! # Reference
//! Shevtsova (2011), "On the absolute constants in the Berry-Esseen type inequalities for identically
//! distributed summands" (the constant 0.4748); Maurer and Pontil (2009), "Empirical Bernstein bounds and
//! sample variance penalization"; Waudby-Smith and Ramdas (2024), "Estimating means of bounded random
//! variables by betting".

use throng_numeric::{Enclosure, normal};

use super::binomial::real;
use crate::AuditError;
use crate::gauge::Tally;
use crate::region::Line;

/// A weighted sum of events, each with the line of the claim that it is held against.
#[derive(Debug, Clone, PartialEq)]
pub struct Bet {
    /// G by cell.
    gain: Vec<f64>,
    /// K by cell.
    stake: Vec<f64>,
    /// c, rounded up.
    level: f64,
}

impl Bet {
    /// A bet on thresholds 1, 2, ... of a gauge with one cell more than there are weights.
    #[must_use]
    pub fn new(weights: &[f64], lines: &[Line]) -> Self {
        let terms = weights.iter().zip(lines).map(|(weight, line)| vec![(*weight, *line)]);
        Self::of_terms(terms)
    }

    /// A bet with any number of weights and lines at each threshold.
    fn of_terms(thresholds: impl Iterator<Item = Vec<(f64, Line)>>) -> Self {
        let mut bet = Self { gain: vec![0.0], stake: vec![0.0], level: 0.0 };
        let (mut gain, mut stake) = (0.0f64, 0.0f64);
        for terms in thresholds {
            for (weight, line) in terms {
                let weight = weight.max(0.0);
                // Rounded against the bet: gains down, stakes and level up.
                gain = (gain + weight).next_down().max(0.0);
                stake = (stake + (weight * line.slope).next_up()).next_up();
                bet.level = (bet.level + (weight * line.intercept).next_up()).next_up();
            }
            bet.gain.push(if gain > 0.0 { gain } else { 0.0 });
            bet.stake.push(stake);
        }
        bet
    }

    /// A bet on two events: from cell `up` on in world 1, against a line seen from world 0; and before
    /// cell `down` in world 0, against a line seen from world 1.
    #[must_use]
    pub fn on_both_ends(cells: usize, up: (usize, Line), down: (usize, Line)) -> Self {
        let turned = down.1.turned();
        Self::of_terms((1..cells).map(|k| {
            let mut terms = Vec::new();
            if k == up.0 {
                terms.push((1.0, up.1));
            }
            if k == down.0
                && let Some(line) = turned
            {
                terms.push((down.1.slope, line));
            }
            terms
        }))
    }

    /// Z for an outcome of cell i in world 0 and one of cell j in world 1.
    fn value(&self, i: usize, j: usize) -> f64 {
        let at = |values: &[f64], k: usize| values.get(k).copied().unwrap_or(0.0);
        at(&self.gain, j) - at(&self.stake, i) - self.level
    }

    /// The smallest and the largest value.
    fn range(&self) -> (f64, f64) {
        let most = |values: &[f64]| values.last().copied().unwrap_or(0.0);
        (-most(&self.stake) - self.level, most(&self.gain) - self.level)
    }

    /// Mean and standard deviation of Z on a tally.
    #[must_use]
    pub fn moments(&self, tally: &Tally) -> (f64, f64) {
        let n = real(tally.paired()).max(1.0);
        let mean = tally.pairs().map(|(i, j, k)| real(k) * self.value(i, j)).sum::<f64>() / n;
        let square = tally
            .pairs()
            .map(|(i, j, k)| real(k) * (self.value(i, j) - mean) * (self.value(i, j) - mean))
            .sum::<f64>()
            / n;
        (mean, square.max(0.0).sqrt())
    }

    /// The λ that suits a number of pairs and a false-alarm chance, from what another tally says about
    /// the spread of Z: a little more than the normal quantile over the standard deviation of the sum.
    #[must_use]
    pub fn tilt(&self, seen: &Tally, pairs: u64, level: f64) -> f64 {
        let (_, deviation) = self.moments(seen);
        let spread = (deviation * real(pairs).max(1.0).sqrt()).max(1e-12);
        ((quantile(level) + 0.3) / spread).clamp(0.0, 0.5 * self.largest())
    }

    /// Fractions of the largest stake to bet: around mean / variance, the best for small edges.
    fn fractions(&self, mean: f64, deviation: f64) -> Vec<f64> {
        let most = 0.9 * self.largest();
        let best = (mean / (deviation * deviation)).clamp(0.0, f64::MAX);
        let best = if best.is_finite() { best.min(most) } else { most };
        [1.0, 0.5, 0.25, 2.0]
            .iter()
            .map(|factor| (factor * best).clamp(1e-9 * most, most))
            .collect()
    }

    /// The largest stake that cannot lose all.
    fn largest(&self) -> f64 {
        let (worst, _) = self.range();
        if worst < 0.0 { (-1.0 / worst).next_down() } else { 1.0 }
    }

    /// A p-value, for a λ that was fixed beforehand: under the claim it is at most x with a chance of at most
    /// x, if `level`, also fixed beforehand, says how large a share of the false-alarm chance goes to
    /// the confidence set.
    ///
    /// # Errors
    /// If a certified computation fails.
    pub fn p_value(&self, tally: &Tally, tilt: f64, level: f64) -> Result<f64, AuditError> {
        let tilt = tilt.clamp(0.0, 0.5 * self.largest());
        let sum = self.log_wealth(tally, tilt)?;
        if tally.paired() < 30 || sum <= 0.0 {
            return Ok(1.0);
        }
        let share = level * CONFIDENCE;
        let factor = self.beyond_markov(tally, tilt, share)?;
        let markov = (-Enclosure::point(sum.min(700.0))?).exp().upper();
        Ok((markov * factor).next_up().min(1.0) + share)
    }

    /// erfcx(√(2nv)) + 2Δ, from above; 1 if that is more.
    fn beyond_markov(&self, tally: &Tally, tilt: f64, share: f64) -> Result<f64, AuditError> {
        let n = real(tally.paired());
        // Five bounds, each wrong with a chance of at most a fifth of the share.
        let log = Enclosure::point(2.0 * 5.0 / share)?.ln()?.upper();
        let tilted = Tilted::of(self, tally, tilt)?;
        let normaliser = tilted.mean(log, |_| 1.0).0;
        let first = tilted.mean(log, |y| y);
        let second = tilted.mean(log, |y| y * y).0;
        let third = tilted.mean(log, |y| (y * y * y).abs()).1;
        if normaliser.is_nan() || normaliser <= 0.5 {
            return Ok(1.0);
        }
        // Under the claim the normaliser is at most 1, so dividing by it only enlarges the variance.
        let mean = first.0.abs().max(first.1.abs()) / normaliser;
        let variance = second - mean * mean;
        if variance.is_nan() || variance <= 0.0 {
            return Ok(1.0);
        }
        // Minkowski: the third norm of Y - E'Y is at most that of Y plus |E'Y|.
        let norm = cube_root_up(third / normaliser) + mean;
        let error = BERRY_ESSEEN * norm * norm * norm / (variance * variance.sqrt() * n.sqrt());
        let normal = normal::erfcx(Enclosure::point((2.0 * n * variance).sqrt())?).upper();
        // A few roundings, and those of the logarithms, are far below one in 10^9.
        Ok(((normal + 2.0 * error) * (1.0 + 1e-9)).min(1.0))
    }

    /// ln of the product of 1 + stake Z, from below.
    ///
    /// # Errors
    /// If a certified computation fails.
    pub fn log_wealth(&self, tally: &Tally, stake: f64) -> Result<f64, AuditError> {
        let stake = stake.clamp(0.0, 0.99 * self.largest());
        let mut sum = 0.0f64;
        for (i, j, n) in tally.pairs().filter(|(_, _, n)| *n > 0) {
            // Five roundings of numbers of at most 2 in size.
            let factor = 1.0 + stake * self.value(i, j) - 2e-15;
            let log = Enclosure::point(factor.max(1e-300))?.ln()?.lower();
            sum = (sum + (real(n) * log).next_down()).next_down();
        }
        Ok(sum)
    }

    /// The stakes to bet in the next round, from what was seen before.
    #[must_use]
    pub fn stakes(&self, seen: &Tally) -> Vec<f64> {
        let (mean, deviation) = self.moments(seen);
        self.fractions(mean, deviation)
    }
}

/// The law of Z on a tally, tilted: values of 1 + λ Z and ln(1 + λ Z) with their counts.
struct Tilted {
    cells: Vec<(f64, f64, f64)>,
    pairs: f64,
}

impl Tilted {
    fn of(bet: &Bet, tally: &Tally, tilt: f64) -> Result<Self, AuditError> {
        let mut cells = Vec::new();
        for (i, j, k) in tally.pairs() {
            let factor = 1.0 + tilt * bet.value(i, j);
            let log = Enclosure::point(factor.max(1e-300))?.ln()?;
            cells.push((real(k), factor, f64::midpoint(log.lower(), log.upper())));
        }
        Ok(Self { cells, pairs: real(tally.paired()) })
    }

    /// An interval for E[(1 + λ Z) g(ln(1 + λ Z))]: empirical Bernstein bounds, each side wrong with a chance
    /// of at most 2 e^-log. The range is that over all cells, seen or not.
    fn mean(&self, log: f64, of: fn(f64) -> f64) -> (f64, f64) {
        let n = self.pairs;
        let values = || self.cells.iter().map(|(k, factor, y)| (*k, factor * of(*y)));
        let mean = values().map(|(k, x)| k * x).sum::<f64>() / n;
        let spread = values().map(|(k, x)| k * (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        let least = values().map(|(_, x)| x).fold(f64::INFINITY, f64::min);
        let most = values().map(|(_, x)| x).fold(f64::NEG_INFINITY, f64::max);
        let margin =
            (2.0 * spread * log / n).sqrt() + 7.0 * (most - least) * log / (3.0 * (n - 1.0));
        let margin = margin * (1.0 + 1e-9) + 1e-12 * most.abs().max(least.abs());
        (mean - margin, mean + margin)
    }
}

/// The best known constant for sums of independent variables of one law.
const BERRY_ESSEEN: f64 = 0.4748;

/// The share of the false-alarm chance for the moments.
const CONFIDENCE: f64 = 0.02;

/// Above the cube root: one step of Newton's method from any positive start ends above it.
fn cube_root_up(x: f64) -> f64 {
    let guess = x.cbrt();
    if guess > 0.0 { (2.0 * guess + x / (guess * guess)) / 3.0 * (1.0 + 1e-14) } else { 0.0 }
}

/// The point above which a normal variable falls with a chance, about: to 5e-4, by the rational
/// approximation 26.2.23 of Abramowitz and Stegun.
pub(crate) fn quantile(tail: f64) -> f64 {
    if tail > 0.5 {
        return -quantile(1.0 - tail);
    }
    let t = (-2.0 * log(tail.max(1e-300))).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

/// ln, about.
#[expect(clippy::disallowed_methods, reason = "a choice made beforehand: no guarantee rests on it")]
pub(crate) fn log(x: f64) -> f64 {
    x.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_about_right() {
        for (tail, z) in [(0.5, 0.0), (0.05, 1.644_85), (0.975, -1.959_96), (1e-6, 4.753_42)] {
            assert!((quantile(tail) - z).abs() < 5e-4, "{tail}");
        }
    }
}
