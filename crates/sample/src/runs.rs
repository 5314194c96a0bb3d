//! Choosing an element of a union of arithmetic runs of energies.

use throng_numeric::fixed;
use throng_numeric::{Natural, Rational};

use crate::bernoulli::exp_neg;
use crate::lazy::{Prefix, is_below};
use crate::ratio::Ratio;
use crate::reservoir::Reservoir;
use crate::words::Words;
use crate::{Entropy, SampleError, WeightedChoice, uniform};

/// Elements 0, 1, ..., of energies x, x + a, x + 2a, ...: a linear piece of a score on a grid.
// No Debug: energies are usually functions of private data.
#[derive(Clone, PartialEq, Eq)]
pub struct Run {
    /// x, the energy of element 0.
    pub start: Rational,
    /// a, of any sign if the run is finite and positive otherwise.
    pub step: Rational,
    /// How many elements there are; `None` for infinitely many.
    pub length: Option<Natural>,
}

/// Element j of run i with probability proportional to e^(-(xᵢ + j aᵢ)): the exponential
/// mechanism on a grid, for scores that are linear in pieces, with unbounded tails.
///
/// # Guarantee
/// P(i, j) = e^(-(xᵢ + j aᵢ)) / (sum over all elements of all runs) exactly, for rational
/// energies and steps of any size.
///
/// # Why this is right
/// A run with a < 0 is the same run read from its end, so let a >= 0. Let L = ⌈1/a⌉, so that
/// energies rise by at least 1 over L elements and by less than 1 within L of them. A run counts
/// N = n if n <= L ("short") and N = 2L otherwise ("long", also if infinite). A round is:
///
/// 1. Choose run i with probability proportional to Nᵢ e^(-xᵢ): a [`WeightedChoice`].
/// 2. Propose an element. In a short run uniformly, each with probability 1/N. In a long run
///    j = v L + u, where v counts the heads of a fair coin before the first tail and u is uniform
///    below L: with probability 2^-(v+1) / L = 2^-v / N. If j >= n, start again.
/// 3. Keep it with probability e^(-ja) in a short run and 2^v e^(-ja) in a long one, else start
///    again. (It is a probability: j a >= v L a >= v, and 2 < e.)
///
/// So (i, j) is kept with probability proportional to N e^-x (2^-v / N) (2^v e^(-ja)) =
/// e^(-(x + ja)), and likewise with v = 0 in short runs.
///
/// More than 0.3 of all rounds succeed: a short run keeps at least 1/e of its elements; of a long
/// run the first block alone, v = 0, keeps half of the mean of e^(-ua), u < L, which is at least
/// 1 - 1/e: the ua lie evenly in [0, 1), and trapezoids lie above the convex e^-x.
///
/// Time: depends on the runs and the element returned.
///
/// ```
/// use throng_numeric::{Natural, Rational};
/// use throng_sample::{OsEntropy, Run, RunChoice};
/// // Energies |k - 10| / 3 on all integers: k = 10, 11, ... and k = 9, 8, ...
/// let step = Rational::new(1, 3_u8)?;
/// let up = Run { start: Rational::ZERO, step: step.clone(), length: None };
/// let down = Run { start: step.clone(), step, length: None };
/// let (run, offset) = RunChoice::new([up, down])?.draw(&mut OsEntropy)?;
/// # let _ = offset;
/// assert!(run < 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// No Debug: energies are usually functions of private data.
#[derive(Clone)]
pub struct RunChoice {
    pieces: Vec<Piece>,
    choice: WeightedChoice,
}

/// A run that does not fall, ready to be proposed from.
#[derive(Clone)]
struct Piece {
    /// a >= 0.
    step: Rational,
    /// n.
    length: Option<Natural>,
    /// L in a long run; none in a short one.
    block: Option<Natural>,
    /// Whether the run is read from its end.
    reversed: bool,
}

impl RunChoice {
    /// The choice among the elements of the given runs; a run of length 0 has none.
    ///
    /// # Errors
    /// If there is no element, if an infinite run does not rise, or if the length of a run and
    /// twice the inverse of its step both have more than [`WeightedChoice::MAX_BITS`] bits.
    pub fn new(runs: impl IntoIterator<Item = Run>) -> Result<Self, SampleError> {
        let mut pieces = Vec::new();
        let mut entries = Vec::new();
        for run in runs {
            let (piece, lowest) = Piece::of(run)?;
            entries.push((piece.count(), lowest));
            pieces.push(piece);
        }
        Ok(Self { pieces, choice: WeightedChoice::new(entries)? })
    }

    /// One independent element: the index of its run, and its place there.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<(usize, Natural), SampleError> {
        let mut reservoir = Reservoir::new(entropy);
        let words = &mut Words::new(&mut reservoir);
        loop {
            let run = self.choice.draw_from(words)?;
            if let Some(place) = self.pieces[run].propose(words)? {
                return Ok((run, place));
            }
        }
    }
}

impl Piece {
    /// The run, turned so that it does not fall, and its lowest energy.
    fn of(run: Run) -> Result<(Self, Rational), SampleError> {
        let Run { start, step, length } = run;
        let reversed = step.is_negative();
        if length.is_none() && !step.is_positive() {
            return Err(SampleError::OutOfRange {
                name: "the step of an infinite run",
                value: "0 or less".into(),
                allowed: "above 0",
            });
        }
        let lowest = match &length {
            Some(n) if reversed && !n.is_zero() => {
                &start + &(&step * &Rational::from(n - Natural::ONE))
            }
            _ => start,
        };
        let step = step.abs();
        let block = block(&step, length.as_ref());
        Ok((Self { step, length, block, reversed }, lowest))
    }

