//! Discrete Gaussian noise.

use dashu_base::{SquareRoot, UnsignedAbs};
use throng_numeric::{Integer, Natural, Rational};

use crate::bernoulli::exp_neg;
use crate::ratio::Ratio;
use crate::words::Words;
use crate::{DiscreteLaplace, Entropy, SampleError};

/// The discrete Gaussian law: P(k) proportional to e^(-k^2 / (2 variance)) on all integers.
///
/// The variance parameter σ² is that of the continuous bell; the variance of the discrete law is
/// never larger, and practically the same from σ = 1 on.
///
/// # Guarantee
/// Exactly this law, for every rational variance > 0 and every integer k, however large.
///
/// # Why this is right
/// Let t = floor(σ) + 1. Propose a discrete Laplace Y of scale t and keep it with probability
/// e^(-(|Y| - σ²/t)² / (2σ²)). Since
///
/// (|y| - σ²/t)² / (2σ²) = y²/(2σ²) - |y|/t + σ²/(2t²),
///
/// the product of the weight e^(-|y|/t) of the proposal and that probability is
/// e^(-y²/(2σ²)) times a constant: the law of what is kept. With σ² = a/b the exponent is
/// (|y| b t - a)² / (2 a b t²), which is computed in integers.
///
/// At least 0.42 of all proposals are kept, for every σ. The share is
/// e^(-σ²/(2t²)) S / coth(1/(2t)) with S = sum of e^(-y²/(2σ²)) >= max(1, σ √(2π)) (Poisson
/// summation: the other terms are positive). For σ < 1, t = 1, it is at least e^(-σ²/2)
/// max(1, σ √(2π)) / coth(1/2), which is smallest at σ² = 1/(2π): 0.9235 / 2.164 > 0.42. For
/// σ >= 1, coth(x) <= 1/x + x/3 and 1/2 <= σ/t <= 1 give more than 0.54.
///
/// Time: depends on the value drawn, through the proposal; that of
/// [`crate::BulkNoise`] does not.
///
/// # Reference
/// Canonne, Kamath, Steinke, *The Discrete Gaussian for Differential Privacy* (2020),
/// Algorithm 3.
///
/// ```
/// use throng_sample::{DiscreteGaussian, OsEntropy};
/// let noise = DiscreteGaussian::new(&"50/3".parse()?)?;
/// let released = 1234 + noise.draw(&mut OsEntropy)?;
/// # let _ = released;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteGaussian {
    proposal: DiscreteLaplace,
    /// a.
    centre: Natural,
    /// b t.
    step: Natural,
    /// 2 a b t².
    divisor: Natural,
}

impl DiscreteGaussian {
    /// The law P(k) proportional to e^(-k^2 / (2 variance)).
    ///
    /// # Errors
    /// If the variance is not positive.
    pub fn new(variance: &Rational) -> Result<Self, SampleError> {
        if !variance.is_positive() {
            return Err(SampleError::range("variance", variance, "above 0"));
        }
        let Ratio { num: a, den: b } = Ratio::of(variance);
        // floor(sqrt v) = floor(sqrt(floor v)): no square of an integer lies between.
        let t = (&a / &b).sqrt() + 1_u8;
        let proposal = DiscreteLaplace::new(&Rational::from(t.clone()))?;
        let divisor = (&a * &b * &t * &t) << 1;
        Ok(Self { proposal, step: b * t, centre: a, divisor })
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
            let candidate = self.proposal.draw_from(words)?;
            if exp_neg(&self.penalty(&candidate), words)? {
                return Ok(candidate);
            }
        }
    }

    /// (|y| - σ²/t)² / (2σ²).
    fn penalty(&self, y: &Integer) -> Ratio {
        let reach = y.unsigned_abs() * &self.step;
        let distance =
            if reach > self.centre { reach - &self.centre } else { &self.centre - reach };
        Ratio { num: &distance * &distance, den: self.divisor.clone() }
    }
}
