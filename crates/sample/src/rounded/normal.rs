use throng_numeric::{Integer, Rational};

use super::affine::Affine;
use super::check_scale;
use crate::real::LazyNormal;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// The nearest integer to centre + scale N, N standard normal.
///
/// # Guarantee
/// P(k) = Φ((k + 1/2 - c)/s) - Φ((k - 1/2 - c)/s) exactly, for rational c and s > 0 and every
/// integer k, however large: it is the rounding of an exact real number.
///
/// Time: depends on the value drawn.
///
/// ```
/// use throng_sample::{OsEntropy, RoundedNormal};
/// let released = RoundedNormal::new(&"1234.5".parse()?, &"50/3".parse()?)?.draw(&mut OsEntropy)?;
/// # let _ = released;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: the centre is private data.
#[derive(Clone)]
pub struct RoundedNormal {
    map: Affine,
}

impl RoundedNormal {
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
        let mut noise = LazyNormal::draw_from(words)?;
        self.map.nearest(|bits| noise.interval(bits, words))
    }
}
