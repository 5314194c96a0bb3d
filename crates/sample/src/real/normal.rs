use throng_numeric::{Integer, Natural};

use super::{Interval, LazyUniform};
use crate::bernoulli::exp_neg;
use crate::ratio::Ratio;
use crate::words::Words;
use crate::{Entropy, SampleError};

/// A number of the standard normal law, drawn bit by bit.
///
/// # Guarantee
/// Exactly this law: density proportional to e^(-x²/2).
///
/// # Why this is right
/// Let |x| = k + f with an integer k and 0 <= f < 1. Then
///
/// x²/2 = k/2 + k (k - 1)/2 + f (2k + f)/2,
///
/// and e to minus each of the terms in turn is met: k counts the successes of a coin of e^(-1/2)
/// before its first failure, so it has weight e^(-k/2); it is kept with probability
/// e^(-k (k-1)/2); f is uniform, and both are kept with probability e^(-f (2k + f)/2), else all is
/// drawn again. The last is k + 1 coins of e^(-f c) with c = (2k + f)/(2k + 2) that all succeed:
/// each is the parity of a descending chain with a coin of c (proved at `chain_is_even`), and the
/// coin of c is a fresh uniform r with r < (2k + f)/(2k + 2). The sign is fair.
///
/// Time: depends on the number drawn.
///
/// # Reference
/// [Karney](https://arxiv.org/abs/1303.6257), *Sampling exactly from the normal distribution*
/// (2016), Algorithms N and B.
// No Debug: it is noise.
pub struct LazyNormal {
    negative: bool,
    whole: u64,
    fraction: LazyUniform,
}

impl LazyNormal {
    /// One independent number, of which as little is drawn as its law needs.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(entropy: &mut dyn Entropy) -> Result<Self, SampleError> {
        Self::draw_from(&mut Words::new(entropy))
    }

    pub(crate) fn draw_from(words: &mut Words) -> Result<Self, SampleError> {
        loop {
            let whole = draw_whole(words)?;
            let mut fraction = LazyUniform::new();
            if keeps(whole, &mut fraction, words)? {
                return Ok(Self { negative: words.coin()?, whole, fraction });
            }
        }
    }

    /// An interval of width 2^-bits that holds the number.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn bounds(
        &mut self,
        bits: usize,
        entropy: &mut dyn Entropy,
    ) -> Result<Interval, SampleError> {
        self.interval(bits, &mut Words::new(entropy))
    }

    pub(crate) fn interval(
        &mut self,
        bits: usize,
        words: &mut Words,
    ) -> Result<Interval, SampleError> {
        let leading = (Natural::from(self.whole) << bits) + self.fraction.leading(bits, words)?;
        Ok(Interval::of_cell(leading, bits, self.negative))
    }
}

/// k with weight e^(-k/2) e^(-k (k-1)/2).
fn draw_whole(words: &mut Words) -> Result<u64, SampleError> {
    let half = |num: Natural| Ratio { num, den: Natural::from(2_u8) };
    loop {
        let mut k = 0_u64;
        while exp_neg(&half(Natural::ONE), words)? {
            k += 1;
        }
        let product = Natural::from(k) * Natural::from(k.saturating_sub(1));
        if exp_neg(&half(product), words)? {
            return Ok(k);
        }
    }
}

/// True with probability e^(-f (2k + f)/2).
fn keeps(k: u64, f: &mut LazyUniform, words: &mut Words) -> Result<bool, SampleError> {
    for _ in 0..=k {
        let coin = |f: &mut LazyUniform, words: &mut Words| is_below_share(k, f, words);
        if !f.chain_is_even(coin, words)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a fresh uniform r is below (2k + f)/(2k + 2), that is, (2k + 2) r - 2k < f. The left
/// side is known to 2k + 2 units and the right to one, so 64 bits leave it open with a chance of
/// about 2^-64 (2k + 3)/(2k + 2), and then more are drawn.
fn is_below_share(k: u64, f: &mut LazyUniform, words: &mut Words) -> Result<bool, SampleError> {
    let mut r = LazyUniform::new();
    let (twice, slope) = (Natural::from(k) << 1, Integer::from((Natural::from(k) + 1_u8) << 1));
    let mut bits = f.drawn().max(64);
    loop {
        let (at_r, at_f) = (r.leading(bits, words)?, f.leading(bits, words)?);
        let least = &slope * Integer::from(at_r) - Integer::from((&twice << bits) + at_f);
        // The difference lies in (least - 1, least + slope) units.
        if &least + &slope <= Integer::ZERO {
            return Ok(true);
        }
        if least > Integer::ZERO {
            return Ok(false);
        }
        bits += 64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    /// k = 0: r < f/2. With f = 1/2, ties at r = 1/4 stay open for as long as they last.
    #[test]
    fn an_undecided_coin_reads_on() -> Result<(), SampleError> {
        for depth in 0..3 {
            for expected in [true, false] {
                // r = 0.01 0...0 exactly so far; f = 0.10 0...0, then a last word.
                let mut script = vec![1 << 62, 1 << 63];
                script.extend([0, 0].repeat(depth));
                script.extend(if expected { [0, 1 << 63] } else { [1 << 63, 0] });
                let mut f = LazyUniform::new();
                let script = &mut Script::new(&script);
                let words = &mut Words::new(script);
                assert_eq!(is_below_share(0, &mut f, words)?, expected, "depth {depth}");
            }
        }
        Ok(())
    }

    /// k = 3: c lies between 6/8 and 7/8, whatever f is.
    #[test]
    fn far_out_the_coin_is_nearly_certain() -> Result<(), SampleError> {
        let toss = |r: u64, f: u64| {
            let script = &mut Script::new(&[r, f]);
            is_below_share(3, &mut LazyUniform::new(), &mut Words::new(script))
        };
        assert!(toss((6 << 61) - 1, 0)?);
        assert!(toss(6 << 61, 9)?);
        assert!(!toss(7 << 61, u64::MAX)?);
        assert!(toss((7 << 61) - 1, u64::MAX)?);
        Ok(())
    }
}
