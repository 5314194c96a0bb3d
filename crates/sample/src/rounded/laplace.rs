use throng_numeric::{Integer, Rational};

use super::affine::Affine;
use super::check_scale;
use crate::real::{Interval, LazyExponential};
use crate::words::Words;
use crate::{Entropy, SampleError};

/// The nearest integer to centre + scale X, X standard Laplace, of density e^-|x| / 2.
///
/// This is *not* [`crate::DiscreteLaplace`]: it is the continuous law, rounded, for a centre
/// between the integers and theorems about the continuous law.
///
/// # Guarantee
/// P(k) = F((k + 1/2 - c)/s) - F((k - 1/2 - c)/s) exactly, F the distribution function of X, for
/// rational c and s > 0 and every integer k: it is the rounding of an exact real number.
///
/// Time: depends on the value drawn.
///
/// ```
/// use throng_sample::{OsEntropy, RoundedLaplace};
/// let released = RoundedLaplace::new(&"1234.5".parse()?, &"10/3".parse()?)?.draw(&mut OsEntropy)?;
/// # let _ = released;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: the centre is private data.
#[derive(Clone)]
pub struct RoundedLaplace {
    map: Affine,
}

impl RoundedLaplace {
    /// Noise of the given scale about a centre, both in steps of the grid.
    ///
    /// # Errors
    /// If the scale is not positive, or a fraction of numbers of more than 4096 bits.
    pub fn new(centre: &Rational, scale: &Rational) -> Result<Self, SampleError> {
        check_scale(scale)?;
        Ok(Self { map: Affine::new(centre, scale) })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<Integer, SampleError> {
        let words = &mut Words::new(entropy);
        let negative = words.coin()?;
        let mut magnitude = LazyExponential::draw_from(words)?;
        self.map
            .nearest(|bits| Ok(Interval::of_cell(magnitude.leading(bits, words)?, bits, negative)))
    }
}
