//! Trials with a rung and a low part: scales too large for one table.

use throng_numeric::Natural;
use throng_numeric::fixed::exp_neg;

use super::acceptance::{Acceptance, Decision};
use super::energy::Energy;
use super::lanes::{LANES, Lanes, Low};
use super::rungs::{BothSigns, RUNGS, Rungs};
use super::short::OPEN;
use super::sieve::{Sieve, sift};
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
        let (linear, quadratic) = (Sieve::linear, Sieve::quadratic);
        match (&self.energy, self.shift <= u16::MOST) {
            (Energy::Linear { .. }, true) => self.fill_with::<u16>(bytes, entropy, out, linear),
            (Energy::Linear { .. }, false) => self.fill_with::<u64>(bytes, entropy, out, linear),
            (Energy::Quadratic { .. }, true) => {
                self.fill_with::<u16>(bytes, entropy, out, quadratic)
            }
            (Energy::Quadratic { .. }, false) => {
                self.fill_with::<u64>(bytes, entropy, out, quadratic)
            }
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
        let mut filled = 0;
        while filled < out.len() {
            let wanted = (out.len() - filled).min(bytes.len() / L::TRIAL) * L::TRIAL;
            entropy.fill(&mut bytes[..wanted])?;
            self.rungs.warm();
            let mut blocks = bytes[..wanted].chunks_exact(LANES * L::TRIAL);
            for block in &mut blocks {
                let lanes = Lanes::<L>::read(block);
                let candidates = self.candidates(&lanes, slope);
                let places = &mut out[filled..];
                places[..LANES].copy_from_slice(&candidates.values);
                filled += if candidates.all_accepted() {
                    LANES
                } else {
                    self.sort_out(&lanes, &candidates, LANES, entropy, places)?
                };
            }
            let rest = blocks.remainder();
            filled += self.fill_rest::<L>(rest, entropy, &mut out[filled..], slope)?;
        }
        Ok(())
    }

    /// The last trials of a batch, fewer than the lanes.
    #[inline(never)]
    fn fill_rest<L: Low>(
        &self,
        bytes: &[u8],
        entropy: &mut dyn Entropy,
        places: &mut [i64],
        slope: impl Fn(Sieve, u16, u16) -> u16,
    ) -> Result<usize, SampleError> {
        let trials = bytes.len() / L::TRIAL;
        let lanes = Lanes::<L>::read(bytes);
        let candidates = self.candidates(&lanes, slope);
        places[..trials].copy_from_slice(&candidates.values[..trials]);
        self.sort_out(&lanes, &candidates, trials, entropy, places)
    }

    /// What the lanes propose, and what becomes of it.
    #[inline(always)]
    fn candidates<L: Low>(
        &self,
        lanes: &Lanes<L>,
        slope: impl Fn(Sieve, u16, u16) -> u16,
    ) -> Candidates {
        let rungs = lanes.words.map(|word| self.rungs.pick(word));
        let (mut accepted, mut open, mut values) = ([0; LANES], [0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let (rung, low, word) = (rungs[lane], lanes.lows[lane], lanes.words[lane]);
            let lead = low.lead(self.shift);
            let sifted = sift(slope(self.sieve, rung, lead), lead, lanes.checks[lane]);
            let minus_zero = (rung == 0) & low.is_zero(self.shift) & (word & 1 == 1);
            accepted[lane] = u16::from(sifted.accept & (rung != OPEN) & !minus_zero);
            open[lane] = u16::from(!(sifted.accept | sifted.reject) | (rung == OPEN));
        }
        for lane in 0..LANES {
            let (rung, word) = (rungs[lane], lanes.words[lane]);
            values[lane] = lanes.lows[lane].signed(rung, self.shift, word);
        }
        Candidates { accepted, open, values }
    }

    /// Moves what is accepted of the first lanes to the front of `places`; how many those are.
    ///
    /// That takes longer than if all are accepted: but it tells which trials were rejected or
    /// open, not what was accepted.
    #[inline(never)]
    fn sort_out<L: Low>(
        &self,
        lanes: &Lanes<L>,
        candidates: &Candidates,
        trials: usize,
        entropy: &mut dyn Entropy,
        places: &mut [i64],
    ) -> Result<usize, SampleError> {
        let mut filled = 0;
        for lane in 0..trials {
            let (mut value, mut accepted) = (candidates.values[lane], candidates.accepted[lane]);
            if candidates.open[lane] == 1 {
                let low = lanes.lows[lane].low(self.shift);
                let trial = Trial { word: lanes.words[lane], check: lanes.checks[lane], low };
                let settled = self.settle(&trial, &mut Words::new(entropy))?;
                (value, accepted) = settled.map_or((0, 0), |value| (value, 1));
            }
            places[filled] = value;
            filled += usize::from(accepted);
        }
        Ok(filled)
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

/// What the lanes propose; flags are 0 or 1.
struct Candidates {
    /// For certain.
    accepted: [u16; LANES],
    /// To be decided with more bits.
    open: [u16; LANES],
    values: [i64; LANES],
}

impl Candidates {
    #[inline]
    fn all_accepted(&self) -> bool {
        self.accepted.iter().fold(1, |all, accepted| all & accepted) == 1
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
