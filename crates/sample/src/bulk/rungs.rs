//! The rung h with probability proportional to its weight, exactly.
//!
//! Let v_h = m_h e^-E(h) be the weights (m_h = 1, or 2 for h > 0 if both signs are counted
//! here) and c an integer. The table gives rung h < [`RUNGS`] the integer weight
//! n_h = floor of a lower bound of c v_h, and the symbol [`RESIDUAL`] what is missing to 2^63,
//! R = 2^63 - Σ n_h. Since c v_h = n_h + r_h with a remainder 0 <= r_h <= 2, the law c v_h is a
//! mixture of the table and of the remainders, and these are drawn as follows.
//!
//! Residual: draw j uniformly below R. If j < 2 · 2^10, it names the symbol ⌊j/2⌋:
//! - rung h: take it with probability r_h / 2;
//! - the last symbol, the tail h >= K = `RUNGS`: draw G geometric with ratio g = e^-a,
//!   a = E(K+1) - E(K) - (E(1) if quadratic), so that E(K + G) - E(K) = a G + (G² E(1) if
//!   quadratic); take K + G with probability d/2 · e^-(G² E(1)), d = c m_K e^-E(K) / (1 - g);
//!
//! in all other cases there is no rung, and the trial is over. So, per trial,
//!
//! ```text
//! P(h)     = n_h / 2^63 + R/2^63 · 2/R · r_h/2                      = c v_h / 2^63,  h < K,
//! P(K + G) = R/2^63 · 2/R · (1-g) g^G · d/2 · e^-(G² E(1))          = c v_(K+G) / 2^63,
//! ```
//!
//! both proportional to v, as claimed; c cancels, so no normalising constant is ever needed.
//! What must hold is checked when the table is built: r_h <= 2, d <= 2 and R >= 2 · 2^10.
//! The probability of coming here at all is R / 2^63, about 2^-50.
//!
//! The table itself is two, by [`super::short`]: one that decides by 32 bits, and one for the
//! 2^-21 of draws that those leave open.

use fearless_simd::prelude::*;
use throng_numeric::fixed::{FixedBounds, exp_neg};
use throng_numeric::{Natural, NumericError, Rational};

use super::alias::{AliasTable, COLUMNS, RESIDUAL, TOTAL};
use super::energy::Energy;
use super::short::ShortTable;
use crate::SampleError;
use crate::bernoulli;
use crate::lazy::{Prefix, is_below};
use crate::ratio::Ratio;
use crate::uniform::below_word;
use crate::words::Words;

/// Rungs in the table; one symbol is left for the residual.
pub(super) const RUNGS: u64 = RESIDUAL;

/// Bits of the weights from which the table is made.
const PRECISION: usize = 192;
/// What is kept back for the residual: at least two units for each symbol.
const RESERVE: u64 = 4 * (RESIDUAL + 1);

/// Where the two signs of a magnitude are accounted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BothSigns {
    /// Rungs are magnitudes: all but 0 weigh double, and the sign is a fair coin.
    InTheWeights,
    /// A sign is drawn for low parts as well, and the caller rejects minus zero.
    DrawnApart,
}

/// A law on the rungs.
#[derive(Debug)]
pub(super) struct Rungs {
    energy: Energy,
    signs: BothSigns,
    /// c.
    unit: u64,
    /// The n_h, and R last.
    weights: Box<[u64; COLUMNS]>,
    short: ShortTable,
    long: AliasTable,
}

impl Rungs {
    /// Prepares a law whose energy beyond the table is at least 44 (see [`Energy::shift`]).
    pub(super) fn new(energy: Energy, signs: BothSigns) -> Result<Self, SampleError> {
        Self::with_total(energy, signs, TOTAL)
    }

