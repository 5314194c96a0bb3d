//! Mechanisms chosen one after the other.

use throng_sample::Entropy;

use crate::{Budget, Mechanism, MechanismError, Release, Sensitive};

/// Someone who asks about one data set, pays from one budget, and chooses each mechanism after
/// seeing the releases before.
///
/// # Guarantee
/// That of the budget's capacity, for all releases together.
///
/// ```
/// use throng_mechanism::combine::Analyst;
/// use throng_mechanism::{AddNoise, Budget, Grid, L1, Neighbours, Noise, Sensitive, Sensitivity};
/// # use throng_sample::OsEntropy;
/// let one = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove)?;
/// let count = |epsilon: &str| Ok::<_, Box<dyn std::error::Error>>(
///     AddNoise::new(Noise::pure(&epsilon.parse()?, &one, Grid::WHOLE)?));
/// let mut budget = Budget::pure("1".parse()?, Neighbours::AddRemove)?;
/// let counts = Sensitive::new([1200, 7]);
/// let mut entropy = OsEntropy;
/// let mut analyst = Analyst::new(&mut budget, counts.as_slice(), &mut entropy);
/// let first = analyst.ask(&count("1/10")?)?;
/// // A small count is asked for again, more precisely.
/// let epsilon = if first.value().value(1) < 100.0 { "9/10" } else { "1/10" };
/// let second = analyst.ask(&count(epsilon)?)?;
/// # drop(second);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Analyst<'a, D: ?Sized> {
    budget: &'a mut Budget,
    data: &'a Sensitive<D>,
    entropy: &'a mut dyn Entropy,
}

impl<'a, D: ?Sized> Analyst<'a, D> {
    /// Asks about this data and pays from this budget.
    pub const fn new(
        budget: &'a mut Budget,
        data: &'a Sensitive<D>,
        entropy: &'a mut dyn Entropy,
    ) -> Self {
        Self { budget, data, entropy }
    }

    /// Pays for a mechanism and runs it.
    ///
    /// # Errors
    /// If the budget does not cover it, then nothing is spent; or if it cannot run.
    pub fn ask<M>(&mut self, mechanism: &M) -> Result<Release<M::Output>, MechanismError>
    where
        M: Mechanism<Input = D> + ?Sized,
    {
        self.budget.run(mechanism, self.data, self.entropy)
    }

    /// The budget.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        self.budget
    }
}
