//! Accepting with probability e^-t, in a handful of integer instructions.
//!
//! This is for the trials of which [`super::sieve`] does not say that they are accepted: with 32
//! bits of U for all of them, and 64 for the few that those leave open.
//!
//! # The filter
//! t = q ρ with an integer q (the *rise*, in units of ρ) and a rational ρ; here 0 <= t < 1/2.
//! All numbers below are 64-bit integers, `high(a, b)` = ⌊a b / 2^64⌋.
//!
//! 1. τ = high(q 2^z, ι), with ι = ⌊ρ 2^(128-z)⌋. Then t 2^64 - 2 < τ <= t 2^64: the product is
//!    at most q ρ 2^128; ι loses less than 1, times q 2^z < 2^64; the floor loses less than 1.
//! 2. τ = i 2^56 + r. With i' = i / 2^8 and r' = r / 2^64 < 2^-8, e^-τ' = e^-i' e^-r'.
//! 3. ε = ⌊2^63 e^-i'⌋ from a table, and S = 2^63 - ⌊r/2⌋ + ⌊high(r, r) / 4⌋, which differs from
//!    2^63 (1 - r' + r'²/2) by less than 1.25 downward and 0.5 upward. That polynomial exceeds
//!    e^-r' by at most r'³/6 < 2^-26.58.
//! 4. P = high(ε, S), an estimate of y = 2^62 e^-t. Upward:
//!    y <= 2^62 e^-τ' < (ε + 1)(S + 1.25) / 2^64 < P + 1 + (1.25 ε + S + 1.25) / 2^64 < P + 3.
//!    Downward: y >= 2^62 e^-τ' (1 - 2^-63) and 2^62 e^-τ' >= ε (S - 0.5 - 2^63 2^-26.58) / 2^64,
//!    so y > P - 1/4 - 2^35.5 - 1 > P - 2^36.
//!
//! Hence P - 2^36 < 2^62 e^-t < P + 3.
//!
//! # The decision
//! Bits of U say that U 2^64 lies in [first, last + 1): first continues them with zeros, last with
//! ones. So U < e^-t is certain if last + 1 <= 4 (P - 2^36), impossible if first >= 4 (P + 3), and
//! otherwise undecided. That happens to less than 2^-25.9 of all U if 32 bits are known (an interval
//! of 2^36 + 3 + 2^30 in 2^62), and to less than 2^-25.9 if 64 are.

use std::sync::OnceLock;

use throng_numeric::fixed::exp_neg;
use throng_numeric::{Natural, Rational};

use super::energy::Energy;
use super::to_index;
use crate::SampleError;

/// How far 2^62 e^-t may lie above P, and below it.
const ABOVE: u64 = 3;
const BELOW: u64 = 1 << 36;

/// What the leading bits of a uniform number U say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decision {
    /// U < e^-t for certain.
    pub(super) accept: bool,
    /// U < e^-t is possible; always so if it is certain.
    pub(super) possible: bool,
}

impl Decision {
    /// Nothing is known.
    pub(super) const OPEN: Self = Self { accept: false, possible: true };

    /// Whether these bits do not tell.
    #[inline]
    pub(super) fn is_open(self) -> bool {
        self.accept != self.possible
    }
}

/// The filter for one energy and shift.
#[derive(Debug)]
pub(super) struct Acceptance {
    /// z.
    scale_up: u32,
    /// ι.
    inverse: u64,
    /// The ε.
    exponentials: &'static [u64; 256],
}

impl Acceptance {
    /// For the rises q = l (linear), l (2^(s+1) h + l) (quadratic) of low parts l < 2^s.
    pub(super) fn new(energy: &Energy, shift: u32) -> Result<Self, SampleError> {
        // q < 2^bits, for h < 2^10.
        let (bits, rate) = match energy {
            Energy::Linear { slope } => (shift, slope),
            Energy::Quadratic { curvature } => (2 * shift + 11, curvature),
        };
        let scale_up = 64_u32.checked_sub(bits).ok_or_else(unsuitable)?;
        // 2^bits ρ < 1/2, so τ < 2^63, and ι < 2^63 fits.
        let inverse = (rate * &Rational::from(Natural::ONE << to_index(128 - scale_up))).floor();
        let inverse = u64::try_from(inverse).map_err(|_| unsuitable())?;
        if inverse >= 1 << 63 {
            return Err(unsuitable());
        }
        Ok(Self { scale_up, inverse, exponentials: exponentials()? })
    }

    /// P, with P - BELOW < 2^62 e^-t < P + ABOVE.
    #[inline]
    fn estimate(&self, rise: u64) -> u64 {
        let t = high_product(rise << self.scale_up, self.inverse);
        let r = t & ((1 << 56) - 1);
        let series = (1 << 63) - (r >> 1) + (high_product(r, r) >> 2);
        high_product(self.exponentials[top_byte(t)], series)
    }

    /// Decides U < e^-t, where U starts with the bits of `word`.
    #[inline]
    pub(super) fn decide(&self, rise: u64, word: u64) -> Decision {
        self.decide_between(rise, word, word)
    }

    /// The same by 32 bits.
    #[inline]
    pub(super) fn decide_short(&self, rise: u64, word: u32) -> Decision {
        let first = u64::from(word) << 32;
        self.decide_between(rise, first, first | u64::from(u32::MAX))
    }

    /// Decides U < e^-t, where ⌊U 2^64⌋ is between `first` and `last`.
    #[inline]
    fn decide_between(&self, rise: u64, first: u64, last: u64) -> Decision {
        let estimate = self.estimate(rise);
        // x < 4 y if and only if ⌊x / 4⌋ < y.
        Decision { accept: last >> 2 < estimate - BELOW, possible: first >> 2 < estimate + ABOVE }
    }

