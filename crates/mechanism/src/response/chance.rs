//! Coins of rational chances and of chances that involve e^ε, tossed in bulk.

use throng_numeric::{Enclosure, Natural, NumericError, Rational, fixed};

use super::words::Words;
use crate::MechanismError;

/// A chance that is known to any number of bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chance {
    /// A rational in [0, 1].
    Exact(Rational),
    /// d/(e^ε + d): the chance to answer one of `others` = d >= 1 untrue answers.
    Untrue { others: u64, epsilon: Rational },
}

impl Chance {
    /// Integers around the chance in units of 2^-bits.
    ///
    /// # Why this is right
    /// x ↦ dx/(1 + dx) grows, so bounds on x = e^-ε give bounds. Its slope is at most d < 2^64,
    /// hence 66 bits more of x than asked for leave bounds at most 3 units apart.
    fn bounds(&self, bits: usize) -> Result<(Natural, Natural), NumericError> {
        match self {
            Self::Exact(chance) => {
                let scaled = chance.magnitude_of_numerator() << bits;
                Ok((&scaled / chance.denominator(), ceil_div(&scaled, chance.denominator())))
            }
            Self::Untrue { others, epsilon } => {
                let work = bits + 66;
                let decay = fixed::exp_neg(epsilon, work)?;
                let one = Natural::ONE << work;
                let (low, high) = (decay.lower * *others, decay.upper * *others);
                let lower = (&low << bits) / (&one + &low);
                Ok((lower, ceil_div(&(&high << bits), &(&one + &high))))
            }
        }
    }

    /// The chance and its complement, each accurate relative to itself.
    pub(super) fn enclosed(&self) -> Split {
        match self {
            Self::Exact(chance) => Split {
                yes: Enclosure::of_rational(chance),
                no: Enclosure::of_rational(&(Rational::ONE - chance.clone())),
            },
            Self::Untrue { others, epsilon } => {
                let weight = of_count(*others) * (-Enclosure::of_rational(epsilon)).exp();
                let all = Enclosure::ONE + weight;
                Split { yes: within_unit(weight / all), no: within_unit(Enclosure::ONE / all) }
            }
        }
    }
}

fn ceil_div(numerator: &Natural, denominator: &Natural) -> Natural {
    let floor = numerator / denominator;
    if &floor * denominator == *numerator { floor } else { floor + Natural::ONE }
}

/// A whole number as an enclosure.
pub(super) fn of_count(n: u64) -> Enclosure {
    let small = u32::try_from(n).ok().and_then(|n| Enclosure::point(f64::from(n)).ok());
    small.unwrap_or_else(|| Enclosure::of_rational(&Rational::from(n)))
}

/// What is known to be a probability.
pub(super) fn within_unit(x: Enclosure) -> Enclosure {
    x.max(Enclosure::ZERO).min(Enclosure::ONE)
}

/// A probability and its complement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub(super) yes: Enclosure,
    pub(super) no: Enclosure,
}

impl Split {
    /// The opposite event.
    pub(super) fn complement(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }
}

/// A coin of a chance c, one word per toss.
///
/// # Guarantee
/// P(true) = c exactly.
///
/// # Why this is right
/// The coin shows `true` iff U < c for a uniform U. The first word w says that U lies in
/// [w, w + 1) 2^-64; with l <= c 2^64 <= u that is below c if w + 1 <= l and not below if w >= u.
/// Else (at most 3 words of 2^64) another word is read, and c computed to another 64 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Coin {
    chance: Chance,
    /// Below this, the first word decides for `true`; 2^64 at most.
    certainly: u128,
    /// From here on, it decides for `false`.
    never: u128,
}

impl Coin {
    pub(super) fn new(chance: Chance) -> Result<Self, MechanismError> {
        let (low, high) = chance.bounds(64)?;
        let word = |n: Natural| u128::try_from(n).unwrap_or(1 << 64);
        Ok(Self { certainly: word(low), never: word(high), chance })
    }

    pub(super) const fn chance(&self) -> &Chance {
        &self.chance
    }

