//! A mean, from numbers of known variance.

use throng_account::{MechanismSpec, Neighbours};

use super::bernoulli::few;
use super::posterior::Posterior;
use super::{given, prior, replace_only};
use crate::estimate::Noisy;
use crate::noise::Protection;
use crate::sum::Sum;
use crate::{Clamp, Mechanism, MechanismError, Run};

/// The mean of normal numbers of known variance, with a normal prior; a record is a unit.
///
/// # What is released
/// The sum of the numbers, each clamped to public bounds ([`Sum`]), with Gaussian noise.
///
/// # Guarantee
/// That of the noise. With noise of variance τ², prior N(m₀, v₀) and data of variance σ², the
/// posterior is normal with v = 1/(1/v₀ + n²/(nσ² + τ²)) and mean v (m₀/v₀ + n s̃/(nσ² + τ²)): the
/// sum has mean nθ and variance nσ² + τ². That is exact for normal noise, from which noise on a fine
/// grid cannot be told. Clamping is not covered: choose bounds that hardly matter.
///
/// ```
/// use throng_mechanism::{Budget, Clamp, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{bayes::NormalMean, noise::Protection};
/// # use throng_sample::OsEntropy;
/// let bounds = Clamp::between(&(-10).into(), &10.into())?;
/// let noise = Protection::Gaussian { multiplier: 2.into() };
/// let model = NormalMean::new((0.0, 4.0), 1.0, bounds, &noise, 3, Neighbours::Replace)?;
/// let mut budget = Budget::gdp(&1.into(), Neighbours::Replace)?;
/// let permit = budget.permit(&model)?;
/// let data = Sensitive::new([0.3, -1.2, 0.8]);
/// let release = model.run(data.as_slice(), permit, &mut OsEntropy)?;
/// println!("{:?}", release.value().posterior().credible(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NormalMean {
    prior: (f64, f64),
    variance: f64,
    sum: Sum<f64>,
    records: i64,
}

impl NormalMean {
    /// With prior (mean, variance), the variance of the data, and a public number of records,
    /// under replace.
    ///
    /// # Errors
    /// If a variance is not finite and above 0, the prior mean is not finite, the relation is not replace, or the noise is not Gaussian
    /// or cannot be made.
    pub fn new(
        (mean, variance): (f64, f64),
        known: f64,
        clamp: Clamp,
        protection: &Protection,
        records: u64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        replace_only(under)?;
        match protection {
            Protection::Gaussian { .. } | Protection::Target(_) => {}
            Protection::Pure { .. } => {
                return Err(MechanismError::refused(
                    "this posterior is right for Gaussian noise only",
                    "ask for Gaussian noise",
                ));
            }
        }
        if !mean.is_finite() {
            return Err(MechanismError::invalid("the prior mean", mean, "finite"));
        }
        let prior_variance = prior("the prior variance", variance)?;
        let known = prior("the variance of the data", known)?;
        let sum = Sum::new(clamp, protection, under)?;
        Ok(Self { prior: (mean, prior_variance), variance: known, sum, records: few(records)? })
    }
}

impl Mechanism for NormalMean {
    type Input = [f64];
    type Output = NormalMeanEstimate;

    fn spec(&self) -> MechanismSpec {
        self.sum.spec()
    }

    fn neighbours(&self) -> Neighbours {
        self.sum.neighbours()
    }

    fn answer(
        &self,
        input: &[f64],
        run: &mut Run<'_>,
    ) -> Result<NormalMeanEstimate, MechanismError> {
        let sum = self.sum.answer(input, run)?;
        let noise = sum.standard_deviation()?;
        let (prior, variance) = (self.prior, self.variance);
        Ok(NormalMeanEstimate { sum, noise, prior, variance, records: self.records })
    }
}

/// A released sum, and what it says of the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalMeanEstimate {
    sum: Noisy,
    noise: f64,
    prior: (f64, f64),
    variance: f64,
    records: i64,
}

impl NormalMeanEstimate {
    /// What was released.
    #[must_use]
    pub const fn sum(&self) -> &Noisy {
        &self.sum
    }

    /// What is known of the mean.
    #[must_use]
    pub fn posterior(&self) -> Posterior {
        let known = given::Normal { prior: self.prior, variance: self.variance };
        given::mean(self.sum.value(0), &[(0.0, self.noise * self.noise)], self.records, known)
    }
}
