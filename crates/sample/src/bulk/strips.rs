//! Trials with a rung and a low part: scales too large for one table.

use throng_numeric::Natural;
use throng_numeric::fixed::exp_neg;

use super::acceptance::{Acceptance, Decision};
use super::energy::Energy;
use super::lanes::{LANES, Lanes, Low};
use super::rungs::{BothSigns, RUNGS, Rungs};
use super::short::OPEN;
use super::sieve::{Sieve, Verdict, sure, verdict};
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
                filled += self.fill_lanes::<L>(block, entropy, &mut out[filled..], slope)?;
            }
            filled += self.fill_lanes::<L>(blocks.remainder(), entropy, &mut out[filled..], slope)?;
        }
        Ok(())
    }

    /// How many samples the trials in `bytes` gave.
    ///
    /// Mostly all are certain to be accepted, and then they are stored together. If not, they
    /// are looked at one by one, which takes longer: but that tells which trials were rejected
    /// or open, not what was accepted.
    #[inline]
    fn fill_lanes<L: Low>(
        &self,
        bytes: &[u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        slope: impl Fn(Sieve, u16, u16) -> u16,
    ) -> Result<usize, SampleError> {
        let trials = bytes.len() / L::TRIAL;
        let lanes = Lanes::<L>::read(bytes);
        let candidates = self.candidates(&lanes, slope);
        if let (Some(places), LANES, false) =
            (out.first_chunk_mut(), trials, candidates.any_doubt())
        {
            *places = candidates.values;
            return Ok(LANES);
        }
        self.fill_one_by_one(&lanes, &candidates, trials, entropy, out)
    }

    /// What the lanes propose, and where there is doubt.
    #[inline]
    fn candidates<L: Low>(
        &self,
        lanes: &Lanes<L>,
        slope: impl Fn(Sieve, u16, u16) -> u16,
    ) -> Candidates {
        let rungs = lanes.words.map(|word| self.rungs.pick(word));
        let mut slopes = [0; LANES];
        let mut doubts = [false; LANES];
        let mut values = [0; LANES];
        for lane in 0..LANES {
            let (rung, lead) = (rungs[lane], lanes.lows[lane].lead(self.shift));
            slopes[lane] = slope(self.sieve, rung, lead);
            doubts[lane] =
                lanes.checks[lane] < sure(slopes[lane], lead) || rung == OPEN;
        }
        for lane in 0..LANES {
            let low = lanes.lows[lane].low(self.shift);
            let magnitude = (i64::from(rungs[lane]) << self.shift) + low;
            values[lane] = signed(magnitude, lanes.words[lane] & 1);
            doubts[lane] |= is_minus_zero(magnitude, lanes.words[lane]);
        }
        Candidates { rungs, slopes, doubts, values }
    }

    /// As [`Strips::fill_lanes`], one trial after the other.
    #[inline(never)]
    fn fill_one_by_one<L: Low>(
        &self,
        lanes: &Lanes<L>,
        candidates: &Candidates,
        trials: usize,
        entropy: &mut dyn Entropy,
        out: &mut [i64],
    ) -> Result<usize, SampleError> {
        let mut filled = 0;
        for lane in 0..trials {
            let (check, low) = (lanes.checks[lane], lanes.lows[lane]);
            let sieved = verdict(candidates.slopes[lane], low.lead(self.shift), check);
            let value = match (candidates.doubts[lane], candidates.rungs[lane], sieved) {
                (false, _, _) => Some(candidates.values[lane]),
                (true, OPEN, _) | (true, _, Verdict::Open) => {
                    let trial = Trial { word: lanes.words[lane], check, low: low.low(self.shift) };
                    self.settle(&trial, &mut Words::new(entropy))?
                }
                (true, _, Verdict::Reject | Verdict::Accept) => None,
            };
            if let Some(value) = value {
                out[filled] = value;
                filled += 1;
            }
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
        let low = trial.low.unsigned_abs();
        // 16 bits of U are known, as those of 1 - U; 64 more follow.
        let (lead, more) = (u64::from(!trial.check), words.word()?);
        let decision = match u64::try_from(&rung) {
            Ok(rung) if rung < RUNGS => {
                let rise = self.rise(rung, low);
                self.acceptance.decide(rise, lead << 48 | more >> 16, 0)
            }
            Ok(_) | Err(_) => Decision::OPEN,
        };
        let foot = rung << to_index(self.shift);
        let magnitude = &foot + low;
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

/// What the lanes propose.
struct Candidates {
    rungs: [u16; LANES],
    slopes: [u16; LANES],
    /// Not certain to be accepted.
    doubts: [bool; LANES],
    values: [i64; LANES],
}

impl Candidates {
    #[inline]
    fn any_doubt(&self) -> bool {
        self.doubts.iter().fold(false, |any, doubt| any | doubt)
    }
}

/// The random bits of one trial.
struct Trial {
    word: u32,
    check: u16,
    low: i64,
}

#[inline]
fn is_minus_zero(magnitude: i64, word: u32) -> bool {
    (magnitude == 0) & (word & 1 == 1)
}
