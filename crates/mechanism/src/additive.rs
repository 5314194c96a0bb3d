//! Noise added to numbers.

use throng_account::{MechanismSpec, Neighbours};

use crate::estimate::Noisy;
use crate::{Mechanism, MechanismError, Noise, Run};

/// Independent noise on each of a vector of integers: steps of the grid of the noise.
///
/// # Guarantee
/// That of the noise, for data whose sensitivity is the one the noise was made for; whether it
/// is, only the caller can know; how many there are is public. Mechanisms that start from records (sums, histograms, ...)
/// bound it themselves.
///
/// Values beyond ±(2^62 - 1) saturate; see [`crate::grid::MOST_STEPS`].
///
/// ```
/// use throng_mechanism::{AddNoise, Budget, Grid, L1, Mechanism, Neighbours, Noise, Sensitive, Sensitivity};
/// # use throng_sample::OsEntropy;
/// let one_person = Sensitivity::<L1>::of(1.into(), Neighbours::AddRemove)?;
/// let mechanism = AddNoise::new(Noise::pure(&"1/2".parse()?, &one_person, Grid::WHOLE)?);
/// let mut budget = Budget::pure(1.into(), Neighbours::AddRemove)?;
/// let permit = budget.permit(&mechanism)?;
/// let counts = Sensitive::new([120, 45, 7]);
/// let release = mechanism.run(counts.as_slice(), permit, &mut OsEntropy)?;
/// println!("{:?} ± {}", release.value().values(), release.value().half_width(0.95)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddNoise {
    noise: Noise,
}

impl AddNoise {
    /// Adds this noise.
    #[must_use]
    pub const fn new(noise: Noise) -> Self {
        Self { noise }
    }

    /// The noise.
    #[must_use]
    pub const fn noise(&self) -> &Noise {
        &self.noise
    }
}

impl Mechanism for AddNoise {
    type Input = [i64];
    type Output = Noisy;

    fn spec(&self) -> MechanismSpec {
        self.noise.spec().clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.noise.neighbours()
    }

    fn answer(&self, input: &[i64], run: &mut Run<'_>) -> Result<Noisy, MechanismError> {
        let mut values = input.to_vec();
        self.noise.add(&mut values, run)?;
        Ok(Noisy::new(values, &self.noise, Vec::new()))
    }
}
