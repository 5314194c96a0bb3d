//! Discrete Laplace noise.

use throng_numeric::{Integer, Rational};

use crate::words::Words;
use crate::{Entropy, Geometric, SampleError};

/// The discrete Laplace (two-sided geometric) law: P(k) proportional to e^(-|k|/scale) on all
/// integers.
///
/// # Guarantee
/// P(k) = (1 - q)/(1 + q) q^|k| with q = e^(-1/scale), exactly, for every rational scale > 0 and
/// every integer k, however large.
///
/// # Why this is right
/// A fair sign and a [`Geometric`] magnitude give every k != 0 the weight q^|k| / 2, and zero
/// the weight 1 in two halves, +0 and -0. Drawing again at -0 leaves +0 with weight 1/2: now
/// every integer has weight q^|k| / 2. This happens with probability (1 - q)/2 < 1/2.
///
/// Time: depends on the magnitude drawn, as for [`Geometric`]; that of
/// [`crate::BulkNoise`] does not.
///
/// # Reference
/// Canonne, Kamath, Steinke (2020), Algorithm 2.
///
/// ```
/// use throng_sample::{DiscreteLaplace, OsEntropy};
/// let noise = DiscreteLaplace::new(&"10/3".parse()?)?; // a count, with epsilon = 3/10
/// let released = 1234 + noise.draw(&mut OsEntropy)?;
/// # let _ = released;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteLaplace {
    magnitude: Geometric,
}

impl DiscreteLaplace {
    /// The law P(k) proportional to e^(-|k|/scale).
    ///
    /// # Errors
    /// If the scale is not positive.
    pub fn new(scale: &Rational) -> Result<Self, SampleError> {
        Ok(Self { magnitude: Geometric::new(scale)? })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<Integer, SampleError> {
        self.draw_from(&mut Words::new(entropy))
    }

    pub(crate) fn draw_from(&self, words: &mut Words) -> Result<Integer, SampleError> {
        loop {
            let negative = words.coin()?;
            let magnitude = self.magnitude.draw_from(words)?;
            if !negative {
                return Ok(magnitude.into());
            }
            if !magnitude.is_zero() {
                return Ok(-Integer::from(magnitude));
            }
        }
    }
}
