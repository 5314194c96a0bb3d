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
mod tests {
    use super::super::chance::Chance;
    use super::*;

    fn exact(chance: &str) -> Split {
        Chance::Exact(chance.parse().unwrap()).enclosed()
    }

    fn counts(n: u64, hit: &str, stray: &str) -> Vec<ReportedCount> {
        let (hit, stray) = (exact(hit), exact(stray));
        (0..=n).map(|y| ReportedCount::new(y, n, hit, stray)).collect()
    }

    /// The exact coverage at every truth, rising and falling laws, one-sided ones included.
    #[test]
    fn intervals_cover_at_every_truth() {
        for (hit, stray) in [("3/4", "1/4"), ("1/2", "1/10"), ("1/10", "4/5"), ("1", "1/3")] {
            for confidence in [0.5, 0.9, 0.99] {
                let counts = counts(25, hit, stray);
                let intervals: Vec<_> =
                    counts.iter().map(|c| c.interval(confidence).unwrap()).collect();
                for truth in 0..=25_u64 {
                    let law = counts[0].law(truth);
                    let x = of_count(truth).lower();
                    let covered = (0_u64..).zip(&intervals);
                    let covered = covered.filter(|(_, i)| i.lower <= x && x <= i.upper);
                    let chance = covered.fold(Enclosure::ZERO, |sum, (y, _)| sum + law.mass(y));
                    assert!(chance.upper() >= confidence, "{hit} {stray} {truth}: {chance}");
                }
            }
        }
    }

    /// E x̂ = x and E (x̂ - x)² = Var, summed over the exact law.
    #[test]
    fn estimates_have_the_stated_mean_and_variance() {
        let counts = counts(12, "4/5", "3/10");
        for truth in 0..=12_u64 {
            let law = counts[0].law(truth);
            let moment = |f: &dyn Fn(f64) -> f64| {
                counts.iter().zip(0..).fold(0.0, |sum, (count, y)| {
                    sum + law.mass(y).lower() * f(count.estimate().unwrap())
                })
            };
            let x = of_count(truth).lower();
            assert!((moment(&|e| e) - x).abs() < 1e-10);
            let variance = counts[0].variance(truth).unwrap();
            assert!((moment(&|e| (e - x) * (e - x)) - variance.lower()).abs() < 1e-9);
            assert!(variance.upper() <= counts[0].largest_variance().unwrap().upper());
        }
    }

    /// Hoeffding's comparison, at every truth and every count; nearer the mean than one it fails.
    #[test]
    fn binomial_tails_are_larger_beyond_one_from_the_mean() {
        let (hit, stray) = (exact("9/10"), exact("1/20"));
        let mut nearer = 0;
        for (truth, y) in (1..30_u64).flat_map(|x| (1..30_u64).map(move |y| (x, y))) {
            let count = ReportedCount::new(y, 30, hit, stray);
            let (law, mean) = (count.law(truth), count.mean(truth));
            let chance = count.mixture(mean);
            let above = tails::binomial_survival(y - 1, 30, chance).unwrap();
            let below = tails::binomial_cdf(y, 30, chance).unwrap();
            let place = of_count(y).lower();
            if place >= mean.upper() + 1.0 {
                assert!(law.at_least(y).lower() <= above.upper(), "{truth} {y}");
            } else if place <= mean.lower() - 1.0 {
                assert!(law.at_most(y).lower() <= below.upper(), "{truth} {y}");
            } else if law.at_least(y).lower() > above.upper() {
                nearer += 1;
            }
        }
        assert!(nearer > 0);
    }

    /// Where Hoeffding's comparison takes over intervals get wider, by √(2/9 / 3/16) here.
    #[test]
    fn intervals_change_little_where_the_exact_law_ends() {
        let (hit, stray) = (exact("3/4"), exact("1/4"));
        let at = |n: u64| ReportedCount::new(n / 3, n, hit, stray).interval(0.95).unwrap();
        let (exact, compared) = (at(MOST_TRIALS), at(MOST_TRIALS + 2));
        let ratio = (compared.upper - compared.lower) / (exact.upper - exact.lower);
        assert!(1.08 < ratio && ratio < 1.09, "{exact} {compared}");
        assert!(compared.lower < exact.lower && exact.upper < compared.upper);
    }

    /// What is left out of the laws of many trials is accounted for.
    #[test]
    fn laws_of_many_trials_add_up() {
        let (hit, stray) = (exact("3/4"), exact("1/1000"));
        let law = ReportedCount::new(0, 3_000_000, hit, stray).law(1_000_000);
        let [below, above] = [law.at_most(751_500), law.at_least(751_501)];
        assert!((below + above).contains(1.0) && (below + above).width() < 1e-8, "{below} {above}");
        // The mean is 752 000 and the standard deviation 435.
        assert!(below.contains(0.125_6) || (below.lower() - 0.125_6).abs() < 5e-4, "{below}");
        assert!(law.at_most(0).upper() < 1e-59 && law.at_least(3_000_000).upper() < 1e-59);
        assert!(law.at_least(0).contains(1.0) && law.at_most(3_000_000).contains(1.0));
    }
}