    /// N.
    fn count(&self) -> Natural {
        match (&self.block, &self.length) {
            (Some(block), _) => block << 1,
            (None, Some(n)) => n.clone(),
            (None, None) => Natural::ZERO, // not reached: an infinite run is long
        }
    }

    /// Steps 2 and 3: a place, or nothing, which asks for another round.
    fn propose(&self, words: &mut Words) -> Result<Option<Natural>, SampleError> {
        let kept = match &self.block {
            Some(block) => self.propose_long(block, words)?,
            None => self.propose_short(words)?,
        };
        Ok(kept.map(|j| match &self.length {
            Some(n) if self.reversed => n - Natural::ONE - j,
            _ => j,
        }))
    }

    fn propose_short(&self, words: &mut Words) -> Result<Option<Natural>, SampleError> {
        let j = uniform::below(&self.count(), words)?;
        let kept = exp_neg(&Ratio::of(&self.rise(&j)), words)?;
        Ok(kept.then_some(j))
    }

    fn propose_long(
        &self,
        block: &Natural,
        words: &mut Words,
    ) -> Result<Option<Natural>, SampleError> {
        let mut v = 0_usize;
        while words.coin()? {
            v += 1;
        }
        let j = block * Natural::from(v) + uniform::below(block, words)?;
        if self.length.as_ref().is_some_and(|n| j >= *n) {
            return Ok(None);
        }
        // 2^v e^(-ja) = e^-(ja - v) 2^v e^-v: both coins have to succeed.
        let whole = Rational::from(Natural::from(v));
        let beyond = Ratio::of(&(&self.rise(&j) - &whole));
        let kept = exp_neg(&beyond, words)? && (v == 0 || two_over_e(v, words)?);
        Ok(kept.then_some(j))
    }

    /// j a.
    fn rise(&self, j: &Natural) -> Rational {
        &self.step * &Rational::from(j.clone())
    }
}

/// Bernoulli((2/e)^v): units of 2^-(bits + v) of e^-v are units of 2^-bits of 2^v e^-v.
fn two_over_e(v: usize, words: &mut Words) -> Result<bool, SampleError> {
    let exponent = Rational::from(Natural::from(v));
    is_below(Prefix::of_word(words)?, |bits| fixed::exp_neg(&exponent, bits + v), words)
}

/// L = ⌈1/a⌉ if the run has more elements than that.
fn block(step: &Rational, length: Option<&Natural>) -> Option<Natural> {
    if step.is_zero() {
        return None;
    }
    let (num, den) = (step.magnitude_of_numerator(), step.denominator());
    let block = (den + &num - Natural::ONE) / num;
    length.is_none_or(|n| *n > block).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn run(start: i32, step: (i32, u32), length: Option<u32>) -> Result<Run, SampleError> {
        Ok(Run {
            start: start.into(),
            step: Rational::new(step.0, step.1)?,
            length: length.map(Natural::from),
        })
    }

    #[test]
    fn blocks_are_one_unit_of_energy() -> Result<(), SampleError> {
        let of = |num: u32, den: u32, n: Option<u32>| {
            Ok::<_, SampleError>(block(&Rational::new(num, den)?, n.map(Natural::from).as_ref()))
        };
        assert_eq!(of(1, 3, None)?, Some(3_u8.into()));
        assert_eq!(of(2, 5, None)?, Some(3_u8.into()));
        assert_eq!(of(7, 2, None)?, Some(1_u8.into()));
        assert_eq!(of(1, 3, Some(3))?, None);
        assert_eq!(of(1, 3, Some(4))?, Some(3_u8.into()));
        assert_eq!(of(0, 1, Some(4))?, None);
        Ok(())
    }

    /// (2/e)² = 4 e^-2, to 64 bits.
    #[test]
    fn the_coin_of_blocks_turns_where_it_should() -> Result<(), SampleError> {
        let word = u64::try_from(fixed::exp_neg(&2.into(), 66)?.lower).unwrap_or(0);
        assert_eq!(word >> 40, 0x8a_9555); // 0.54134...
        for (word, expected) in [(word - 2, true), (word + 2, false)] {
            let script = &mut Script::new(&[word]);
            assert_eq!(two_over_e(2, &mut Words::new(script))?, expected);
        }
        Ok(())
    }

    #[test]
    fn a_falling_run_is_read_from_its_end() -> Result<(), SampleError> {
        let (piece, lowest) = Piece::of(run(5, (-1, 2), Some(3))?)?;
        assert_eq!(lowest, 4.into());
        // The lowest energy, j = 0, is element 2; a coin of e^-0 always succeeds.
        assert_eq!(piece.propose(&mut Words::new(&mut Script::new(&[])))?, Some(2_u8.into()));
        Ok(())
    }

    #[test]
    fn runs_without_a_sum_or_an_element_are_refused() -> Result<(), SampleError> {
        for step in [(0, 1), (-1, 2)] {
            let endless = RunChoice::new([run(0, step, None)?]);
            assert!(matches!(endless, Err(SampleError::OutOfRange { .. })));
        }
        for runs in [vec![], vec![run(0, (-1, 2), Some(0))?, run(3, (1, 2), Some(0))?]] {
            assert!(matches!(RunChoice::new(runs), Err(SampleError::Empty { .. })));
        }
        Ok(())
    }
}
