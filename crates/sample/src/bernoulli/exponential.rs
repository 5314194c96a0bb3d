//! The coin of probability e^-x.

use dashu_base::DivRem;
use throng_numeric::{Natural, Rational};

use super::{bernoulli, bernoulli_words};
use crate::ratio::Ratio;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// A coin that shows `true` with probability e^-x.
///
/// # Guarantee
/// P(true) = e^-x exactly, for every rational x >= 0 of any size.
///
/// # Why this is right
/// For x <= 1, toss coins of probability x/1, x/2, x/3, ... until one fails, in toss K. Toss
/// k is reached and passed with probability x^k/k!, so P(K > k) = x^k/k! and
///
/// P(K odd) = sum over even k of P(K > k) - P(K > k + 1) = 1 - x + x^2/2! - ... = e^-x.
///
/// A coin of probability x/k is two independent coins, x and 1/k, that both succeed. For larger
/// x, e^-x = e^-1 ... e^-1 e^-(x - floor x): all of these coins have to succeed, and as the first
/// failure decides, 1/(1 - 1/e) < 1.6 of them are tossed on average, whether x is 2 or 10^100.
///
/// This beats comparing one uniform number with bounds of e^-x (`fixed::exp_neg`) at every size
/// of x: here a toss is a multiplication, there the first 64 bits of e^-x cost two Taylor sums
/// (measured: 0.1 µs for the whole draw against 1.7 µs for the bounds alone).
///
/// Time: depends on the outcome (`true` takes longer, the more so the larger x).
///
/// # Reference
/// Canonne, Kamath, Steinke, *The Discrete Gaussian for Differential Privacy* (2020),
/// Algorithm 1; the alternating series is von Neumann's (1951) and Forsythe's (1972).
///
/// ```
/// use throng_sample::{BernoulliExp, OsEntropy};
/// let coin = BernoulliExp::new(&"7/2".parse()?)?; // true about 3 times in 100
/// let heads = coin.draw(&mut OsEntropy)?;
/// # let _ = heads;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BernoulliExp {
    x: Ratio,
}

impl BernoulliExp {
    /// The coin of probability e^-x.
    ///
    /// # Errors
    /// If x is negative.
    pub fn new(x: &Rational) -> Result<Self, SampleError> {
        if x.is_negative() {
            return Err(SampleError::range("x", x, "at least 0"));
        }
        Ok(Self { x: Ratio::of(x) })
    }

    /// One independent toss.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<bool, SampleError> {
        exp_neg(&self.x, &mut Words::new(entropy))
    }
}

/// Bernoulli(e^-x).
pub(crate) fn exp_neg(x: &Ratio, words: &mut Words) -> Result<bool, SampleError> {
    if x.num <= x.den {
        return exp_neg_of_unit(x, words);
    }
    let (mut whole, fraction) = (&x.num).div_rem(&x.den);
    while !whole.is_zero() {
        if !exp_neg_of_one(words)? {
            return Ok(false);
        }
        whole -= Natural::ONE;
    }
    exp_neg_of_unit(&Ratio { num: fraction, den: x.den.clone() }, words)
}

/// Bernoulli(e^-1).
pub(crate) fn exp_neg_of_one(words: &mut Words) -> Result<bool, SampleError> {
    alternating(|_| Ok(true), words)
}

/// Bernoulli(e^-x) for x <= 1.
fn exp_neg_of_unit(x: &Ratio, words: &mut Words) -> Result<bool, SampleError> {
    match x.as_words() {
        Some((num, den)) => alternating(|words| bernoulli_words(num, den, words), words),
        None => alternating(|words| bernoulli(x, words), words),
    }
}

/// Whether the first failure among coins of probability x/k, k = 1, 2, ..., has odd k, given
/// a coin of probability x. (k counts words drawn, so it cannot reach 2^64 in any lifetime.)
#[inline]
fn alternating(
    x: impl Fn(&mut Words) -> Result<bool, SampleError>,
    words: &mut Words,
) -> Result<bool, SampleError> {
    let mut k = 1_u64;
    while x(words)? && (k == 1 || bernoulli_words(1, k, words)?) {
        k += 1;
    }
    Ok(k % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn toss(x: &Rational, script: &[u64]) -> Result<bool, SampleError> {
        BernoulliExp::new(x)?.draw(&mut Script::new(script))
    }

    /// Word by word: a coin of x, then for k >= 2 a coin of 1/k, and the parity of the first
    /// failure. Samples could never tell e^(-10^-9) from 1, but the words can.
    #[test]
    fn the_parity_of_the_first_failure_decides() -> Result<(), SampleError> {
        const FAIL: u64 = u64::MAX;
        let x = Rational::new(1, 1_000_000_000_u32)?;
        let turn = 18_446_744_073; // floor(2^64 / 10^9)
        assert!(toss(&x, &[turn + 1])?, "x fails in toss 1");
        assert!(!toss(&x, &[turn - 1, turn + 1])?, "x fails in toss 2");
        assert!(!toss(&x, &[0, 0, 1 << 63])?, "1/2 fails in toss 2");
        assert!(toss(&x, &[0, 0, (1 << 63) - 1, FAIL])?, "x fails in toss 3");
        assert!(toss(&x, &[0, 0, 0, 0, u64::MAX / 3 + 1])?, "1/3 fails in toss 3");
        assert!(!toss(&x, &[0, 0, 0, 0, 0, FAIL])?, "x fails in toss 4");
        Ok(())
    }

    /// e^-(2 + 1/2): two coins of e^-1, which need no coin of x, then one of e^-(1/2).
    #[test]
    fn a_whole_part_is_tossed_as_coins_of_one_over_e() -> Result<(), SampleError> {
        const FAIL: u64 = u64::MAX;
        let x = Rational::new(5, 2_u8)?;
        assert!(!toss(&x, &[FAIL])?, "1/2 fails in toss 2 of the first");
        assert!(!toss(&x, &[0, FAIL, FAIL])?, "the first succeeds, the second does not");
        assert!(toss(&x, &[0, FAIL, 0, FAIL, FAIL])?, "both succeed, and 1/2 fails in toss 1");
        assert!(!toss(&x, &[0, FAIL, 0, FAIL, 0, FAIL])?, "both succeed, 1/2 fails in toss 2");
        Ok(())
    }
}
