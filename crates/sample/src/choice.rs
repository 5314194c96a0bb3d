//! Choosing an index by exponential weights.

use throng_numeric::Rational;

use crate::bernoulli::exp_neg;
use crate::ratio::Ratio;
use crate::reservoir::Reservoir;
use crate::uniform::below_word;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// Index i with probability proportional to e^(-xᵢ): the exponential mechanism's draw.
///
/// The xᵢ are *energies*: scores already scaled, and lower is better. For the exponential
/// mechanism with scores sᵢ of sensitivity κ, xᵢ = -ε sᵢ / (2κ); only differences matter.
///
/// # Guarantee
/// P(i) = e^(-xᵢ) / (sum of e^(-xⱼ)) exactly, for rational xᵢ of any sign and size.
///
/// # Why this is right
/// Weights count up to a common factor, so xᵢ may be replaced by its gap to the smallest,
/// yᵢ = xᵢ - min x >= 0. An index is drawn uniformly and kept with probability e^(-yᵢ), else
/// drawn again: P(i) is proportional to (1/n) e^(-yᵢ). The smallest is always kept, so at most n
/// indices are drawn on average.
///
/// Time: the number of rounds depends on the energies (about n / (sum of e^(-yᵢ)) of them) and
/// the last round on the index returned. If the energies are private, so is the time.
///
/// ```
/// use throng_numeric::Rational;
/// use throng_sample::{ExponentialChoice, OsEntropy};
/// // Scores 3, 2, 0 of sensitivity 1, epsilon = 1.
/// let energies = ["-3/2", "-1", "0"].map(|x| x.parse::<Rational>());
/// let energies = energies.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let chosen = ExponentialChoice::new(&energies)?.draw(&mut OsEntropy)?;
/// assert!(chosen < 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: energies are usually functions of private data.
#[derive(Clone)]
pub struct ExponentialChoice {
    gaps: Vec<Ratio>,
}

impl ExponentialChoice {
    /// The choice among the given energies.
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
        loop {
            let i = index_below(self.gaps.len(), words)?;
            if exp_neg(&self.gaps[i], words)? {
                return Ok(i);
            }
        }
    }
}

/// How far each energy lies above the smallest.
pub(crate) fn gaps(energies: &[Rational]) -> Result<Vec<Ratio>, SampleError> {
    let Some(smallest) = energies.iter().min() else {
        return Err(SampleError::Empty { name: "energies" });
    };
    Ok(energies.iter().map(|x| Ratio::of(&(x - smallest))).collect())
}

/// Uniform below the length of a list that is not empty.
pub(crate) fn index_below(length: usize, words: &mut Words) -> Result<usize, SampleError> {
    let internal = |_| SampleError::Internal { what: "an index beyond the address space".into() };
    let length = u64::try_from(length).map_err(internal)?;
    usize::try_from(below_word(length, words)?).map_err(internal)
}
