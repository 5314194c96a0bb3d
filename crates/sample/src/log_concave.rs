//! Rejection from a flat top with geometric tails: one sampler for the Poisson and the binomial
//! law, in machine words.
//!
//! # The setting
//! A law on the integers with mode m, given by the ratios of neighbouring probabilities on
//! either side of the mode: f(i) = P(m ± i)/P(m) = ρ₀ ρ₁ ... ρᵢ₋₁, where
//!
//! ρⱼ = numⱼ / denⱼ,  numⱼ falls and denⱼ grows linearly in j,  ρⱼ <= 1,  ρ₁ < 1.
//!
//! So ρⱼ never increases (the law is log-concave), and beyond the support numⱼ is 0.
//!
//! # The proposal
//! Fix a *shoulder* s >= 1 for each side and q = ρₛ < 1. Then f(i) <= g(i) with
//!
//! g(i) = 1 for i < s,  g(i) = q^(i-s) for i >= s,
//!
//! because each ρⱼ <= 1, and ρⱼ <= q for j >= s. The tail of g sums to 1/(1 - q), rarely
//! an integer; it is raised by a factor c >= 1 to the integer T = ceil(1/(1 - q)). The envelope
//! then has the integer mass s₊ + (s₋ - 1) + T₊ + T₋ (i = 0 is counted on the
//! right), and a uniform integer below it chooses a point of the top, or a tail. In a tail,
//! i - s is the number of successes of Bernoulli(q) before the first failure.
//!
//! # The acceptance
//! A point i is kept with probability f(i)/envelope(i), by independent coins that must *all*
//! succeed:
//! - in the top: ρ₀, ..., ρᵢ₋₁, whose product is f(i);
//! - in a tail: 1/c, then ρ₀, ..., ρₛ₋₁, then ρⱼ/q for s <= j < i. The last is the pair
//!   numⱼ/numₛ and denₛ/denⱼ, both at most 1. The product is f(i) / (c q^(i-s)).
//!
//! Every coin is rational and tossed exactly, so what is kept has exactly the law f/sum f. No
//! product is ever formed: the first failure ends the trial.
//!
//! # The cost
//! For a law of standard deviation σ, s = σ + O(1) gives 1 - q = about 1/σ and an envelope of
//! mass about 4σ over the 2.5σ of f: about 63 % of the trials succeed. A trial tosses O(σ) coins
//! of one word each. So: O(σ) time, depending on the value drawn, and no memory.

use crate::SampleError;
use crate::bernoulli::bernoulli_words;
use crate::uniform::below_word;
use crate::words::Words;

/// The ratios `ρⱼ = (num - j num_step) / (den + j den_step)` on one side of the mode. Within the
/// support all of these must stay below 2^63.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slope {
    pub(crate) num: u64,
    pub(crate) num_step: u64,
    pub(crate) den: u64,
    pub(crate) den_step: u64,
}

impl Slope {
    /// numⱼ, which is 0 from the end of the support on.
    fn num_at(&self, j: u64) -> u64 {
        self.num.saturating_sub(self.num_step.saturating_mul(j))
    }

    /// denⱼ. Beyond 2^64 it would saturate, but a walk of that many words takes centuries.
    fn den_at(&self, j: u64) -> u64 {
        self.den.saturating_add(self.den_step.saturating_mul(j))
    }

    /// Bernoulli(ρⱼ).
    fn step(&self, j: u64, words: &mut Words) -> Result<bool, SampleError> {
        bernoulli_words(self.num_at(j), self.den_at(j), words)
    }
}

/// One side of the mode: its slope, and the geometric tail that begins at the shoulder.
#[derive(Debug, Clone, Copy)]
struct Side {
    slope: Slope,
    shoulder: u64,
    /// `q = tail_num / tail_den`, below 1.
    tail_num: u64,
    tail_den: u64,
    /// T.
    tail_mass: u64,
}

impl Side {
    fn new(slope: Slope, shoulder: u64) -> Result<Self, SampleError> {
        let (tail_num, tail_den) = (slope.num_at(shoulder), slope.den_at(shoulder));
        let gap = tail_den.checked_sub(tail_num).filter(|gap| *gap > 0);
        let Some(gap) = gap else {
            return Err(SampleError::Internal { what: "a slope that does not fall".into() });
        };
        Ok(Self { slope, shoulder, tail_num, tail_den, tail_mass: tail_den.div_ceil(gap) })
    }

    /// Bernoulli(f(i)) for i up to the shoulder.
    fn keeps_in_top(&self, i: u64, words: &mut Words) -> Result<bool, SampleError> {
        for j in 0..i {
            if !self.slope.step(j, words)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A point of the tail, if it is kept.
    fn try_tail(&self, words: &mut Words) -> Result<Option<u64>, SampleError> {
        // 1/c = (1/(1 - q)) / T.
        let raised = (self.tail_den - self.tail_num) * self.tail_mass;
        let kept = bernoulli_words(self.tail_den, raised, words)?
            && self.keeps_in_top(self.shoulder, words)?;
        if !kept {
            return Ok(None);
        }
        // Proposing step by step and checking each step at once: the first check that fails
        // condemns every further point as well.
        let mut i = self.shoulder;
        while bernoulli_words(self.tail_num, self.tail_den, words)? {
            if !self.keeps_in_tail(i, words)? {
                return Ok(None);
            }
            i += 1;
        }
        Ok(Some(i))
    }

    /// Bernoulli(ρⱼ/q) for j from the shoulder on, where q > 0.
    fn keeps_in_tail(&self, j: u64, words: &mut Words) -> Result<bool, SampleError> {
        Ok(bernoulli_words(self.slope.num_at(j), self.tail_num, words)?
            && bernoulli_words(self.tail_den, self.slope.den_at(j), words)?)
    }
}

/// A log-concave law around its mode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogConcave {
    mode: u64,
    right: Side,
    left: Side,
}

impl LogConcave {
    /// The law of a mode and its two slopes; `deviation` is about its standard deviation and
    /// concerns only the speed.
    pub(crate) fn new(
        mode: u64,
        right: Slope,
        left: Slope,
        deviation: u64,
    ) -> Result<Self, SampleError> {
        let shoulder = deviation + 1;
        Ok(Self { mode, right: Side::new(right, shoulder)?, left: Side::new(left, shoulder)? })
    }

    pub(crate) fn draw_from(&self, words: &mut Words) -> Result<u64, SampleError> {
        loop {
            if let Some(value) = self.trial(words)? {
                return Ok(value);
            }
        }
    }

    /// One proposal, if it is kept. (The left side can only keep i <= mode: its numⱼ is 0 from
    /// j = mode on, so the subtraction never saturates.)
    fn trial(&self, words: &mut Words) -> Result<Option<u64>, SampleError> {
        let (right_top, left_top) = (self.right.shoulder, self.left.shoulder - 1);
        let mass = right_top + left_top + self.right.tail_mass + self.left.tail_mass;
        let place = below_word(mass, words)?;
        if place < right_top {
            return Ok(self.right.keeps_in_top(place, words)?.then(|| self.mode + place));
        }
        let place = place - right_top;
        if place < left_top {
            let i = place + 1;
            return Ok(self.left.keeps_in_top(i, words)?.then(|| self.mode.saturating_sub(i)));
        }
        if place - left_top < self.right.tail_mass {
            return Ok(self.right.try_tail(words)?.map(|i| self.mode + i));
        }
        Ok(self.left.try_tail(words)?.map(|i| self.mode.saturating_sub(i)))
    }
}