    /// As [`Rungs::new`], but with the n_h summing to at most `budget`; a small one sends many
    /// draws through the residual, so that tests can see it.
    fn with_total(energy: Energy, signs: BothSigns, budget: u64) -> Result<Self, SampleError> {
        let bounds = weight_bounds(&energy, signs)?;
        let sum = bounds.iter().fold(Natural::ZERO, |sum, weight| sum + &weight.upper);
        let unit = (Natural::from(budget - RESERVE) << PRECISION) / sum;
        let mut weights = Box::new([0; COLUMNS]);
        let mut left = TOTAL;
        for (slot, weight) in weights.iter_mut().zip(&bounds) {
            // The sum of these is at most unit · sum / 2^PRECISION <= budget - RESERVE.
            *slot = to_word((&unit * &weight.lower) >> PRECISION)?;
            left -= *slot;
        }
        weights[COLUMNS - 1] = left;
        let (short, long) = ShortTable::split(&weights)?;
        let rungs = Self { energy, signs, unit: to_word(unit)?, weights, short, long };
        rungs.check(&bounds)?;
        Ok(rungs)
    }

    /// r_h <= 2 and d <= 2, from certified bounds.
    fn check(&self, bounds: &[FixedBounds]) -> Result<(), SampleError> {
        let two = Natural::from(2_u8) << PRECISION;
        let small = |h: usize| {
            let weight = &bounds[h].upper * self.unit;
            weight <= (Natural::from(self.weights[h]) << PRECISION) + &two
        };
        let tail = self.half_tail(PRECISION)?;
        if (0..bounds.len()).all(small) && tail.upper <= Natural::ONE << PRECISION {
            Ok(())
        } else {
            Err(SampleError::Internal { what: "a table of rungs misses too much mass".into() })
        }
    }

    /// As [`ShortTable::warm`].
    #[inline]
    pub(super) fn warm(&self) {
        self.short.warm();
    }

    /// The rung chosen by a word (its lowest bit unused), or [`super::short::OPEN`].
    #[inline]
    pub(super) fn pick(&self, word: u32) -> u16 {
        self.short.pick(word)
    }

    /// The two halves of that: the look-up, and the choice.
    #[inline(always)]
    pub(super) fn cell(&self, word: u32) -> u32 {
        self.short.cell(word)
    }

    /// The rungs chosen by sixteen words whose cells were looked up.
    #[inline(always)]
    pub(super) fn pick_from<S: Simd>(
        simd: S,
        cells: &[u32; 16],
        words: &[u32; 16],
        rungs: &mut [u16; 16],
    ) {
        let ([first, second], [third, fourth]) = (eights(cells), eights(words));
        let low = ShortTable::pick_eight(simd, first, third);
        low.narrow(ShortTable::pick_eight(simd, second, fourth)).store_slice(rungs);
    }

    /// Draws what the short table left open: some rung of any size, or none.
    #[cold]
    pub(super) fn pick_open(&self, words: &mut Words) -> Result<Option<Natural>, SampleError> {
        match self.long.pick(words.word()?) {
            RESIDUAL => self.residual(words),
            rung => Ok(Some(Natural::from(rung))),
        }
    }

    /// Draws what both tables left open.
    fn residual(&self, words: &mut Words) -> Result<Option<Natural>, SampleError> {
        let symbol = below_word(self.weights[COLUMNS - 1], words)? / 2;
        if symbol > RESIDUAL { Ok(None) } else { self.take(symbol, words) }
    }

    /// The rung of a symbol named by the residual, if it is taken.
    fn take(&self, symbol: u64, words: &mut Words) -> Result<Option<Natural>, SampleError> {
        if symbol == RESIDUAL {
            return self.tail(words);
        }
        let taken = is_below(Prefix::EMPTY, |bits| self.half_remainder(symbol, bits), words)?;
        Ok(taken.then(|| Natural::from(symbol)))
    }

    /// A rung beyond the table, or none.
    fn tail(&self, words: &mut Words) -> Result<Option<Natural>, SampleError> {
        if !is_below(Prefix::EMPTY, |bits| self.half_tail(bits), words)? {
            return Ok(None);
        }
        let slope = Ratio::of(&self.tail_slope());
        let mut beyond = Natural::ZERO;
        while bernoulli::exp_neg(&slope, words)? {
            beyond += 1_u8;
        }
        let taken = match &self.energy {
            Energy::Linear { .. } => true,
            Energy::Quadratic { .. } => {
                bernoulli::exp_neg(&Ratio::of(&self.energy.of(&beyond)), words)?
            }
        };
        Ok(taken.then(|| beyond + RUNGS))
    }

