//! Permute-and-flip selection.

use throng_numeric::Rational;

use crate::bernoulli::exp_neg;
use crate::choice::{gaps, index_below};
use crate::ratio::Ratio;
use crate::reservoir::Reservoir;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// Goes through the candidates in random order and takes the first whose coin of probability
/// e^(-(xᵢ - min x)) succeeds.
///
/// The xᵢ are *energies*: scores already scaled, and lower is better. For scores sᵢ of
/// sensitivity κ, xᵢ = -ε sᵢ / (2κ), as for [`crate::ExponentialChoice`], which is never better
/// in expectation at the same privacy.
///
/// # Guarantee
/// With yᵢ = xᵢ - min x, the law is exactly
///
/// P(i) = e^(-yᵢ) E[product over the candidates j before i of (1 - e^(-yⱼ))],
///
/// the expectation being over a uniformly random order.
///
/// # Why this is right
/// It is the definition, executed: candidates are dealt one at a time, each uniformly among those
/// not yet dealt, which is a uniformly random order, and each coin is exact. The smallest energy
/// has y = 0 and always succeeds, so at most n coins are tossed.
///
/// Time: depends on the energies and the index returned; O(n) to lay out the deck.
///
/// # Reference
/// [McKenna and Sheldon](https://arxiv.org/abs/2010.12603), *Permute-and-Flip: A new mechanism for
/// differentially private selection* (2020), Algorithm 1.
///
/// ```
/// use throng_numeric::Rational;
/// use throng_sample::{OsEntropy, PermuteAndFlip};
/// // Scores 3, 2, 0 of sensitivity 1, epsilon = 1.
/// let energies = ["-3/2", "-1", "0"].map(|x| x.parse::<Rational>());
/// let energies = energies.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let chosen = PermuteAndFlip::new(&energies)?.draw(&mut OsEntropy)?;
/// assert!(chosen < 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: energies are usually functions of private data.
#[derive(Clone)]
pub struct PermuteAndFlip {
    gaps: Vec<Ratio>,
}

impl PermuteAndFlip {
    /// The selection among the given energies.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(energies: &[Rational]) -> Result<Self, SampleError> {
        Ok(Self { gaps: gaps(energies)? })
    }

    /// One independent index.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<usize, SampleError> {
        let mut reservoir = Reservoir::new(entropy);
        let words = &mut Words::new(&mut reservoir);
        let mut deck: Vec<usize> = (0..self.gaps.len()).collect();
        while !deck.is_empty() {
            let candidate = deck.swap_remove(index_below(deck.len(), words)?);
            if exp_neg(&self.gaps[candidate], words)? {
                return Ok(candidate);
            }
        }
        Err(SampleError::Internal { what: "no candidate has the smallest energy".into() })
    }
}
