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
        let most = bytes.len() / (LANES * L::TRIAL) * LANES;
        let mut lanes = Lanes::<L>::default();
        let mut filled = 0;
        while filled < out.len() {
            let wanted = (out.len() - filled).min(most) * L::TRIAL;
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
    /// the same time whether they are accepted or not: it tells that a lane was in doubt, and
    /// hundreds are because they are rejected for one that is not.
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
mod tests;
