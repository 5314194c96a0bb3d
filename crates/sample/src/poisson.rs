//! The Poisson law.

use throng_numeric::Rational;

use crate::bernoulli::{bernoulli, bernoulli_words};
use crate::log_concave::{LogConcave, Slope};
use crate::ratio::Ratio;
use crate::reservoir::Reservoir;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// The Poisson law P(k) = e^-λ λ^k / k! on k = 0, 1, 2, ..., for a rational rate λ.
///
/// # Guarantee
/// Exactly this law, for every rational λ from 0 (the constant 0) to [`Poisson::MAX_RATE`],
/// without an upper end.
///
/// # Why this is right
/// Independent Poisson variables add, and so do their rates: with n = floor(λ) and δ = λ - n, the
/// draw is the sum of a Poisson(n) and a Poisson(δ), or two of δ/2 if δ > 1/2.
///
/// **A rate δ <= 1/2.** Count k up from 0 while Bernoulli(δ/(k+1)) succeeds. The count ends at
/// k with probability (δ^k/k!) (1 - δ/(k+1)). Keep it with probability
/// (1 - δ) (k+1) / (k+1 - δ) <= 1, else start again: the product of the two is
/// (1 - δ) δ^k/k!, so what is kept is Poisson(δ). It is kept with probability
/// (1 - δ) e^δ >= 0.82.
///
/// **An integer rate n >= 1.** The mode is n, with the ratios P(n+j+1)/P(n+j) = n/(n+1+j) < 1 to
/// the right and P(n-j-1)/P(n-j) = (n-j)/n to the left: numerators that fall and denominators
/// that grow linearly, the case of the module `log_concave`, where the proof continues.
///
/// Time: O(√λ) words, and dependent on the value drawn.
///
/// ```
/// use throng_sample::{OsEntropy, Poisson};
/// let law = Poisson::new(&"7/2".parse()?)?;
/// let arrivals: u64 = law.draw(&mut OsEntropy)?;
/// # let _ = arrivals;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Poisson {
    whole: Option<LogConcave>,
    /// At most 1/2 each, and equal.
    parts: Vec<Ratio>,
}

impl Poisson {
    /// The largest rate: a draw walks about √λ steps, and beyond 10^12 that is no longer a
    /// matter of milliseconds.
    pub const MAX_RATE: u64 = 1_000_000_000_000;

    /// The law of a rate.
    ///
    /// # Errors
    /// If the rate is negative or above [`Poisson::MAX_RATE`].
    pub fn new(rate: &Rational) -> Result<Self, SampleError> {
        const ALLOWED: &str = "between 0 and 10^12";
        let whole = match u64::try_from(rate.floor()) {
            Ok(whole) if *rate <= Rational::from(Self::MAX_RATE) => whole,
            _ => return Err(SampleError::range("rate", rate, ALLOWED)),
        };
        let fraction = rate - &Rational::from(whole);
        Ok(Self {
            whole: if whole == 0 { None } else { Some(integer_rate(whole)?) },
            parts: parts_of(&Ratio::of(&fraction)),
        })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<u64, SampleError> {
        let mut reservoir = Reservoir::new(entropy);
        let words = &mut Words::new(&mut reservoir);
        let mut total = match &self.whole {
            Some(law) => law.draw_from(words)?,
            None => 0,
        };
        for part in &self.parts {
            total += small_rate(part, words)?;
        }
        Ok(total)
    }
}

/// Poisson(n) around its mode n.
fn integer_rate(n: u64) -> Result<LogConcave, SampleError> {
    let right = Slope { num: n, num_step: 0, den: n + 1, den_step: 1 };
    let left = Slope { num: n, num_step: 1, den: n, den_step: 0 };
    LogConcave::new(n, right, left, n.isqrt())
}

/// δ in [0, 1) as equal parts of at most 1/2: none, one or two.
fn parts_of(delta: &Ratio) -> Vec<Ratio> {
    if delta.num.is_zero() {
        Vec::new()
    } else if &delta.num << 1 <= delta.den {
        vec![delta.clone()]
    } else {
        let half = Ratio { num: delta.num.clone(), den: &delta.den << 1 };
        vec![half.clone(), half]
    }
}

/// Poisson(δ) for 0 < δ <= 1/2.
fn small_rate(delta: &Ratio, words: &mut Words) -> Result<u64, SampleError> {
    loop {
        let mut k = 0;
        // Bernoulli(δ/(k+1)) is Bernoulli(δ) and Bernoulli(1/(k+1)).
        while bernoulli(delta, words)? && (k == 0 || bernoulli_words(1, k + 1, words)?) {
            k += 1;
        }
        if k == 0 || bernoulli(&acceptance(delta, k), words)? {
            return Ok(k);
        }
    }
}

/// (1 - δ) (k+1) / (k+1 - δ) with δ = num/den.
fn acceptance(delta: &Ratio, k: u64) -> Ratio {
    let Ratio { num, den } = delta;
    Ratio { num: (den - num) * (k + 1), den: den * (k + 1) - num }
}