    /// m_h.
    fn multiplicity(&self, h: u64) -> u64 {
        multiplicity(self.signs, h)
    }

    /// Bounds of r_h / 2 = (c v_h - n_h) / 2 in units of 2^-bits.
    fn half_remainder(&self, h: u64, bits: usize) -> Result<FixedBounds, NumericError> {
        let weight = exp_neg(&self.energy.of(&Natural::from(h)), bits + GUARD)?;
        let factor = Natural::from(self.unit) * self.multiplicity(h);
        let taken = Natural::from(self.weights[usize::try_from(h).unwrap_or(0)]) << (bits + GUARD);
        // The remainder is not negative, but its lower bound may be.
        let lower = &factor * weight.lower;
        let lower = if lower > taken { lower - &taken } else { Natural::ZERO };
        let upper = factor * weight.upper - taken;
        Ok(FixedBounds { lower: lower >> (GUARD + 1), upper: (upper >> (GUARD + 1)) + 1_u8 })
    }

    /// Bounds of d / 2 = c m_K e^-E(K) / (1 - g) / 2 in units of 2^-bits.
    fn half_tail(&self, bits: usize) -> Result<FixedBounds, NumericError> {
        let work = bits + GUARD;
        let weight = exp_neg(&self.energy.of(&Natural::from(RUNGS)), work)?;
        let ratio = exp_neg(&self.tail_slope(), work)?;
        let one = Natural::ONE << work;
        let factor = Natural::from(self.unit) * self.multiplicity(RUNGS);
        let lower = ((&factor * weight.lower) << work) / (&one - ratio.lower);
        let upper = ((factor * weight.upper) << work) / (one - ratio.upper) + 1_u8;
        Ok(FixedBounds { lower: lower >> (GUARD + 1), upper: (upper >> (GUARD + 1)) + 1_u8 })
    }

    /// The words with which [`Rungs::pick_open`] comes to the residual and draws `j` there.
    #[cfg(test)]
    pub(super) fn script_of_the_residual(&self, j: u64) -> Vec<u64> {
        let column = RESIDUAL << 54;
        assert_eq!(self.long.pick(column), RESIDUAL);
        let units = self.weights[COLUMNS - 1];
        assert!(j < units);
        vec![column, j << (units - 1).leading_zeros()]
    }

    /// The words with which it comes to the tail and takes it; what follows says how far.
    #[cfg(test)]
    pub(super) fn script_of_the_tail(&self) -> Vec<u64> {
        let mut script = self.script_of_the_residual(2 * RESIDUAL);
        // As many zeros as are read until U = 0 is seen to lie below d/2.
        let seen = |words: &usize| self.half_tail(64 * words).unwrap().lower > Natural::ZERO;
        script.extend(vec![0; (1..).find(seen).unwrap()]);
        script
    }

    /// a with E(K + G) = E(K) + a G (+ E(G) if quadratic).
    fn tail_slope(&self) -> Rational {
        match &self.energy {
            Energy::Linear { slope } => slope.clone(),
            Energy::Quadratic { curvature } => curvature * &Rational::from(2 * RUNGS),
        }
    }
}

/// More bits than the factor c m_h <= 2^64 can eat up, so that bounds stay two units apart; in
/// the tail 1 / (1 - g) takes another five, for its slope is at least E(K) / K > 1/24.
const GUARD: usize = 80;

/// Both halves.
#[inline(always)]
fn eights(all: &[u32; 16]) -> [&[u32; 8]; 2] {
    const NONE: &[u32; 8] = &[0; 8];
    let halves = all.as_chunks().0;
    [halves.first().unwrap_or(NONE), halves.last().unwrap_or(NONE)]
}

fn multiplicity(signs: BothSigns, h: u64) -> u64 {
    match signs {
        BothSigns::InTheWeights if h > 0 => 2,
        BothSigns::InTheWeights | BothSigns::DrawnApart => 1,
    }
}

