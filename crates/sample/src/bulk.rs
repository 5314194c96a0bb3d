//! Bulk noise: millions of exact samples a second, in time that does not depend on them.
//!
//! # The scheme
//! A magnitude is written as a *rung* h and a *low part* l below 2^s,
//!
//! ```text
//! |x| = 2^s h + l,      e^-E(|x|) = e^-E(2^s h) · e^-(E(|x|) - E(2^s h)),
//! ```
//!
//! with E(x) = x / scale (discrete Laplace) or x² / (2σ²) (discrete Gaussian). The shift s is
//! chosen so that some thousand rungs reach beyond all but 2^-62 of the mass. One trial:
//!
//! 1. draw the rung with probability proportional to e^-E(2^s h), from one 64-bit word
//!    ([`rungs`]);
//! 2. draw l uniformly from s bits of a second word;
//! 3. accept with probability e^-(E(2^s h + l) - E(2^s h)), using the other bits of that word
//!    ([`acceptance`]);
//! 4. draw a sign; reject "minus zero", or 0 would come up twice as often as it should.
//!
//! For small scales s = 0: the rung *is* the magnitude, its weight counts both signs, and one
//! word gives one sample with nothing to reject.
//!
//! # Why the law is exact
//! *Step 1* is exact by [`rungs`]: an integer alias table that carries all but some 2^-50 of
//! the probability, and a remainder that is drawn with arithmetic of unlimited precision.
//! *Step 3* is exact by [`acceptance`]: integer bounds of the acceptance probability decide
//! all but some 2^-26 of the trials, and the rest are decided by reading the *same* uniform
//! number to more bits against ever finer bounds of the *same* probability ([`crate::lazy`]).
//! So a trial yields (h, l, sign) and acceptance with exactly
//!
//! ```text
//! P(h, l, sign, accepted) = C e^-E(2^s h) · 2^-s · e^-(E(2^s h + l) - E(2^s h)) · 1/2
//!                         = C' e^-E(|x|),
//! ```
//!
//! which depends on x alone; every x other than 0 arises from one (h, l, sign), and 0 from the
//! one that step 4 keeps. Trials are independent, so the first accepted x has the law
//! proportional to e^-E(|x|). No bit is used twice: of the first word, ten bits choose a column,
//! 53 are compared, one is the sign; of the second, s bits are l and 64 - s are compared; every
//! deeper decision draws new words. A value that does not fit into an `i64` (probability below
//! e^-10^8 at any scale served here) saturates, which is post-processing.
//!
//! # Time
//! A trial is the same instructions whatever it draws (table look-ups, multiplications, one
//! unconditional store), and the number of trials before acceptance is independent of the
//! value accepted. The tables are read through once between fetching random bytes (which may
//! evict them) and the first look-up, so that all look-ups hit the first-level cache. The
//! exceptions are the undecided trials above, some 10^-8 of all. SECURITY.md says what timing
//! can still tell.
//!
//! # Reference
//! Walker (1977) and Vose (1991) for alias tables; Canonne, Kamath, Steinke (2020) for the
//! discrete Gaussian by rejection; Knuth, Yao (1976) for stopping to read a random number as
//! soon as the rest cannot matter.

mod acceptance;
mod alias;
mod energy;
mod rungs;

use throng_numeric::fixed::exp_neg;
use throng_numeric::{Integer, Natural, Rational};

use crate::lazy::{Prefix, is_below};
use crate::words::Words;
use crate::{DiscreteGaussian, DiscreteLaplace, Entropy, SampleError};
use acceptance::Acceptance;
use energy::Energy;
use rungs::{BothSigns, Rungs};

/// Random bytes fetched at a time: small enough to stay in the first-level cache, large
/// enough that the fork check of [`crate::OsEntropy`] does not show.
const BATCH: usize = 8192;
/// Up to so many samples a smaller buffer will do, which need not be cleared at such length.
const FEW: usize = 16;

