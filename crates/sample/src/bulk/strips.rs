//! Trials with a rung and a low part: scales too large for one table.

use throng_numeric::Natural;
use throng_numeric::fixed::exp_neg;

use super::acceptance::{Acceptance, Decision};
use super::energy::Energy;
use super::lanes::{LANES, Lanes, Low};
use super::rungs::{BothSigns, RUNGS, Rungs};
use super::short::OPEN;
use super::sieve::{Sieve, least_sure};
use super::{saturated, signed, to_index};
use crate::lazy::{Prefix, is_below};
use crate::words::Words;
use crate::{Entropy, SampleError};

/// The engine with rungs 2^shift apart.
#[derive(Debug)]
pub(super) struct Strips {
    /// E on the magnitudes.
    energy: Energy,
    shift: u32,
    rungs: Rungs,
    sieve: Sieve,
    acceptance: Acceptance,
}

impl Strips {
    pub(super) fn new(energy: &Energy, shift: u32) -> Result<Self, SampleError> {
        Ok(Self {
            energy: energy.clone(),
            shift,
            rungs: Rungs::new(energy.on_rungs(shift)?, BothSigns::DrawnApart)?,
            sieve: Sieve::new(energy, shift)?,
            acceptance: Acceptance::new(energy, shift)?,
        })
    }

