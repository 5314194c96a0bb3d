//! Trials with a rung and a low part: scales too large for one table.

use throng_numeric::Natural;
use throng_numeric::fixed::exp_neg;

use super::acceptance::Acceptance;
use super::energy::Energy;
use super::rungs::{BothSigns, Rungs};
use super::{alias, read_word, saturated, signed, to_index};
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
    acceptance: Acceptance,
}

impl Strips {
    pub(super) fn new(energy: &Energy, shift: u32) -> Result<Self, SampleError> {
        Ok(Self {
            energy: energy.clone(),
            shift,
            rungs: Rungs::new(energy.on_rungs(shift)?, BothSigns::DrawnApart)?,
            acceptance: Acceptance::new(energy, shift)?,
        })
    }

    pub(super) fn fill(
        &self,
        bytes: &mut [u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
    ) -> Result<(), SampleError> {
        // One loop for each shape of E, so that neither asks which it is.
        match &self.energy {
            Energy::Linear { .. } => self.fill_with(bytes, entropy, out, linear_rise),
            Energy::Quadratic { .. } => self.fill_with(bytes, entropy, out, quadratic_rise),
        }
    }

    /// Two words, one trial.
    ///
    /// Each candidate is stored; only acceptance moves on to the next place. So an accepted and
    /// a rejected candidate cost the same.
    #[inline]
    fn fill_with(
        &self,
        bytes: &mut [u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        rise: impl Fn(u32, u64, u64) -> u64,
    ) -> Result<(), SampleError> {
        let mut filled = 0;
        while filled < out.len() {
            let wanted = (out.len() - filled).min(bytes.len() / 16) * 16;
            entropy.fill(&mut bytes[..wanted])?;
            self.rungs.warm();
            self.acceptance.warm();
            for pair in bytes[..wanted].chunks_exact(16) {
                let (first, second) = (read_word(&pair[..8]), read_word(&pair[8..]));
                let trial = self.trial(first, second, &rise);
                if trial.open {
                    if let Some(value) = self.decide_exactly(first, second, entropy)? {
                        out[filled] = value;
                        filled += 1;
                    }
                    continue;
                }
                out[filled] = trial.value;
                filled += usize::from(trial.accept);
            }
        }
        Ok(())
    }

    /// What two words say. `rise` gives E(|x|) - E(2^s h) in the units of [`Acceptance`].
    #[inline]
    fn trial(&self, first: u64, second: u64, rise: impl Fn(u32, u64, u64) -> u64) -> Trial {
        let low_mask = (1 << self.shift) - 1;
        let rung = self.rungs.pick(first);
        let low = second & low_mask;
        let decision = self.acceptance.decide(rise(self.shift, rung, low), second, low_mask);
        let magnitude = rung << self.shift | low;
        let minus_zero = magnitude == 0 && first & 1 == 1;
        Trial {
            value: signed(magnitude, first & 1),
            accept: decision.accept & !minus_zero,
            open: rung == alias::RESIDUAL || decision.is_open(),
        }
    }

    /// The same trial with exact arithmetic: some value if it is accepted.
    #[cold]
    fn decide_exactly(
        &self,
        first: u64,
        second: u64,
        entropy: &mut dyn Entropy,
    ) -> Result<Option<i64>, SampleError> {
        let words = &mut Words::new(entropy);
        let rung = match self.rungs.pick(first) {
            alias::RESIDUAL => match self.rungs.residual(words)? {
                Some(rung) => rung,
                None => return Ok(None),
            },
            rung => Natural::from(rung),
        };
        let foot = rung << to_index(self.shift);
        let magnitude = &foot + (second & ((1 << self.shift) - 1));
        let rise = &self.energy.of(&magnitude) - &self.energy.of(&foot);
        let read =
            Prefix { prefix: Natural::from(second >> self.shift), bits: to_index(64 - self.shift) };
        let accepted = is_below(read, |bits| exp_neg(&rise, bits), words)?;
        let minus_zero = magnitude.is_zero() && first & 1 == 1;
        Ok((accepted && !minus_zero).then(|| signed(saturated(&magnitude), first & 1)))
    }
}

/// The outcome of a trial as far as two words tell.
struct Trial {
    value: i64,
    accept: bool,
    /// These words do not tell.
    open: bool,
}

/// E(2^s h + l) - E(2^s h) in units of the slope: l.
#[inline]
fn linear_rise(_: u32, _: u64, low: u64) -> u64 {
    low
}

/// E(2^s h + l) - E(2^s h) in units of the curvature: l (2^(s+1) h + l).
#[inline]
fn quadratic_rise(shift: u32, rung: u64, low: u64) -> u64 {
    low * ((rung << (shift + 1)) + low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededEntropy;
    use throng_numeric::Rational;

    /// Strips of all kinds: the narrowest and widest low parts, whole and fractional scales.
    fn strips() -> Vec<Strips> {
        let rational = |text: &str| text.parse::<Rational>().unwrap();
        let scales = ["23.05", "46.09", "1000", "1000000001/7", "1e9", "2e13"];
        let variances = ["11786", "47143", "1e6", "1000000001/7", "1e18", "4e19"];
        let energies = (scales.iter().map(|scale| Energy::linear(&rational(scale)).unwrap()))
            .chain(variances.iter().map(|v| Energy::quadratic(&rational(v)).unwrap()));
        energies.map(|energy| Strips::new(&energy, energy.shift().unwrap()).unwrap()).collect()
    }

    /// The fast trial and the exact one read the same words: where the fast one decides, it
    /// decides the same.
    #[test]
    fn the_fast_trial_agrees_with_the_exact_one() {
        for (seed, strips) in (0..).zip(strips()) {
            let entropy = &mut SeededEntropy::new(seed);
            let (mut accepted, mut rejected) = (0, 0);
            for _ in 0..3_000 {
                let mut pair = [0; 16];
                entropy.fill(&mut pair).unwrap();
                let (first, second) = (read_word(&pair[..8]), read_word(&pair[8..]));
                let trial = match &strips.energy {
                    Energy::Linear { .. } => strips.trial(first, second, linear_rise),
                    Energy::Quadratic { .. } => strips.trial(first, second, quadratic_rise),
                };
                let exact = strips.decide_exactly(first, second, entropy).unwrap();
                assert!(trial.open || exact == trial.accept.then_some(trial.value));
                accepted += usize::from(trial.accept);
                rejected += usize::from(!trial.accept);
            }
            assert!(accepted > 2_700 && rejected > 0, "{accepted} accepted, {rejected} rejected");
        }
    }

    #[test]
    fn minus_zero_is_rejected_and_plus_zero_is_not() {
        for strips in strips() {
            // Column 0 is rung 0 at the bottom; the rest of both words is zero.
            let trial = |sign| strips.trial(sign, 0, linear_rise);
            assert_eq!((trial(0).value, trial(0).accept), (0, true));
            assert_eq!((trial(1).value, trial(1).accept), (0, false));
            let entropy = &mut SeededEntropy::new(0);
            assert_eq!(strips.decide_exactly(0, 0, entropy).unwrap(), Some(0));
            assert_eq!(strips.decide_exactly(1, 0, entropy).unwrap(), None);
        }
    }
}