/// A prepared source of discrete Laplace or discrete Gaussian noise.
///
/// Preparing costs about a millisecond; after that, [`BulkNoise::fill`] draws tens of millions
/// of samples a second. Keep it as long as the scale stays the same.
///
/// # Guarantee
/// Every sample has exactly the law of [`DiscreteLaplace`] or [`DiscreteGaussian`] with the
/// given rational parameter, independently of all others, clamped to ±`i64::MAX`.
/// Unless [`BulkNoise::is_constant_time`] says otherwise, the time taken does not depend on
/// the values drawn.
///
/// ```
/// use throng_sample::{BulkNoise, OsEntropy};
/// let noise = BulkNoise::gaussian(&"1000000".parse()?)?; // variance: σ = 1000
/// let mut counts = vec![0; 10_000];
/// noise.fill(&mut OsEntropy, &mut counts)?;
/// assert!(counts.iter().any(|count| *count != 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BulkNoise(Engine);

#[derive(Debug)]
enum Engine {
    /// The rung is the magnitude.
    Table(Rungs),
    /// Rungs and low parts.
    Strips(Strips),
    /// Scales beyond those that fit into machine words.
    Laplace(DiscreteLaplace),
    /// As above.
    Gaussian(DiscreteGaussian),
}

impl BulkNoise {
    /// Discrete Laplace noise: P(x) proportional to e^(-|x| / scale).
    ///
    /// # Errors
    /// If the scale is not positive.
    pub fn laplace(scale: &Rational) -> Result<Self, SampleError> {
        let law = DiscreteLaplace::new(scale)?;
        let energy = Energy::linear(scale)?;
        Ok(Self(match Engine::of(&energy)? {
            Some(engine) => engine,
            None => Engine::Laplace(law),
        }))
    }

    /// Discrete Gaussian noise: P(x) proportional to e^(-x² / (2 variance)).
    ///
    /// # Errors
    /// If the variance is not positive.
    pub fn gaussian(variance: &Rational) -> Result<Self, SampleError> {
        let law = DiscreteGaussian::new(variance)?;
        let energy = Energy::quadratic(variance)?;
        Ok(Self(match Engine::of(&energy)? {
            Some(engine) => engine,
            None => Engine::Gaussian(law),
        }))
    }

    /// Fills `out` with independent samples.
    ///
    /// # Errors
    /// If the entropy source fails; then the content of `out` is unspecified and must not be
    /// used.
    pub fn fill(&self, entropy: &mut dyn Entropy, out: &mut [i64]) -> Result<(), SampleError> {
        match &self.0 {
            Engine::Table(_) | Engine::Strips(_) if out.len() <= FEW => {
                self.0.fill_fast(&mut [0; 16 * FEW], entropy, out)
            }
            Engine::Table(_) | Engine::Strips(_) => self.0.fill_fast(&mut [0; BATCH], entropy, out),
            Engine::Laplace(law) => fill_one_by_one(out, || law.draw(entropy)),
            Engine::Gaussian(law) => fill_one_by_one(out, || law.draw(entropy)),
        }
    }

    /// One sample.
    ///
    /// # Errors
    /// If the entropy source fails.
    pub fn draw(&self, entropy: &mut dyn Entropy) -> Result<i64, SampleError> {
        let mut out = [0];
        self.fill(entropy, &mut out)?;
        Ok(out[0])
    }

    /// Whether the time taken is independent of the values drawn: true up to a scale of about
    /// 2.5 · 10^13 (Laplace) or σ of about 7 · 10^9 (Gaussian). Beyond, samples are drawn one
    /// by one with integers of unlimited size, still exactly.
    #[must_use]
    pub fn is_constant_time(&self) -> bool {
        matches!(self.0, Engine::Table(_) | Engine::Strips(_))
    }
}

impl Engine {
    /// The fast engine for an energy, unless its scale is too large for one.
    fn of(energy: &Energy) -> Result<Option<Self>, SampleError> {
        Ok(match energy.shift() {
            None => None,
            Some(0) => Some(Self::Table(Rungs::new(energy.clone(), BothSigns::InTheWeights)?)),
            Some(shift) => Some(Self::Strips(Strips::new(energy, shift)?)),
        })
    }

