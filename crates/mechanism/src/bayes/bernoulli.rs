//! A chance, from yeses and noes.

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::posterior::Posterior;
use super::{given, prior, replace_only};
use crate::estimate::Noisy;
use crate::noise::Protection;
use crate::{Grid, Mechanism, MechanismError, Noise, PerCell, Run};

/// The chance of a yes, with a Beta(a, b) prior; a record is a unit.
///
/// # What is released
/// *Replace* (n public): the number of yeses, moved by at most 1. *Add/remove* (n private): the
/// numbers of yeses and of noes, of which a record moves one by 1.
///
/// # Guarantee
/// That of the noise. The posterior is exact for the first:
/// Σ_s w_s Beta(a+s, b+n-s), w_s ∝ BetaBin(s; n, a, b) P(s̃ - s). For the second it is the mixture
/// over both numbers, with all n equally likely beforehand.
///
/// ```
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{bayes::Bernoulli, noise::Protection};
/// # use throng_sample::OsEntropy;
/// let pure = Protection::Pure { epsilon: 1.into() };
/// let smokers = Bernoulli::of_public_count((1.0, 1.0), &pure, 6, Neighbours::Replace)?;
/// let permit = Budget::pure(1.into(), Neighbours::Replace)?.permit(&smokers)?;
/// let answers = Sensitive::new([true, false, false, true, false, false]);
/// let release = smokers.run(answers.as_slice(), permit, &mut OsEntropy)?;
/// let posterior = release.value().posterior();
/// println!("{} ± {}", posterior.mean(), posterior.standard_deviation());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bernoulli {
    prior: (f64, f64),
    noise: Noise,
    records: Option<i64>,
}

impl Bernoulli {
    /// With a private number of records, under add/remove.
    ///
    /// # Errors
    /// If a prior parameter is not finite and above 0, or the noise cannot be made.
    pub fn new((a, b): (f64, f64), protection: &Protection) -> Result<Self, MechanismError> {
        let prior = (prior("a", a)?, prior("b", b)?);
        let cells = PerCell::of(1, Rational::ONE, Neighbours::AddRemove)?;
        let noise = protection.noise_per_cell(&cells, Grid::WHOLE)?;
        Ok(Self { prior, noise, records: None })
    }

    /// With a public number of records, under replace.
    ///
    /// # Errors
    /// As for [`Bernoulli::new`], or for another relation or more than 2^62 records.
    pub fn of_public_count(
        (a, b): (f64, f64),
        protection: &Protection,
        records: u64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        replace_only(under)?;
        let prior = (prior("a", a)?, prior("b", b)?);
        let records = few(records)?;
        let cells = PerCell::of(1, Rational::ONE, under)?;
        let noise = protection.noise_per_cell(&cells, Grid::WHOLE)?;
        Ok(Self { prior, noise, records: Some(records) })
    }
}

/// A number of records that fits the grid.
pub(super) fn few(records: u64) -> Result<i64, MechanismError> {
    i64::try_from(records)
        .ok()
        .filter(|n| *n <= crate::grid::MOST_STEPS)
        .ok_or_else(|| MechanismError::invalid("the number of records", records, "below 2^62"))
}

impl Mechanism for Bernoulli {
    type Input = [bool];
    type Output = BernoulliEstimate;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(
        &self,
        input: &[bool],
        run: &mut Run<'_>,
    ) -> Result<BernoulliEstimate, MechanismError> {
        let count = |wanted: bool| {
            let found = input.iter().filter(|x| **x == wanted).count();
            i64::try_from(found).unwrap_or(crate::grid::MOST_STEPS)
        };
        let mut counts = vec![count(true)];
        if self.records.is_none() {
            counts.push(count(false));
        }
        self.noise.add(&mut counts, run)?;
        let counts = Noisy::new(counts, &self.noise, Vec::new());
        Ok(BernoulliEstimate { counts, prior: self.prior, records: self.records })
    }
}

/// A released number of yeses (and of noes), and what it says of their chance.
#[derive(Debug, Clone, PartialEq)]
pub struct BernoulliEstimate {
    counts: Noisy,
    prior: (f64, f64),
    records: Option<i64>,
}

impl BernoulliEstimate {
    /// What was released.
    #[must_use]
    pub const fn counts(&self) -> &Noisy {
        &self.counts
    }

    /// What is known of the chance.
    #[must_use]
    pub fn posterior(&self) -> Posterior {
        let noisy = |i: usize| self.counts.steps().get(i).copied().unwrap_or(0);
        match self.records {
            Some(n) => given::chance((self.counts.law(), noisy(0)), n, self.prior),
            None => {
                let law = self.counts.law();
                given::chance_of_both((law, noisy(0)), (law, noisy(1)), self.prior)
            }
        }
    }
}
