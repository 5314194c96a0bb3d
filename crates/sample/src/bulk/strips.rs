//! Trials with a rung and a low part: scales too large for one table.

use fearless_simd::{Level, dispatch, prelude::*};
use throng_numeric::Natural;
use throng_numeric::fixed::exp_neg;

use super::acceptance::{Acceptance, Decision};
use super::energy::Energy;
use super::lanes::{Finer, LANES, Lanes, Low, cells};
use super::put::Put;
use super::room::{BEHIND, Found, Room, SLICE};
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
        room: Room<'_>,
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        put: impl Put,
    ) -> Result<(), SampleError> {
        // One loop for each shape of E and width of l, so that none asks which it is.
        match &self.energy {
            Energy::Linear { .. } => self.fill_along(room, entropy, out, (Sieve::linear, put)),
            Energy::Quadratic { .. } => {
                self.fill_along(room, entropy, out, (Sieve::quadratic, put))
            }
        }
    }

    #[inline]
    fn fill_along(
        &self,
        room: Room<'_>,
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        how: (impl Fn(Sieve, u16, u16) -> u16 + Copy, impl Put),
    ) -> Result<(), SampleError> {
        let level = Level::new();
        if self.shift <= u8::MOST {
            dispatch!(level, simd => self.fill_with::<u8, _>(simd, room, entropy, out, how))
        } else if self.shift <= u16::MOST {
            dispatch!(level, simd => self.fill_with::<u16, _>(simd, room, entropy, out, how))
        } else if self.shift <= u32::MOST {
            dispatch!(level, simd => self.fill_with::<u32, _>(simd, room, entropy, out, how))
        } else {
            dispatch!(level, simd => self.fill_with::<u64, _>(simd, room, entropy, out, how))
        }
    }

    /// The instructions are as wide as the machine has them.
    #[inline(always)]
    fn fill_with<L: Low, S: Simd>(
        &self,
        simd: S,
        room: Room<'_>,
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        (slope, put): (impl Fn(Sieve, u16, u16) -> u16 + Copy, impl Put),
    ) -> Result<(), SampleError> {
        let Room { bytes: drawn, found: places } = room;
        let most = drawn.len().saturating_sub(BEHIND) / (LANES * L::TRIAL) * LANES;
        let slice = (LANES * L::TRIAL) * places.len().min(SLICE / (LANES * L::TRIAL)).max(1);
        let (mut finer, mut filled) = (Finer::new(), 0);
        while filled < out.len() {
            let trials = (out.len() - filled).min(most);
            let (blocks, last) = (trials / LANES * LANES * L::TRIAL, trials % LANES);
            let bytes = &mut drawn[..blocks + last * (L::TRIAL + 2)];
            entropy.fill(bytes)?;
            let (blocks, last) = bytes.split_at(blocks);
            for blocks in blocks.chunks(slice) {
                self.warm();
                let blocks = blocks.chunks_exact(LANES * L::TRIAL);
                // Three short loops, of which each has many blocks in the works at a time.
                for (block, found) in blocks.clone().zip(&mut *places) {
                    cells(block, &self.rungs, &mut found.cells);
                }
                for (block, found) in blocks.clone().zip(&mut *places) {
                    let mut lanes = Lanes::<L>::default();
                    lanes.read_all(block);
                    lanes.pick_from(simd, &found.cells);
                    found.rungs = lanes.rungs;
                    found.doubts = self.doubts(simd, &lanes, slope);
                }
                for (block, found) in blocks.zip(&*places) {
                    let places = &mut out[filled..];
                    if let (true, Some(places)) = (is_zero(&found.doubts), places.first_chunk_mut())
                    {
                        let mut lanes = Lanes::<L>::default();
                        lanes.read_all(block);
                        lanes.rungs = found.rungs;
                        let mut values = [0; LANES];
                        lanes.write(self.shift, &mut values);
                        put_all(put, places, &values);
                        filled += LANES;
                    } else {
                        filled +=
                            self.sort_out::<L>(block, found, &mut finer, entropy, places, put)?;
                    }
                }
            }
            // All of the last ones are in doubt, so that a single draw does not show it; their finer
            // bits lie behind them.
            let trials = last.len() / (L::TRIAL + 2);
            let (last, behind) = last.split_at(trials * L::TRIAL);
            if trials > 0 {
                self.warm();
                let mut lanes = Lanes::<L>::default();
                lanes.read(last);
                lanes.pick(&self.rungs);
                finer.put(behind);
                let found = Found { rungs: lanes.rungs, doubts: [1; LANES], ..Found::NONE };
                let places = &mut out[filled..];
                filled += self.sort_out::<L>(last, &found, &mut finer, entropy, places, put)?;
            }
        }
        Ok(())
    }

    /// Reads the tables through, so that all look-ups that follow hit the first-level cache.
    fn warm(&self) {
        self.rungs.warm();
        self.acceptance.warm();
    }

    /// Zero where a lane is certain to be accepted.
    #[inline(always)]
    fn doubts<L: Low, S: Simd>(
        &self,
        simd: S,
        lanes: &Lanes<L>,
        slope: impl Fn(Sieve, u16, u16) -> u16,
    ) -> [u16; LANES] {
        let signs = lanes.signs(simd);
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

    /// Puts what is accepted of the trials in `bytes` at the front of `places`; how many those are.
    ///
    /// Lanes in doubt are decided by 32 bits of U. That takes longer than if none is in doubt, and
    /// the same time whether they are accepted or not: it tells that a lane was in doubt, and
    /// hundreds are because they are rejected for one that is not.
    #[inline(never)]
    fn sort_out<L: Low>(
        &self,
        bytes: &[u8],
        found: &Found,
        finer: &mut Finer,
        entropy: &mut dyn Entropy,
        places: &mut [i64],
        put: impl Put,
    ) -> Result<usize, SampleError> {
        let mut lanes = Lanes::<L> { rungs: found.rungs, ..Lanes::default() };
        lanes.read(bytes);
        let doubts = &found.doubts[..bytes.len() / L::TRIAL];
        let (mut values, mut accepted) = ([0; LANES], [true; LANES]);
        lanes.write(self.shift, &mut values);
        for lane in (0..doubts.len()).filter(|lane| doubts[*lane] != 0) {
            let (uniform, word) = (lanes.uniform(lane, finer.next(entropy)?), lanes.words[lane]);
            let decision = self.decide(&lanes, lane, uniform);
            accepted[lane] = decision.accept & !is_minus_zero(values[lane], word);
            if decision.is_open() {
                let low = lanes.lows[lane].low(self.shift);
                let trial = Trial { word, uniform, low };
                let settled = self.settle(&trial, &mut Words::new(entropy))?;
                (values[lane], accepted[lane]) = (settled.unwrap_or(0), settled.is_some());
            }
        }
        // Accepted ones move up; one that is not is overwritten by what follows it.
        let mut kept = 0;
        for lane in 0..doubts.len() {
            values[kept] = values[lane];
            kept += usize::from(accepted[lane]);
        }
        places.iter_mut().zip(&values[..kept]).for_each(|(place, value)| put.put(place, *value));
        Ok(kept)
    }

    /// What 64 bits say of a lane: 32 of its rung and sign, 32 of U.
    #[inline(always)]
    fn decide<L: Low>(&self, lanes: &Lanes<L>, lane: usize, uniform: u32) -> Decision {
        let rung = lanes.rungs[lane];
        let rise = self.rise(rung.into(), lanes.lows[lane].low(self.shift));
        let decision = self.acceptance.decide_short(rise, uniform);
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

/// Whether all are 0, without asking one by one.
#[inline(always)]
fn is_zero(doubts: &[u16; LANES]) -> bool {
    doubts.iter().fold(0, |all, doubt| all | doubt) == 0
}

/// One value for each place.
#[inline(always)]
fn put_all(put: impl Put, places: &mut [i64; LANES], values: &[i64; LANES]) {
    for (place, value) in places.iter_mut().zip(values) {
        put.put(place, *value);
    }
}

#[inline]
fn is_minus_zero(magnitude: i64, word: u32) -> bool {
    (magnitude == 0) & (word & 1 == 1)
}

#[cfg(test)]
mod tests;
