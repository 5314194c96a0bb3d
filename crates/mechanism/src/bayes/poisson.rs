//! A rate, from counts.

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::bernoulli::few;
use super::posterior::Posterior;
use super::{given, prior, replace_only};
use crate::estimate::{Noisy, Uncovered};
use crate::noise::Protection;
use crate::{Grid, Mechanism, MechanismError, Noise, PerCell, Run};

/// The rate of Poisson counts, with a Gamma(shape, rate) prior; a record is a unit.
///
/// # What is released
/// The sum of the counts, each clamped to [0, most]: replacing a record moves it by at most `most`.
///
/// # Guarantee
/// That of the noise. The posterior is Σ_s w_s Gamma(shape + s, rate + n) with
/// w_s ∝ Γ(shape + s)/s! (n/(rate + n))^s P(s̃ - s), exact for counts that are not clamped.
/// Clamping is not covered: choose `most` so that it hardly happens.
///
/// ```
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{bayes::PoissonRate, noise::Protection};
/// # use throng_sample::OsEntropy;
/// let pure = Protection::Pure { epsilon: 1.into() };
/// let model = PoissonRate::new((1.0, 0.1), 20, &pure, 4, Neighbours::Replace)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::Replace)?;
/// let permit = budget.permit(&model)?;
/// let data = Sensitive::new([3_i64, 0, 5, 2]);
/// let release = model.run(data.as_slice(), permit, &mut OsEntropy)?;
/// println!("{:?}", release.value().posterior().credible(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PoissonRate {
    prior: (f64, f64),
    most: i64,
    noise: Noise,
    records: i64,
}

impl PoissonRate {
    /// With a public number of records, under replace.
    ///
    /// # Errors
    /// If a prior parameter is not finite and above 0, `most` is not at least 1 and below 2^32, the
    /// relation is not replace, or the noise cannot be made.
    pub fn new(
        (shape, rate): (f64, f64),
        most: i64,
        protection: &Protection,
        records: u64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        replace_only(under)?;
        let prior = (prior("shape", shape)?, prior("rate", rate)?);
        if !(1..1 << 32).contains(&most) {
            return Err(MechanismError::invalid("the largest count", most, "in 1..2^32"));
        }
        let cells = PerCell::of(1, Rational::from(most), under)?;
        let noise = protection.noise_per_cell(&cells, Grid::WHOLE)?;
        Ok(Self { prior, most, noise, records: few(records)? })
    }
}

impl Mechanism for PoissonRate {
    type Input = [i64];
    type Output = PoissonRateEstimate;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(
        &self,
        input: &[i64],
        run: &mut Run<'_>,
    ) -> Result<PoissonRateEstimate, MechanismError> {
        let sum: i128 = input.iter().map(|x| i128::from((*x).clamp(0, self.most))).sum();
        let noisy = vec![self.noise.added_to(sum, run)?];
        let sum = Noisy::new(noisy, &self.noise, vec![Uncovered::Clamping]);
        Ok(PoissonRateEstimate { sum, prior: self.prior, records: self.records })
    }
}

/// A released sum of counts, and what it says of their rate.
#[derive(Debug, Clone, PartialEq)]
pub struct PoissonRateEstimate {
    sum: Noisy,
    prior: (f64, f64),
    records: i64,
}

impl PoissonRateEstimate {
    /// What was released.
    #[must_use]
    pub const fn sum(&self) -> &Noisy {
        &self.sum
    }

    /// What is known of the rate.
    #[must_use]
    pub fn posterior(&self) -> Posterior {
        let noisy = self.sum.steps().first().copied().unwrap_or(0);
        given::rate((self.sum.law(), noisy), self.records, self.prior)
    }
}