/// Bounds of all v_h in the table, by multiplying up: e^-E(h+1) = e^-E(h) · s_h, where the
/// factor s_h is constant (linear) or itself shrinks by a constant ratio (quadratic). Each
/// product rounds its bound outward.
fn weight_bounds(energy: &Energy, signs: BothSigns) -> Result<Vec<FixedBounds>, SampleError> {
    let (first, ratio) = match energy {
        Energy::Linear { slope } => (slope.clone(), Rational::ZERO),
        Energy::Quadratic { curvature } => (curvature.clone(), curvature + curvature),
    };
    let (mut factor, ratio) = (exp_neg(&first, PRECISION)?, exp_neg(&ratio, PRECISION)?);
    let mut weight = exp_neg(&Rational::ZERO, PRECISION)?;
    let mut bounds = Vec::with_capacity(COLUMNS - 1);
    for h in 0..RUNGS {
        let m = multiplicity(signs, h);
        bounds.push(FixedBounds { lower: &weight.lower * m, upper: &weight.upper * m });
        weight = product(&weight, &factor);
        factor = product(&factor, &ratio);
    }
    Ok(bounds)
}

fn product(a: &FixedBounds, b: &FixedBounds) -> FixedBounds {
    FixedBounds {
        lower: (&a.lower * &b.lower) >> PRECISION,
        upper: ((&a.upper * &b.upper) >> PRECISION) + 1_u8,
    }
}

