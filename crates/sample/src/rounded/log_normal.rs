use dashu_base::BitTest;
use throng_numeric::fixed::{self, FixedBounds};
use throng_numeric::{Integer, Natural, Rational};

use super::affine::Affine;
use super::{check_scale, is_long};
use crate::real::{Interval, LazyExponential, LazyNormal};
use crate::words::Words;
use crate::{Entropy, SampleError};

/// The nearest integer to centre + scale X e^(σ Y), X standard Laplace and Y standard normal: the
/// Laplace log-normal law, for noise scaled to smooth sensitivity.
///
/// # Guarantee
/// Exactly the law of the rounded real number, for rational centre, scale > 0 and σ in
/// [0, [`Self::MAX_SIGMA`]].
///
/// # Why this is right
/// X and Y are exact real numbers, seen through intervals; e^(σ y) does not decrease in y and is
/// bounded at both ends of the interval of Y by [`throng_numeric::fixed`], and the product of two
/// nonnegative numbers lies between the products of their lower and of their upper bounds. The
/// sign is drawn apart. So the interval of the product holds the number, and narrows to it.
///
/// Time: depends on the value drawn.
///
/// # Reference
/// Bun and Steinke, [*Average-Case Averages*](https://arxiv.org/abs/1906.02830) (2019).
///
/// ```
/// use throng_sample::{OsEntropy, RoundedLaplaceLogNormal};
/// let (centre, scale, sigma) = ("1234.5".parse()?, "10/3".parse()?, "1/4".parse()?);
/// let noisy = RoundedLaplaceLogNormal::new(&centre, &scale, &sigma)?.draw(&mut OsEntropy)?;
/// # let _ = noisy;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: the centre is private data.
#[derive(Clone)]
pub struct RoundedLaplaceLogNormal {
    map: Affine,
    sigma: Rational,
}

impl RoundedLaplaceLogNormal {
    /// The largest σ: e^(64 Y) is beyond use, and its bits are still few enough to compute (more
    /// than [`fixed::MAX_BITS`] of them are needed with a chance below e^(-10^6)).
    pub const MAX_SIGMA: u32 = 64;

    /// Noise of the given scale and shape σ about a centre, in steps of the grid.
    ///
    /// # Errors
    /// If the scale is not positive, σ lies outside [0, [`Self::MAX_SIGMA`]], or one of them is a
    /// fraction of numbers of more than 4096 bits.
    pub fn new(centre: &Rational, scale: &Rational, sigma: &Rational) -> Result<Self, SampleError> {
        check_scale(scale)?;
        if sigma.is_negative() || *sigma > Rational::from(Self::MAX_SIGMA) || is_long(sigma) {
            return Err(SampleError::range(
                "sigma",
                sigma,
                "between 0 and 64, and a fraction of numbers of at most 4096 bits",
            ));
        }
        Ok(Self { map: Affine::new(centre, scale), sigma: sigma.clone() })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<Integer, SampleError> {
        let words = &mut Words::new(entropy);
        let negative = words.coin()?;
        let mut laplace = LazyExponential::draw_from(words)?;
        let mut normal = LazyNormal::draw_from(words)?;
        self.map.nearest(|bits| {
            let growth = exp_of(&self.sigma, &normal.interval(bits, words)?)?;
            let at = laplace.leading(bits, words)?;
            let from = Integer::from(&at * growth.lower);
            let to = Integer::from((at + Natural::ONE) * growth.upper);
            let bits = 2 * bits;
            Ok(if negative {
                Interval { from: -to, to: -from, bits }
            } else {
                Interval { from, to, bits }
            })
        })
    }
}

/// Bounds of e^(σ y), in the units of the interval of y.
fn exp_of(sigma: &Rational, y: &Interval) -> Result<FixedBounds, SampleError> {
    let lower = exp(&(sigma * &y.lower()?), y.bits)?.lower;
    let upper = exp(&(sigma * &y.upper()?), y.bits)?.upper;
    Ok(FixedBounds { lower, upper })
}

/// Bounds of e^z in units of 2^-bits, for z of either sign.
///
/// For z > 0 it is the inverse of e^-z, known to 2 units of 2^-work: that makes the inverse
/// uncertain by less than about 2 e^(2z) 2^(bits - work) units, less than one, as
/// work >= bits + 3 z + 4 and e^2 < 2^3.
fn exp(z: &Rational, bits: usize) -> Result<FixedBounds, SampleError> {
    if !z.is_positive() {
        return Ok(fixed::exp_neg(&-z, bits)?);
    }
    let too_large = |_| SampleError::Internal { what: "a noise of absurd size".into() };
    let ceiling = usize::try_from(z.ceil()).map_err(too_large)?;
    let work = bits + 3 * ceiling + 4;
    let fall = fixed::exp_neg(z, work)?;
    debug_assert!(fall.lower.bit_len() > bits, "e^-z keeps {bits} bits");
    let one = Natural::ONE << (bits + work);
    // A lower bound of 0 is impossible; were it there, 1 would be a worse one and no division by 0.
    let least = fall.lower.max(Natural::ONE);
    Ok(FixedBounds { lower: &one / fall.upper, upper: one / least + Natural::ONE })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// e^z e^-z = 1, and bounds are few units apart.
    #[test]
    fn exponentials_of_either_sign_are_bounded() -> Result<(), SampleError> {
        let e = exp(&Rational::ONE, 60)?;
        assert_eq!(e.lower, Natural::from(3_133_965_575_612_453_542_u64)); // floor(2^60 e)
        for z in ["0", "1/3", "5", "77/2", "300"] {
            let z: Rational = z.parse().unwrap_or(Rational::ZERO);
            for bits in [64, 128, 1000] {
                let (up, down) = (exp(&z, bits)?, exp(&-&z, bits)?);
                let one = Natural::ONE << (2 * bits);
                assert!(&up.lower * &down.lower <= one && &up.upper * &down.upper >= one);
                assert!(&up.upper - &up.lower <= Natural::from(3_u8), "{z} {bits}");
            }
        }
        Ok(())
    }

    /// With σ = 0 it is plain Laplace noise, draw for draw.
    #[test]
    fn without_spread_it_is_laplace() -> Result<(), SampleError> {
        use crate::{RoundedLaplace, SeededEntropy};
        let (centre, scale) = (Rational::new(1, 3_u8)?, Rational::new(70, 3_u8)?);
        let plain = RoundedLaplace::new(&centre, &scale)?;
        let flat = RoundedLaplaceLogNormal::new(&centre, &scale, &Rational::ZERO)?;
        for seed in 0..200 {
            let drawn = flat.draw(&mut SeededEntropy::new(seed))?;
            assert_eq!(drawn, plain.draw(&mut SeededEntropy::new(seed))?);
        }
        Ok(())
    }
}
