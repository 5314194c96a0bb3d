//! The geometric law of a rational scale.

use throng_numeric::{Natural, Rational};

use crate::bernoulli::{exp_neg, exp_neg_of_one};
use crate::ratio::Ratio;
use crate::words::Words;
use crate::{Entropy, SampleError, uniform};

/// The geometric law P(k) = (1 - e^(-1/scale)) e^(-k/scale) on k = 0, 1, 2, ...
///
/// # Guarantee
/// Exactly this law, for every rational scale > 0 and without an upper end.
///
/// # Why this is right
/// Let scale = t/s in lowest terms. Consider X with P(X = x) proportional to e^(-x/t). Written
/// x = u + t v with 0 <= u < t, the weight is e^(-u/t) e^-v: so u and v are independent, v is
/// the number of successes of Bernoulli(e^-1) before the first failure, and u is drawn by
/// rejection: uniform below t, kept with probability e^(-u/t) >= 1/e. Then for Y = floor(X/s),
/// P(Y >= k) = P(X >= k s) = e^(-k s/t) = e^(-k/scale). The proposal u is kept with probability
/// (1/t) (1 - 1/e) / (1 - e^(-1/t)) >= 1 - 1/e, so fewer than 1.6 are needed on average.
///
/// Time: depends on the value drawn (one round per unit of v, that is, per multiple of the
/// scale).
///
/// # Reference
/// Canonne, Kamath, Steinke (2020), Algorithm 2, lines 4 to 13.
///
/// ```
/// use throng_sample::{Geometric, OsEntropy};
/// let law = Geometric::new(&"10/3".parse()?)?;
/// let waited = law.draw(&mut OsEntropy)?;
/// # let _ = waited;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Geometric {
    scale: Ratio,
}

impl Geometric {
    /// The law P(k) proportional to e^(-k/scale).
    ///
    /// # Errors
    /// If the scale is not positive.
    pub fn new(scale: &Rational) -> Result<Self, SampleError> {
        if !scale.is_positive() {
            return Err(SampleError::range("scale", scale, "above 0"));
        }
        Ok(Self { scale: Ratio::of(scale) })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<Natural, SampleError> {
        self.draw_from(&mut Words::new(entropy))
    }

    pub(crate) fn draw_from(&self, words: &mut Words) -> Result<Natural, SampleError> {
        let low = self.low_part(words)?;
        let fine = low + &self.scale.num * successes_of_exp_neg_one(words)?;
        Ok(if self.scale.den.is_one() { fine } else { fine / &self.scale.den })
    }

    /// u in 0, ..., t - 1 with weight e^(-u/t).
    fn low_part(&self, words: &mut Words) -> Result<Natural, SampleError> {
        let t = &self.scale.num;
        if t.is_one() {
            return Ok(Natural::ZERO);
        }
        let mut candidate = Ratio { num: Natural::ZERO, den: t.clone() };
        loop {
            candidate.num = uniform::below(t, words)?;
            if exp_neg(&candidate, words)? {
                return Ok(candidate.num);
            }
        }
    }
}

/// How often Bernoulli(e^-1) succeeds before it first fails. (Each success draws a word, so the
/// count cannot reach 2^64 in any lifetime.)
fn successes_of_exp_neg_one(words: &mut Words) -> Result<u64, SampleError> {
    let mut count = 0;
    while exp_neg_of_one(words)? {
        count += 1;
    }
    Ok(count)
}