    /// One toss.
    #[inline]
    pub(super) fn toss(&self, words: &mut Words<'_>) -> Result<bool, MechanismError> {
        let first = words.next()?;
        let (below, above) = (u128::from(first) < self.certainly, u128::from(first) >= self.never);
        if below || above {
            return Ok(below);
        }
        self.refined(first, words)
    }

    /// Reads on where the first word left the toss open.
    #[cold]
    fn refined(&self, first: u64, words: &mut Words<'_>) -> Result<bool, MechanismError> {
        let (mut read, mut bits) = (Natural::from(first), 64);
        loop {
            read = (read << 64) + words.next()?;
            bits += 64;
            let (low, high) = self.chance.bounds(bits)?;
            if read < low {
                return Ok(true);
            }
            if read >= high {
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use throng_sample::{Entropy, EntropyError};

    use super::*;

    /// Words given in advance, then zeros.
    struct Script(Vec<u64>);

    impl Entropy for Script {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(0);
            for (place, word) in bytes.chunks_exact_mut(8).zip(self.0.drain(..)) {
                place.copy_from_slice(&word.to_le_bytes());
            }
            Ok(())
        }
    }

    fn toss(chance: &Chance, script: &[u64]) -> bool {
        let mut source = Script(script.to_vec());
        Coin::new(chance.clone()).unwrap().toss(&mut Words::new(&mut source)).unwrap()
    }

    /// 1/3 has the words 0x5555... for ever: the outcome turns exactly there, however late.
    #[test]
    fn a_rational_coin_turns_at_its_binary_expansion() {
        const THIRD: u64 = 0x5555_5555_5555_5555;
        let third = Chance::Exact("1/3".parse().unwrap());
        for depth in 0..4 {
            for (last, expected) in [(THIRD - 1, true), (THIRD + 1, false)] {
                let mut script = vec![THIRD; depth];
                script.push(last);
                assert_eq!(toss(&third, &script), expected, "{depth}");
            }
        }
        for word in [0, 1, 1 << 63, u64::MAX] {
            assert!(!toss(&Chance::Exact(Rational::ZERO), &[word]));
            assert!(toss(&Chance::Exact(Rational::ONE), &[word]));
            let half = Chance::Exact("1/2".parse().unwrap());
            assert_eq!(toss(&half, &[word]), word < 1 << 63);
        }
    }

    /// 1/(1 + e) = 0.44d8_...: its first 192 bits, word by word, decide.
    #[test]
    fn a_coin_of_epsilon_turns_at_its_binary_expansion() {
        for (others, epsilon) in [(1, "1"), (9, "1/3"), (u64::MAX, "7/2"), (3, "0"), (1, "300")] {
            let chance = Chance::Untrue { others, epsilon: epsilon.parse().unwrap() };
            // Bounds at 256 bits pin down the first 192, as long as they agree there.
            let (low, high) = chance.bounds(256).unwrap();
            assert!(&high - &low <= Natural::from(3_u8), "{epsilon}");
            let (low, high): (Natural, Natural) = (low >> 64, high >> 64);
            assert_eq!(low, high);
            let word = |i: usize| u64::try_from((&low >> (64 * i)) & Natural::from(u64::MAX));
            let words: Vec<u64> = (0..3).rev().map(|i| word(i).unwrap()).collect();
            for depth in 0..3 {
                for step in [-1_i64, 1] {
                    let Some(last) = words[depth].checked_add_signed(step) else { continue };
                    let mut script = words[..depth].to_vec();
                    script.push(last);
                    assert_eq!(toss(&chance, &script), step < 0, "{epsilon} {depth}");
                }
            }
        }
    }

    #[test]
    fn enclosures_of_chances_are_accurate_at_both_ends() {
        let split = Chance::Untrue { others: 1, epsilon: "40".parse().unwrap() }.enclosed();
        // 1/(1 + e^40).
        assert!(split.yes.contains(4.248_354_255_291_589e-18) && split.yes.width() < 1e-31);
        assert!(split.no.upper() <= 1.0 && split.no.lower() >= 1.0 - 1e-15);
    }
}
