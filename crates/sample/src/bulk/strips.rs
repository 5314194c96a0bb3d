//! Trials with a rung and a low part: scales too large for one table.

use throng_numeric::Natural;
use throng_numeric::fixed::exp_neg;

use super::acceptance::{Acceptance, Decision};
use super::energy::Energy;
use super::lanes::{LANES, Lanes, Low};
use super::rungs::{BothSigns, RUNGS, Rungs};
use super::short::OPEN;
use super::sieve::{Sieve, least_possible, least_sure};
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
            let mut blocks = bytes[..wanted].chunks_exact(LANES * L::TRIAL);
            for block in &mut blocks {
                lanes.read(block, &self.rungs);
                let doubts = self.doubts(&lanes, slope);
                let places = &mut out[filled..];
                if let (true, Some(places)) = (doubts == [0; LANES], places.first_chunk_mut()) {
                    lanes.write(self.shift, places);
                    filled += LANES;
                } else {
                    filled += self.sort_out(&lanes, LANES, entropy, places, slope)?;
                }
            }
            lanes.read(blocks.remainder(), &self.rungs);
            let trials = blocks.remainder().len() / L::TRIAL;
            filled += self.sort_out(&lanes, trials, entropy, &mut out[filled..], slope)?;
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
    /// This takes longer than if all are accepted: but it tells which trials were rejected or
    /// open, not what was accepted.
    #[inline(never)]
    fn sort_out<L: Low>(
        &self,
        lanes: &Lanes<L>,
        trials: usize,
        entropy: &mut dyn Entropy,
        places: &mut [i64],
        slope: impl Fn(Sieve, u16, u16) -> u16 + Copy,
    ) -> Result<usize, SampleError> {
        let doubts = self.doubts(lanes, slope);
        let open = self.open(lanes, slope);
        let mut values = [0; LANES];
        lanes.write(self.shift, &mut values);
        let mut filled = 0;
        for lane in 0..trials {
            let (mut value, mut accepted) = (values[lane], doubts[lane] == 0);
            if open[lane] {
                let low = lanes.lows[lane].low(self.shift);
                let trial = Trial { word: lanes.words[lane], check: lanes.checks[lane], low };
                let settled = self.settle(&trial, &mut Words::new(entropy))?;
                (value, accepted) = (settled.unwrap_or(0), settled.is_some());
            }
            places[filled] = value;
            filled += usize::from(accepted);
        }
        Ok(filled)
    }

    /// Which lanes need more bits.
    #[inline(always)]
    fn open<L: Low>(
        &self,
        lanes: &Lanes<L>,
        slope: impl Fn(Sieve, u16, u16) -> u16,
    ) -> [bool; LANES] {
        let mut open = [false; LANES];
        for lane in 0..LANES {
            let (rung, check) = (lanes.rungs[lane], lanes.checks[lane]);
            let lead = lanes.lows[lane].lead(self.shift);
            let slope = slope(self.sieve, rung, lead);
            let possible = least_possible(slope, lead)..least_sure(slope, lead);
            open[lane] = possible.contains(&check) | (rung == OPEN);
        }
        open
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
        // 16 bits of U are known, as those of 1 - U; 64 more follow.
        let (lead, more) = (u64::from(!trial.check), words.word()?);
        let decision = match u64::try_from(&rung) {
            Ok(rung) if rung < RUNGS => {
                let rise = self.rise(rung, trial.low);
                self.acceptance.decide(rise, lead << 48 | more >> 16, 0)
            }
            Ok(_) | Err(_) => Decision::OPEN,
        };
        let foot = rung << to_index(self.shift);
        let magnitude = &foot + trial.low;
        let accepted = if decision.is_open() {
            let rise = &self.energy.of(&magnitude) - &self.energy.of(&foot);
            let read = Prefix { prefix: (Natural::from(lead) << 64) + more, bits: 80 };
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
    check: u16,
    low: u64,
}

#[inline]
fn is_minus_zero(magnitude: i64, word: u32) -> bool {
    (magnitude == 0) & (word & 1 == 1)
}
