//! What a Poisson variable says about the count behind it.

use throng_numeric::search::{Tolerance, Verdict, boundary};
use throng_numeric::{Enclosure, Rational};

use super::map::Shape;
use super::{RateMap, tails};
use crate::estimate::miss;
use crate::{Interval, MechanismError, Uncovered};

/// Poisson variables, one per cell, whose rates are a known function of the true counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoissonRelease {
    counts: Vec<u64>,
    map: RateMap,
}

impl PoissonRelease {
    pub(super) const fn new(counts: Vec<u64>, map: RateMap) -> Self {
        Self { counts, map }
    }

    /// What was drawn for each cell. These are not estimates of the counts: see
    /// [`PoissonRelease::estimate`].
    #[must_use]
    pub fn drawn(&self) -> &[u64] {
        &self.counts
    }

    /// The map from counts to rates.
    #[must_use]
    pub const fn map(&self) -> &RateMap {
        &self.map
    }

    /// What the error bars leave out: clamping, and for all maps but the linear one the bias of
    /// the estimate.
    #[must_use]
    pub fn uncovered(&self) -> Vec<Uncovered> {
        match self.map.shape() {
            Shape::Linear => vec![Uncovered::Clamping],
            Shape::Hybrid { .. } | Shape::Slide(_) | Shape::Decreasing(_) | Shape::Stated(_) => {
                vec![Uncovered::Clamping, Uncovered::Bias]
            }
        }
    }

    /// The drawn number of a cell, 0 beyond the end.
    fn at(&self, cell: usize) -> u64 {
        self.counts.get(cell).copied().unwrap_or(0)
    }

    /// An estimate of the true count of a cell.
    ///
    /// # Guarantee
    /// Linear map: w(Y-μ1)/Δ, unbiased; it may be negative. The other maps have no unbiased
    /// estimate of use (ln λ has none at all from one Poisson variable): the rate Y, or Y + ½
    /// where it is taken a logarithm of, is turned back by the map and clipped to its range.
    ///
    /// # Errors
    /// Only if the rates are beyond all numbers.
    pub fn estimate(&self, cell: usize) -> Result<f64, MechanismError> {
        let (pair, w) = (self.map.pair(), Rational::from(self.map.distance()));
        let drawn = Rational::from(self.at(cell));
        let half = &drawn + &Rational::new(1, 2_u32)?;
        let largest = Rational::from(self.map.largest()).to_f64_nearest();
        let scale = w.to_f64_nearest();
        Ok(match self.map.shape() {
            Shape::Linear => {
                let excess = (&drawn - pair.low()) * w;
                excess.checked_div(&pair.difference())?.to_f64_nearest()
            }
            Shape::Slide(_) => {
                let below = self.steps(pair.high(), &half)?;
                scale.mul_add(below, largest).clamp(0.0, largest)
            }
            Shape::Decreasing(_) => (-scale * self.steps(pair.high(), &half)?).clamp(0.0, largest),
            Shape::Hybrid { anchor, .. } => {
                let anchor = Rational::from(*anchor).to_f64_nearest();
                let steps = if drawn < *pair.low() {
                    self.steps(pair.low(), &half)?.min(0.0)
                } else {
                    let whole = (&drawn - pair.low()).checked_div(&pair.difference())?.floor();
                    let whole = Rational::from(whole);
                    let rest = &drawn - &(&whole * &pair.difference());
                    whole.to_f64_nearest() + self.steps(pair.low(), &rest)?
                };
                scale.mul_add(steps, anchor).clamp(0.0, largest)
            }
            Shape::Stated(_) => self.nearest(&drawn),
        })
    }

    /// ln(rate/from)/ln ρ, about.
    fn steps(&self, from: &Rational, rate: &Rational) -> Result<f64, MechanismError> {
        let ratio = self.map.pair().high().checked_div(self.map.pair().low())?;
        let ln = |x: &Rational| Enclosure::of_rational(x).ln();
        let steps = ln(&rate.checked_div(from)?)? / ln(&ratio)?;
        let middle = f64::midpoint(steps.lower(), steps.upper());
        Ok(if middle.is_finite() { middle } else { 0.0 })
    }

    /// The statistic whose rate is nearest, the smaller one of two.
    fn nearest(&self, rate: &Rational) -> f64 {
        let gap = |n: &u64| (self.map.rate(*n) - rate.clone()).abs();
        let best = (0..=self.map.largest()).min_by_key(gap).unwrap_or(0);
        Rational::from(best).to_f64_nearest()
    }

