//! Composition: losses add, transforms multiply.

use std::sync::Arc;

use throng_numeric::Enclosure;

use crate::AccountError;
use crate::disc::Disc;
use crate::estimate::{ln, real};
use crate::law::{BLOCK, Law, Line, Tilted};

/// Independent losses, each taken some number of times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Product {
    pub(crate) factors: Vec<(Arc<dyn Law>, u64)>,
}

/// A count as a number that is not below it.
pub(crate) fn at_least(times: u64) -> f64 {
    real(times).next_up()
}

impl Law for Product {
    fn cumulants(&self, c: f64) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for (law, times) in &self.factors {
            for (total, k) in sum.iter_mut().zip(law.cumulants(c)) {
                *total += k * real(*times);
            }
        }
        sum
    }

    fn ceiling(&self) -> f64 {
        let sum = self
            .factors
            .iter()
            .map(|(law, times)| Enclosure::point(law.ceiling()).map(|x| x * count(*times)))
            .try_fold(Enclosure::ZERO, |sum, x| x.map(|x| sum + x));
        sum.map_or(f64::INFINITY, Enclosure::upper)
    }

    /// Independent events happen together with the product of their chances.
    fn attained(&self) -> Option<(f64, f64)> {
        let (mut loss, mut log_chance) = (Enclosure::ZERO, Enclosure::ZERO);
        for (law, times) in &self.factors {
            let (one, chance) = law.attained()?;
            loss = loss + Enclosure::point(one).ok()? * count(*times);
            // A chance too small for a number is positive all the same.
            let chance = Enclosure::new(chance.max(0.0), 1.0).ok()?;
            let log = if chance.lower() > 0.0 { chance.ln().ok()? } else { Enclosure::REAL };
            log_chance = log_chance + log * count(*times);
        }
        Some((loss.lower(), log_chance.exp().lower().clamp(0.0, 1.0)))
    }

    fn log_moment(&self, c: f64) -> Result<Enclosure, AccountError> {
        self.factors.iter().try_fold(Enclosure::ZERO, |sum, (law, times)| {
            Ok(sum + law.log_moment(c)? * count(*times))
        })
    }

    fn tilt(&self, line: Line) -> Result<Box<dyn Tilted>, AccountError> {
        let factors = self
            .factors
            .iter()
            .map(|(law, times)| {
                let log_times = line.log_times + ln(at_least(*times));
                Ok((law.tilt(Line { log_times, ..line })?, *times))
            })
            .collect::<Result<Vec<_>, AccountError>>()?;
        Ok(Box::new(TiltedProduct { factors }))
    }
}

/// A count, enclosed.
pub(crate) fn count(times: u64) -> Enclosure {
    Enclosure::of_rational(&throng_numeric::Rational::from(times))
}

#[derive(Debug)]
struct TiltedProduct {
    factors: Vec<(Box<dyn Tilted>, u64)>,
}

impl Tilted for TiltedProduct {
    fn log_moment(&self) -> Enclosure {
        self.factors
            .iter()
            .fold(Enclosure::ZERO, |sum, (factor, times)| sum + factor.log_moment() * count(*times))
    }

    fn fill(&self, first: u64, out: &mut [Disc]) {
        out.fill(Disc::ZERO);
        let mut single = [Disc::ZERO; BLOCK];
        for (factor, times) in &self.factors {
            let single = &mut single[..out.len()];
            factor.fill(first, single);
            for (product, disc) in out.iter_mut().zip(single) {
                *product = product.join(disc.power_minus_one(*times));
            }
        }
    }

    fn log_decay(&self, u: f64) -> f64 {
        self.factors
            .iter()
            .map(|(factor, times)| factor.log_decay(u) * real(*times) * (1.0 - 1e-12))
            .sum()
    }

    /// Every factor has modulus at most 1, so the best one alone is enough.
    fn leap(&self, u: f64, log_bound: f64) -> f64 {
        if self.log_decay(u) <= log_bound {
            return f64::INFINITY;
        }
        let single = |(factor, times): &(Box<dyn Tilted>, u64)| {
            factor.leap(u, log_bound / real(*times) * (1.0 + 1e-12))
        };
        self.factors.iter().filter(|(_, times)| *times > 30).map(single).fold(0.0, f64::max)
    }
}