    pub(super) fn fill(
        &self,
        bytes: &mut [u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
    ) -> Result<(), SampleError> {
        // One loop for each shape of E and width of l, so that none asks which it is.
        match &self.energy {
            Energy::Linear { .. } => self.fill_along(bytes, entropy, out, Sieve::linear),
            Energy::Quadratic { .. } => self.fill_along(bytes, entropy, out, Sieve::quadratic),
        }
    }

    #[inline]
    fn fill_along(
        &self,
        bytes: &mut [u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        slope: impl Fn(Sieve, u16, u16) -> u16 + Copy,
    ) -> Result<(), SampleError> {
        if self.shift <= u8::MOST {
            self.fill_with::<u8>(bytes, entropy, out, slope)
        } else if self.shift <= u16::MOST {
            self.fill_with::<u16>(bytes, entropy, out, slope)
        } else {
            self.fill_with::<u64>(bytes, entropy, out, slope)
        }
    }

    #[inline]
    fn fill_with<L: Low>(
        &self,
        bytes: &mut [u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        slope: impl Fn(Sieve, u16, u16) -> u16 + Copy,
    ) -> Result<(), SampleError> {
        let mut lanes = Lanes::<L>::default();
        let mut filled = 0;
        while filled < out.len() {
            let wanted = (out.len() - filled).min(bytes.len() / L::TRIAL) * L::TRIAL;
            entropy.fill(&mut bytes[..wanted])?;
            self.rungs.warm();
            self.acceptance.warm();
            let mut blocks = bytes[..wanted].chunks_exact(LANES * L::TRIAL);
            for block in &mut blocks {
                lanes.read(block, &self.rungs);
                let doubts = self.doubts(&lanes, slope);
                let places = &mut out[filled..];
                if let (true, Some(places)) = (doubts == [0; LANES], places.first_chunk_mut()) {
                    lanes.write(self.shift, places);
                    filled += LANES;
                } else {
                    filled += self.sort_out(&lanes, &doubts, entropy, places)?;
                }
            }
            lanes.read(blocks.remainder(), &self.rungs);
            // All of the last ones are in doubt, so that a single draw does not show it.
            let doubts = &[1; LANES][..blocks.remainder().len() / L::TRIAL];
            filled += self.sort_out(&lanes, doubts, entropy, &mut out[filled..])?;
        }
        Ok(())
    }

    /// Zero where a lane is certain to be accepted.
    #[inline(always)]
    fn doubts<L: Low>(
        &self,
        lanes: &Lanes<L>,
        slope: impl Fn(Sieve, u16, u16) -> u16,
    ) -> [u16; LANES] {
        let signs = lanes.signs();
        let mut doubts = [0; LANES];
        for lane in 0..LANES {
            let (rung, low) = (lanes.rungs[lane], lanes.lows[lane]);
            let lead = low.lead(self.shift);
            let sure = least_sure(slope(self.sieve, rung, lead), lead);
            let minus_zero = signs[lane].saturating_sub(rung | low.trace(self.shift));
            // OPEN + 1 = 2^10.
            doubts[lane] = sure.saturating_sub(lanes.checks[lane]) | minus_zero | (rung + 1) >> 10;
        }
        doubts
    }

    /// Writes what is accepted of the first lanes to the front of `places`; how many those are.
    ///
    /// Lanes in doubt are decided by 32 bits of U. That takes longer than if none is in doubt, and
    /// the same time whether they are accepted or not: what it tells is that a lane was in
    /// doubt, and for one that was for lack of bits, several hundred were because they are rejected.
    #[inline(never)]
    fn sort_out<L: Low>(
        &self,
        lanes: &Lanes<L>,
        doubts: &[u16],
        entropy: &mut dyn Entropy,
        places: &mut [i64],
    ) -> Result<usize, SampleError> {
        let (mut values, mut accepted) = ([0; LANES], [true; LANES]);
        lanes.write(self.shift, &mut values);
        for lane in (0..doubts.len()).filter(|lane| doubts[*lane] != 0) {
            let (decision, word) = (self.decide(lanes, lane), lanes.words[lane]);
            accepted[lane] = decision.accept & !is_minus_zero(values[lane], word);
            if decision.is_open() {
                let low = lanes.lows[lane].low(self.shift);
                let trial = Trial { word, uniform: lanes.uniform(lane), low };
                let settled = self.settle(&trial, &mut Words::new(entropy))?;
                (values[lane], accepted[lane]) = (settled.unwrap_or(0), settled.is_some());
            }
        }
        let mut filled = 0;
        for lane in 0..doubts.len() {
            places[filled] = values[lane];
            filled += usize::from(accepted[lane]);
        }
        Ok(filled)
    }

    /// What 64 bits say of a lane: 32 of its rung and sign, 32 of U.
    #[inline(always)]
    fn decide<L: Low>(&self, lanes: &Lanes<L>, lane: usize) -> Decision {
        let rung = lanes.rungs[lane];
        let rise = self.rise(rung.into(), lanes.lows[lane].low(self.shift));
        let decision = self.acceptance.decide_short(rise, lanes.uniform(lane));
        let known = rung != OPEN;
        Decision { accept: decision.accept & known, possible: decision.possible | !known }
    }

    /// Decides a trial with more bits: some value if it is accepted.
    #[cold]
    fn settle(&self, trial: &Trial, words: &mut Words) -> Result<Option<i64>, SampleError> {
        let rung = match self.rungs.pick(trial.word) {
            OPEN => match self.rungs.pick_open(words)? {
                Some(rung) => rung,
                None => return Ok(None),
            },
            rung => Natural::from(rung),
        };
        // 32 bits of U are known; 64 more follow.
        let (lead, more) = (u64::from(trial.uniform), words.word()?);
        let decision = match u64::try_from(&rung) {
            Ok(rung) if rung < RUNGS => {
                let rise = self.rise(rung, trial.low);
                self.acceptance.decide(rise, lead << 32 | more >> 32)
            }
            Ok(_) | Err(_) => Decision::OPEN,
        };
        let foot = rung << to_index(self.shift);
        let magnitude = &foot + trial.low;
        let accepted = if decision.is_open() {
            let rise = &self.energy.of(&magnitude) - &self.energy.of(&foot);
            let read = Prefix { prefix: (Natural::from(lead) << 64) + more, bits: 96 };
            is_below(read, |bits| exp_neg(&rise, bits), words)?
        } else {
            decision.accept
        };
        let magnitude = saturated(&magnitude);
        let accepted = accepted && !is_minus_zero(magnitude, trial.word);
        Ok(accepted.then(|| signed(magnitude, trial.word & 1)))
    }

    /// E(2^s h + l) - E(2^s h) in the units of [`Acceptance`]: l (linear), l (2^(s+1) h + l)
    /// (quadratic).
    fn rise(&self, rung: u64, low: u64) -> u64 {
        match &self.energy {
            Energy::Linear { .. } => low,
            Energy::Quadratic { .. } => low * ((rung << (self.shift + 1)) + low),
        }
    }
}

/// The random bits of one trial.
struct Trial {
    word: u32,
    /// The leading bits of U.
    uniform: u32,
    low: u64,
}

#[inline]
fn is_minus_zero(magnitude: i64, word: u32) -> bool {
    (magnitude == 0) & (word & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededEntropy;
    use crate::script::Script;
    use throng_numeric::Rational;

    /// Strips of all kinds: the narrowest and widest low parts, whole and fractional scales.
    fn strips() -> Vec<Strips> {
        let rational = |text: &str| text.parse::<Rational>().unwrap();
        let scales = ["23.05", "46.09", "1000", "1e6", "1000000001/7", "1e9", "2e13"];
        let variances = ["11786", "47143", "1e6", "1e10", "1000000001/7", "1e18", "4e19"];
        let energies = (scales.iter().map(|scale| Energy::linear(&rational(scale)).unwrap()))
            .chain(variances.iter().map(|v| Energy::quadratic(&rational(v)).unwrap()));
        energies.map(|energy| Strips::new(&energy, energy.shift().unwrap()).unwrap()).collect()
    }

    /// What the lanes say, one by one: a value or nothing if they tell.
    fn told<L: Low>(strips: &Strips, lanes: &Lanes<L>) -> [Option<Option<i64>>; LANES] {
        let slope = match &strips.energy {
            Energy::Linear { .. } => Sieve::linear,
            Energy::Quadratic { .. } => Sieve::quadratic,
        };
        let (doubts, open) = (strips.doubts(lanes, slope), strips.open(lanes, slope));
        let mut values = [0; LANES];
        lanes.write(strips.shift, &mut values);
        std::array::from_fn(|lane| {
            assert!(!open[lane] || doubts[lane] != 0);
            (!open[lane]).then(|| (doubts[lane] == 0).then_some(values[lane]))
        })
    }

    fn settle<L: Low>(
        strips: &Strips,
        lanes: &Lanes<L>,
        lane: usize,
        words: &mut Words,
    ) -> Option<i64> {
        let low = lanes.lows[lane].low(strips.shift);
        let trial = Trial { word: lanes.words[lane], check: lanes.checks[lane], low };
        strips.settle(&trial, words).unwrap()
    }

    fn lanes_agree<L: Low>(strips: &Strips, seed: u64) {
        let entropy = &mut SeededEntropy::new(seed);
        let (mut accepted, mut rejected) = (0, 0);
        for _ in 0..200 {
            let mut bytes = vec![0; LANES * L::TRIAL];
            entropy.fill(&mut bytes).unwrap();
            let mut lanes = Lanes::<L>::default();
            lanes.read(&bytes, &strips.rungs);
            for (lane, told) in told(strips, &lanes).into_iter().enumerate() {
                let Some(told) = told else { continue };
                assert_eq!(settle(strips, &lanes, lane, &mut Words::new(entropy)), told);
                accepted += usize::from(told.is_some());
                rejected += usize::from(told.is_none());
            }
        }
        assert!(accepted > 2_880 && rejected > 0, "{accepted} accepted, {rejected} rejected");
    }

    /// The lanes and the exact trial read the same bits: what the lanes tell is the same,
    /// whatever bits follow.
    #[test]
    fn the_lanes_agree_with_the_exact_trial() {
        for (seed, strips) in (0..).zip(strips()) {
            match strips.shift {
                ..=8 => lanes_agree::<u8>(&strips, seed),
                9..=16 => lanes_agree::<u16>(&strips, seed),
                _ => lanes_agree::<u64>(&strips, seed),
            }
        }
    }

    /// P(accepted | v) = 2^16 e^-t - ⌊2^16 U⌋ where v leaves it open, to within Hoeffding's
    /// 2e-11; and certain where v does not.
    #[test]
    fn an_open_trial_is_accepted_with_its_probability() {
        const N: u64 = 10_000;
        let slack = (N * 127 / 10).isqrt() + 1;
        let entropy = &mut SeededEntropy::new(7);
        let strips = &strips()[9];
        let word = (0..=u32::MAX).step_by(2).find(|word| strips.rungs.pick(*word) == 77).unwrap();
        let low = (1 << strips.shift) / 3;
        let rise = &strips.energy.of(&((Natural::from(77_u8) << to_index(strips.shift)) + low))
            - &strips.energy.of(&(Natural::from(77_u8) << to_index(strips.shift)));
        let y = exp_neg(&rise, 80).unwrap().lower;
        let leading = u64::try_from(&y >> 64).unwrap();
        let fraction = u64::try_from(&y - (Natural::from(leading) << 64)).unwrap();
        let expected = u64::try_from((u128::from(fraction) * u128::from(N)) >> 64).unwrap();
        for (check, expected) in [(leading - 1, N), (leading, expected), (leading + 1, 0)] {
            let check = !u16::try_from(check).unwrap();
            let words = &mut Words::new(entropy);
            let trial = Trial { word, check, low };
            let accepted = (0..N).filter(|_| strips.settle(&trial, words).unwrap().is_some());
            let accepted = u64::try_from(accepted.count()).unwrap();
            assert!(accepted.abs_diff(expected) <= if expected % N == 0 { 0 } else { slack });
        }
    }

    /// A word that the short table leaves open: the rung comes from the words that follow.
    #[test]
    fn an_open_rung_is_drawn_from_the_next_word() {
        for strips in strips() {
            let open = (0..=u32::MAX).rev().step_by(2).find(|w| strips.rungs.pick(*w) == OPEN);
            let trial = Trial { word: open.unwrap(), check: u16::MAX, low: 0 };
            let mut drawn = [0, 0];
            for (drawn, column) in drawn.iter_mut().zip([3_u64, 4]) {
                let entropy = &mut Script::new(&[column << 54, 0]);
                *drawn = strips.settle(&trial, &mut Words::new(entropy)).unwrap().unwrap();
            }
            assert_eq!(drawn, [-3 << strips.shift, -4 << strips.shift]);
        }
    }

    fn fill_keeps_the_order<L: Low>(strips: &Strips, seed: u64) {
        const TRIALS: usize = 5 * LANES + 3;
        // As many words as the bytes of these trials, of which none is open.
        let mut bytes = vec![0; TRIALS * L::TRIAL + 8];
        SeededEntropy::new(seed).fill(&mut bytes).unwrap();
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        let mut expected = Vec::new();
        for block in bytes[..TRIALS * L::TRIAL].chunks(LANES * L::TRIAL) {
            let mut lanes = Lanes::<L>::default();
            lanes.read(block, &strips.rungs);
            let told = told(strips, &lanes).into_iter().take(block.len() / L::TRIAL);
            expected.extend(told.filter_map(|told| told.expect("an open trial: another seed")));
        }
        let mut out = [i64::MIN; TRIALS];
        strips.fill(&mut [0; 4096], &mut Script::new(&words), &mut out).unwrap();
        assert_eq!(out[..expected.len()], expected);
        assert!(!out.contains(&i64::MIN), "filled to the end");
    }

    /// Accepted trials are handed out in order, none twice and none left out.
    #[test]
    fn fill_hands_out_what_is_accepted() {
        for (seed, strips) in (100..).zip(strips()) {
            match strips.shift {
                ..=8 => fill_keeps_the_order::<u8>(&strips, seed),
                9..=16 => fill_keeps_the_order::<u16>(&strips, seed),
                _ => fill_keeps_the_order::<u64>(&strips, seed),
            }
        }
    }

    #[test]
    fn minus_zero_is_rejected_and_plus_zero_is_not() {
        for strips in strips() {
            // Column 0 is rung 0 at the bottom; U is near 0 and the low part 0.
            let mut lanes = Lanes::<u64>::default();
            (lanes.words[1], lanes.checks) = (1, [u16::MAX; LANES]);
            let told = told(&strips, &lanes);
            assert_eq!((told[0], told[1]), (Some(Some(0)), Some(None)));
            let entropy = &mut SeededEntropy::new(0);
            assert_eq!(settle(&strips, &lanes, 0, &mut Words::new(entropy)), Some(0));
            assert_eq!(settle(&strips, &lanes, 1, &mut Words::new(entropy)), None);
        }
    }
}