    /// The standard deviation of the estimate, estimated from what was drawn.
    ///
    /// # Guarantee
    /// Linear map: the root of w²Y/Δ², which is an unbiased estimate of the variance
    /// w²μ1/Δ² + wg/Δ. The other maps: w/(ln ρ √λ), right for large rates only.
    ///
    /// # Errors
    /// Only if the rates are beyond all numbers.
    pub fn standard_deviation(&self, cell: usize) -> Result<f64, MechanismError> {
        let pair = self.map.pair();
        let w = Enclosure::of_rational(&Rational::from(self.map.distance()));
        let root = |y: Rational| Enclosure::of_rational(&y).sqrt();
        let drawn = Rational::from(self.at(cell));
        match self.map.shape() {
            Shape::Linear => {
                let slope = Enclosure::of_rational(&pair.difference());
                Ok((w * root(drawn)? / slope).upper())
            }
            Shape::Hybrid { .. } | Shape::Slide(_) | Shape::Decreasing(_) | Shape::Stated(_) => {
                let ratio = Enclosure::of_rational(&pair.high().checked_div(pair.low())?).ln()?;
                let rate = drawn.max(Rational::new(1, 2_u32)?);
                Ok((w / (ratio * root(rate)?)).upper())
            }
        }
    }

    /// An interval for the rate of a cell.
    ///
    /// # Guarantee
    /// Covers it with at least the confidence: {λ : P(N >= Y) > β/2 and P(N <= Y) > β/2}, whose
    /// ends are chi-square quantiles, rounded outward (and up to 1 % wider beyond 2^28).
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    ///
    /// # Reference
    /// F. Garwood, *Fiducial limits for the Poisson distribution* (1936).
    pub fn rate_interval(&self, cell: usize, confidence: f64) -> Result<Interval, MechanismError> {
        let level = miss(confidence)? / 2.0;
        let drawn = self.at(cell);
        // At the rate Y each tail is at least 1/2, as Y is a median of Poi(Y): not excluded.
        let middle = Rational::from(drawn).to_f64_nearest();
        let verdict = |tail: f64| if tail <= level { Verdict::Holds } else { Verdict::Unknown };
        let too_small = |rate| Ok::<_, MechanismError>(verdict(tails::at_least(drawn, rate)?));
        let too_large = |rate| Ok::<_, MechanismError>(verdict(tails::at_most(drawn, rate)?));
        let lower =
            if drawn == 0 { 0.0 } else { boundary(middle, 0.0, PRECISION, too_small)?.holds };
        let mut far = 2.0 * middle + 4.0;
        while too_large(far)? != Verdict::Holds && far < 1e300 {
            far *= 2.0;
        }
        let upper = boundary(middle, far, PRECISION, too_large)?.holds;
        Ok(Interval { lower, upper, confidence })
    }

    /// An interval for the count of a cell.
    ///
    /// # Guarantee
    /// Covers the count, clamped to the range of the map, with at least the confidence: the counts
    /// whose rates are in [`PoissonRelease::rate_interval`], and one end of the range if there are
    /// none.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1.
    pub fn interval(&self, cell: usize, confidence: f64) -> Result<Interval, MechanismError> {
        let rates = self.rate_interval(cell, confidence)?;
        let (low, high) = (Rational::from_f64(rates.lower)?, Rational::from_f64(rates.upper)?);
        let largest = self.map.largest();
        let (lower, past) = if self.map.rises() {
            (self.first(|rate| *rate >= low), self.first(|rate| *rate > high))
        } else {
            (self.first(|rate| *rate <= high), self.first(|rate| *rate < low))
        };
        let lower = lower.unwrap_or(largest);
        let upper = past.map_or(largest, |past| past.saturating_sub(1)).max(lower);
        let end = |n: u64| Rational::from(n);
        let (lower, upper) = (end(lower).to_f64_down(), end(upper).to_f64_up());
        Ok(Interval { lower, upper, confidence })
    }

    /// The first count whose rate has a property that all later ones have too.
    fn first(&self, has: impl Fn(&Rational) -> bool) -> Option<u64> {
        let (mut without, mut with) = (0, self.map.largest());
        if has(&self.map.rate(0)) {
            return Some(0);
        }
        if !has(&self.map.rate(with)) {
            return None;
        }
        while with - without > 1 {
            let middle = u64::midpoint(without, with);
            if has(&self.map.rate(middle)) { with = middle } else { without = middle }
        }
        Some(with)
    }
}

/// Ends of intervals are sought to this.
const PRECISION: Tolerance = Tolerance { absolute: 0.0, relative: 1e-13 };

#[cfg(test)]
mod tests;
