//! Samplers of the laws of noise.

use throng_sample::{BulkNoise, Entropy};

use super::{NoiseLaw, Staircase};
use crate::MechanismError;

/// A prepared sampler of exactly one law.
#[derive(Debug)]
pub enum Sampler {
    /// Laplace and Gaussian noise, in time that does not depend on the values.
    Bulk(BulkNoise),
    /// Staircase noise, in time that does.
    Staircase(Staircase),
}

impl Sampler {
    /// The sampler of a law.
    ///
    /// # Errors
    /// As for the samplers.
    pub fn of(law: &NoiseLaw) -> Result<Self, MechanismError> {
        Ok(match law {
            NoiseLaw::DiscreteLaplace { scale } => Self::Bulk(BulkNoise::laplace(scale)?),
            NoiseLaw::DiscreteGaussian { sigma } => {
                Self::Bulk(BulkNoise::gaussian(&sigma.square())?)
            }
            NoiseLaw::Staircase(law) => Self::Staircase(law.clone()),
        })
    }

    /// Independent draws, each saturated at ±(2^63 - 1).
    ///
    /// # Errors
    /// If no noise can be drawn.
    pub fn fill(&self, entropy: &mut dyn Entropy, out: &mut [i64]) -> Result<(), MechanismError> {
        match self {
            Self::Bulk(noise) => Ok(noise.fill(entropy, out)?),
            Self::Staircase(law) => {
                for place in out {
                    *place = law.draw(entropy)?;
                }
                Ok(())
            }
        }
    }

    /// One sample.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<i64, MechanismError> {
        let mut one = [0];
        self.fill(entropy, &mut one)?;
        Ok(one[0])
    }
}