    /// Brings into the first-level cache what is looked up for t < 1/8: the ε up to i = 32.
    #[inline]
    pub(super) fn warm(&self) {
        // Eight are a cache line.
        std::hint::black_box(self.exponentials.iter().step_by(8).take(5).fold(0, |x, y| x ^ y));
    }
}

/// The table of ⌊2^63 e^(-i/256)⌋, made once.
fn exponentials() -> Result<&'static [u64; 256], SampleError> {
    static TABLE: OnceLock<[u64; 256]> = OnceLock::new();
    if let Some(table) = TABLE.get() {
        return Ok(table);
    }
    let mut table = [0; 256];
    for (i, slot) in (0_u64..).zip(&mut table) {
        // A bound up to two units too low is not yet the floor: ask for 64 bits more than
        // needed, cut them off, and see that both bounds agree on what is left.
        let bounds = exp_neg(&Rational::new(i, 256_u32)?, 63 + 64)?;
        let (lower, upper) = (bounds.lower >> 64, bounds.upper >> 64);
        if lower != upper {
            return Err(unsuitable());
        }
        *slot = u64::try_from(lower).map_err(|_| unsuitable())?;
    }
    Ok(TABLE.get_or_init(|| table))
}

fn unsuitable() -> SampleError {
    SampleError::Internal { what: "a scale does not fit the acceptance filter".into() }
}

/// ⌊a b / 2^64⌋.
#[inline]
fn high_product(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// The eight leading bits, as an index the compiler can see is in bounds.
#[inline]
fn top_byte(word: u64) -> usize {
    (word >> 56) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use throng_numeric::fixed::FixedBounds;

    /// An energy with its shift, at the smallest and largest t the fast path meets and between.
    fn filters() -> Vec<(Energy, u32)> {
        let rational = |text: &str| text.parse::<Rational>().unwrap();
        let scales = ["24", "46.08", "46.09", "1000", "1000000001/7", "1e9", "1e13"];
        let sigmas = ["109", "217.2", "217.3", "1000", "1000001/7", "1e9", "7e9"];
        let energies = (scales.iter().map(|scale| Energy::linear(&rational(scale)).unwrap()))
            .chain(
                sigmas.iter().map(|sigma| Energy::quadratic(&rational(sigma).square()).unwrap()),
            );
        energies.map(|energy| (energy.clone(), energy.shift().unwrap())).collect()
    }

    /// q ρ for a rung and a low part, and q.
    fn rise(energy: &Energy, shift: u32, rung: u64, low: u64) -> (u64, Rational) {
        let foot = Natural::from(rung) << to_index(shift);
        let exact = &energy.of(&(&foot + low)) - &energy.of(&foot);
        let units = match energy {
            Energy::Linear { .. } => low,
            Energy::Quadratic { .. } => low * ((rung << (shift + 1)) + low),
        };
        (units, exact)
    }

    /// The claim of the module: P - BELOW < 2^62 e^-t < P + ABOVE; and what `decide` makes of it.
    fn check(energy: &Energy, shift: u32, rung: u64, low: u64, word: u64) {
        let acceptance = Acceptance::new(energy, shift).unwrap();
        let (units, exact) = rise(energy, shift, rung, low);
        let estimate = Natural::from(acceptance.estimate(units)) << 64;
        let truth = exp_neg(&exact, 62 + 64).unwrap();
        assert!(truth.lower > &estimate - (Natural::from(BELOW) << 64));
        assert!(truth.upper < estimate + (Natural::from(ABOVE) << 64));

        let short = u32::try_from(word >> 32).unwrap();
        let first = u64::from(short) << 32;
        judge(acceptance.decide(units, word), word, word, &truth);
        judge(acceptance.decide_short(units, short), first, first | 0xffff_ffff, &truth);
    }

    /// U lies in [first, last + 1) units of 2^-64; compare in units of 2^-126.
    fn judge(decision: Decision, first: u64, last: u64, truth: &FixedBounds) {
        let width = last - first;
        let first = Natural::from(first) << 62;
        let last = (Natural::from(last) + 1_u8) << 62;
        if decision.is_open() {
            let near = Natural::from((BELOW + ABOVE) * 8 + width) << 62;
            assert!(first < &truth.upper + &near && last + near > truth.lower);
        } else if decision.accept {
            assert!(last <= truth.lower, "accepted too early");
        } else {
            assert!(first >= truth.upper, "rejected too early");
        }
    }

    #[test]
    fn the_bounds_hold_at_the_edges() {
        for (energy, shift) in filters() {
            for rung in [0, 1, 511, 1022] {
                for low in [0, 1, (1 << shift) / 2, (1 << shift) - 1] {
                    for word in [0, 1 << 63, u64::MAX - (1 << 36), u64::MAX] {
                        check(&energy, shift, rung, low, word);
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn the_bounds_hold(which in 0..14_usize, rung in 0..1023_u64, low: u64, word: u64, near: bool) {
            let (energy, shift) = &filters()[which];
            let low = low & ((1 << shift) - 1);
            // Half of the words are put where the decision is close.
            let estimate = Acceptance::new(energy, *shift).unwrap().estimate(rise(energy, *shift, rung, low).0);
            let word = if near { (estimate << 2).wrapping_add(word >> 24).wrapping_sub(1 << 39) } else { word };
            check(energy, *shift, rung, low, word);
        }
    }

    #[test]
    fn the_table_of_exponentials_is_exact_at_its_ends() {
        let table = exponentials().unwrap();
        assert_eq!(table[0], 1 << 63);
        assert!(table.windows(2).all(|pair| pair[0] > pair[1]));
        // ⌊2^63 e^(-255/256)⌋ by mpmath at 50 digits.
        assert_eq!(table[255], 3_406_369_125_302_395_738);
    }
}
