//! What the number of reports says about the number of units.

use throng_numeric::search::{Verdict, boundary_of_count};
use throng_numeric::{Enclosure, tails};

use super::chance::{Split, of_count};
use super::law::{MOST_TRIALS, SumOfBinomials};
use crate::estimate::miss;
use crate::{Interval, MechanismError};

/// How many of n units reported a thing, and what that says about how many have it.
///
/// # Guarantee
/// With x of the n units having it, the number of reports is Bin(x, a) + Bin(n-x, b) exactly,
/// where a and b are the chances to report it for units that have it and that do not. Hence
/// x̂ = (Y - nb)/(a - b) is unbiased and Var x̂ = (x a(1-a) + (n-x) b(1-b))/(a-b)².
///
/// # Reference
/// S. L. Warner, *Randomized Response* (1965).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportedCount {
    reported: u64,
    units: u64,
    /// The chance to report it of a unit that has it.
    hit: Split,
    /// The chance to report it of a unit that does not.
    stray: Split,
}

impl ReportedCount {
    pub(super) const fn new(reported: u64, units: u64, hit: Split, stray: Split) -> Self {
        Self { reported, units, hit, stray }
    }

    /// How many reported it.
    #[must_use]
    pub const fn reported(&self) -> u64 {
        self.reported
    }

    /// How many units there are; public.
    #[must_use]
    pub const fn units(&self) -> u64 {
        self.units
    }

    /// a - b, computed without cancellation where the complements are nearer.
    fn contrast(&self) -> Result<Enclosure, MechanismError> {
        let by_chance = self.hit.yes - self.stray.yes;
        let by_complement = self.stray.no - self.hit.no;
        let contrast = by_chance.intersect(by_complement)?;
        if contrast.contains(0.0) {
            return Err(MechanismError::invalid(
                "the chance to report a thing",
                "the same with and without it",
                "different: else reports say nothing",
            ));
        }
        Ok(contrast)
    }

    /// The unbiased estimate of how many units have it; it may lie outside 0..=n.
    ///
    /// # Errors
    /// If reports say nothing (p + q = 1, or epsilon = 0).
    pub fn estimate(&self) -> Result<f64, MechanismError> {
        let excess = of_count(self.reported) - of_count(self.units) * self.stray.yes;
        let estimate = excess / self.contrast()?;
        Ok(f64::midpoint(estimate.lower(), estimate.upper()))
    }

    /// The variance of the estimate if `having` units have it; more than n count as n.
    ///
    /// # Errors
    /// As for [`ReportedCount::estimate`].
    pub fn variance(&self, having: u64) -> Result<Enclosure, MechanismError> {
        let having = having.min(self.units);
        let of = |n: u64, chance: Split| of_count(n) * (chance.yes * chance.no);
        let sum = of(having, self.hit) + of(self.units - having, self.stray);
        Ok(sum / self.contrast()?.square())
    }

    /// The variance of the estimate at worst; for symmetric responses, the variance.
    ///
    /// # Errors
    /// As for [`ReportedCount::estimate`].
    pub fn largest_variance(&self) -> Result<Enclosure, MechanismError> {
        Ok(self.variance(0)?.max(self.variance(self.units)?)) // linear in between
    }

    /// An interval for the number of units that have it.
    ///
    /// # Guarantee
    /// Covers it with at least the confidence over the randomness of the responses, whatever the
    /// data.
    ///
    /// # Why this is right
    /// The law of the reports grows with x (or falls, if b > a), so {x : P_x(Y >= y) > β/2 and
    /// P_x(Y <= y) > β/2} is an interval, and misses the truth with a chance of at most β. Both
    /// tails are bounded from above: up to 2^27 units by the exact law; beyond by Hoeffding's
    /// comparison of a sum of independent bits with the binomial law of the same mean m, whose
    /// tails are larger at y >= m + 1 and at y <= m - 1; nearer the mean nothing is excluded. That
    /// is wider, as if the truth itself had been drawn: by 10 % at ε = 1, by more at larger ε.
    ///
    /// # Errors
    /// If the confidence is not above 0 and below 1, or as for [`ReportedCount::estimate`].
    ///
    /// # Reference
    /// C. J. Clopper, E. S. Pearson (1934); W. Hoeffding, *On the distribution of the number of
    /// successes in independent trials* (1956).
    pub fn interval(&self, confidence: f64) -> Result<Interval, MechanismError> {
        self.interval_at(miss(confidence)?, confidence)
    }

