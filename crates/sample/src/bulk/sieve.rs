//! Accepting with probability e^-t by 16 bits, for nearly all trials.
//!
//! Several trials are looked at in one instruction, so all numbers here have 16 bits, and
//! `high(a, b)` = ⌊a b / 2^16⌋. What they do not accept goes to [`super::acceptance`].
//!
//! # How large t is
//! Let u = l / 2^s < 1. Then t = E(2^s h + l) - E(2^s h) = u γ, where γ is 2^s / scale (linear), or
//! κ (h + u/2) with κ = (2^s / σ)² (quadratic). For a rung h that a short table can draw, γ < 1/8:
//! - linear: s is the least shift for which 1023 γ >= 44.4, so γ < 2 · 44.4 / 1023 < 0.087;
//! - quadratic: s is the least for which 1023² κ/2 >= 44.4, so 2^-13.6 < κ < 2^-11.5. A rung with a
//!   unit in the short table has e^-E >= 2^-31, as the rung 0 with e^-E = 1 has at most all 2^31; so
//!   h² κ/2 < 21.5, h κ < √(43 κ) < 0.1209 and h < √(43/κ) < 713.
//!
//! # The estimate
//! In units of 2^-17, with errors in those units:
//! 1. λ, the 16 leading bits of l (filled up with zeros): λ <= 2^16 u < λ + 1.
//! 2. g is at most 2^17 γ < 2^14, and above it less 2.5. Linear: its floor. Quadratic:
//!    high(2^6 h + ⌊λ/2^11⌋, ⌊2^27 κ⌋). The first factor is less than 1 below 2^6 (h + u/2), which
//!    costs 2^11 κ < 0.71; the floor in the second (2^6 · 713 + 2^5) / 2^16 < 0.7; the last one 1.
//! 3. τ = high(λ, g) is at most 2^17 t, and above it less 3.75: 2^17 t < (λ + 1)(g + 2.5) / 2^16,
//!    where λ < 2^16 and g < 2^14.
//! 4. Q = τ - ⌊a / 4⌋ + high(b, 2731), with a = high(τ, τ) and b = high(τ, a): for y = τ / 2^17, a
//!    is 2^18 y² less at most 1, b is 2^19 y³ less at most 1.25, and 2731 / 2^16 is 1/24 (and 2^-17),
//!    so Q is 2^17 (y - y²/2 + y³/6) less at most 1.06 and plus at most 1.01. That series exceeds
//!    1 - e^-y by at most y⁴/24 < 2^-12/24, that is 1.34.
//!
//! Together, as t exceeds y by at most 3.75, 2^17 (1 - e^-t) < Q + 1.06 + 3.75 < Q + 5. And not much
//! less: Q - 1.01 - 1.34 < 2^17 (1 - e^-y) <= 2^17 (1 - e^-t). Hence
//!
//! ```text
//! Q - 3 < 2^17 (1 - e^-t) < Q + 5.
//! ```
//!
//! # The decision
//! Let v be 16 random bits, those of 1 - U: the leading bits of U inverted. So 2^17 (1 - U) lies
//! in (2v, 2v + 2]. Then U < e^-t, that is 1 - U > 1 - e^-t, is certain if 2v >= Q + 5, and all
//! other trials are in doubt. At most five v are in doubt of a trial that is accepted, as U < e^-t
//! is impossible if 2v + 2 <= Q - 3.

use throng_numeric::{Natural, Rational};

use super::energy::Energy;
use super::to_index;
use crate::SampleError;

/// The rate of one energy and shift: 2^17 γ (linear) or 2^27 κ (quadratic), rounded down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sieve(u16);

impl Sieve {
    pub(super) fn new(energy: &Energy, shift: u32) -> Result<Self, SampleError> {
        let rate = match energy {
            Energy::Linear { slope } => slope * &power(17 + shift),
            // κ = 2^(2s) / σ² = 2^(2s + 1) curvature.
            Energy::Quadratic { curvature } => curvature * &power(27 + 2 * shift + 1),
        };
        let rate = u64::try_from(rate.floor()).ok().and_then(|rate| u16::try_from(rate).ok());
        rate.map(Self)
            .ok_or_else(|| SampleError::Internal { what: "a scale does not fit the sieve".into() })
    }

    /// g of a linear energy.
    #[inline(always)]
    pub(super) fn linear(self, _: u16, _: u16) -> u16 {
        self.0
    }

    /// g of a quadratic energy, of rung h < 2^10 and λ.
    #[inline(always)]
    pub(super) fn quadratic(self, rung: u16, lead: u16) -> u16 {
        high((rung << 6) + (lead >> 11), self.0)
    }
}