fn to_word(value: Natural) -> Result<u64, SampleError> {
    u64::try_from(value).map_err(|_| SampleError::Internal { what: "a weight overflows".into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededEntropy;
    use crate::script::Script;

    fn laplace(scale: &str) -> Energy {
        Energy::linear(&scale.parse().unwrap()).unwrap()
    }

    fn gaussian(sigma: &str) -> Energy {
        Energy::quadratic(&sigma.parse::<Rational>().unwrap().square()).unwrap()
    }

    /// The scales at which the table reaches least far, and others.
    fn energies() -> Vec<Energy> {
        let scales = ["0.001", "0.1", "1/3", "1", "10", "23.04"].map(laplace);
        let sigmas = ["0.01", "0.1", "1/3", "1", "10", "108.5"].map(gaussian);
        scales.into_iter().chain(sigmas).collect()
    }

    #[test]
    fn weights_are_the_floors_of_the_law_and_add_up() {
        for energy in energies() {
            for signs in [BothSigns::InTheWeights, BothSigns::DrawnApart] {
                let rungs = Rungs::new(energy.clone(), signs).unwrap();
                assert_eq!(rungs.weights.iter().sum::<u64>(), TOTAL);
                assert!(rungs.weights[COLUMNS - 1] < 1 << 14, "the residual is rare");
                for h in [0, 1, 2, 17, 1022] {
                    // 0 <= c v_h - n_h < 2, from bounds much finer than the table's.
                    let weight = exp_neg(&rungs.energy.of(&Natural::from(h)), 400).unwrap();
                    let factor = Natural::from(rungs.unit) * rungs.multiplicity(h);
                    let taken = Natural::from(rungs.weights[usize::try_from(h).unwrap()]) << 400;
                    assert!(&factor * weight.upper >= taken);
                    assert!(factor * weight.lower <= taken + (Natural::from(2_u8) << 400));
                }
            }
        }
    }

    #[test]
    fn a_law_beyond_the_table_is_refused() {
        assert!(Rungs::new(laplace("40"), BothSigns::DrawnApart).is_err());
        assert!(Rungs::new(gaussian("200"), BothSigns::DrawnApart).is_err());
    }

    /// |successes - n p| for n coins of probability p stays below this but for 2e-11 of all runs
    /// (Hoeffding: 2 e^(-2 t²/n) with t² = 12.7 n).
    fn slack(n: u64) -> u64 {
        (n * 127 / 10).isqrt() + 1
    }

    /// p in [lower, upper] 2^-64: is a count of successes among n plausible?
    fn assert_plausible(successes: u64, n: u64, p: &FixedBounds) {
        let expected = |bound: &Natural| u64::try_from((bound * n) >> 64).unwrap();
        assert!(successes + slack(n) >= expected(&p.lower), "too few: {successes} of {n}");
        assert!(successes <= expected(&p.upper) + 1 + slack(n), "too many: {successes} of {n}");
    }

    /// With few units the remainders are large fractions; each symbol must be taken with
    /// probability r_h / 2. The residual is asked symbol by symbol, because it would be asked
    /// once in 2^50 draws otherwise.
    #[test]
    fn remainders_are_drawn_with_their_probability() {
        const N: u64 = 10_000;
        let entropy = &mut SeededEntropy::new(1);
        let words = &mut Words::new(entropy);
        let mut large = 0;
        for energy in [laplace("3/2"), gaussian("7/3")] {
            let rungs = Rungs::with_total(energy, BothSigns::InTheWeights, 5000).unwrap();
            for h in 0..8 {
                let p = rungs.half_remainder(h, 64).unwrap();
                large += usize::from(p.lower > Natural::ONE << 62);
                let taken = (0..N).filter(|_| rungs.take(h, words).unwrap().is_some()).count();
                assert_plausible(taken.try_into().unwrap(), N, &p);
            }
        }
        assert!(large >= 3, "the test needs remainders that are not small");
    }

    /// Where the table reaches least far, the tail is taken with a probability worth testing,
    /// and what lies beyond it follows the law: P(first rung beyond) against P(any).
    #[test]
    fn the_tail_is_drawn_with_its_law() {
        const N: u64 = 40_000;
        let entropy = &mut SeededEntropy::new(2);
        let words = &mut Words::new(entropy);
        for energy in [laplace("23.04"), gaussian("108.5")] {
            let rungs = Rungs::new(energy, BothSigns::InTheWeights).unwrap();
            let drawn: Vec<Natural> =
                (0..N).filter_map(|_| rungs.take(RESIDUAL, words).unwrap()).collect();
            assert!(drawn.iter().all(|rung| *rung >= Natural::from(RUNGS)));
            // P(rung = h) = c v_h / 2 per attempt, for each h beyond.
            for h in [RUNGS, RUNGS + 1, RUNGS + 10, RUNGS + 30] {
                let count = drawn.iter().filter(|rung| **rung == Natural::from(h)).count();
                let weight = exp_neg(&rungs.energy.of(&Natural::from(h)), 64 + GUARD).unwrap();
                let factor = Natural::from(rungs.unit) * rungs.multiplicity(h);
                let p = FixedBounds {
                    lower: (&factor * weight.lower) >> (GUARD + 1),
                    upper: ((factor * weight.upper) >> (GUARD + 1)) + 1_u8,
                };
                assert_plausible(count.try_into().unwrap(), N, &p);
            }
            assert!(drawn.len() > 300, "the tail was taken {} times only", drawn.len());
        }
    }

    /// The residual, step by step: which number below R leads to which symbol, and that the
    /// symbol is taken if U lies below its remainder and not if it lies above.
    #[test]
    fn the_residual_names_each_symbol_twice() {
        for energy in energies() {
            let rungs = Rungs::new(energy, BothSigns::InTheWeights).unwrap();
            let draw = |script: &[u64], u: u64| {
                let script: Vec<u64> = script.iter().copied().chain(vec![u; 14]).collect();
                rungs.pick_open(&mut Words::new(&mut Script::new(&script))).unwrap()
            };
            // Of these the remainders are not too small to be seen with twelve words.
            for symbol in [0, 1, 5] {
                for j in [2 * symbol, 2 * symbol + 1] {
                    let script = rungs.script_of_the_residual(j);
                    if rungs.half_remainder(symbol, 64 * 12).unwrap().lower > Natural::ZERO {
                        assert_eq!(draw(&script, 0), Some(Natural::from(symbol)));
                    }
                    assert_eq!(draw(&script, u64::MAX), None);
                }
            }
            let units = rungs.weights[COLUMNS - 1];
            for j in [2 * RESIDUAL, 2 * RESIDUAL + 1] {
                assert_eq!(draw(&rungs.script_of_the_residual(j), u64::MAX), None, "the tail");
            }
            for j in [2 * RESIDUAL + 2, units - 1] {
                assert_eq!(draw(&rungs.script_of_the_residual(j), 0), None, "no symbol");
            }
        }
    }
}