    /// The interval that misses with a chance of at most `beta`.
    pub(super) fn interval_at(&self, beta: f64, stated: f64) -> Result<Interval, MechanismError> {
        let rising = self.contrast()?.lower() > 0.0;
        let tails = if rising { *self } else { self.mirrored() };
        let [lower, upper] = tails.range(beta / 2.0)?;
        let end = |x: u64| of_count(x);
        Ok(Interval { lower: end(lower).lower(), upper: end(upper).upper(), confidence: stated })
    }

    /// The same data told by who did *not* report it.
    fn mirrored(&self) -> Self {
        let (hit, stray) = (self.hit.complement(), self.stray.complement());
        Self { reported: self.units.saturating_sub(self.reported), hit, stray, ..*self }
    }

    /// The least and the most units that are not excluded, for a > b.
    fn range(&self, level: f64) -> Result<[u64; 2], MechanismError> {
        let verdict = |tail: f64| if tail <= level { Verdict::Holds } else { Verdict::Unknown };
        let too_few = |x: u64| Ok::<_, MechanismError>(verdict(self.at_least(x)?));
        let too_many = |x: u64| Ok::<_, MechanismError>(verdict(self.at_most(x)?));
        let n = self.units;
        let lower = match [too_few(0)?, too_few(n)?] {
            [Verdict::Holds, Verdict::Holds] => n,
            [Verdict::Holds, _] => boundary_of_count(n, 0, too_few)?.not_shown,
            _ => 0,
        };
        let upper = match [too_many(0)?, too_many(n)?] {
            [Verdict::Holds, Verdict::Holds] => 0,
            [_, Verdict::Holds] => boundary_of_count(0, n, too_many)?.not_shown,
            _ => n,
        };
        Ok([lower, upper])
    }

    /// An upper bound on P(Y >= reported) if `having` units have it.
    fn at_least(&self, having: u64) -> Result<f64, MechanismError> {
        if self.units <= MOST_TRIALS {
            return Ok(self.law(having).at_least(self.reported).upper());
        }
        let mean = self.mean(having);
        let Some(before) = self.reported.checked_sub(1) else { return Ok(1.0) };
        // y - 1 as a rounded-down number is at least the mean.
        if of_count(before).lower() < mean.upper() {
            return Ok(1.0);
        }
        Ok(tails::binomial_survival(before, self.units, self.mixture(mean))?.upper())
    }

    /// An upper bound on P(Y <= reported) if `having` units have it.
    fn at_most(&self, having: u64) -> Result<f64, MechanismError> {
        if self.units <= MOST_TRIALS {
            return Ok(self.law(having).at_most(self.reported).upper());
        }
        let mean = self.mean(having);
        if of_count(self.reported.saturating_add(1)).upper() > mean.lower() {
            return Ok(1.0);
        }
        Ok(tails::binomial_cdf(self.reported, self.units, self.mixture(mean))?.upper())
    }

    fn law(&self, having: u64) -> SumOfBinomials {
        SumOfBinomials::new((having, self.hit), (self.units.saturating_sub(having), self.stray))
    }

    fn mean(&self, having: u64) -> Enclosure {
        let rest = self.units.saturating_sub(having);
        of_count(having) * self.hit.yes + of_count(rest) * self.stray.yes
    }

    /// The chance of a report of a unit picked at random.
    fn mixture(&self, mean: Enclosure) -> Enclosure {
        super::chance::within_unit(mean / of_count(self.units))
    }
}

#[cfg(test)]
mod tests;
