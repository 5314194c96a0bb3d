//! Samplers of the laws of noise.

use std::sync::{Arc, Mutex};

use throng_sample::{BulkNoise, Entropy, add_clamped};

use super::{NoiseLaw, Staircase};
use crate::MechanismError;

/// Draws made at a time where they are not added on the way.
const BATCH: usize = 1 << 12;

/// How many samplers are kept for the next who asks.
const KEPT: usize = 8;

/// The samplers that were made last. They hold tables that depend on the law alone, which is public.
static LAST: Mutex<Vec<(NoiseLaw, Arc<Sampler>)>> = Mutex::new(Vec::new());

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

    /// The same, shared with others of the same law: its tables take up to a millisecond to build.
    ///
    /// If the list is in use, as it may be for good in a process that was forked from another, a new one is
    /// built: nobody waits.
    pub(crate) fn shared(law: &NoiseLaw) -> Result<Arc<Self>, MechanismError> {
        let kept = |last: &Vec<(NoiseLaw, Arc<Self>)>| {
            last.iter().find(|(kept, _)| kept == law).map(|(_, sampler)| Arc::clone(sampler))
        };
        if let Some(found) = LAST.try_lock().ok().and_then(|last| kept(&last)) {
            return Ok(found);
        }
        let built = Arc::new(Self::of(law)?);
        if let Ok(mut last) = LAST.try_lock() {
            last.truncate(KEPT - 1);
            last.insert(0, (law.clone(), Arc::clone(&built)));
        }
        Ok(built)
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

    /// Adds an independent draw to each value, clamped to ±`most` before and after; `most` is from 0 to
    /// 2^62 - 1.
    ///
    /// # Errors
    /// If no noise can be drawn; then `values` must not be used.
    pub(crate) fn add(
        &self,
        entropy: &mut dyn Entropy,
        values: &mut [i64],
        most: i64,
    ) -> Result<(), MechanismError> {
        match self {
            Self::Bulk(noise) => Ok(noise.add(entropy, values, most)?),
            Self::Staircase(_) => {
                let mut noise = vec![0; values.len().min(BATCH)];
                for batch in values.chunks_mut(BATCH) {
                    let noise = &mut noise[..batch.len()];
                    self.fill(entropy, noise)?;
                    add_clamped(batch, noise, most);
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

#[cfg(test)]
mod tests {
    use super::*;
    use throng_numeric::Rational;

    #[test]
    fn the_last_samplers_are_shared_and_no_more_of_them_are_kept() {
        let law = |scale: u32| NoiseLaw::laplace(Rational::from(scale)).unwrap();
        // Other tests may push these out or hold the list; some round is left alone.
        let shared = (0..100).any(|_| {
            let one = Sampler::shared(&law(3)).unwrap();
            Arc::ptr_eq(&one, &Sampler::shared(&law(3)).unwrap())
        });
        assert!(shared);
        for scale in 1..=16 {
            let found = Sampler::shared(&law(scale)).unwrap();
            assert!(matches!(*found, Sampler::Bulk(_)));
        }
        assert!(LAST.lock().unwrap().len() <= KEPT);
    }
}