    /// Fills `out` by way of a buffer for random bytes, whose length is a multiple of 16.
    fn fill_fast(
        &self,
        bytes: &mut [u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
    ) -> Result<(), SampleError> {
        match self {
            Self::Table(rungs) => fill_from_table(rungs, bytes, entropy, out),
            Self::Strips(strips) => strips.fill(bytes, entropy, out),
            Self::Laplace(_) | Self::Gaussian(_) => {
                Err(SampleError::Internal { what: "this law has no fast engine".into() })
            }
        }
    }
}

fn fill_one_by_one(
    out: &mut [i64],
    mut draw: impl FnMut() -> Result<Integer, SampleError>,
) -> Result<(), SampleError> {
    for slot in out {
        let value = draw()?;
        let limit = if value < Integer::ZERO { -i64::MAX } else { i64::MAX };
        *slot = i64::try_from(value).unwrap_or(limit).max(-i64::MAX);
    }
    Ok(())
}

/// One word, one sample; a residual that comes to nothing leaves its place to the next word.
fn fill_from_table(
    rungs: &Rungs,
    bytes: &mut [u8],
    entropy: &mut dyn Entropy,
    out: &mut [i64],
) -> Result<(), SampleError> {
    let mut filled = 0;
    while filled < out.len() {
        let wanted = (out.len() - filled).min(bytes.len() / 8) * 8;
        entropy.fill(&mut bytes[..wanted])?;
        rungs.warm();
        for word in bytes[..wanted].chunks_exact(8) {
            let word = read_word(word);
            let rung = rungs.pick(word);
            if rung == alias::RESIDUAL {
                if let Some(rung) = rungs.residual(&mut Words::new(entropy))? {
                    out[filled] = signed(saturated(&rung), word & 1);
                    filled += 1;
                }
                continue;
            }
            out[filled] = signed(rung, word & 1);
            filled += 1;
        }
    }
    Ok(())
}

/// The engine with rungs 2^shift apart.
#[derive(Debug)]
struct Strips {
    /// E on the magnitudes.
    energy: Energy,
    shift: u32,
    rungs: Rungs,
    acceptance: Acceptance,
}

impl Strips {
    fn new(energy: &Energy, shift: u32) -> Result<Self, SampleError> {
        Ok(Self {
            energy: energy.clone(),
            shift,
            rungs: Rungs::new(energy.on_rungs(shift)?, BothSigns::DrawnApart)?,
            acceptance: Acceptance::new(energy, shift)?,
        })
    }

    fn fill(
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

/// The word stored in 8 bytes.
#[inline]
fn read_word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// `magnitude`, at most i64::MAX, with its sign bit put on, without a branch.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "a magnitude is below 2^63, a sign bit 0 or 1")]
fn signed(magnitude: u64, negative: u64) -> i64 {
    let (magnitude, negative) = (magnitude as i64, negative as i64);
    (magnitude ^ -negative) + negative
}

/// A magnitude of any size, clamped to what an `i64` can hold.
fn saturated(magnitude: &Natural) -> u64 {
    const MOST: u64 = i64::MAX.unsigned_abs();
    u64::try_from(magnitude).map_or(MOST, |magnitude| magnitude.min(MOST))
}

/// A number of bits as an index.
fn to_index(bits: u32) -> usize {
    usize::try_from(bits).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededEntropy;

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

    #[test]
    fn signs_and_saturation() {
        assert_eq!((signed(5, 0), signed(5, 1), signed(0, 1)), (5, -5, 0));
        let huge = Natural::ONE << 80;
        assert_eq!(signed(saturated(&huge), 0), i64::MAX);
        assert_eq!(signed(saturated(&huge), 1), -i64::MAX);
    }

    #[test]
    fn the_engine_changes_with_the_scale_and_beyond_all_of_them_is_still_exact() {
        let laplace = |scale: &str| BulkNoise::laplace(&scale.parse().unwrap()).unwrap();
        assert!(matches!(laplace("23.04").0, Engine::Table(_)));
        assert!(matches!(laplace("23.05").0, Engine::Strips(_)));
        assert!(matches!(laplace("2.5e13").0, Engine::Strips(_)));
        assert!(!laplace("2.6e13").is_constant_time());
        let beyond = laplace("1e40");
        let mut out = [0; 64];
        beyond.fill(&mut SeededEntropy::new(3), &mut out).unwrap();
        assert!(out.iter().all(|x| x.abs() == i64::MAX), "1e40 does not fit");
    }
}