/// Q.
#[inline(always)]
fn estimate(slope: u16, lead: u16) -> u16 {
    let t = high(lead, slope);
    let square = high(t, t);
    t - (square >> 2) + high(high(t, square), 2731)
}

/// The least v for which U < e^-t is certain: 2v >= Q + 5.
#[inline(always)]
pub(super) fn least_sure(slope: u16, lead: u16) -> u16 {
    (estimate(slope, lead) + 6) >> 1
}

/// ⌊a b / 2^16⌋.
#[inline(always)]
fn high(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

fn power(bits: u32) -> Rational {
    Rational::from(Natural::ONE << to_index(bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use throng_numeric::fixed::exp_neg;

    /// Scales at both ends of what a shift serves, and others.
    fn energies() -> Vec<Energy> {
        let rational = |text: &str| text.parse::<Rational>().unwrap();
        let scales = ["23.05", "46.08", "46.09", "1000", "1000000001/7", "1e9", "2.5e13"];
        let sigmas = ["108.7", "217.2", "217.3", "1000", "1000001/7", "7e6", "1e9", "7e9"];
        let linear = scales.iter().map(|scale| Energy::linear(&rational(scale)).unwrap());
        let quadratic = sigmas.iter().map(|s| Energy::quadratic(&rational(s).square()).unwrap());
        linear.chain(quadratic).collect()
    }

    /// The last rung whose energy is at most 31 ln 2: no other comes from a short table.
    fn last_rung(energy: &Energy, shift: u32) -> u64 {
        let most = Rational::new(2149, 100_u8).unwrap();
        let beyond = |h: &u64| energy.of(&(Natural::from(*h) << to_index(shift))) > most;
        (1..1023).find(beyond).unwrap_or(1023) - 1
    }

    /// Q - 3 < 2^17 (1 - e^-t) < Q + 5, for a low part given by its leading bits.
    fn check(energy: &Energy, rung: u64, leading: u64) {
        let shift = energy.shift().unwrap();
        let sieve = Sieve::new(energy, shift).unwrap();
        let low = leading >> (64 - shift);
        let lead = u16::try_from((low << (64 - shift)) >> 48).unwrap();
        let h = u16::try_from(rung).unwrap();
        let slope = match energy {
            Energy::Linear { .. } => sieve.linear(h, lead),
            Energy::Quadratic { .. } => sieve.quadratic(h, lead),
        };
        let q = u64::from(estimate(slope, lead));
        let foot = Natural::from(rung) << to_index(shift);
        let exact = exp_neg(&(&energy.of(&(&foot + low)) - &energy.of(&foot)), 80).unwrap();
        // 2^17 (1 - e^-t) in units of 2^-63.
        let (least, most) =
            ((Natural::ONE << 80) - exact.upper, (Natural::ONE << 80) - exact.lower);
        assert!(least + (Natural::from(3_u8) << 63) > Natural::from(q) << 63, "{rung} {low}");
        assert!(most < Natural::from(q + 5) << 63, "{rung} {low}");
        // And what is made of it.
        let sure = u64::from(least_sure(slope, lead));
        assert!(2 * sure >= q + 5 && 2 * sure <= q + 6);
    }

    #[test]
    fn the_bounds_hold_at_the_edges() {
        for energy in energies() {
            let last = last_rung(&energy, energy.shift().unwrap());
            for rung in [0, 1, 2, last / 2, last - 1, last] {
                for eighth in 0..8 {
                    for leading in [0, 1 << 24, 1 << 47, 1 << 48, 1 << 60, (1 << 61) - 1] {
                        check(&energy, rung, (eighth << 61) | leading);
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn the_bounds_hold(which in 0..15_usize, rung: u64, leading: u64) {
            let energy = &energies()[which];
            check(energy, rung % (last_rung(energy, energy.shift().unwrap()) + 1), leading);
        }
    }

    /// The limits the proof uses, at the scales where they are reached.
    #[test]
    fn the_slope_stays_below_an_eighth() {
        for energy in energies() {
            let shift = energy.shift().unwrap();
            let last = u16::try_from(last_rung(&energy, shift)).unwrap();
            let sieve = Sieve::new(&energy, shift).unwrap();
            match energy {
                Energy::Linear { .. } => assert!(sieve.linear(last, u16::MAX) < 1 << 14),
                Energy::Quadratic { .. } => {
                    assert!(last < 713 && sieve.quadratic(last, u16::MAX) < 1 << 14);
                }
            }
        }
    }
}
