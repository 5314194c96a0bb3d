//! Chances of categories, from counts.

use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::bernoulli::few;
use super::posterior::Posterior;
use super::{given, prior, replace_only};
use crate::estimate::Noisy;
use crate::noise::Protection;
use crate::{Grid, Mechanism, MechanismError, Noise, PerCell, Run};

/// The chances of k categories, with a Dirichlet prior; a record is a unit.
///
/// # What is released
/// The count of each category. Replacing a record moves at most two of them by 1. Records of no
/// category (an index of k or more) count nowhere.
///
/// # Guarantee
/// That of the noise. The posterior of a category is the exact one *given its own released
/// count*: category j against all others is a yes/no question with prior
/// Beta(α_j, Σα - α_j). It is calibrated, and leaves unused what the other counts say about this
/// one through their sum, which is known.
///
/// ```
/// use throng_mechanism::{Budget, Mechanism, Neighbours, Sensitive};
/// use throng_mechanism::{bayes::Categories, noise::Protection};
/// # use throng_sample::OsEntropy;
/// let pure = Protection::Pure { epsilon: 1.into() };
/// let model = Categories::new(&[1.0, 1.0, 1.0], &pure, 4, Neighbours::Replace)?;
/// let mut budget = Budget::pure(1.into(), Neighbours::Replace)?;
/// let permit = budget.permit(&model)?;
/// let data = Sensitive::new([0_usize, 2, 2, 1]);
/// let release = model.run(data.as_slice(), permit, &mut OsEntropy)?;
/// let second = release.value().posterior(1).map(|posterior| posterior.mean());
/// assert!(second.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Categories {
    prior: Vec<f64>,
    noise: Noise,
    records: i64,
}

impl Categories {
    /// With a public number of records, under replace; one prior parameter for each category.
    ///
    /// # Errors
    /// If there are fewer than two categories, a prior parameter is not finite and above 0, the
    /// relation is not replace, or the noise cannot be made.
    pub fn new(
        alphas: &[f64],
        protection: &Protection,
        records: u64,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        replace_only(under)?;
        if alphas.len() < 2 {
            let count = alphas.len();
            return Err(MechanismError::invalid("the number of categories", count, "at least 2"));
        }
        for alpha in alphas {
            prior("alpha", *alpha)?;
        }
        let cells = PerCell::of(2, Rational::ONE, under)?;
        let noise = protection.noise_per_cell(&cells, Grid::WHOLE)?;
        Ok(Self { prior: alphas.to_vec(), noise, records: few(records)? })
    }
}

impl Mechanism for Categories {
    type Input = [usize];
    type Output = CategoriesEstimate;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(
        &self,
        input: &[usize],
        run: &mut Run<'_>,
    ) -> Result<CategoriesEstimate, MechanismError> {
        let mut counts = vec![0_i64; self.prior.len()];
        for category in input {
            if let Some(count) = counts.get_mut(*category) {
                *count += 1;
            }
        }
        self.noise.add(&mut counts, run)?;
        let counts = Noisy::new(counts, &self.noise, Vec::new());
        Ok(CategoriesEstimate { counts, prior: self.prior.clone(), records: self.records })
    }
}

/// Released counts, and what each says of its chance.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoriesEstimate {
    counts: Noisy,
    prior: Vec<f64>,
    records: i64,
}

impl CategoriesEstimate {
    /// What was released.
    #[must_use]
    pub const fn counts(&self) -> &Noisy {
        &self.counts
    }

    /// What is known of the chance of a category; `None` if there is no such category.
    #[must_use]
    pub fn posterior(&self, category: usize) -> Option<Posterior> {
        let (alpha, noisy) = (self.prior.get(category)?, self.counts.steps().get(category)?);
        let rest: f64 = self.prior.iter().sum::<f64>() - alpha;
        let prior = (*alpha, rest.max(f64::MIN_POSITIVE));
        Some(given::chance((self.counts.law(), *noisy), self.records, prior))
    }
}
