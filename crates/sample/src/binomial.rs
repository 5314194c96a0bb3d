//! The binomial law.

use dashu_base::DivRem;
use throng_numeric::Rational;

use crate::bernoulli::bernoulli;
use crate::log_concave::{LogConcave, Slope};
use crate::ratio::Ratio;
use crate::reservoir::Reservoir;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// The binomial law: the number of successes among independent trials of probability p.
///
/// # Guarantee
/// P(k) = C(n, k) p^k (1-p)^(n-k) exactly, for n up to [`Binomial::MAX_TRIALS`] and every rational
/// p in [0, 1].
///
/// # Why this is right
/// **Few trials** are tossed one by one.
///
/// **A short denominator**, p = a/b with b <= 2^23: the mode is m = floor((n+1) p), with the ratios
/// P(m+j+1)/P(m+j) = (n-m-j) a / ((m+1+j) (b-a)) to the right, below 1 as m+1 > (n+1) p, and
/// P(m-j-1)/P(m-j) = (m-j) (b-a) / ((n-m+1+j) a) to the left, at most 1 at j = 0 and below 1 from
/// then on. Numerators fall and denominators grow linearly: the case of the module
/// `log_concave`, where the proof continues. With n <= 10^12 < 2^40 all of them are below 2^63.
///
/// **A long denominator.** A trial succeeds if U < p for a uniform U. Let q be the first 23 bits
/// of p, that is p = (q + r)/2^23 with 0 <= r < 1, and look at the first 23 bits of the U of each
/// trial. They lie below q for A ~ Binomial(n, q/2^23) trials: these succeed. Of the other
/// n - A, they equal q for B ~ Binomial(n - A, 1/(2^23 - q)): these succeed with probability r
/// each, and the rest fail. So the number of successes is A + Binomial(B, r), and B is about
/// n/2^23: after two or three such rounds a few trials are left.
///
/// Time: O(√(n p (1-p))) words, and dependent on the value drawn.
///
/// ```
/// use throng_sample::{Binomial, OsEntropy};
/// let law = Binomial::new(1_000_000, &"1/3".parse()?)?;
/// assert!(law.draw(&mut OsEntropy)? <= 1_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binomial {
    trials: u64,
    p: Ratio,
}

/// Up to here the trials are tossed one by one.
const FEW: u64 = 16;
/// The length of the prefix of p, and of a short denominator.
const PREFIX_BITS: u32 = 23;

impl Binomial {
    /// The largest number of trials: a draw walks about √n steps, and beyond 10^12 that is no
    /// longer a matter of milliseconds.
    pub const MAX_TRIALS: u64 = 1_000_000_000_000;

    /// The law of a number of trials and a probability.
    ///
    /// # Errors
    /// If p lies outside [0, 1] or there are more than [`Binomial::MAX_TRIALS`] trials.
    pub fn new(trials: u64, p: &Rational) -> Result<Self, SampleError> {
        if trials > Self::MAX_TRIALS {
            return Err(SampleError::range("trials", &trials, "at most 10^12"));
        }
        if p.is_negative() || *p > Rational::ONE {
            return Err(SampleError::range("p", p, "between 0 and 1"));
        }
        Ok(Self { trials, p: Ratio::of(p) })
    }

    /// One independent value.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<u64, SampleError> {
        let mut reservoir = Reservoir::new(entropy);
        successes(self.trials, self.p.clone(), PREFIX_BITS, &mut Words::new(&mut reservoir))
    }
}

/// Binomial(trials, p) for any p, by prefixes of p until it or the number of trials is small.
/// (The length of the prefix is a parameter so that tests can make the ties frequent.)
fn successes(
    mut trials: u64,
    mut p: Ratio,
    prefix_bits: u32,
    words: &mut Words,
) -> Result<u64, SampleError> {
    let one = 1_u64 << prefix_bits;
    let mut total = 0;
    loop {
        if trials <= FEW {
            return Ok(total + tosses(trials, &p, words)?);
        }
        if let Some((a, b)) = p.as_words().filter(|(_, b)| *b <= one) {
            return Ok(total + short(trials, a, b, words)?);
        }
        // p < 1, for p = 1 has a short denominator; so the prefix is below 1 as well.
        let (prefix, rest) = (p.num * one).div_rem(&p.den);
        let Some(prefix) = u64::try_from(prefix).ok().filter(|prefix| *prefix < one) else {
            return Err(SampleError::Internal { what: "a prefix of p is not below 1".into() });
        };
        let below = short(trials, prefix, one, words)?;
        total += below;
        trials = short(trials - below, 1, one - prefix, words)?;
        p.num = rest;
    }
}

/// Binomial(trials, p), trial by trial.
fn tosses(trials: u64, p: &Ratio, words: &mut Words) -> Result<u64, SampleError> {
    let mut total = 0;
    for _ in 0..trials {
        total += u64::from(bernoulli(p, words)?);
    }
    Ok(total)
}

/// Binomial(trials, a/b) for a <= b <= 2^23.
fn short(trials: u64, a: u64, b: u64, words: &mut Words) -> Result<u64, SampleError> {
    if a == 0 || trials == 0 {
        return Ok(0);
    }
    if a == b {
        return Ok(trials);
    }
    around_the_mode(trials, a, b)?.draw_from(words)
}

/// Binomial(n, a/b) for 0 < a < b <= 2^23, where n a, n b < 2^63.
fn around_the_mode(n: u64, a: u64, b: u64) -> Result<LogConcave, SampleError> {
    let c = b - a;
    let mode = (n + 1) * a / b;
    let right = Slope { num: (n - mode) * a, num_step: a, den: (mode + 1) * c, den_step: c };
    let left = Slope { num: mode * c, num_step: c, den: (n - mode + 1) * a, den_step: a };
    // n p (1-p), rounded down twice.
    let variance = n * a / b * c / b;
    LogConcave::new(mode, right, left, variance.isqrt())
}

#[cfg(test)]
#[path = "../tests/support/support.rs"]
mod support;

#[cfg(test)]
mod tests {
    use throng_sample::SeededEntropy;

    use super::support::judge::Experiment;
    use super::support::laws::{binomial, rational, single};
    use super::*;

    /// With a prefix of two bits a quarter of the trials are ties, and a wrong treatment of them
    /// shows: here, to let them succeed with the probability p of all instead of r.
    #[test]
    fn ties_are_settled_by_the_rest_of_p() {
        let p = rational("5/16");
        let law = binomial(60, &p, single(5, 35));
        let experiment = Experiment { law: &law, samples: 200_000, seed: 80 };
        let draw = |p: &Rational, prefix_bits: u32, entropy: &mut SeededEntropy| {
            let drawn = successes(60, Ratio::of(p), prefix_bits, &mut Words::new(entropy))?;
            Ok(i64::try_from(drawn).unwrap_or(-1))
        };
        for prefix_bits in 1..=4 {
            experiment.accepts(|entropy| draw(&p, prefix_bits, entropy));
        }
        // 1/4 + 1/4 5/16 = 21/64 instead of 1/4 + 1/4 1/4.
        let wrong = rational("21/64");
        let wrong_law = binomial(60, &wrong, single(5, 35));
        experiment.rejects(&wrong_law, |entropy| draw(&wrong, 6, entropy));
    }
}
