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
//! 1. draw the rung with probability proportional to e^-E(2^s h), and a sign, from 32 bits
//!    ([`rungs`]);
//! 2. draw l uniformly: the s leading bits of 8, 16, 32 or 64;
//! 3. accept with probability e^-(E(2^s h + l) - E(2^s h)), by 16 bits ([`sieve`]) or, where those
//!    leave it in doubt, 16 more ([`acceptance`]);
//! 4. reject "minus zero", or 0 would come up twice as often as it should.
//!
//! For small scales s = 0: the rung *is* the magnitude, its weight counts both signs, and 32
//! bits give one sample with nothing to reject. Otherwise a trial takes 7 bytes up to s = 8 (σ
//! of 27 800, or a Laplace scale of 5 890), 8 bytes up to s = 16 (σ of 7.1 · 10^6, or 1.5 · 10^6), 10 up
//! to s = 32 (all Gaussians, or a scale of 9.9 · 10^10) and 14 beyond; and less than 1 % (Gaussian) or
//! 5 % (Laplace) of all trials are rejected. Sixteen trials are looked at together, several to an
//! instruction ([`lanes`]).
//!
//! # Why the law is exact
//! *Step 1* is exact by [`rungs`]: a table of 2^63 units that carries all but some 2^-50 of the
//! probability, and a remainder that is drawn with arithmetic of unlimited precision. The table
//! is split by [`short`] so that 32 bits decide all but 2^-21 of the draws, and a fresh word the
//! rest. *Step 3* asks whether U < e^-t for a uniform number U of which 32 bits are read: 16 of them
//! and a bound of e^-t ([`sieve`]) accept nearly all that is ever accepted, all 32 and finer
//! bounds ([`acceptance`]) decide all of the others but 2^-25, and the rest are decided by reading
//! the *same* U to ever more bits against ever finer bounds of the *same* probability
//! ([`crate::lazy`]). So a trial yields (h, l, sign) and acceptance with exactly
//!
//! ```text
//! P(h, l, sign, accepted) = C e^-E(2^s h) · 2^-s · e^-(E(2^s h + l) - E(2^s h)) · 1/2
//!                         = C' e^-E(|x|),
//! ```
//!
//! which depends on x alone; every x other than 0 arises from one (h, l, sign), and 0 from the
//! one that step 4 keeps. Trials are independent, so the first accepted x has the law
//! proportional to e^-E(|x|). No bit is used twice: of the 32, ten choose a column, 21 are
//! compared, one is the sign; 16 are the first of U; the low part has its own; and every
//! deeper decision draws new bits, the first of them the next 16 of U. Which bits are read as the next of U
//! does not matter, as long as no other draw reads them: they are uniform whatever was read before. A value that does not fit into an `i64` (probability below
//! e^-360000 at the scales of the fast engines) saturates, which is post-processing.
//!
//! # Time
//! A trial is the same instructions whatever it draws (a table look-up, multiplications, a
//! store). What branches is whether all of sixteen trials are certain to be accepted. Those that
//! are not are decided by 32 bits, in the same time whether they are accepted or not: hundreds
//! are rejected for one that is accepted, and the number and places of rejected trials are
//! independent of the values accepted. So is how often the next bits of U are fetched: once for so many
//! trials in doubt. Random bytes are fetched some at a time and used slice by slice; the tables are read through
//! before each, after what may have evicted them, and a slice leaves room for them, so that all look-ups hit the
//! first-level cache.
//!
//! The exceptions take some tenths of a microsecond more: 2^-25 of the trials, which 32 bits of U
//! leave open, with a chance that depends a little on the candidate; and 2^-21 of the rungs, which
//! 32 bits leave open as well, among them all those rarer than 2^-31. SECURITY.md says what timing
//! can still tell.
//!
//! # Reference
//! Walker (1977) and Vose (1991) for alias tables; Canonne, Kamath, Steinke (2020) for the
//! discrete Gaussian by rejection; Knuth, Yao (1976) for stopping to read a random number as
//! soon as the rest cannot matter.

mod acceptance;
mod add;
mod alias;
mod energy;
mod lanes;
mod put;
mod room;
mod rungs;
mod short;
mod sieve;
mod strips;
mod table;

pub use add::add_clamped;
use throng_numeric::{Integer, Natural, Rational};

use crate::{DiscreteGaussian, DiscreteLaplace, Entropy, SampleError};
use energy::Energy;
use put::{Add, Fill, Put};
use room::with_room;
use strips::Strips;
use table::Table;

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
    Table(Table),
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
        self.put(entropy, out, Fill)
    }

    /// Adds an independent sample to each value, clamped to ±`most` before and after; the time does not
    /// depend on the values either.
    ///
    /// # Errors
    /// If the entropy source fails; then the content of `values` is unspecified and must not be
    /// used. If `most` is not from 0 to 2^62 - 1.
    pub fn add(
        &self,
        entropy: &mut dyn Entropy,
        values: &mut [i64],
        most: i64,
    ) -> Result<(), SampleError> {
        if !(0..1 << 62).contains(&most) {
            return Err(SampleError::range("the largest value", &most, "from 0 to 2^62 - 1"));
        }
        self.put(entropy, values, Add { most })
    }

    fn put(
        &self,
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        put: impl Put,
    ) -> Result<(), SampleError> {
        with_room(out.len(), |room| match &self.0 {
            Engine::Table(table) => table.fill(room.bytes, entropy, out, put),
            Engine::Strips(strips) => strips.fill(room, entropy, out, put),
            Engine::Laplace(law) => put_one_by_one(out, put, || law.draw(entropy)),
            Engine::Gaussian(law) => put_one_by_one(out, put, || law.draw(entropy)),
        })
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
            Some(0) => Some(Self::Table(Table::new(energy)?)),
            Some(shift) => Some(Self::Strips(Strips::new(energy, shift)?)),
        })
    }
}

/// For laws beyond machine words.
fn put_one_by_one(
    out: &mut [i64],
    put: impl Put,
    mut draw: impl FnMut() -> Result<Integer, SampleError>,
) -> Result<(), SampleError> {
    for slot in out {
        let value = draw()?;
        let limit = if value < Integer::ZERO { -i64::MAX } else { i64::MAX };
        put.put(slot, i64::try_from(value).unwrap_or(limit).max(-i64::MAX));
    }
    Ok(())
}

/// `magnitude`, not negative, with its sign bit put on, without a branch.
#[inline]
fn signed(magnitude: i64, negative: u32) -> i64 {
    let negative = i64::from(negative);
    (magnitude ^ -negative) + negative
}

/// A magnitude of any size, clamped to what an `i64` can hold.
fn saturated(magnitude: &Natural) -> i64 {
    i64::try_from(magnitude).unwrap_or(i64::MAX)
}

/// A number of bits as an index.
fn to_index(bits: u32) -> usize {
    usize::try_from(bits).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededEntropy;

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
